"""Accumulation reads (basic meters, gas, NEM13, daily totals) as reads of whole days.

A dial tells how much was used between two visits, not when: a read is spread evenly over its days, to the last
nanounit, so that sums by day, month and bill add up to what was read.
"""

from __future__ import annotations

from datetime import date

import polars as pl

from toolkit.errors import Problem
from toolkit.units import AEST_OFFSET

__all__ = ["DAY_MINUTES", "combine", "spread", "without_overlaps"]

DAY_MINUTES = 1440

REGISTER = ("service_point_id", "meter_id", "register_suffix")
_KEPT = (*REGISTER, "unit", "direction", "controlled_load")


def spread(meter_reads: pl.DataFrame) -> pl.DataFrame:
    """Spread meter reads over their days: frame `reads` with one row a day (`interval_minutes` 1440).

    The days of a read hold its `value_nano` exactly: days get equal whole nanounits, the first ones one more. Quality
    is the read's. `starts_at` is the meter day's midnight (AEST) in UTC. Days are `start_date` to `end_date`,
    inclusive; a read whose dates are reversed gives none. Overlapping reads are all counted: see `without_overlaps`.
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
    taken: dict[tuple[str, ...], list[tuple[date, date]]] = {}
    keep, problems = [], []
    for row in ranked.iter_rows(named=True):
        counted_days = taken.setdefault(tuple(row[name] for name in REGISTER), [])
        clash = any(row["start_date"] <= end and start <= row["end_date"] for start, end in counted_days)
        keep.append(not clash)
        if clash:
            problems.append(_superseded(row))
        else:
            counted_days.append((row["start_date"], row["end_date"]))
    return keep, problems


def _superseded(row: dict[str, object]) -> Problem:
    where = f"{row['service_point_id']} {row['register_suffix']} {row['start_date']} to {row['end_date']}"
    return Problem(where, "another read of this register covers some of these days; that one counts", "warning")


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
