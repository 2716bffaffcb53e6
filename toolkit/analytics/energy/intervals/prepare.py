"""Reads prepared for pricing: energy by day and time of day in a plan's time zone, ready for any number of plans.

Exact: energy stays in whole 10^-9 kWh (or MJ). An interval belongs where its start stands (pricing rule 4).
Accumulation reads (basic meters, gas, NEM13, daily totals) become reads of whole days first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo

import holidays
import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.intervals.billed import BILLED
from toolkit.analytics.energy.intervals.matrix import ROLES, IntervalMatrix
from toolkit.analytics.energy.rates.model import PlanTimeZone, Rates
from toolkit.answers.base import Period
from toolkit.problems import Problem
from toolkit.units import AEST_NAME, AEST_OFFSET, DAY_MINUTES

REGISTER = ("service_point_id", "meter_id", "register_suffix")
_KEPT = (*REGISTER, "unit", "direction", "controlled_load")


def spread(meter_reads: pl.DataFrame) -> pl.DataFrame:
    """Spread meter reads over their days: frame `reads` with one row a day (`interval_minutes` 1440).

    A dial shows how much was used between two visits, not when, so a read is spread evenly over its days. They hold its
    `value_nano` exactly: days get equal whole nanounits, the first ones one more, so that sums by day, month and bill
    add up to what was read. Quality is the read's. `starts_at` is the meter day's midnight (AEST) in UTC. Days are
    `start_date` to `end_date`, inclusive; a read with reversed dates gives none. Overlapping reads are all counted: see
    `without_overlaps`.
    """
    days = (pl.col("end_date") - pl.col("start_date")).dt.total_days() + 1
    each = (
        meter_reads.lazy()
        .filter(pl.col("end_date") >= pl.col("start_date"))
        .select(*_KEPT, "start_date", "value_nano", "quality", pl.int_ranges(days).alias("nth"), days.alias("days"))
        .explode("nth", empty_as_null=False, keep_nulls=False)
    )
    share = pl.col("value_nano") // pl.col("days")
    first_ones = (pl.col("nth") < pl.col("value_nano") % pl.col("days")).cast(pl.Int64)
    return (
        each.with_columns(
            date=pl.col("start_date") + pl.duration(days="nth"),
            interval_minutes=pl.lit(DAY_MINUTES, pl.Int64),
            energy_nano=share + first_ones,
        )
        .with_columns(starts_at=midnight("date"))
        .select(*_KEPT, "date", "interval_minutes", "starts_at", "energy_nano", "quality")
        .sort(*REGISTER, "starts_at")
        .collect()
    )


def midnight(column: str) -> pl.Expr:
    """Return the UTC instant at which the meter day in `column` starts."""
    return (pl.col(column).cast(pl.Datetime("us")) - AEST_OFFSET).dt.replace_time_zone("UTC")


def without_overlaps(meter_reads: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
    """Keep one of the reads of a meter register that share days: the later update time, else the later end.

    The others are returned as warnings, never added twice.
    """
    in_order = meter_reads.sort(*REGISTER, "start_date", "end_date")
    touching = pl.col("start_date") <= pl.col("end_date").cum_max().shift(1).over(REGISTER)
    if not in_order.select(touching.any()).item():
        return in_order, []
    order = [*REGISTER, pl.col("updated_at").fill_null(""), "end_date", "start_date"]
    latest_first = in_order.sort(order, descending=[False] * len(REGISTER) + [True] * 3)
    keep, problems = _first_come(latest_first)
    return latest_first.filter(pl.Series(keep, dtype=pl.Boolean)).sort(*REGISTER, "start_date"), problems


def _first_come(ranked: pl.DataFrame) -> tuple[list[bool], list[Problem]]:
    """Return for each read whether it shares no day with an earlier kept one, and warnings about the others."""
    taken: dict[tuple[str, ...], list[tuple[date, date]]] = {}
    keep, problems = [], []
    for row in ranked.iter_rows(named=True):
        counted_days = taken.setdefault(tuple(row[name] for name in REGISTER), [])
        clash = any(row["start_date"] <= end and start <= row["end_date"] for start, end in counted_days)
        keep.append(not clash)
        if clash:
            where = f"{row['service_point_id']} {row['register_suffix']} {row['start_date']} to {row['end_date']}"
            reason = "another read of this register covers some of these days; that one counts"
            problems.append(Problem(where, reason, "warning"))
        else:
            counted_days.append((row["start_date"], row["end_date"]))
    return keep, problems


def combine(intervals: pl.DataFrame, meter_reads: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
    """Return interval reads and spread accumulation reads as one frame `reads`.

    Where a register has both for a day, its intervals count.
    """
    if meter_reads.is_empty():
        return intervals, []
    kept, problems = without_overlaps(meter_reads)
    measured = intervals.select(*REGISTER, "date").unique()
    days = spread(kept).join(measured, on=[*REGISTER, "date"], how="anti")
    return pl.concat([intervals, days.select(intervals.columns)], how="vertical_relaxed"), problems


_MEASURED = ("ACTUAL", BILLED)
"""Qualities of energy that is not substituted or estimated; of a bill, the retailer read the meter."""

LONGEST_INTERVAL = 60
"""Minutes; a longer read has no time of day (accumulation meters: 1440)."""

DAY = 1440
"""Minutes of a meter day."""

HALF_HOUR = 30
"""Minutes over which demand is the mean."""

_NEEDED = ("starts_at", "interval_minutes", "energy_nano", "quality", "role", "register")
"""Columns of reads that pricing uses."""


Unit = Literal["kWh", "MJ"]


@dataclass(slots=True)
class Usage:
    """The reads of one service point in one unit, ready for pricing; matrices are made once and cached."""

    rows: pl.DataFrame
    """Frame `reads` with role and register number."""
    zone: str
    """IANA zone that LOCAL means there."""
    unit: Unit
    notes: tuple[str, ...] = ()
    _matrices: dict[tuple[str, str], IntervalMatrix] = field(default_factory=dict)

    def matrix(self, time_zone: PlanTimeZone, days: PlanTimeZone | None = None) -> IntervalMatrix:
        """Return energy by day and time of day in `time_zone`; rows are days of time zone `days` (default: the same).

        Where both differ each interval is still in one row alone, so that no hour is lost or doubled where tariffs of
        different time zones meet.
        """
        zones = self._zone(days or time_zone), self._zone(time_zone)
        if zones not in self._matrices:
            self._matrices[zones] = _matrix(self.rows, *zones)
        return self._matrices[zones]

    def placed(self, time_zone: PlanTimeZone, days: PlanTimeZone) -> pl.DataFrame:
        """Return the reads with their `day` in time zone `days`, and the local `time` at which they start."""
        read = pl.col("starts_at").dt.convert_time_zone(self._zone(time_zone))
        day = pl.col("starts_at").dt.convert_time_zone(self._zone(days)).dt.date().alias("day")
        return self.rows.with_columns(day, read.dt.replace_time_zone(None).alias("time"))

    def _zone(self, time_zone: PlanTimeZone) -> str:
        """Return the IANA zone of a plan's time zone at this service point."""
        return AEST_NAME if time_zone == "AEST" else self.zone


