"""The records of NEM12, one function for each record number (AEMO Meter Data File Format)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from toolkit.importers.dates import is_plausible
from toolkit.importers.imported import Options
from toolkit.importers.meters.registers import Register, is_controlled_load, measure
from toolkit.tables.register_days import MISSING, QualityRun

QUALITIES = {"A": None, "S": "SUBSTITUTE", "F": "FINAL_SUBSTITUTE", "E": "ESTIMATED", "N": MISSING}
RECORD = re.compile(rb"(100|200|250|300|400|500|550|900)(,|$)")
_FLAG = re.compile(r"[AEFNSV][0-9]{0,2}")
_FLAG_CELL = re.compile(rb",[AEFNSV][0-9]{0,2}(,|$)")


@dataclass(slots=True)
class Stream:
    """A 200 row: the register that the 300 rows below it are of."""

    register: Register
    minutes: int
    raw: str

    @property
    def intervals(self) -> int:
        """Number of values in a day."""
        return 1440 // self.minutes


@dataclass(slots=True)
class IntervalRow:
    """A 300 row and the 400 rows below it. values: the numbers as written, comma-separated."""

    stream: Stream
    line: int
    date: date
    values: bytes
    flag: str
    tail: str
    updated_at: str | None
    events: list[tuple[int, int, str]] = field(default_factory=list)
    events_raw: list[str] = field(default_factory=list)


class RowError(Exception):  # never leaves this module: it becomes a Problem
    """Why a row is left out."""


def logical_rows(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield numbered rows: blank lines left out, quotes removed, a 300 row that was broken over lines made whole."""
    pending: tuple[int, bytes] | None = None
    for number, line in enumerate(data.replace(b'"', b"").splitlines(), start=1):
        row = line.strip(b" \t\r\x00")
        if not row.strip(b","):
            continue
        # some distributors break a 300 row over two lines: it stops before its quality flag
        is_broken = pending and pending[1].startswith(b"300,") and not _FLAG_CELL.search(pending[1])
        if pending and is_broken and not RECORD.match(row):
            pending = (pending[0], pending[1] + row)
            continue
        if pending:
            yield pending
        pending = (number, row)
    if pending:
        yield pending


def record_200(row: str, options: Options) -> Stream:
    """Read a 200 row: NMI, NMIConfiguration, RegisterID, NMISuffix, MDMDataStreamID, MeterSerial, UOM, IntervalLength,
    NextRead.

    `200,NMI1234567,B1E1,E1,E1,N1,METSER123,kWh,30,`
    """
    cells = [cell.strip() for cell in row.split(",")]
    cells += [""] * (9 - len(cells))
    nmi, suffix, serial, unit = cells[1], cells[4], cells[6], cells[7]
    if not nmi or not suffix:
        raise RowError("a 200 row without NMI or suffix: the 300 rows below it are left out")
    minutes = int(cells[8]) if re.fullmatch("[0-9]{1,4}", cells[8]) else 0
    if minutes == 0 or 1440 % minutes:
        raise RowError(f"interval length {cells[8]!r} does not divide a day: the 300 rows below are left out")
    register = Register(
        service_point=nmi,
        meter=serial,
        suffix=suffix,
        register_id=cells[3] or None,
        measure=measure(suffix, unit),
        controlled_load=is_controlled_load(suffix, options.controlled_load),
    )
    return Stream(register, minutes, ",".join(cells).rstrip(","))


def unit_as_written(stream: Stream) -> str:
    """Return the unit of a 200 row as the file has it; empty where it names none."""
    return "".join(stream.raw.split(",")[7:8])


def record_300(row: bytes, stream: Stream, line: int) -> IntervalRow:
    """Read a 300 row: IntervalDate, one value for each interval, QualityMethod, ReasonCode, ReasonDescription,
    UpdateDateTime, MSATSLoadDateTime.

    `300,20230301,.02,.019,…,.021,A,,,20230302004511,`
    """
    wanted = stream.intervals
    commas = row.count(b",")
    if commas < wanted + 1:
        raise RowError(f"{_leading_numbers(row)} values where {wanted} of {stream.minutes} minutes belong")
    parts = row.rsplit(b",", commas - wanted - 1) if commas > wanted + 1 else [row]
    head = parts[0].split(b",", 2)
    tail = [part.decode(errors="replace").strip() for part in parts[1:]] + [""] * 5
    day = aemo_date(head[1])
    unflagged = not tail[0] and _FLAG_CELL.search(b"," + head[2])  # the flag stands among the values: too few of them
    if unflagged or (tail[0] and not _FLAG.fullmatch(tail[0])):
        found = _leading_numbers(row)
        if found != wanted:
            raise RowError(f"{found} values where {wanted} of {stream.minutes} minutes belong")
        raise RowError(f"{tail[0]!r} is not a valid quality flag")
    quality_cells = ",".join(tail).rstrip(",")
    return IntervalRow(stream, line, day, head[2], tail[0], quality_cells, tail[3] or None)


def record_400(row: str) -> tuple[int, int, str]:
    """Read a 400 row: StartInterval, EndInterval (from 1, inclusive), QualityMethod, ReasonCode, ReasonDescription.

    `400,1,20,F14,76,`
    """
    cells = [cell.strip() for cell in row.split(",")] + [""] * 4
    if not (re.fullmatch("[0-9]{1,4}", cells[1]) and re.fullmatch("[0-9]{1,4}", cells[2])):
        raise RowError("a 400 row without a first and last interval")
    if not _FLAG.fullmatch(cells[3]):
        raise RowError(f"{cells[3]!r} is not a valid quality flag")
    return int(cells[1]), int(cells[2]), cells[3]


def quality_spans(row: IntervalRow) -> tuple[QualityRun, ...]:
    """Return spans that are not ACTUAL. With flag V the 400 rows give the qualities and must cover the whole day."""
    count = row.stream.intervals
    if not row.events:
        return _unvaried(row.flag, count)
    expected = 1
    for first, last, _flag in sorted(row.events):
        if first != expected or last < first or last > count:
            raise RowError(f"its 400 rows (intervals {first} to {last}) do not part the day's {count} intervals")
        expected = last + 1
    if expected != count + 1:
        raise RowError(f"its 400 rows end at interval {expected - 1} of {count}")
    named = ((first, last, QUALITIES.get(flag[0])) for first, last, flag in sorted(row.events))
    return tuple((first, last, quality) for first, last, quality in named if quality)


def _unvaried(flag: str, count: int) -> tuple[QualityRun, ...]:
    if flag[:1] == "V":
        raise RowError("its flag V promises 400 rows, and there are none: the quality of the reads is not known")
    quality = QUALITIES.get(flag[:1])
    return ((1, count, quality),) if quality else ()


def _leading_numbers(row: bytes) -> int:
    cells = row.split(b",")[2:]
    return next((n for n, cell in enumerate(cells) if not re.fullmatch(rb"\s*[-+.0-9eE]+\s*", cell)), len(cells))


@lru_cache(maxsize=4096)
def aemo_date(text: bytes) -> date:
    """Parse a date such as `20230301`. Raises RowError."""
    try:
        if len(text) != 8 or not text.isdigit():
            raise ValueError
        found = date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        found = date.min
    if not is_plausible(found):
        raise RowError(f"{text.decode(errors='replace')!r} is not a valid date")
    return found
