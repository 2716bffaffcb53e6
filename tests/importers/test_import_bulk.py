"""Long tables are read by columns once they are large; what comes out is what row by row gives."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.many_cases import rest_slow
from toolkit.errors import ImportFailedError
from toolkit.importers import source
from toolkit.importers.imported import Imported, Options
from toolkit.importers.meters.usage_csv import read_usage_csv
from toolkit.importers.read import read, read_source
from toolkit.importers.source import LARGEST_BYTES, Source

ROWS = 9_000
"""Of half hours: 187 days, with both changes of clocks, of 7 April and 6 October."""
FIRST = datetime.fromisoformat("2024-04-05")

Line = Callable[[datetime, int], str]


def table(header: str, line: Line, *, minutes: int = 30, first: datetime = FIRST, rows: int = ROWS) -> list[str]:
    """A header and rows of intervals one after another on the clock's face; values go from 0.000 to 0.499."""
    return [header, *(line(first + timedelta(minutes=minutes * n), n % 500) for n in range(rows))]


def plainly(at: datetime, value: int) -> str:
    return f"4103000001,M1,E1,{at:%Y-%m-%d %H:%M:%S},0.{value:03d}"


PLAIN = "NMI,Meter,Register,Start,Usage (kWh)"

LAYOUTS: dict[str, Callable[[], list[str]]] = {
    "one column of time": lambda: table(PLAIN, plainly),
    "two registers": lambda: [
        *table(PLAIN, plainly),
        *(plainly(FIRST + timedelta(minutes=5 * n), n % 500).replace("E1", "B1") for n in range(ROWS)),
    ],
    "Australian dates, quality and two values": lambda: table(
        "Date and time,Consumption (Wh),Export (Wh),Quality",
        lambda at, value: f"{at:%d/%m/%Y %H:%M},{value},{value * 2},{'Estimated' if value < 20 else 'A'}",
    ),
    "start, end, quotes and spaces": lambda: table(
        '"NMI","Start","End","Value","UOM"',
        lambda at, value: (
            f'"4103000001","{at:%d/%m/%Y %I:%M %p}","{at + timedelta(minutes=29):%d/%m/%Y %I:%M %p}",'
            f'"{value / 1000}","kWh"'
        ),
    ),
    "date beside time, ends": lambda: table(
        "Date,End time,kWh",
        lambda at, value: f"{at:%d-%b-%Y},{at:%H:%M},.{value:03d}",
        first=datetime.fromisoformat("2024-07-01T00:30"),
    ),
    "offsets": lambda: table(
        "Start,kWh",
        lambda at, value: f"{at:%Y-%m-%dT%H:%M:%S}+11:00,{value / 1000}",
        first=datetime.fromisoformat("2024-11-01"),
    ),
    "five minutes of AEST": lambda: table(
        "Time (AEST),kWh", lambda at, value: f"{at:%Y-%m-%d %H:%M},{value / 1000}", minutes=5
    ),
    "missing reads, unknown qualities": lambda: table(
        "Start,kWh,Quality",
        lambda at, value: f"{at:%Y-%m-%d %H:%M},{value / 1000},{['A', 'Missing', 'Odd', 'S'][value % 4]}",
    ),
    "gas": lambda: table("MIRN,Start,MJ", lambda at, value: f"5240000001,{at:%Y-%m-%d %H:%M},{value}", minutes=60),
}


def both_ways(text: str) -> tuple[Imported, Imported]:
    usage = Source("usage.csv", text.encode())
    return read_usage_csv(usage, Options(), bulk_from=0), read_usage_csv(usage, Options(), bulk_from=10**12)


def facts(imported: Imported) -> dict[str, object]:
    tables = {name: sorted(rows, key=str) for name, rows in imported.tables.items()}
    problems = sorted(str(problem) for problem in imported.problems)
    return {
        "tables": tables,
        "problems": problems,
        "places": imported.places,
        "notes": imported.notes,
        "rejected": imported.rejected,
    }


