"""Spreadsheets: sheets are read as the CSV of the same table would be, and none is so large that it fills memory.

The files are written out here part by part, as spreadsheet programs write them.
"""

from __future__ import annotations

import io
import random
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from toolkit.errors import ImportFailedError
from toolkit.importers.imported import Imported, Options
from toolkit.importers.read import read_source
from toolkit.importers.source import open_sources, unpack
from toolkit.importers.workbook import MOST_CELLS

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
JANUARY_15_2025 = 45672
"""Days since 30 December 1899, as Excel counts."""
DATE, TIME, PLAIN = 1, 2, 0
"""Places of the cell formats below."""
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/>'
    '<numFmt numFmtId="165" formatCode="hh:mm"/></numFmts><cellXfs count="3"><xf numFmtId="0"/>'
    '<xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>'
)

Cell = str | float | tuple[float, int]
"""Text, a number, or a number and its format."""


def cell(value: Cell) -> str:
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
    number, style = value if isinstance(value, tuple) else (value, PLAIN)
    return f'<c s="{style}"><v>{number!r}</v></c>'


def sheet_of(rows: list[list[Cell]]) -> str:
    lines = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'


def workbook(sheets: dict[str, str], shared: str = "") -> bytes:
    """Return an xlsx file of sheets by name, each the XML of its part; shared: the XML of its shared texts."""
    numbers = range(1, len(sheets) + 1)
    named = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in zip(numbers, sheets, strict=True)
    )
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    styles = f'<Relationship Id="s" Type="{_OFFICE}/styles" Target="styles.xml"/>'
    texts = f'<Relationship Id="t" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    book = f'<Relationship Id="b" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{book}</Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{named}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{links}{styles}{texts}'
        "</Relationships>",
        "xl/styles.xml": _STYLES,
        "xl/sharedStrings.xml": shared or f'<sst xmlns="{_MAIN}"/>',
    }
    parts |= {f"xl/worksheets/sheet{n}.xml": xml for n, xml in zip(numbers, sheets.values(), strict=True)}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return data.getvalue()


