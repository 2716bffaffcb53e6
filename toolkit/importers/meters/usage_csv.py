"""Usage tables of retailers' and networks' portals (CSV), one row an interval or one row a day."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from itertools import pairwise

from toolkit.errors import ImportFailed
from toolkit.importers.imported import Imported, Options, Row
from toolkit.importers.meters.amounts import amount
from toolkit.importers.meters.clock import (
    AEST,
    calendar_day,
    fixed_clock,
    is_plausible,
    to_instants,
    wall_time,
    zone_of,
)
from toolkit.importers.meters.columns import Columns, ValueColumn, columns_of, is_controlled, is_sent_out
from toolkit.importers.meters.days import Register, add_registers
from toolkit.importers.meters.instants import Read, register_days
from toolkit.importers.meters.registers import is_controlled_load, measure
from toolkit.importers.source import Source
from toolkit.importers.tabular import Record, records
from toolkit.tables.interval_blobs import nano

_SUFFIX = re.compile(r"(?:.*[#:_ ])?(?P<suffix>[A-Z][0-9A-Z])")
_QUALITY = {"s": "SUBSTITUTE", "f": "FINAL_SUBSTITUTE", "e": "ESTIMATED", "y": "ESTIMATED"}
_DAY = 1440
_LENGTHS = (5, 10, 15, 20, 30, 60)


@dataclass(frozen=True, slots=True)
class _When:
    """at: the start of the interval (the end where `is_end`) as the clock showed it, with a zone only where written.

    minutes: its length, where the row says it. number: of the interval in the day of `at`, from 1; 0 where not said.
    timed: whether a time of day is written, be it midnight.
    """

    at: datetime
    is_end: bool = False
    minutes: int | None = None
    number: int = 0
    timed: bool = True


@dataclass(frozen=True, slots=True)
class _Cell:
    """One value of the table. when: the time of its row, or of its place in a row of a day."""

    register: Register
    when: _When
    value: Decimal
    quality: str | None
    line: int


def read_usage_csv(source: Source, options: Options) -> Imported:
    """Register-days of a usage table; days without intervals become accumulation reads.

    The clock is the one the file states (a header that says AEST or UTC, times with an offset), else that of
    `--timezone`. A value in an hour that daylight saving leaves out proves that the file's clock has none: then AEST.
    The unit is the header's or a unit column's, else kWh, noted. Raises ImportFailed where it is no usage table.
    """
    rows = list(records(source))
    columns = columns_of(rows)
    if columns is None:
        raise ImportFailed(source.name, "has no header with a date or time and a column of kWh, Wh, MWh or MJ")
    imported = Imported("usage-csv", "register_days", {"register_days": []}, partial_days=True)
    cells: dict[Register, list[_Cell]] = defaultdict(list)
    for cell in _cells(source, columns, rows[columns.header + 1 :], options, imported):
        cells[cell.register].append(cell)
    clock = _clock(cells, columns, options, imported)
    for register, given in cells.items():
        _lay(source, register, given, clock, imported)
    add_registers(imported, list(cells))
    if imported.tables.get("meter_reads") and not imported.tables["register_days"]:
        imported.counts = "meter_reads"
    _note(columns, imported)
    return imported


def _note(columns: Columns, imported: Imported) -> None:
    if not columns.unit and "uom" not in columns.places:
        imported.notes.append("the file names no unit: kWh taken")
    if "nmi" not in columns.places:
        imported.notes.append("the file names no meter point (NMI): its service point is called `usage`")


# ---- cells


def _cells(
    source: Source, columns: Columns, rows: list[Record], options: Options, imported: Imported
) -> Iterator[_Cell]:
    for record in rows:
        try:
            yield from _wide(columns, record, options) if columns.slots else _long(columns, record, options)
        except ValueError as reason:
            imported.reject(source.at(record.line), str(reason))


def _long(columns: Columns, record: Record, options: Options) -> Iterator[_Cell]:
    """The values of a row that stands for one interval. A blank value is no value."""
    when = _times(columns, record)
    for column in columns.values:
        text = _at(record, column.place)
        if text:
            register = _register(columns, record, column, options)
            value = _value(text, register.measure.shift)
            quality = _quality(columns, record)
            yield _Cell(register, when, value, quality, record.line)


def _wide(columns: Columns, record: Record, options: Options) -> Iterator[_Cell]:
    """The values of a row that stands for one day, in order of the day."""
    midnight = _read_time(_role(columns, record, "date"), "")
    register = _register(columns, record, ValueColumn(0, "", ""), options)
    minutes = _DAY // len(columns.slots)
    texts = [_at(record, place) for place in columns.slots]
    values = [_value(text, register.measure.shift) if text else None for text in texts]
    for number, value in enumerate(values):
        if value is not None:
            when = _When(midnight + timedelta(minutes=minutes * number), minutes=minutes)
            yield _Cell(register, when, value, _quality(columns, record), record.line)


def _at(record: Record, place: int) -> str:
    return record.cells[place] if place < len(record.cells) else ""


def _role(columns: Columns, record: Record, role: str) -> str:
    return _at(record, columns.places.get(role, len(record.cells)))


def _times(columns: Columns, record: Record) -> _When:
    on, number = _role(columns, record, "date"), _role(columns, record, "number")
    start_text, end_text = _role(columns, record, "start"), _role(columns, record, "end")
    if not start_text and not end_text:
        at, timed = _read_time(on, ""), calendar_day(on) is None
        return _When(at, number=int(number) if number.isdigit() else 0, timed=timed)
    start = _read_time(start_text, on) if start_text else None
    end = _read_time(end_text, on or start_text) if end_text else None
    if start is None:
        return _When(_read_time(end_text, on), is_end=True)
    if end and calendar_day(start_text) and calendar_day(end_text):
        return _When(start, minutes=((end - start).days + 1) * _DAY)
    return _When(start, minutes=_length(start, end), timed=calendar_day(start_text) is None)


def _read_time(text: str, on: str) -> datetime:
    found = wall_time(text, on)
    if found is None or not is_plausible(found):
        raise ValueError(f"{' '.join(part for part in (on, text) if part)!r} is no date and time")
    return found


def _length(start: datetime, end: datetime | None) -> int | None:
    """Minutes from start to end; an end of `…:29` or `…:59` is the last minute. None where it is no usual length."""
    if end is None or (start.tzinfo is None) != (end.tzinfo is None):
        return None
    minutes = round((end - start).total_seconds() / 60) % _DAY
    minutes += minutes % 5 == 4
    return minutes if minutes in _LENGTHS else None


def _value(text: str, shift: int) -> Decimal:
    value = amount(text)
    if value is None or value < 0:
        raise ValueError(f"{text!r} is no amount of energy")
    return value.scaleb(-shift)


def _quality(columns: Columns, record: Record) -> str | None:
    text = _role(columns, record, "quality").lower()
    return None if text in ("", "n", "no") or text.startswith("act") else _QUALITY.get(text[0])


def _register(columns: Columns, record: Record, column: ValueColumn, options: Options) -> Register:
    named = _role(columns, record, "register")
    match = _SUFFIX.fullmatch(named.upper())
    words = f"{_role(columns, record, 'flow')} {column.flow}"
    unit = _role(columns, record, "uom") or column.unit or columns.unit
    sent_out = None if match else is_sent_out(words)
    suffix = match["suffix"] if match else named or _suffix(words, column, columns)
    found = measure(suffix if match else "", unit or "KWH", sent_out=sent_out)
    return Register(
        service_point=_role(columns, record, "nmi") or "usage",
        meter=_role(columns, record, "meter"),
        suffix=suffix,
        register_id=named or None,
        measure=found,
        controlled_load=is_controlled_load(suffix, options.controlled_load)
        or (found.direction == "import" and is_controlled(words)),
    )


def _suffix(words: str, column: ValueColumn, columns: Columns) -> str:
    """A name for a register that the file names none for: by its direction, and its header where there are several."""
    if is_sent_out(words):
        return "EXPORT"
    if is_controlled(words):
        return "CONTROLLED"
    imports = [value for value in columns.values if not value.sent_out and not value.controlled_load]
    if len(imports) < 2:
        return "IMPORT"
    return re.sub(r"[^A-Z0-9]+", "_", re.sub(r"\(.*?\)", "", column.flow).upper()).strip("_") or "IMPORT"


# ---- time


def _clock(cells: dict[Register, list[_Cell]], columns: Columns, options: Options, imported: Imported) -> tzinfo:
    stated = fixed_clock(columns.clock)
    if stated is not None:
        return stated
    zone = zone_of(options.timezone)
    for given in cells.values():
        dated = [cell for cell in given if not cell.when.is_end and not cell.when.number]
        instants = to_instants([cell.when.at for cell in dated], zone)
        if any(cell.value and at is None for cell, at in zip(dated, instants, strict=True)):
            reason = "the file has values in an hour that daylight saving leaves out: its clock is read as AEST"
            imported.notes.append(reason)
            return AEST
    return zone


def _lay(source: Source, register: Register, given: list[_Cell], clock: tzinfo, imported: Imported) -> None:
    """The cells of one register as register-days, or as accumulation reads where they last a day and more."""
    usual = _usual_minutes(given)
    if usual % _DAY == 0:
        spans = [_span(register, cell, cell.when.minutes or usual) for cell in given]
        imported.tables.setdefault("meter_reads", []).extend(spans)
        return
    reads = []
    for cell, instant in zip(given, to_instants([_shown(cell, usual) for cell in given], clock), strict=True):
        if instant is not None:
            minutes = cell.when.minutes or usual
            starts = instant - timedelta(minutes=minutes) if cell.when.is_end else instant
            reads.append(Read(starts, minutes, cell.value, cell.quality, source.at(cell.line)))
        elif cell.value:
            imported.reject(source.at(cell.line), "lies in an hour that daylight saving leaves out")
    imported.tables["register_days"].extend(register_days(register, reads, imported))


def _shown(cell: _Cell, usual: int) -> datetime:
    """The wall time that places the cell."""
    return cell.when.at + timedelta(minutes=usual * (cell.when.number - 1)) if cell.when.number else cell.when.at


def _usual_minutes(given: list[_Cell]) -> int:
    """The usual length: what most rows say, else the usual step from row to row, else half an hour or a day."""
    said = Counter(cell.when.minutes for cell in given if cell.when.minutes)
    if said:
        return said.most_common(1)[0][0] or _DAY
    numbers = max((cell.when.number for cell in given), default=0)
    if numbers:
        return _DAY // next((count for count in (24, 48, 96, 288) if numbers <= count), 288)
    times = sorted({cell.when.at.replace(tzinfo=None) for cell in given})
    steps = Counter(round((later - one).total_seconds() / 60) for one, later in pairwise(times))
    usual = next((minutes for minutes, _ in steps.most_common() if minutes in (*_LENGTHS, _DAY)), 0)
    return usual or (30 if any(cell.when.timed for cell in given) else _DAY)


def _span(register: Register, cell: _Cell, minutes: int) -> Row:
    first = cell.when.at.date()
    return {
        **register.columns(),
        "start_date": first,
        "end_date": first + timedelta(days=minutes // _DAY - 1),
        "value": format(cell.value, "f"),
        "value_nano": nano(cell.value),
        "quality": cell.quality or "ACTUAL",
        "updated_at": None,
        "raw": None,
    }
