"""NEM12: interval meter data (AEMO Meter Data File Format), one function for each record number.

All times are AEST (UTC+10, no daylight saving); a 300 row is one meter day of one register, midnight to midnight.
100 (header), 500 (dial readings, no energy) and 900 (end) carry nothing that is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache

from toolkit.answers.base import Note
from toolkit.errors import ImportFailedError
from toolkit.importers.imported import Imported, Options
from toolkit.importers.meters.registers import (
    CLEAN,
    Day,
    Numbers,
    Register,
    add_registers,
    day_row,
    fault,
    is_controlled_load,
    is_plausible,
    keep_latest,
    measure,
    parse_clean,
    parse_odd,
)
from toolkit.importers.source import Source
from toolkit.tables.registers import MISSING, QualityRun

QUALITY_OF_FLAG = {"A": None, "S": "SUBSTITUTE", "F": "FINAL_SUBSTITUTE", "E": "ESTIMATED", "N": MISSING}
_BATCH_BYTES = 2**20
RECORD = re.compile(rb"(100|200|250|300|400|500|550|900)(,|$)")
_FLAG = re.compile(r"[AEFNSV][0-9]{0,2}")
_FLAG_CELL = re.compile(rb",[AEFNSV][0-9]{0,2}(,|$)")


# ---- its records


@dataclass(slots=True)
class Stream:
    """A 200 row: the register that the 300 rows below it are of."""

    register: Register
    minutes: int
    """Length of an interval."""
    raw: str
    """The row as written, without blanks around its cells and empty cells at its end."""

    @property
    def intervals(self) -> int:
        """Return the number of values in a day."""
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


AGAIN = "download the file again, and do not save it in a spreadsheet"
"""What a person can do about a file that is not as a distributor writes it."""


def _wrong_number(found: int, stream: Stream) -> str:
    wanted = stream.intervals
    return (
        f"has {found} reads where a day of {stream.minutes} minutes each has {wanted}, so this day is left out: {AGAIN}"
    )


def _not_a_quality(flag: str) -> str:
    return f"{flag!r} does not say whether reads are measured or estimated (A, E, F, N, S or V)"


def record_200(row: str, options: Options) -> Stream:
    """Read a 200 row: NMI, NMIConfiguration, RegisterID, NMISuffix, MDMDataStreamID, MeterSerial, UOM, IntervalLength,
    NextRead.

    `200,NMI1234567,B1E1,E1,E1,N1,METSER123,kWh,30,`
    """
    cells = [cell.strip() for cell in row.split(",")]
    cells += [""] * (9 - len(cells))
    nmi, suffix, serial, unit = cells[1], cells[4], cells[6], cells[7]
    if not nmi or not suffix:
        raise RowError(f"names no meter or no register (NMI and suffix), so the reads below it are left out: {AGAIN}")
    minutes = int(cells[8]) if re.fullmatch("[0-9]{1,4}", cells[8]) else 0
    if minutes == 0 or 1440 % minutes:
        raise RowError(
            f"has reads every {cells[8]!r} minutes, which do not fill a day, so those below it are left out: {AGAIN}"
        )
    register = Register(
        service_point=nmi,
        meter=serial,
        suffix=suffix,
        register_id=cells[3] or None,
        measure=measure(suffix, unit),
        controlled_load=is_controlled_load(suffix, options.controlled_load),
    )
    return Stream(register, minutes, ",".join(cells).rstrip(","))


def record_300(row: bytes, stream: Stream, line: int) -> IntervalRow:
    """Read a 300 row: IntervalDate, one value for each interval, QualityMethod, ReasonCode, ReasonDescription,
    UpdateDateTime, MSATSLoadDateTime.

    `300,20230301,.02,.019,…,.021,A,,,20230302004511,`
    """
    wanted = stream.intervals
    commas = row.count(b",")
    if commas < wanted + 1:
        raise RowError(_wrong_number(_leading_numbers(row), stream))
    parts = row.rsplit(b",", commas - wanted - 1) if commas > wanted + 1 else [row]
    head = parts[0].split(b",", 2)
    tail = [part.decode(errors="replace").strip() for part in parts[1:]] + [""] * 5
    day = aemo_date(head[1])
    unflagged = not tail[0] and _FLAG_CELL.search(b"," + head[2])  # the flag stands among the values: too few of them
    if unflagged or (tail[0] and not _FLAG.fullmatch(tail[0])):
        found = _leading_numbers(row)
        if found != wanted:
            raise RowError(_wrong_number(found, stream))
        raise RowError(_not_a_quality(tail[0]))
    quality_cells = ",".join(tail).rstrip(",")
    return IntervalRow(stream, line, day, head[2], tail[0], quality_cells, tail[3] or None)


_FINER = {288: 5, 96: 15}
"""Values in a day → minutes of each, of the lengths that NEM12 has besides half an hour."""


def finer(row: bytes, stream: Stream) -> Stream:
    """Return the register with shorter intervals, where a 300 row has a whole day of these up to its quality flag.

    A row is one day, so that more values than fit leave no other reading. Since five-minute settlement some files keep
    the length of before in their 200 row.
    """
    if row.count(b",") <= 2 * stream.intervals:
        return stream
    found = _leading_numbers(row)
    minutes = _FINER.get(found, 0)
    flag = row.split(b",")[2 + found : 3 + found] or [b""]
    is_whole = 0 < minutes < stream.minutes and _FLAG.fullmatch(flag[0].decode(errors="replace").strip())
    return replace(stream, minutes=minutes) if is_whole else stream


def record_400(row: str) -> tuple[int, int, str]:
    """Read a 400 row: StartInterval, EndInterval (from 1, inclusive), QualityMethod, ReasonCode, ReasonDescription.

    `400,1,20,F14,76,`
    """
    cells = [cell.strip() for cell in row.split(",")] + [""] * 4
    if not (re.fullmatch("[0-9]{1,4}", cells[1]) and re.fullmatch("[0-9]{1,4}", cells[2])):
        raise RowError("does not say which reads of the day are estimated (row 400 without a first and last interval)")
    if not _FLAG.fullmatch(cells[3]):
        raise RowError(_not_a_quality(cells[3]))
    return int(cells[1]), int(cells[2]), cells[3]


def quality_spans(row: IntervalRow) -> tuple[QualityRun, ...]:
    """Return spans that are not ACTUAL. With flag V the 400 rows give the qualities and must cover the whole day."""
    count = row.stream.intervals
    if not row.events:
        return _unvaried(row.flag, count)
    expected = 1
    for first, last, _flag in sorted(row.events):
        if first != expected or last < first or last > count:
            raise RowError(
                f"the rows on estimated reads (400, {first} to {last}) do not fit the day's {count} reads: {AGAIN}"
            )
        expected = last + 1
    if expected != count + 1:
        raise RowError(f"the rows on estimated reads (400) end at read {expected - 1} of the day's {count}: {AGAIN}")
    named = ((first, last, QUALITY_OF_FLAG.get(flag[0])) for first, last, flag in sorted(row.events))
    return tuple((first, last, quality) for first, last, quality in named if quality)


def _unvaried(flag: str, count: int) -> tuple[QualityRun, ...]:
    if flag[:1] == "V":
        raise RowError(f"the rows that say which reads are estimated (400) are missing below this day: {AGAIN}")
    quality = QUALITY_OF_FLAG.get(flag[:1])
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


# ---- the file


def read_nem12(source: Source, options: Options) -> Imported:
    """Read register-days, registers and service points of a NEM12 file.

    Values exactly as written; Wh and MWh become kWh. Raises ImportFailedError where it holds no NEM12 records.
    """
    reading = _Reading(source, options)
    for line, record in logical_rows(source.plain):
        reading.take(line, record)
    reading.finish()
    return reading.imported


class _Reading:
    """The file as far as it has been read."""

    def __init__(self, source: Source, options: Options) -> None:
        self.source, self.options = source, options
        self.imported = Imported("nem12", "register_days")
        self.stream: Stream | None = None
        self.rows: list[IntervalRow] = []
        self.accepts_events = False
        self.below_day = False
        self.seen: set[bytes] = set()
        self.has_ended = False
        self.remarks: dict[str, list[int]] = {}

    def take(self, line: int, row: bytes) -> None:
        """Read one record; what cannot be read is left out with its line and reason."""
        match = RECORD.match(row)
        if match is None:
            self.imported.warn(self.source.at(line), "is not a row of a meter data file (NEM12), and is left out")
            return
        kind = match.group(1)
        self.seen.add(kind)
        if self.has_ended and kind in (b"200", b"300"):  # two distributors' files put together have a 100 row between
            self._remark("the file goes on below its end (row 900): that is read too", line)
        self.has_ended = kind == b"900"
        try:
            self._record(kind, line, row)
        except RowError as reason:
            self.imported.reject(self.source.at(line), str(reason), rows=int(kind == b"300"))

    def _record(self, kind: bytes, line: int, row: bytes) -> None:
        if kind == b"200":
            self.stream, self.accepts_events, self.below_day = None, False, False
            self.stream = self._named(line, record_200(row.decode(errors="replace"), self.options))
        elif kind == b"300":
            self.accepts_events, self.below_day = False, True
            self.rows.append(self._dated(line, row))
            self.accepts_events = True
        elif kind == b"400" and self.accepts_events:
            self._event(line, row.decode(errors="replace"))
        elif kind == b"400" and not self.below_day:  # those of a day that is left out go with it
            self._remark("says which reads are estimated (row 400), but there are no reads above it: left out", line)
        elif kind == b"250":
            raise RowError("is one reading for months (row 250, NEM13) and is left out: it needs a file of its own")

    def _named(self, line: int, stream: Stream) -> Stream:
        register = stream.register
        if not "".join(stream.raw.split(",")[7:8]):  # the unit of the 200 row, as the file has it
            self._remark(f"register {register.suffix} has no unit, and is read as {register.measure.unit}", line)
        if re.fullmatch(r"[0-9.]+E\+[0-9]+", register.service_point):
            self._remark(f"the meter number {register.service_point} was changed by a spreadsheet: {AGAIN}", line)
        return stream

    def _dated(self, line: int, row: bytes) -> IntervalRow:
        if self.stream is None:
            raise RowError(
                f"has reads, but no readable row 200 above it names the meter, so they are left out: {AGAIN}"
            )
        stream = finer(row, self.stream)
        if stream is not self.stream:
            said = f"names reads of {self.stream.minutes} minutes (row 200), but a day has {stream.intervals}"
            self._remark(f"{said}: they are read as reads of {stream.minutes} minutes", line)
        found = record_300(row, stream, line)
        if found.updated_at is not None and not found.updated_at.isdigit():
            self._remark(
                "the time of an update was changed by a spreadsheet (such as 2.01811E+13): it is left out",
                line,
            )
            found.updated_at = None
        if not found.flag:
            self._remark("does not say whether its reads are measured or estimated: they count as measured", line)
        return found

    def _event(self, line: int, text: str) -> None:
        row = self.rows[-1]
        row.events_raw.append(text)
        try:
            row.events.append(record_400(text))
        except RowError as reason:
            self.rows.pop()
            self.accepts_events = False
            self.imported.reject(self.source.at(line), f"{reason}, so the day of line {row.line} is left out")

    def finish(self) -> None:
        """Make the rows, once all records are read. Raises ImportFailedError where there were none."""
        if not self.seen & {b"100", b"200", b"300", b"900"}:
            raise ImportFailedError(self.source.at(1), "has no meter data (NEM12) in it")
        self._note_shape()
        days = [day for day in map(self._day, self.rows, _parsed(self.rows)) if day is not None]
        self.imported.tables["register_days"] = []
        kept = keep_latest(days, self.imported)
        for day in kept:
            self._store(day)
        add_registers(self.imported, [day.register for day in kept])
        self._note_controlled_load()

    def _note_shape(self) -> None:
        warn = self.imported.warn
        if b"100" not in self.seen:
            warn(self.source.at(1), "has no first line (row 100): it is read all the same")
        if not self.has_ended:
            warn(self.source.at_end(), f"has no last line (row 900), so it may be incomplete: {AGAIN}")
        if b"300" not in self.seen:
            warn(self.source.at(1), f"has no reads in it (no row 300): {AGAIN}")
        for reason, lines in self.remarks.items():
            rows = f" ({len(lines)} rows, the first here)" if len(lines) > 1 else ""
            warn(self.source.at(lines[0]), reason + rows)

    def _remark(self, reason: str, line: int) -> None:
        """Record a warning that is given once, however many rows it is about."""
        self.remarks.setdefault(reason, []).append(line)

    def _day(self, row: IntervalRow, numbers: Numbers) -> Day | None:
        where = self.source.at(row.line)
        raw = "\n".join([row.stream.raw, f"300,{row.date:%Y%m%d},[{row.stream.intervals}],{row.tail}", *row.events_raw])
        try:
            spans = quality_spans(row)
            day = Day(row.stream.register, row.date, row.stream.minutes, numbers, spans, row.updated_at, where, raw)
            reason = fault(day)
        except RowError as bad:
            reason = str(bad)
        if reason is None:
            return day
        self.imported.reject(where, f"{row.date} of {row.stream.register.suffix}: {reason}")
        return None

    def _store(self, day: Day) -> None:
        try:
            self.imported.tables["register_days"].append(day_row(day))
            self.imported.places[(*day.register.key, day.date)] = day.where
        except ValueError as reason:
            self.imported.reject(day.where, f"{day.date} of {day.register.suffix}: {reason}")

    def _note_controlled_load(self) -> None:
        suffixes = {str(row["register_suffix"]).upper() for row in self.imported.tables["registers"]}
        unknown = sorted({name.upper() for name in self.options.controlled_load} - suffixes)
        if unknown and suffixes:
            found = ", ".join(sorted(suffixes))
            self.imported.notes.append(
                Note("controlled_load_register_missing", unknown=", ".join(unknown), found=found)
            )
        if "E2" in suffixes and not self.options.controlled_load:
            self.imported.notes.append(Note("controlled_load_possible", register="E2"))


def _parsed(rows: list[IntervalRow]) -> Iterator[Numbers]:
    """Parse the numbers of each row, in order: clean rows many at a time, the odd ones one by one."""
    batch: list[bytes] = []
    order: list[Numbers | None] = []
    size = 0
    for row in rows:
        if row.values.translate(None, CLEAN):
            order.append(parse_odd(row.values.split(b",")))
        else:
            order.append(None)
            batch.append(row.values)
            size += len(row.values)
        if size > _BATCH_BYTES:
            yield from _merged(order, batch)
            batch, order, size = [], [], 0
    yield from _merged(order, batch)


def _merged(order: list[Numbers | None], batch: list[bytes]) -> Iterator[Numbers]:
    clean = iter(parse_clean(batch))
    for numbers in order:
        yield numbers if numbers is not None else next(clean)
