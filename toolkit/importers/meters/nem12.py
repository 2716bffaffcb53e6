"""NEM12: interval meter data as Australian meter data providers write it (AEMO Meter Data File Format).

All times are AEST (UTC+10, no daylight saving); a 300 row is one meter day of one register, midnight to midnight.
100 (header), 500 (dial readings, no energy) and 900 (end) carry nothing that is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolkit.errors import ImportFailedError
from toolkit.importers.imported import Imported, Options
from toolkit.importers.meters.nem12_records import (
    RECORD,
    IntervalRow,
    RowError,
    Stream,
    logical_rows,
    quality_spans,
    record_200,
    record_300,
    record_400,
    unit_as_written,
)
from toolkit.importers.meters.numbers import CLEAN, Numbers, parse_clean, parse_odd
from toolkit.importers.meters.registers import Day, add_registers, day_row, fault, keep_latest
from toolkit.importers.source import Source

_BATCH_BYTES = 2**20


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
        self.remarks: dict[str, list[int]] = {}

    def take(self, line: int, row: bytes) -> None:
        """Read one record; what cannot be read is left out with its line and reason."""
        match = RECORD.match(row)
        if match is None:
            self.imported.warn(self.source.at(line), "is not a NEM12 record (100, 200, 300, 400, 500 or 900): left out")
            return
        kind = match.group(1)
        self.seen.add(kind)
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
            self._remark("a 400 row without a 300 row above it: left out", line)
        elif kind == b"250":
            raise RowError("a 250 row (an accumulation read of NEM13) in a NEM12 file")

    def _named(self, line: int, stream: Stream) -> Stream:
        register = stream.register
        if not unit_as_written(stream):
            self._remark(f"register {register.suffix} names no unit: {register.measure.unit} taken", line)
        if re.fullmatch(r"[0-9.]+E\+[0-9]+", register.service_point):
            self._remark(f"NMI {register.service_point} was damaged by a spreadsheet", line)
        return stream

    def _dated(self, line: int, row: bytes) -> IntervalRow:
        if self.stream is None:
            raise RowError("a 300 row without a readable 200 row above it: its register is not known")
        found = record_300(row, self.stream, line)
        if found.updated_at is not None and not found.updated_at.isdigit():
            self._remark("an update time such as 2.01811E+13 was damaged by a spreadsheet: left empty", line)
            found.updated_at = None
        if not found.flag:
            self._remark("has no quality flag: taken as actual", line)
        return found

    def _event(self, line: int, text: str) -> None:
        row = self.rows[-1]
        row.events_raw.append(text)
        try:
            row.events.append(record_400(text))
        except RowError as reason:
            self.rows.pop()
            self.accepts_events = False
            self.imported.reject(self.source.at(line), f"{reason}: the day of line {row.line} is left out")

    def finish(self) -> None:
        """Make the rows, once all records are read. Raises ImportFailedError where there were none."""
        if not self.seen & {b"100", b"200", b"300", b"900"}:
            raise ImportFailedError(self.source.at(1), "holds no NEM12 records")
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
            warn(self.source.at(1), "has no header (100 row): read as NEM12 all the same")
        if b"900" not in self.seen:
            warn(self.source.at_end(), "has no end (900 row): it may have been cut short")
        if b"300" not in self.seen:
            warn(self.source.at(1), "holds no reads (no 300 row)")
        for reason, lines in self.remarks.items():
            rows = f" ({len(lines)} rows, the first here)" if len(lines) > 1 else ""
            warn(self.source.at(lines[0]), reason + rows)

    def _remark(self, reason: str, line: int) -> None:
        """A warning that is given once, however many rows it is about."""
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
            self.imported.notes.append(f"no register {', '.join(unknown)} for controlled load; the file has {found}")
        if "E2" in suffixes and not self.options.controlled_load:
            self.imported.notes.append("register E2 is often controlled load; say `--controlled-load E2` if it is")


def _parsed(rows: list[IntervalRow]) -> Iterator[Numbers]:
    """Numbers of each row, in order: clean rows many at a time, the odd ones one by one."""
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