@pytest.mark.parametrize("layout", rest_slow(LAYOUTS))
def test_columns_give_what_rows_give(layout: str) -> None:
    by_columns, by_rows = both_ways("\n".join(LAYOUTS[layout]()))
    assert facts(by_columns) == facts(by_rows)
    assert by_columns.tables["register_days"]


@pytest.mark.parametrize(
    "odd",
    [
        "4103000001,M1,E1,2024-05-05 00:00:00,-1.5",
        "4103000001,M1,E1,31/02/2024 00:00,1.5",
        "4103000001,M1,E1,2024-05-05 00:00:00,1,5",
        "4103000001,M1,E1,2024-05-05 00:07:00,1.5",
        "4103000001,M1,E1,2024-05-05 00:00:00,0.75",
        "4103000001,M1,E1,2024-05-05 00:00:00,1.0000000000001",
        "4103000001,M1,E1,2024-05-05 00:00:00,99999999999",
        "4103000001,M1,E1,5 May 2024 00:00,0.75",
        "4103000001,M1,E1,2024-10-06 02:30:00,0.25",
        "4103000001,M1,E1,1890-05-05 00:00:00,0.25",
        ",,,,",
        "",
        "Total,,,,123",
        '4103000001,M1,E1, "2024-05-05 00:00:00",0.75',
        '4103000001,M1,E1,"2024-05-05 00:00:00,0.75',
    ],
)
def test_an_odd_row_is_taken_or_refused_as_by_itself(odd: str) -> None:
    last = [plainly(FIRST - timedelta(minutes=30 * n), 7) for n in (1, 2)]
    by_columns, by_rows = both_ways("\n".join([*table(PLAIN, plainly, rows=40 * 48), odd, *last]))
    assert facts(by_columns) == facts(by_rows)


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark(ends: str) -> None:
    text = "\ufeff" + ends.join(table(PLAIN, plainly, rows=40 * 48)) + ends
    by_columns, by_rows = both_ways(text)
    assert facts(by_columns) == facts(by_rows)


def test_days_given_again_with_other_values_are_listed_by_day(tmp_path: Path) -> None:
    rows = table(PLAIN, plainly)
    again = [row.replace(",0.", ",1.") for row in rows[1:4801]]  # 100 days of 48
    path = tmp_path / "twice.csv"
    path.write_text("\n".join([*rows, *again]))
    (imported,) = read(path, timezone="Australia/Brisbane")
    assert len(imported.problems) == 100
    assert {problem.severity for problem in imported.problems} == {"warning"}
    first = imported.tables["register_days"][0]
    assert first["total_nano"] == sum(1_000_000_000 + n * 1_000_000 for n in range(48))


def test_a_large_file_of_another_kind_is_refused() -> None:
    statement = b"Date,Description,Amount\n01/02/2026,SHOP,-1.00\n"
    with pytest.raises(ImportFailedError):
        read_source(Source("bank.csv", statement.ljust(LARGEST_BYTES + 1, b"\n")), Options())


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_file_too_large_to_be_held_gives_what_one_in_memory_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    path = tmp_path / "usage.csv"
    path.write_bytes(ends.join(table(PLAIN, plainly)).encode())
    (in_memory,) = read(path)
    monkeypatch.setattr(source, "LARGEST_BYTES", 300_000)
    assert path.stat().st_size > 300_000
    (a_piece_at_a_time,) = read(path)
    assert facts(a_piece_at_a_time) == facts(in_memory)
    assert in_memory.tables["register_days"]


def test_a_large_file_of_another_kind_is_refused_from_disk(tmp_path: Path) -> None:
    path = tmp_path / "bank.csv"
    path.write_bytes(b"Date,Description,Amount\n01/02/2026,SHOP,-1.00\n".ljust(LARGEST_BYTES + 1, b"\n"))
    with pytest.raises(ImportFailedError):
        read(path)
