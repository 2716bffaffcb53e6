"""A home's net load, interval by interval: what a change works on, and reads again afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.intervals.prepare import LONGEST_INTERVAL
from toolkit.units import AEST_OFFSET

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_US = 60_000_000


@dataclass(frozen=True, slots=True)
class Profile:
    """Intervals in order of time. bought, sold: 10^-9 kWh of general import and of export, ≥ 0.

    starts_us: UTC, microseconds. minutes: length. known: whether bought was read; others are left as they are. day,
    minute: of the start in the home's time zone (day counts from 1970). rest: controlled load, whole-day and other
    reads, which no change touches.
    """

    starts_us: Ints
    minutes: Ints
    bought: Ints
    sold: Ints
    known: Bools
    day: Ints
    minute: Ints
    rest: pl.DataFrame

    def changed(self, bought: Ints, sold: Ints) -> Profile:
        """Return the profile with other energy bought and sold, in 10^-9 kWh by interval."""
        return replace(self, bought=bought, sold=sold)

    @property
    def days(self) -> int:
        """Days of the home's time zone with intervals."""
        return len(np.unique(self.day))

    def with_load(self, added: Ints) -> Profile:
        """Each interval uses `added` more: first what it would have sold, then more from the grid. Negative: less,
        from the grid only, so never more than it buys."""
        own = np.minimum(np.maximum(added, 0), self.sold)
        return self.changed(self.bought + added - own, self.sold - own)

    def with_generation(self, added: Ints) -> Profile:
        """Each interval makes `added` more: first what it would have bought, then more to sell."""
        own = np.minimum(added, self.bought)
        return self.changed(self.bought - own, self.sold + added - own)

    def reads(self) -> pl.DataFrame:
        """Return frame `reads` of this home. Their quality is not that of the stored reads: what
        a change makes up is neither measured nor substituted, so all of it is an estimate here."""
        bought = self._register("E1", "import", np.where(self.known, self.bought, 0), self.known)
        sold = self._register("B1", "export", self.sold, np.ones(len(self.sold), dtype=bool))
        return pl.concat([bought, *([sold] if self.sold.any() else []), self.rest.select(bought.columns)])

    def _register(self, suffix: str, direction: str, energy: Ints, known: Bools) -> pl.DataFrame:
        starts = pl.Series(self.starts_us).cast(pl.Datetime("us", "UTC"))
        return pl.DataFrame({"starts_at": starts, "energy_nano": energy, "known": known}).select(
            service_point_id=pl.lit("what if"),
            meter_id=pl.lit(""),
            register_suffix=pl.lit(suffix),
            unit=pl.lit("KWH"),
            direction=pl.lit(direction),
            controlled_load=pl.lit(value=False),
            date=(pl.col("starts_at") + AEST_OFFSET).dt.date(),
            interval_minutes=pl.Series(self.minutes),
            starts_at="starts_at",
            energy_nano=pl.when("known").then("energy_nano"),
            quality=pl.when("known").then(pl.lit("ESTIMATED")).otherwise(pl.lit("MISSING")),
        )


def profile_of(reads: pl.DataFrame, zone: str) -> Profile:
    """Of frame `reads`, electricity only. Where registers of one meter day have several lengths, the longest counts.

    zone: IANA, the home's time zone. The sum of each direction is exactly that of the reads.
    """
    timed = (
        (pl.col("unit").str.to_uppercase() == "KWH")
        & pl.col("direction").is_in(["import", "export"])
        & (pl.col("interval_minutes") <= LONGEST_INTERVAL)
        & ~((pl.col("direction") == "import") & pl.col("controlled_load"))
    )
    slots = _slots(reads.filter(timed))
    local = pl.from_epoch(slots["slot"], time_unit="us").dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    return Profile(
        starts_us=slots["slot"].to_numpy(),
        minutes=slots["length"].to_numpy(),
        bought=slots["bought"].to_numpy(),
        sold=slots["sold"].to_numpy(),
        known=slots["known"].to_numpy(),
        day=local.dt.date().cast(pl.Int32).cast(pl.Int64).to_numpy(),
        minute=(local.dt.hour().cast(pl.Int64) * 60 + local.dt.minute()).to_numpy(),
        rest=reads.filter(~timed),
    )


def _slots(timed: pl.DataFrame) -> pl.DataFrame:
    length = pl.col("interval_minutes").max().over("date").alias("length")
    start = pl.col("starts_at").dt.epoch("us")
    bought = pl.col("energy_nano").filter(pl.col("direction") == "import")
    return (
        timed.with_columns(length)
        .with_columns(slot=start - start % (pl.col("length") * _US))
        .group_by("slot", "length")
        .agg(
            bought=bought.sum().cast(pl.Int64),
            known=bought.count() > 0,  # where one of several registers was not read, the others count, as in a bill
            sold=pl.col("energy_nano").filter(pl.col("direction") == "export").sum().cast(pl.Int64),
        )
        .sort("slot")
    )