def prepare(reads: pl.DataFrame, *, zone: str, unit: Unit = "kWh") -> Usage:
    """Prepare the import and export reads of frame `reads` in that unit for `price`.

    zone: IANA zone of the service point. Reactive energy and other units are left out. Reads of several service points
    are one household's and added up.
    """
    wanted = reads.filter(
        (pl.col("unit").str.to_uppercase() == unit.upper()) & pl.col("direction").is_in(["import", "export"])
    )
    role = (
        pl.when(pl.col("direction") == "export")
        .then(pl.lit("export"))
        .when(pl.col("controlled_load"))
        .then(pl.lit("controlled"))
        .otherwise(pl.lit("general"))
        .alias("role")
    )
    register = pl.struct("service_point_id", "meter_id", "register_suffix").rank("dense").alias("register")
    return Usage(wanted.with_columns(role, register).drop("date"), zone, unit)


def _matrix(rows: pl.DataFrame, zone: str, own: str) -> IntervalMatrix:
    """Return the matrix of reads: rows are days in `zone`, slots are times of day in zone `own`."""
    reach = int(zone != own)
    placed = _placed(rows.select(_NEEDED), zone, own, reach)
    if placed.is_empty():
        return IntervalMatrix.empty()
    first, last = _date(placed["day"].min()), _date(placed["day"].max())
    days = (last - first).days + 1
    placed = _numbered(placed, first)
    present = _where(placed, placed["energy_nano"].is_not_null())
    timed_reads = present["interval_minutes"] <= LONGEST_INTERVAL
    short, long = _where(present, timed_reads), _where(present, ~timed_reads)
    # The longest slot that every interval starts at a multiple of.
    minutes = short["minute"]
    slot = next(slot for slot in (30, 15, 5, 1) if slot == 1 or (minutes % slot).max() in (0, None))
    slots = (1 + 2 * reach) * 1440 // slot
    timed = {role: _timed(_of_role(short, role), (days, slots), slot) for role in ROLES}
    half_hours = _of_role(short, "general")
    # The mean of an hourly read counts for both of its half hours, and the second may be the next day's.
    hourly = _where(half_hours, half_hours["interval_minutes"] > HALF_HOUR).select(_NEEDED)
    if not hourly.is_empty():
        second_half_hours = hourly.with_columns(pl.col("starts_at") + pl.duration(minutes=HALF_HOUR))
        half_hours = pl.concat([half_hours, _numbered(_placed(second_half_hours, zone, own, reach), first)])
    expected = _day_minutes(first, days, zone)
    return IntervalMatrix(
        first=first,
        slot_minutes=slot,
        energy=timed,
        untimed={role: _daily(_of_role(long, role), days) for role in ROLES},
        demand=_demand(_where(half_hours, half_hours["index"] < days), (days, (1 + 2 * reach) * 48)),
        measured=_daily(_where(present, present["quality"].is_in(_MEASURED)), days),
        missing=_missing(placed, expected),
        expected=expected,
        controlled=bool((placed["role"] == "controlled").any()),
        exporting=bool((placed["role"] == "export").any()),
        reach=reach,
        own=_own(first, days, zone, own) if reach else None,
    )


