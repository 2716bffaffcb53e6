"""Reads of a dial that begin before a bill or end after it: how much of their energy belongs to it is not known."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from toolkit.analytics.energy.intervals.prepare import REGISTER, without_overlaps
from toolkit.answers.base import Period
from toolkit.units import DAY_MINUTES


@dataclass(frozen=True, slots=True)
class OpenReads:
    """Energy, in nanounits, of reads that reach across the first or the last day of a bill."""

    within: int = 0
    """Spread over days of the bill, and counted in it."""
    beyond: int = 0
    """Spread over other days, and not counted."""


NO_OPEN_READS = OpenReads()


def open_reads(dial: pl.DataFrame, reads: pl.DataFrame, period: Period) -> OpenReads:
    """Return what the reads of a dial leave open about a bill.

    dial: frame `meter_reads`. reads: frame `reads` of the same service point, with those of the dial by day. Only
    registers count that take energy from the grid and have no intervals in the days of the bill: these outrank a dial.
    """
    in_bill = pl.col("date").is_between(period.first, period.last) & (pl.col("interval_minutes") < DAY_MINUTES)
    metered = reads.filter(in_bill).select(*REGISTER).unique()
    kept, _ = without_overlaps(dial.filter(pl.col("direction") == "import"))
    alone = kept.join(metered, on=[*REGISTER], how="anti")
    days = (pl.col("end_date") - pl.col("start_date")).dt.total_days() + 1
    first = pl.max_horizontal("start_date", pl.lit(period.first))
    last = pl.min_horizontal("end_date", pl.lit(period.last))
    shared = (last - first).dt.total_days() + 1
    crossing = alone.filter(shared > 0, shared < days)
    within = pl.col("value_nano") * shared // days
    sums = crossing.select(within=within.sum(), beyond=(pl.col("value_nano") - within).sum())
    return OpenReads(*sums.row(0))
