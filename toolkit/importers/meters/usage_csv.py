"""Usage tables of retailers' and networks' portals (CSV), one row an interval or one row a day."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import timedelta, tzinfo
from itertools import pairwise
from zoneinfo import ZoneInfo

from toolkit.answers.base import Note
from toolkit.errors import ImportFailedError
from toolkit.importers.dates import fixed_clock, to_instants
from toolkit.importers.imported import Imported, Options
from toolkit.importers.meters.bulk_days import lay_in_bulk, placed_in_bulk
from toolkit.importers.meters.instants import Read, register_days
from toolkit.importers.meters.registers import AccumulationRead, Register, add_accumulation_read, add_registers
from toolkit.importers.meters.usage_bulk import BULK_FROM, read_in_bulk
from toolkit.importers.meters.usage_table import LENGTHS, Cell, Columns, UsageTable, columns_of
from toolkit.importers.source import LARGEST_BYTES, Record, Source, records, too_large
from toolkit.units import AEST, DAY_MINUTES


def read_usage_csv(source: Source, options: Options, *, bulk_from: int = BULK_FROM) -> Imported:
    """Read register-days of a usage table; days without intervals become accumulation reads.

    The clock is the one the file states (AEST or UTC in a header, times with an offset), else that of
    `--timezone`. A value in an hour that daylight saving leaves out proves that the file's clock has none: then AEST.
    bulk_from: bytes from which a table is read by columns; smaller ones are read row by row, with the same result.
    The unit is the header's or a unit column's, else kWh, noted. Raises ImportFailedError if it is not a usage table.
    """
    head = list(records(source.head, most=_HEADER_WITHIN))
    columns = columns_of(head)
    if columns is None:
        raise ImportFailedError(source.at(1), "has no header with a date or time and a column of kWh, Wh, MWh or MJ")
    imported = Imported("usage-csv", "register_days", {"register_days": []}, partial_days=True)
    table = UsageTable(columns, options)
    if source.size < bulk_from or not _read_columns(source, table, head, imported):
        _read_rows(source, table, imported)
    if imported.tables.get("meter_reads") and not imported.tables["register_days"]:
        imported.counts = "meter_reads"
    elif not imported.tables["register_days"] and not imported.problems:
        imported.warn(source.at_end(), "has no row with energy below its header")
    _note(columns, imported)
    for quality, count in sorted((+table.unknown).items()):
        imported.notes.append(Note("read_quality_unknown", quality=quality, count=count))
    return imported


_HEADER_WITHIN = 25
"""Records among which the header is looked for."""


def _read_columns(source: Source, table: UsageTable, head: list[Record], imported: Imported) -> bool:
    """Read a long table column by column. Returns False, with nothing read, where its rows are not alike enough."""
    header = head[table.columns.header]
    found = read_in_bulk(source, table, header.line + header.raw.count("\n"), imported)
    if found is None:
        return False
    placed = placed_in_bulk(found, fixed_clock(table.columns.clock), ZoneInfo(table.options.timezone), imported)
    if placed is None:
        imported.forget_problems()
        table.unknown.clear()
        return False
    registers = [cells.register for cells in found]
    found.clear()
    while placed:  # the arrays of a register are freed once it is laid
        lay_in_bulk(source, placed.pop(0), imported)
    add_registers(imported, registers)
    return True


def _read_rows(source: Source, table: UsageTable, imported: Imported) -> None:
    """Read a table row by row. Raises ImportFailedError where it is too large for that."""
    if source.size > LARGEST_BYTES:
        raise ImportFailedError(source.at(1), too_large(source.size))
    cells: dict[Register, list[Cell]] = defaultdict(list)
    for cell in _cells(source, table, list(records(source))[table.columns.header + 1 :], imported):
        cells[cell.register].append(cell)
    clock = _clock(cells, table.columns, table.options, imported)
    for register, given in cells.items():
        _lay(source, register, given, clock, imported)
    add_registers(imported, list(cells))


def _note(columns: Columns, imported: Imported) -> None:
    if not columns.unit and "uom" not in columns.places:
        imported.notes.append(Note("usage_without_unit"))
    if "nmi" not in columns.places:
        imported.notes.append(Note("usage_without_meter"))


def _cells(source: Source, table: UsageTable, rows: list[Record], imported: Imported) -> Iterator[Cell]:
    for record in rows:
        try:
            yield from list(table.cells(record))  # all values of a row, or none
        except ValueError as reason:
            imported.reject(source.at(record.line), str(reason))


def _clock(cells: dict[Register, list[Cell]], columns: Columns, options: Options, imported: Imported) -> tzinfo:
    stated = fixed_clock(columns.clock)
    if stated is not None:
        return stated
    zone = ZoneInfo(options.timezone)
    for given in cells.values():
        dated = [cell for cell in given if not cell.when.is_end and not cell.when.number]
        instants = to_instants([cell.when.at for cell in dated], zone)
        if any(cell.value and at is None for cell, at in zip(dated, instants, strict=True)):
            imported.notes.append(Note("clock_read_as_aest"))
            return AEST
    return zone


def _lay(source: Source, register: Register, given: list[Cell], clock: tzinfo, imported: Imported) -> None:
    """Add the cells of one register as register-days, or as accumulation reads where they last a day and more."""
    usual = _usual_minutes(given)
    if usual % DAY_MINUTES == 0:
        for cell in given:
            first = cell.when.at.date()
            last = first + timedelta(days=(cell.when.minutes or usual) // DAY_MINUTES - 1)
            read = AccumulationRead(register, first, last, cell.value, source.at(cell.line), cell.quality)
            add_accumulation_read(imported, read)
        return
    reads = []
    # a row may give the number of an interval in the day of `at` in place of a time
    begins = [cell.when.at + timedelta(minutes=usual * max(0, cell.when.number - 1)) for cell in given]
    for cell, instant in zip(given, to_instants(begins, clock), strict=True):
        if instant is not None:
            minutes = _minutes(cell, usual, clock)
            starts = instant - timedelta(minutes=minutes) if cell.when.is_end else instant
            reads.append(Read(starts, minutes, cell.value, cell.quality, source.at(cell.line)))
        elif cell.value:
            imported.reject(source.at(cell.line), "lies in an hour that daylight saving leaves out")
    imported.tables["register_days"].extend(register_days(register, reads, imported))


def _minutes(cell: Cell, usual: int, zone: tzinfo) -> int:
    """Return the interval's length in minutes of real time: daylight saving may begin or end within its wall times."""
    stated, start = cell.when.minutes, cell.when.at
    if stated is None or stated == usual or start.tzinfo is not None:
        return stated or usual
    end = start + timedelta(minutes=stated)
    before, after = (timestamp.replace(tzinfo=zone).utcoffset() or timedelta() for timestamp in (start, end))
    return stated - round((after - before).total_seconds() / 60)


def _usual_minutes(given: list[Cell]) -> int:
    """Return the usual length in minutes: the one most rows state, else the usual step, else half an hour or a day."""
    stated = Counter(cell.when.minutes for cell in given if cell.when.minutes)
    if stated:
        return stated.most_common(1)[0][0] or DAY_MINUTES
    numbers = max((cell.when.number for cell in given), default=0)
    if numbers:
        return DAY_MINUTES // next((count for count in (24, 48, 96, 288) if numbers <= count), 288)
    times = sorted({cell.when.at.replace(tzinfo=None) for cell in given})
    steps = Counter(round((later - one).total_seconds() / 60) for one, later in pairwise(times))
    usual = next((minutes for minutes, _ in steps.most_common() if minutes in (*LENGTHS, DAY_MINUTES)), 0)
    return usual or (30 if any(cell.when.timed for cell in given) else DAY_MINUTES)
