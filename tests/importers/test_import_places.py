"""`where` of what is left out of a file is `file:line`, with the line as an editor counts it, in every kind of file."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command_line import Run
from tests.importers.imported_text import read_text
from tests.problems import names
from toolkit.errors import ImportFailedError

LINE_END = re.compile(r"\r\n|\r|\n")
BLANKS = st.lists(st.sampled_from(["\n", "\r\n", "\r", " \n", "\t\r\n"]), max_size=4).map("".join)
"""What may stand between two elements of XML, SGML or JSON."""
TEXT = st.text(st.sampled_from("aé€\x0b\x0c\x1c\x85\u2028<&]> "), max_size=8)
"""Text with characters that break lines for Python, but for no editor."""


def line_of(text: str, mark: str) -> int:
    return len(LINE_END.findall(text[: text.index(mark)])) + 1


def rejected(text: str, **options: str) -> list[tuple[str, str]]:
    problems = read_text(text, name="file.x", **options).problems
    return [(problem.where, problem.reason) for problem in problems if problem.severity == "rejected"]


# ---- OFX

OFX = "OFXHEADER:100{gap}<OFX><BANKMSGSRSV1><STMTTRNRS>{other}<STMTRS><BANKTRANLIST>{rows}</BANKTRANLIST></STMTRS>"
INVESTED = "<INVBANKTRAN><STMTTRN>\n<TRNAMT>1</STMTTRN></INVBANKTRAN>\n"
OFX_END = "</STMTTRNRS></BANKMSGSRSV1></OFX>"


def ofx_row(fitid: str, amount: str, name: str, gap: str = "") -> str:
    fields = f"<TRNTYPE>DEBIT{gap}<DTPOSTED>20240701{gap}<TRNAMT>{amount}{gap}<FITID>{fitid}"
    return f"<STMTTRN>{gap}{fields}{gap}<NAME><![CDATA[{name}]]>{gap}</STMTTRN>{gap}"


@given(
    st.lists(st.tuples(st.booleans(), TEXT, BLANKS), min_size=1, max_size=6), BLANKS, st.sampled_from(["", INVESTED])
)
def test_the_line_of_an_ofx_row_is_that_of_its_tag(rows: list[tuple[bool, str, str]], gap: str, other: str) -> None:
    """Also after rows of other statements, comments, and CDATA over several lines that looks like a row."""
    written = "".join(
        ofx_row(f"F{number}", "x" if bad else "1.00", name.replace("]]>", "") + "\n<STMTTRN>", blank)
        for number, (bad, name, blank) in enumerate(rows)
    )
    text = OFX.format(gap=gap, other=f"{other}<!-- <STMTTRN>\n -->", rows=written) + OFX_END
    ids = [f"F{number}" for number, (bad, _, _) in enumerate(rows) if bad]
    starts = [match.start() for match in re.finditer(r"<STMTTRN>\s*<TRNTYPE>", text)]
    lines = [len(LINE_END.findall(text[:start])) + 1 for start in starts]
    expected = [
        (f"file.x:{line}", f"transaction F{number}: the amount 'x' cannot be read")
        for number, line in enumerate(lines)
        if f"F{number}" in ids
    ]
    assert rejected(text, kind="ofx") == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<OFX>\n<A>x</A>\n<B>y</C>\n</OFX>", 3),
        ("<OFX>\n<STMTTRN>\n<NAME>x\n", 3),
        ("<OFX>\n<A>x</A> tail\n</OFX>", 2),
        ("<OFX>\n\n<NAME><![CDATA[x\n</OFX>", 3),
        ("OFXHEADER:100\n\n", 1),
    ],
)
def test_a_broken_ofx_file_is_refused_with_the_line_and_without_the_parsers_words(text: str, line: int) -> None:
    with pytest.raises(ImportFailedError) as failure:
        read_text(text, name="file.x", kind="ofx")
    assert failure.value.where == f"file.x:{line}"
    assert not re.search(r"position|tail text|Mismatch|NoneType|list index|missing end", failure.value.reason)


# ---- Green Button


def green_button(reads: list[tuple[str, str]], gap: str = "") -> str:
    blocks = "".join(
        f"{gap}<IntervalReading>{gap}<timePeriod><duration>1800</duration><start>{start}</start></timePeriod>{gap}"
        f"<value>{value}</value></IntervalReading>"
        for start, value in reads
    )
    return (
        f'<?xml version="1.0"?>{gap}<feed xmlns="http://www.w3.org/2005/Atom"><entry><content>{gap}'
        f'<IntervalBlock xmlns="http://naesb.org/espi">{blocks}</IntervalBlock></content></entry></feed>'
    )


@given(st.lists(st.booleans(), min_size=1, max_size=6), BLANKS)
def test_the_line_of_a_green_button_reading_is_that_of_its_tag(bad: list[bool], gap: str) -> None:
    starts = [str(1772287200 + 1800 * number) for number in range(len(bad))]
    text = green_button([(start, "x" if is_bad else "5") for start, is_bad in zip(starts, bad, strict=True)], gap)
    lines = [len(LINE_END.findall(text[: match.start()])) + 1 for match in re.finditer("<IntervalReading>", text)]
    expected = [
        (
            f"file.x:{line}",
            f"the reading of register 1 at {start} has 'x' over 30 minutes, which is not an amount of energy",
        )
        for line, start, is_bad in zip(lines, starts, bad, strict=True)
        if is_bad
    ]
    assert rejected(text) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<feed>\n<!-- naesb.org/espi -->\n<a>\n</feed>", 4),
        ("\n<feed>naesb.org/espi", 2),
        ("<?xml version='1.0'?>\n<!DOCTYPE feed [<!ENTITY a 'naesb.org/espi'>]>\n<feed/>", 2),
        ("<feed>naesb.org/espi</feed>", 1),
    ],
)
def test_broken_green_button_xml_is_refused_with_the_line(text: str, line: int) -> None:
    with pytest.raises(ImportFailedError) as failure:
        read_text(text, name="file.x", kind="greenbutton")
    assert failure.value.where == f"file.x:{line}"
    assert not re.search(r"not well-formed|mismatched|no element|column", failure.value.reason)


# ---- plans

PLAN = {"planId": "P", "electricityContract": {"tariffPeriod": [{"singleRate": 7}]}}
ODD = {"odd": ["MARK"]}


@given(
    st.lists(st.sampled_from([PLAN, ODD, 7, "x\u2028", [1]]), max_size=5),
    st.sampled_from(["{}", '{{"data":{{"plans":{}}}}}', '{{\n"x":[1,{{}}],\n\t"y" :\r\n{{"z":{}}}}}']),
    st.sampled_from([None, 1, "\t"]),
    BLANKS,
)
def test_the_line_of_what_is_no_plan_in_a_list_is_that_of_its_first_character(
    entries: list[object], frame: str, indent: int | str | None, gap: str
) -> None:
    """One entry that is refused stands last; its own text is found nowhere else."""
    refused = {"refused": "here"}
    listed = json.dumps([PLAN, *entries, refused], indent=indent, ensure_ascii=False)
    text = gap + frame.format(listed).replace("P", "P\u2028")
    start = text.rindex("{", 0, text.index('"refused"'))
    where = f"file.x:{len(LINE_END.findall(text[:start])) + 1}"
    assert rejected(text, kind="plans")[-1][0] == where


def test_a_problem_inside_a_plan_of_a_list_has_the_line_of_its_plan() -> None:
    text = json.dumps([{**PLAN, "planId": "P1"}, {**PLAN, "planId": "P2"}], indent=1)
    where = [f"file.x:{line_of(text, '{')}", f"file.x:{len(text[: text.rindex('P2')].splitlines()) - 1}"]
    first, second = rejected(text)
    assert [first[0], second[0]] == where
    assert names(first[1], "P1.electricity_contract.single_rate", "'7'")
    assert names(second[1], "P2.electricity_contract.single_rate", "'7'")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"planId": "P",\n"electricityContract": {}\n\n', 2),
        ('[\n{"planId": "P",\n "electricityContract": {},,\n}]', 3),
        ('[{"planId": "P"\n "electricityContract": 1}]', 2),
        ('{"electricityContract": {"a": NaN}}', 1),
    ],
)
def test_broken_json_is_refused_with_the_line_and_without_the_decoders_words(text: str, line: int) -> None:
    with pytest.raises(ImportFailedError) as failure:
        read_text(text, name="file.x", kind="plans")
    assert failure.value.where == f"file.x:{line}"
    assert not re.search(r"Expecting|delimiter|column|char \d", failure.value.reason)


@given(st.lists(st.sampled_from([json.dumps(PLAN), "x", '{"a": 1}', "", "[1", "\u2028x"]), max_size=6))
def test_the_line_in_a_file_with_a_plan_a_line(lines: list[str]) -> None:
    text = "\n".join([json.dumps({"planId": "Q", "electricityContract": {}}), json.dumps(PLAN), *lines])
    expected = [number for number, line in enumerate(lines, start=3) if line and "electricityContract" not in line]
    found = [where for where, reason in rejected(text) if "single_rate" not in reason]
    assert found == [f"file.x:{number}" for number in expected]


# ---- QIF, and whatever file


@given(st.lists(st.tuples(st.booleans(), TEXT), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
def test_the_line_of_a_qif_record_is_that_of_its_first_field(rows: list[tuple[bool, str]], end: str) -> None:
    lines = ["!Type:Bank"]
    expected = []
    for bad, name in rows:
        expected += [f"file.x:{len(lines) + 1}"] if bad else []
        lines += ["D1/7/24", "Tx" if bad else "T1", f"P{name}", "^"]
    assert [where for where, _ in rejected(end.join(lines))] == expected


def archive(name: str, data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as target:
        target.writestr(name, data)
    return packed.getvalue()


BAD = {
    "a.ofx": OFX.format(gap="\n", other="", rows=ofx_row("F1", "1", "A") + "\n" + ofx_row("F2", "x", "B")) + OFX_END,
    "a.qif": "!Type:Bank\nD1/7/24\nT1\n^\nD1/7/24\nTx\n^\n",
    "a.xml": green_button([("1772287200", "5"), ("1772289000", "x")], "\n"),
    "nem12.csv": "100,NEM12,202603010000,A,B\n200,6001,E1,1,E1,N1,M1,kWh,720,\n"
    "300,20260301,1,1,A,,,,\n300,20260302,1,A,,,,\n900\n",
    "usage.csv": "Start,kWh\n2026-03-01 00:00,1\n2026-03-01 00:30,x\n",
    "comma.csv": "Start,kWh\n2026-03-01 00:00,1\n2026-03-01 00:30,\"0,532\"\n",
    "bank.csv": "Date,Description,Debit,Credit,Balance\n01/07/2024,SHOP,1.00,,1.00\n31/06/2024,NO,1.00,,\n",
    "list.json": json.dumps([{"planId": "Q", "electricityContract": {}}, ODD], indent=1),
    "plans.ndjson": json.dumps({"planId": "Q", "electricityContract": {}}) + "\n" + json.dumps(ODD) + "\n",
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("packed", [False, True])
def test_import_lists_what_it_left_out_of_any_file_by_file_and_line(
    run: Run, tmp_path: Path, name: str, *, packed: bool
) -> None:
    path = tmp_path / (f"{name}.zip" if packed else name)
    path.write_bytes(archive(name, BAD[name].encode()) if packed else BAD[name].encode())
    ended = run("import", path, "--json")
    assert ended.code == 3
    [file] = ended.json["files"]
    places = [problem["where"] for problem in file["problems"] if problem["severity"] == "rejected"]
    shown = f"{name}.zip/{name}" if packed else name
    last = {"a.qif": 5, "a.xml": 7, "nem12.csv": 4, "list.json": 6, "plans.ndjson": 2}.get(name, 3)
    assert places == [f"{shown}:{last}"]
    assert all(re.fullmatch(r".+:[1-9][0-9]*", problem["where"]) for problem in file["problems"])
