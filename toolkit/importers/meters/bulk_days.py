"""Values of a long table that were read as columns, laid into meter days (AEST) as `instants.register_days` does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.answers.base import Note
from toolkit.importers.imported import Imported
from toolkit.importers.meters.usage_bulk import NOT_STATED, BulkCells, Ints
from toolkit.importers.meters.usage_table import LENGTHS
from toolkit.importers.source import Source
from toolkit.tables.registers import MISSING, pack_integers, quality_runs
from toolkit.tables.schema import Row
from toolkit.units import AEST, AEST_OFFSET, DAY_MINUTES, NANO_DECIMALS

__all__ = ["PlacedCells", "lay_in_bulk", "placed_in_bulk"]

Minutes = NDArray[np.int32]
"""Minutes from 1970, up to the year 6000."""
Places = NDArray[np.uint32]
"""Places of rows in the arrays of a register."""
_MINUTE_US = 60_000_000
_AEST_MINUTES = int(AEST_OFFSET.total_seconds()) // 60
_HALF_HOUR = 30
_ENOUGH_ROWS = 500_000
"""Rows that show the usual step; sorting all of a large file takes memory."""
_MOST_LISTED = 1_000
"""Intervals given twice that are listed one by one; of more, their days are."""


@dataclass(frozen=True, slots=True)
class PlacedCells:
    """Values of one register with their times.

    minutes: of every interval. starts: minutes from 1970 AEST. known: whether the clock showed that time at all.
    """

    cells: BulkCells
    minutes: int
    starts: Minutes
    known: NDArray[np.bool_]


def placed_in_bulk(
    found: Sequence[BulkCells], stated: tzinfo | None, zone: ZoneInfo, imported: Imported
) -> list[PlacedCells] | None:
    """Place the values of a file in time; None where they cannot be laid into days in bulk.

    stated: the clock that the file states; else it is that of `zone`, unless values in an hour that daylight saving
    leaves out contradict it. For laying in bulk, the intervals of a register are equally long, shorter than a day, and
    most are on a grid from AEST midnight.
    """
    placed = [_placed(cells, stated or zone) for cells in found]
    local = [one for one in placed if not one.cells.in_utc and not one.cells.is_end]
    if stated is None and any((one.cells.nano[~one.known] > 0).any() for one in local):
        imported.notes.append(Note("clock_read_as_aest"))
        placed = [_placed(cells, AEST) for cells in found]
    return placed if all(map(_is_regular, placed)) else None


def _placed(cells: BulkCells, clock: tzinfo) -> PlacedCells:
    minutes = _usual_minutes(cells)
    return PlacedCells(cells, minutes, *_starts(cells, clock, minutes))


def _usual_minutes(cells: BulkCells) -> int:
    """Return the usual length in minutes: the one most rows state, else the usual step, else half an hour."""
    stated = cells.length[cells.length != NOT_STATED]
    if stated.size:
        return int(np.bincount(stated).argmax())
    steps = np.diff(np.sort(cells.at[:_ENOUGH_ROWS]))
    known = steps[np.isin(steps, (*LENGTHS, DAY_MINUTES))]
    return int(np.bincount(known).argmax()) if known.size else 30


def _is_regular(placed: PlacedCells) -> bool:
    lengths = placed.cells.length
    if placed.minutes == DAY_MINUTES or ((lengths != NOT_STATED) & (lengths != placed.minutes)).any():
        return False
    offsets = placed.starts[placed.known] % placed.minutes
    return not offsets.size or int(np.bincount(offsets).argmax()) == 0


def lay_in_bulk(source: Source, placed: PlacedCells, imported: Imported) -> None:
    """Add the register-days of one register, and use up its arrays."""
    cells, starts, known, usual = placed.cells, placed.starts, placed.known, placed.minutes
    for row in np.flatnonzero(~known & (cells.nano > 0)).tolist():
        imported.reject(source.at(int(cells.line[row])), "lies in an hour that daylight saving leaves out")
    cells.at = cells.at[:0]  # a large file's arrays take a hundred megabytes each: none longer than it is needed
    on_grid = starts % usual == 0
    for row in np.flatnonzero(known & ~on_grid).tolist():
        imported.reject(source.at(int(cells.line[row])), f"does not fall on the register's {usual}-minute grid")
    starts //= usual
    keys: Minutes = starts
    rows: Places | None = None
    if not (known & on_grid).all():
        rows = np.flatnonzero(known & on_grid).astype(np.uint32)
        keys = keys[rows]
    if (keys[1:] <= keys[:-1]).any():
        order = np.argsort(keys, kind="stable").astype(np.uint32)
        rows = order if rows is None else rows[order]
        keys = keys[order]
        again = np.append(keys[1:] == keys[:-1], np.False_)  # the next one, later in the file, counts
        _warn_of_repeats(source, cells.line, imported, rows, keys // (DAY_MINUTES // usual), again)
        rows, keys = rows[~again], keys[~again]
    imported.tables["register_days"].extend(_days(source, cells, imported, rows, keys, usual))


def _starts(cells: BulkCells, clock: tzinfo, length: int) -> tuple[Minutes, NDArray[np.bool_]]:
    """Return minutes from 1970 AEST to the start of each interval, and whether the clock showed its time at all."""
    at = cells.at
    known = np.ones(len(at), dtype=np.bool_)
    if cells.in_utc:
        aest = at + np.int32(_AEST_MINUTES)
    elif isinstance(clock, ZoneInfo):
        aest, known = _from_zone(at, clock)
    else:
        ahead = clock.utcoffset(datetime(2000, 1, 1, tzinfo=UTC))
        assert ahead is not None
        aest = at + np.int32(_AEST_MINUTES - int(ahead.total_seconds()) // 60)
    if cells.is_end:
        aest -= np.int32(length)
    return aest, known


def _from_zone(at: Minutes, zone: ZoneInfo) -> tuple[Minutes, NDArray[np.bool_]]:
    """Convert wall times, in the order of the file: of one that repeats, the first row is the earlier one.

    Clocks change on the half hour, so a time is converted for each run of rows within one.
    """
    half_hours = at // _HALF_HOUR
    first = _where_new(half_hours)
    runs = np.diff(np.append(first, len(at)))
    wall = half_hours[first].astype(np.int64) * _HALF_HOUR
    del half_hours
    series = pl.Series(wall * _MINUTE_US).cast(pl.Datetime("us"))
    early, late = (
        series.dt.replace_time_zone(zone.key, ambiguous=which, non_existent="null").dt.epoch("us") // _MINUTE_US
        for which in ("earliest", "latest")
    )
    known = np.repeat(early.is_not_null().to_numpy(), runs)
    ahead = np.repeat((wall - early.fill_null(0).to_numpy()).astype(np.int32), runs)
    twice = np.flatnonzero(np.repeat((early != late).fill_null(value=False).to_numpy(), runs))
    if twice.size:
        again = twice[~pl.Series(at[twice]).is_first_distinct().to_numpy()]
        ahead[again] = np.repeat(wall - late.fill_null(0).to_numpy(), runs)[again]
    np.subtract(at, ahead, out=ahead)
    ahead += np.int32(_AEST_MINUTES)
    return ahead, known


def _where_new(values: NDArray[np.int32]) -> Ints:
    """Return the places at which a value differs from the one before it, the first among them."""
    is_new = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=is_new[1:])
    return np.flatnonzero(is_new)


def _warn_of_repeats(
    source: Source,
    lines: NDArray[np.uint32],
    imported: Imported,
    rows: Places,
    days: NDArray[np.int32],
    again: NDArray[np.bool_],
) -> None:
    """Warn of rows, in order of time, that are given `again` by the next one. days: of each, from 1970."""

    def where(place: int) -> str:
        return source.at(int(lines[rows[place]]))

    if again.sum() <= _MOST_LISTED:
        for place in np.flatnonzero(again).tolist():
            imported.warn(where(place), f"the interval is given again at {where(place + 1)}, which counts")
        return
    bounds = [*_where_new(days).tolist(), len(days)]
    for first, end in pairwise(bounds):
        if count := int(again[first:end].sum()):
            place = first + int(again[first:end].argmax())
            what = f"{count} intervals of {_date(int(days[first]))} are given again, the first at {where(place + 1)}"
            imported.warn(where(place), f"{what}: the later values count")


def _days(
    source: Source, cells: BulkCells, imported: Imported, rows: Places | None, keys: Minutes, minutes: int
) -> Iterator[Row]:
    """Yield the register-days of values in order of time. rows: their places; None where they are in order already.

    keys: intervals from 1970 AEST.
    """
    register, count = cells.register, DAY_MINUTES // minutes
    nano = cells.nano if rows is None else cells.nano[rows]
    cells.nano = cells.nano[:0]
    lines, codes = (array if rows is None else array[rows] for array in (cells.line, cells.quality))
    # Fewer decimals for all days at once, as far as all values allow; `pack_integers` looks for more day by day.
    common, factor, exponent = int(np.gcd.reduce(nano)) if len(nano) else 0, 1, NANO_DECIMALS
    while exponent and common % (factor * 10) == 0:
        factor, exponent = factor * 10, exponent - 1
    day_of = keys // count
    firsts = _where_new(day_of)
    days = day_of[firsts].tolist()
    del day_of
    bounds = [*firsts.tolist(), len(keys)]
    for number, day in enumerate(days):
        of_day = slice(bounds[number], bounds[number + 1])
        slots = keys[of_day] % count
        values, missing = np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.bool_)
        values[slots], missing[slots] = nano[of_day] // factor, False
        qualities: list[str | None] = [MISSING] * count
        if len(slots) == count and not codes[of_day].any():
            qualities = []
        else:
            for slot, code in zip(slots.tolist(), codes[of_day].tolist(), strict=True):
                qualities[slot] = cells.qualities[code]
        where, on = source.at(int(lines[of_day.start])), _date(day)
        try:
            columns = pack_integers(values, exponent, missing).columns(quality_runs(qualities))
        except ValueError as error:
            imported.reject(where, f"{on} of {register.suffix}: {error}")
            continue
        imported.places[*register.key, on] = where
        yield {**register.columns(), "date": on, "interval_minutes": minutes, **columns}


def _date(days_from_1970: int) -> date:
    return date.fromordinal(days_from_1970 + date(1970, 1, 1).toordinal())
