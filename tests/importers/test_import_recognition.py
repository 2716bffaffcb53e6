"""What a file is told by its content; what is refused, and with how little memory."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.importers.imported_text import read_text
from tests.problems import names
from toolkit.errors import ImportFailedError, UsageError
from toolkit.importers.read import KINDS, kind_of, read
from toolkit.importers.source import Source, files_under, open_sources

NEM12 = "100,NEM12,202407020000,MDP,RET\n200,6001,E1,1,E1,N1,M1,kWh,480,\n300,20240701,1,2,3,A,,,,\n900\n"
NEM13_ROW = "250,6001,11,1,11,11,M1,E,100,20240401093206,A,,,131,20240701074053,A,,,31,KWH,20241001,20240702104410,\n"
COMMBANK = '01/07/2024,"-12.30","SHOP","+87.70"\n'
NAB = (
    "Date,Amount,Account Number,,Transaction Type,Transaction Details,Balance,Category,Merchant Name,Processed On\n"
    "01 Jul 24,-12.30,123456789,,EFTPOS,SHOP,87.70,Groceries,Shop,01 Jul 24\n"
)
OFX = "<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>AUD</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
ESPI = '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:espi="http://naesb.org/espi"></feed>'
PLAN = '{"planId": "P1", "electricityContract": {"tariffPeriod": []}}'

SAMPLES = [
    ("nem12", NEM12),
    ("nem12", NEM12.split("\n", 1)[1]),
    ("nem12", "\n\n" + NEM12.split("\n", 1)[1]),
    ("nem12", '"100","NEM12","202407020000"\n'),
    ("nem13", "100,NEM13,202407020000,MDP,RET\n" + NEM13_ROW),
    ("nem13", NEM13_ROW),
    ("bank-csv", COMMBANK),
    ("bank-csv", NAB),
    ("usage-csv", "NMI,Start,End,Usage (kWh)\n6001,01/07/2024 00:00,01/07/2024 00:30,0.5\n"),
    ("ofx", "OFXHEADER:100\nDATA:OFXSGML\n\n" + OFX),
    ("ofx", OFX),
    ("qif", "!Type:Bank\nD1/7'24\nT-1.00\n^\n"),
    ("greenbutton", ESPI),
    ("plans", PLAN),
    ("plans", PLAN + "\n" + PLAN),
    ("plans", f'{{"data": {PLAN}}}'),
]


@pytest.mark.parametrize(("kind", "text"), SAMPLES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_kind_is_told_by_content_in_any_encoding(kind, text, encoding):
    assert kind_of(Source("anything.bin", text.encode(encoding))) == kind


@pytest.mark.parametrize(
    "text", ["hello", "a,b,c\n1,2,3\n", "<html></html>", '{"a": 1}', "\x00\x01\x02", "PNG\x00\r\n", "%PDF-1.7"]
)
def test_an_unknown_file_is_refused_with_what_is_understood(text):
    with pytest.raises(ImportFailedError) as failure:
        read_text(text, name="holiday.txt")
    assert all(what in str(failure.value) for what in KINDS.values())
    assert str(failure.value).startswith("holiday.txt:1: ")


@pytest.mark.parametrize(
    "start",
    [
        b"\xff\xd8\xff\xe0\x00\x10JFIF",
        b"\x89PNG\r\n\x1a\n",
        b"RIFF\x24\x00\x00\x00WEBPVP8 ",
        b"\x00\x00\x00\x18ftypheic",
    ],
)
def test_a_photo_of_a_bill_is_called_a_picture(start):
    with pytest.raises(ImportFailedError) as failure:
        read_text(start + bytes(range(256)), name="IMG_2231.jpg")
    assert names(str(failure.value), "is a picture", "--pdf")
    assert "columns" not in str(failure.value)


def test_what_is_no_text_is_not_taken_for_a_banks_table():
    with pytest.raises(ImportFailedError) as failure:
        read_text(b"\x01\x00\x02\x00\x03" * 50, name="backup.dat")
    assert "columns" not in str(failure.value)
    assert all(what in str(failure.value) for what in KINDS.values())


@pytest.mark.parametrize("data", [b"", b"\n\n  \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_called_empty(data):
    with pytest.raises(ImportFailedError):
        read_text(data)


def test_the_person_may_say_what_it_is():
    text = "Date,Usage\n01/07/2024,1\n"
    with pytest.raises(ImportFailedError):
        read_text(text)
    with pytest.raises(ImportFailedError, match="bank"):
        read_text(text, kind="bank-csv")
    with pytest.raises(UsageError, match="'pdf'"):
        read_text(text, kind="pdf")


def test_windows_1252_text_is_read():
    [row] = read_text('01/07/2024,"-12.30","CAFÉ","+87.70"\n'.encode("cp1252")).tables["transactions"]
    assert row["description"] == "CAFÉ"


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_gzip_and_every_member_of_a_zip_are_read(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(NEM12.encode()))
    (tmp_path / "b.zip").write_bytes(zipped(**{"in/meter.csv": NEM12.encode(), "bank.csv": COMMBANK.encode()}))
    assert [imported.kind for imported in read(tmp_path / "a.gz")] == ["nem12"]
    assert [imported.kind for imported in read(tmp_path / "b.zip")] == ["nem12", "bank-csv"]
    assert [source.name for source in open_sources(tmp_path / "b.zip")] == ["b.zip/meter.csv", "b.zip/bank.csv"]


def test_a_folder_is_its_files_sorted_without_hidden_ones(tmp_path):
    for name in ("b/z.csv", "a.csv", ".DS_Store", "b/.hidden/x.csv", "c.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(COMMBANK)
    names = [path.relative_to(tmp_path).as_posix() for path in files_under(tmp_path)]
    assert names == ["a.csv", "b/z.csv", "c.csv"]


def encrypted_zip() -> bytes:
    data = bytearray(zipped(a=b"x"))
    data[6] |= 1  # the local header's flag, and the central directory's
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def test_a_member_of_a_zip_that_cannot_be_opened_costs_no_other(tmp_path):
    data = bytearray(zipped(**{"a.csv": COMMBANK.encode(), "in.zip": zipped(b=b"x"), "z.csv": NEM12.encode()}))
    data[data.index(b"a.csv") + 7] ^= 0xFF  # a flipped byte in what the first member is packed to
    (tmp_path / "some.zip").write_bytes(data)
    first, second, third = open_sources(tmp_path / "some.zip")
    assert names(first.failure, "a.csv")
    assert names(second.failure, "in.zip")
    assert (third.failure, third.data) == (None, NEM12.encode())


def test_a_damaged_member_packed_with_lzma_costs_no_other(tmp_path):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_LZMA) as out:
        out.writestr("a.csv", COMMBANK)
        out.writestr("b.csv", NEM12)
    data = bytearray(archive.getvalue())
    data[data.index(b"a.csv") + 20 : data.index(b"a.csv") + 24] = b"\xff" * 4  # within what the member is packed to
    (tmp_path / "some.zip").write_bytes(data)
    first, second = open_sources(tmp_path / "some.zip")
    assert names(first.failure, "a.csv")
    assert (second.failure, second.data) == (None, NEM12.encode())


def test_a_member_that_is_too_large_ends_the_zip_and_says_so(tmp_path):
    path = tmp_path / "some.zip"
    path.write_bytes(zipped(**{"bomb": bytes(30 * 2**20), "b.csv": COMMBANK.encode(), "c.csv": COMMBANK.encode()}))
    with pytest.raises(ImportFailedError, match=r"^some\.zip/bomb: .* 2 files "):
        read(path)


MOST_MEMORY = 200 * 2**20
BOMBS = {
    "zip of 200 MB of zeros": lambda: zipped(a=bytes(200 * 2**20)),
    "gzip of 200 MB of zeros": lambda: gzip.compress(bytes(200 * 2**20), 1),
    "zip of 2,001 files": lambda: zipped(**{str(number): b"" for number in range(2_001)}),
    "zip in a zip": lambda: zipped(a=zipped(b=b"x")),
    "gzip in a zip": lambda: zipped(a=gzip.compress(b"x")),
    "cut zip": lambda: zipped(a=b"x" * 99)[:40],
    "cut gzip": lambda: gzip.compress(b"x" * 999)[:20],
    "locked zip": encrypted_zip,
    "empty zip": zipped,
    "JSON 200,000 deep": lambda: b'{"planId":' * 200_000,
    "JSON list 200,000 deep": lambda: b'["planId",' + b"[" * 200_000,
    "billion laughs": lambda: (
        b'<!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "'
        + b"&a;" * 10
        + b'">]><feed xmlns="http://naesb.org/espi">&b;</feed>'
    ),
    "entity of another file": lambda: (
        b'<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><feed xmlns="http://naesb.org/espi">&a;</feed>'
    ),
    "OFX 100,000 deep": lambda: b"<OFX>" + b"<A>" * 100_000,
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=list(BOMBS))
def test_a_bomb_is_refused_within_little_memory(bomb, tmp_path):
    path = tmp_path / "bomb"
    path.write_bytes(bomb())
    tracemalloc.start()
    with pytest.raises(ImportFailedError):
        read(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < MOST_MEMORY


def test_a_file_beyond_the_limit_is_refused_unread(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(ImportFailedError, match="MB"):
        read(path)


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(ImportFailedError, match=r"absent\.csv"):
        read(tmp_path / "absent.csv")


NAMES_OF_TWO = "COLES", "ALDI"
TWO_ENTRIES = {
    "bank-csv": "Date,Description,Amount\n01/06/2026,{},-5.00\n02/06/2026,{},-6.00\n",
    "qif": "!Type:Bank\nD1/6/2026\nT-5.00\nP{}\n^\nD2/6/2026\nT-6.00\nP{}\n^\n",
    "ofx": "<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>AUD<BANKACCTFROM><BANKID>062000<ACCTID>1234<ACCTTYPE>CHECKING"
    "</BANKACCTFROM><BANKTRANLIST>\n<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260601<TRNAMT>-5.00<FITID>1<NAME>{}</STMTTRN>\n"
    "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260602<TRNAMT>-6.00<FITID>2<NAME>{}</STMTTRN>\n"
    "</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>",
}


@pytest.mark.parametrize(("kind", "line"), [("bank-csv", 2), ("qif", 2), ("ofx", 2)])
def test_an_entry_with_a_nul_character_is_named_by_its_line_and_the_rest_is_kept(kind: str, line: int) -> None:
    whole = read_text(TWO_ENTRIES[kind].format(*NAMES_OF_TWO))
    assert [row["description"] for row in whole.tables["transactions"]] == [*NAMES_OF_TWO]
    damaged = read_text(TWO_ENTRIES[kind].format("CO\x00LES", "ALDI"))
    assert damaged.kind == kind
    assert [row["description"] for row in damaged.tables["transactions"]] == ["ALDI"]
    assert [problem.where for problem in damaged.problems] == [f"file.csv:{line}"]


PIECES = [text for _, text in SAMPLES] + [
    "300,20240701,",
    "400,1,2,A",
    "\x00",
    ",",
    "\n",
    '"',
    "NaN",
    "1e999",
    "٣",
    "<STMTTRN>",
    "<TRNAMT>9</TRNAMT>",
    "^\n",
    "!Type:Bank\n",
    "D99/99/99\n",
    "T1e5\n",
    "<IntervalReading>",
    "6001,01/07/2024 25:00,x,-1\n",
    "[",
    "{",
    "null",
]
soup = st.binary(max_size=200) | st.lists(st.sampled_from(PIECES) | st.text(max_size=20), max_size=12).map("".join).map(
    lambda text: text.encode("utf-8", "surrogatepass")
)


@given(soup, st.none() | st.sampled_from(sorted(KINDS)))
@example(b"!Type:Bank\nD1/1/0000\nT1\n^", "qif")
@example(b"<OFX><STMTTRNRS></STMTRS>", "ofx")
@example(b"<OFX></OFX><OFX>", "ofx")
@example(b"Start,kWh\n01/01/0001 00:00,1\n31/12/9999 23:30,1\n", None)
@example(NEM13_ROW.replace(",131,", ",1e999999999,").encode(), None)
@example(b"Start,kWh\n01/07/2024 00:00,1e-999999\n", None)
def test_whatever_the_bytes_it_is_read_or_refused(data, kind):
    try:
        imported = read_text(data, kind=kind)
    except ImportFailedError:
        return
    assert imported.kind in KINDS
    assert imported.rejected >= 0
