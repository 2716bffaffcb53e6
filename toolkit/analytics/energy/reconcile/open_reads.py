"""Reads of a dial that begin before a bill or end after it: how much of their energy belongs to it is not known."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from toolkit.analytics.energy.intervals.prepare import REGISTER, without_overlaps
from toolkit.answers.base import Period


@dataclass(frozen=True, slots=True)
class OpenReads:
    """Energy, in nanounits, of reads that reach across the first or the last day of a bill."""

    within: int = 0
    """Spread over days of the bill, and counted in it."""
    beyond: int = 0
    """Spread over other days, and not counted."""


NO_OPEN_READS = OpenReads()


def open_reads(dial: pl.DataFrame, intervals: pl.DataFrame, period: Period) -> OpenReads:
    """Return what the reads of a dial leave open about a bill.

    dial: frame `meter_reads`; of it registers that take energy from the grid and have no reads in `intervals` (frame
    `reads`), which would count in its place.
    """
    kept, _ = without_overlaps(dial.filter(pl.col("direction") == "import"))
    alone = kept.join(intervals.select(*REGISTER).unique(), on=[*REGISTER], how="anti")
    days = (pl.col("end_date") - pl.col("start_date")).dt.total_days() + 1
    first = pl.max_horizontal("start_date", pl.lit(period.first))
    last = pl.min_horizontal("end_date", pl.lit(period.last))
    shared = (last - first).dt.total_days() + 1
    crossing = alone.filter(shared > 0, shared < days)
    within = pl.col("value_nano") * shared // days
    sums = crossing.select(within=within.sum(), beyond=(pl.col("value_nano") - within).sum())
    return OpenReads(*sums.row(0))
