"""The reads of a service point, one meter register at a time."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from toolkit.analytics.energy.intervals.billed import BILLED
from toolkit.tables.registers import ACTUAL, MISSING

__all__ = ["IDENTITY", "MEASURED_OR_MISSING", "RegisterReads", "split_by_register"]

IDENTITY = ("meter_id", "register_suffix", "direction", "controlled_load", "unit")
"""The columns of frame `reads` that distinguish registers, and what they measure."""

MEASURED_OR_MISSING = (ACTUAL, BILLED, MISSING)
"""Qualities of reads that are neither substituted nor estimated; of a bill, the retailer read the meter."""

_ROWS = ("date", "interval_minutes", "starts_at", "energy_nano", "quality")

_MOST_BLOCKS = 64
"""Runs of rows of one register, up to which slices are cheaper than sorting all rows."""


@dataclass(frozen=True, slots=True)
class RegisterReads:
    """One register. rows: `date`, `interval_minutes`, `starts_at`, `energy_nano`, `quality`, in the frame's order."""

    meter_id: str
    register_suffix: str
    direction: str
    controlled_load: bool
    unit: str
    rows: pl.DataFrame

    @property
    def identity(self) -> tuple[str, str, str, bool, str]:
        """The values of `IDENTITY`."""
        return self.meter_id, self.register_suffix, self.direction, self.controlled_load, self.unit


def split_by_register(reads: pl.DataFrame) -> list[RegisterReads]:
    """Return the registers of frame `reads`, in order of their identity.

    Stored reads come register by register, so their blocks are found by comparing each row with the one before.
    """
    if reads.is_empty():
        return []
    changed = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in IDENTITY)
    starts = sorted({0, *reads.select(changed).to_series().arg_true().to_list()})
    if len(starts) > _MOST_BLOCKS:
        reads = reads.sort(IDENTITY, maintain_order=True)
        starts = sorted({0, *reads.select(changed).to_series().arg_true().to_list()})
    blocks: dict[tuple[str, str, str, bool, str], list[pl.DataFrame]] = {}
    identities, rows = reads.select(IDENTITY), reads.select(*_ROWS)
    for start, end in zip(starts, [*starts[1:], reads.height], strict=True):
        meter, suffix, direction, controlled, unit = identities.row(start)
        blocks.setdefault((meter, suffix, direction, controlled, unit), []).append(rows[start:end])
    in_order = sorted(blocks.items(), key=lambda block: tuple(map(str, block[0])))
    return [RegisterReads(*identity, rows=pl.concat(parts)) for identity, parts in in_order]