def _own(first: date, days: int, zone: str, own: str) -> NDArray[np.int64]:
    """Return [day, half hour], 1 where the half hour of the own time zone is in that day of `zone`, else 0."""
    tz = ZoneInfo(zone)
    begin, end = (datetime.combine(day, time(), tz).astimezone(UTC) for day in (first, first + timedelta(days)))
    starts = pl.datetime_range(begin, end, f"{HALF_HOUR}m", closed="left", eager=True).alias("starts_at")
    placed = _numbered(_placed(starts.to_frame(), zone, own, 1), first)
    out = np.zeros((days, 3 * 48), dtype=np.int64)
    out[placed["index"].to_numpy(), (placed["minute"] // HALF_HOUR).to_numpy()] = 1
    return out


def _placed(rows: pl.DataFrame, zone: str, own: str, reach: int) -> pl.DataFrame:
    """Return each read's `day` in `zone`, and its `minute` in zone `own` from the midnight `reach` days before it."""
    local = _local_minutes(rows["starts_at"], zone)
    read = _local_minutes(rows["starts_at"], own) if reach else local
    day = local // DAY
    # A read's own day may be the one before or after: its minutes count from `reach` days earlier.
    minute = read - (day - reach) * DAY
    return rows.with_columns(day.cast(pl.Int32).cast(pl.Date).alias("day"), minute.alias("minute"))


def _local_minutes(starts_at: pl.Series, zone: str) -> pl.Series:
    """Return the local time in `zone` as minutes since 1 January 1970."""
    # Integers: the hour, minute and date of a local time, asked for one by one, take twice as long.
    return starts_at.dt.convert_time_zone(zone).dt.replace_time_zone(None).dt.epoch("s") // 60


def _where(rows: pl.DataFrame, wanted: pl.Series) -> pl.DataFrame:
    """Return the wanted rows, without a copy where they are all or none."""
    if wanted.all():
        return rows
    return rows.filter(wanted) if wanted.any() else rows.clear()


def _of_role(rows: pl.DataFrame, role: str) -> pl.DataFrame:
    return _where(rows, rows["role"] == role)


def _numbered(placed: pl.DataFrame, first: date) -> pl.DataFrame:
    """Add `index`, the number of the day counted from `first`."""
    return placed.with_columns((pl.col("day") - pl.lit(first)).dt.total_days().alias("index"))


def _date(value: object) -> date:
    assert isinstance(value, date)
    return value


def _timed(rows: pl.DataFrame, shape: tuple[int, int], slot: int) -> NDArray[np.int64]:
    """Return [day, slot], the energy of reads up to an hour, by the slot that their start is in."""
    days, slots = shape
    cell = (rows["index"] * slots + rows["minute"] // slot).to_numpy()
    return _summed(cell, rows["energy_nano"].to_numpy(), days * slots).reshape(shape)


def _daily(rows: pl.DataFrame, days: int) -> NDArray[np.int64]:
    """Return [day], the energy of all rows."""
    return _summed(rows["index"].to_numpy(), rows["energy_nano"].to_numpy(), days)


def _summed(cells: NDArray[np.int64], values: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return [cell], exact sums of integers; bincount would add them up as floats."""
    out = np.zeros(size, dtype=np.int64)
    np.add.at(out, cells, values)
    return out


def _demand(rows: pl.DataFrame, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return [day, half hour], highest half-hour mean of general import in 10^-9 kW; -1 without a complete half hour.

    Half hours are whole in absolute time, so the doubled hour at the end of daylight saving is two of them.
    """
    out = np.full(shape, -1, dtype=np.int64)
    if rows.is_empty():
        return out
    half, energy, register = (rows[name].to_numpy() for name in ("starts_at", "energy_nano", "register"))
    half = half.astype("datetime64[s]").astype(np.int64) // (HALF_HOUR * 60)
    half -= half.min()
    if bool((rows["interval_minutes"] == HALF_HOUR).all()) and _distinct(half, register):
        # Reads of half an hour, the usual ones, are added up over registers without grouping.
        place = rows["index"].to_numpy() * shape[1] + rows["minute"].to_numpy() // HALF_HOUR
        kw = _summed(half, energy * 60 // HALF_HOUR, int(half.max()) + 1)
        np.maximum.at(out.reshape(-1), place, kw[half])
        return out
    half_hours = (
        rows.with_columns((pl.col("starts_at").dt.epoch("s") // (HALF_HOUR * 60)).alias("half"))
        .group_by("half", "register")
        .agg(
            pl.col("energy_nano").sum(),
            pl.col("interval_minutes").sum().alias("minutes"),
            pl.col("index").first(),
            (pl.col("minute").min() // HALF_HOUR).alias("slot"),
        )
        # A household's registers are added up; power is energy × 60 ÷ minutes, so reads of an hour count as their mean.
        .group_by("half")
        .agg(
            (pl.col("energy_nano") * 60 // pl.col("minutes")).sum().alias("nano_kw"),
            pl.col("minutes").min(),
            pl.col("index").first(),
            pl.col("slot").first(),
        )
        .filter(pl.col("minutes") >= HALF_HOUR)
    )
    cells = half_hours["index"].to_numpy(), half_hours["slot"].to_numpy()
    np.maximum.at(out, cells, half_hours["nano_kw"].to_numpy())
    return out


def _distinct(half: NDArray[np.int64], register: NDArray[np.int64]) -> bool:
    """Return whether no register has two reads of a half hour."""
    most = int(register.max()) + 1
    return int(np.bincount(half * most + register).max()) <= 1


@lru_cache(maxsize=64)
def _day_minutes(first: date, days: int, zone: str) -> NDArray[np.int64]:
    """Return [day], minutes of each local day: 1440, or 1380 and 1500 where daylight saving begins and ends.

    Do not write to it.
    """
    tz = ZoneInfo(zone)
    starts = [datetime.combine(first + timedelta(n), time(), tz).timestamp() for n in range(days + 1)]
    minutes = np.diff(np.array(starts)).astype(np.int64) // 60
    minutes.flags.writeable = False
    return minutes


def _missing(placed: pl.DataFrame, expected: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return [day], minutes without a general import value: registers with reads that day × its length − minutes read.

    The mean over registers. A household without general import is judged by all its registers. A read of a whole meter
    day covers the local day that it is in, which has 1380 or 1500 minutes where daylight saving begins or ends.
    """
    general = _of_role(placed, "general")
    judged = placed if general.is_empty() else general
    index, register = judged["index"].to_numpy(), judged["register"].to_numpy()
    minutes, known = judged["interval_minutes"].to_numpy(), judged["energy_nano"].is_not_null().to_numpy()
    read = np.where(minutes == DAY, expected[index], minutes)
    there = np.zeros((len(expected), int(register.max()) + 1), dtype=np.bool_)  # [day, register]
    there[index, register] = True
    registers = np.maximum(there.sum(axis=1), 1)
    return np.asarray(np.maximum(registers * expected - _summed(index, read * known, len(expected)), 0) // registers)


def names_holidays(rates: Rates) -> bool:
    """Return whether any window of the plan holds on public holidays only."""
    tariffs = (tariff.bands for _, tariff in rates.tariffs())
    every = (*tariffs, *(charge.bands for charge in rates.demands))
    return any(window.holidays_only for bands in every for windows in bands for window in windows)


def holidays_named(plans: Iterable[Rates], state: str | None, periods: Sequence[Period]) -> frozenset[date]:
    """Return the state's public holidays in the years of the periods where a plan's windows name them, else none."""
    if not any(map(names_holidays, plans)):
        return frozenset()
    return public_holidays(state, range(periods[0].first.year, periods[-1].last.year + 1))


def public_holidays(state: str | None, years: Iterable[int]) -> frozenset[date]:
    """Return holidays of a state or territory (`NSW` …), national ones where it is unknown (package `holidays`)."""
    return frozenset(holidays.country_holidays("AU", subdiv=state, years=sorted(set(years))))