def zipped(**members: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


SOLAR_EDGE = workbook(
    {
        "Report": sheet_of(
            [
                ["Time", "System Production (W)"],
                [(JANUARY_15_2025 + 600 / 1440, DATE), 1200.0],  # 10:00
                [(JANUARY_15_2025 + 605 / 1440, DATE), 1400.0],
                [(JANUARY_15_2025 + 610 / 1440, DATE), 0.1 + 0.2],  # comes as 0.30000000000000004
            ]
        ),
        "Empty": sheet_of([]),
    }
)


def read(data: bytes) -> list[Imported]:
    return [read_source(source, Options()) for source in unpack("solar.xlsx", data)]


def test_a_sheet_is_read_as_its_csv_would_be() -> None:
    """Five minutes each at 1.2 kW, 1.4 kW and 0.0003 kW."""
    (source,) = unpack("solar.xlsx", SOLAR_EDGE)
    assert source.name == "solar.xlsx/Report"
    assert source.text.splitlines() == [
        "Time,System Production (W)",
        "2025-01-15 10:00:00,1200",
        "2025-01-15 10:05:00,1400",
        "2025-01-15 10:10:00,0.3",
    ]
    (row,) = read_source(source, Options()).tables["register_days"]
    assert (str(row["date"]), row["total_nano"]) == ("2025-01-15", 216_691_667)


def test_dates_and_times_in_columns_of_their_own() -> None:
    rows: list[list[Cell]] = [["Date", "Time", "PV Energy(kWh)"]]
    rows += [[(JANUARY_15_2025, DATE), (minute / 1440, TIME), 0.25] for minute in range(600, 720, 15)]
    (imported,) = read(workbook({"Day": sheet_of(rows)}))
    (day,) = imported.tables["register_days"]
    assert (str(day["date"]), day["total_nano"], day["interval_minutes"]) == ("2025-01-15", 2 * 10**9, 15)


def test_a_row_of_a_sheet_is_named_by_its_number() -> None:
    """The table begins in row 3; row 5 has no number."""
    head: list[list[Cell]] = [[], [], ["Date", "PV Yield(kWh)"]]
    days: list[list[Cell]] = [[(JANUARY_15_2025, DATE), 5.0], [(JANUARY_15_2025 + 1, DATE), "many"]]
    (imported,) = read(workbook({"Days": sheet_of(head + days)}))
    assert [problem.where for problem in imported.problems] == ["solar.xlsx/Days:5"]
    assert len(imported.tables["meter_reads"]) == 1


def test_a_workbook_in_a_zip_is_read(tmp_path: Path) -> None:
    path = tmp_path / "exports.zip"
    path.write_bytes(zipped(book=SOLAR_EDGE, text=b"Date,Amount,Description\n01/03/2026,-5.00,COFFEE\n"))
    assert [source.name for source in open_sources(path)] == ["exports.zip/book/Report", "exports.zip/text"]


def far_cell() -> bytes:
    """A sheet of two cells that are 17 billion cells apart."""
    cells = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    return workbook({"Far": f'<worksheet xmlns="{_MAIN}"><sheetData>{cells}</sheetData></worksheet>'})


def long_and_wide() -> bytes:
    """A row of many cells above many rows of one, none of which says where it stands."""
    wide, one = "<c><v>1</v></c>" * 2_000, "<row><c><v>1</v></c></row>"
    rows = f"<row>{wide}</row>{one * (MOST_CELLS // 2_000)}"
    return workbook({"Wide": f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'})


def long_text() -> bytes:
    """A text of 100 kB that 20,000 cells show."""
    shared = f'<sst xmlns="{_MAIN}"><si><t>{"long" * 25_000}</t></si></sst>'
    cells = '<row><c t="s"><v>0</v></c></row>' * 20_000
    return workbook({"S": f'<worksheet xmlns="{_MAIN}"><sheetData>{cells}</sheetData></worksheet>'}, shared)


def bomb() -> bytes:
    blanks = " " * 40_000_000
    return workbook({"B": f'<worksheet xmlns="{_MAIN}"><sheetData>{blanks}</sheetData></worksheet>'})


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(far_cell, id="two cells far apart"),
        pytest.param(long_and_wide, id="long and wide"),
        pytest.param(long_text, id="a long text in many cells"),
        pytest.param(bomb, id="an archive bomb"),
        pytest.param(lambda: workbook({"None": sheet_of([])}), id="nothing in it"),
        pytest.param(lambda: workbook({"Bad": "<worksheet><sheetData><row>"}), id="a part cut short"),
        pytest.param(lambda: zipped(**{"xl/workbook.bin": b"x", "xl/styles.bin": b"x"}), id="xlsb"),
        pytest.param(lambda: zipped(**{"mimetype": b"x", "content.xml": b"<x/>"}), id="OpenDocument"),
        pytest.param(lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), id="xls"),
    ],
)
def test_what_is_no_table_of_a_home_is_refused_in_a_sentence(data) -> None:
    with pytest.raises(ImportFailedError) as refused:
        read(data())
    assert refused.value.where.startswith("solar.xlsx")
    assert refused.value.reason


def test_a_workbook_cut_or_changed_anywhere_is_read_or_refused() -> None:
    """Bytes of the packed file, and of its parts."""
    chance = random.Random(5)
    for _ in range(150):
        data = bytearray(SOLAR_EDGE)
        for _ in range(chance.randrange(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        _read_or_refused(bytes(data[: chance.choice((len(data), chance.randrange(len(data))))]))
    parts = {info.filename: zipfile.ZipFile(io.BytesIO(SOLAR_EDGE)).read(info) for info in _infos(SOLAR_EDGE)}
    for _ in range(150):
        name = chance.choice(list(parts))
        part = bytearray(parts[name])
        for _ in range(chance.randrange(1, 4)):
            part[chance.randrange(len(part))] = chance.randrange(256)
        _read_or_refused(zipped(**(parts | {name: bytes(part)})))


def _infos(data: bytes) -> list[zipfile.ZipInfo]:
    return zipfile.ZipFile(io.BytesIO(data)).infolist()


def _read_or_refused(data: bytes) -> None:
    """Let nothing but ImportFailedError pass, and nothing be read without a word."""
    with suppress(ImportFailedError):
        for source in unpack("solar.xlsx", data):
            with suppress(ImportFailedError):
                imported = read_source(source, Options())
                assert any(imported.tables.values()) or imported.problems or imported.notes
