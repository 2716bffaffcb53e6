"""Generation that was measured: by an inverter's file, or by a meter that counts all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from toolkit.analytics.energy.usage.reads import LONGEST_MINUTES, half_hours
from toolkit.answers.base import Note
from toolkit.units import AEST_OFFSET, MOST_SOLAR_KWH_A_DAY, NANO

__all__ = ["Measured", "doubtful_generation", "gross_metered", "measured_generation"]

INVERTER_METER = "inverter"
"""Meter id of registers that come from an inverter's file."""
_DAYLIGHT = pl.col("hour").is_between(9, 14)
"""Hours of AEST in which the sun is up everywhere in Australia, all year."""
_BOTH_BUY_AND_SELL = 0.8
_FEWEST_SUNNY = 56
_MOST_EXPORTED = 50
"""Export over generation that only another unit explains: a second inverter, or a battery, exports less."""


@dataclass(frozen=True, slots=True)
class Measured:
    """source: of the generation. days: `date`, `generation_kwh`, and the meter's `export_kwh` and `import_kwh`, of days
    on which all were measured. slots: `starts_at`, `generation_kwh` by half hour; None where it is known by day only.
    """

    source: Literal["inverter", "meter"]
    days: pl.DataFrame
    slots: pl.DataFrame | None


def measured_generation(reads: pl.DataFrame) -> Measured | None:
    """Return what registers of direction `generation` measured, a meter's before an inverter's; None without any."""
    generation = reads.filter((pl.col("direction") == "generation") & (pl.col("unit") == "KWH"))
    of_meter = generation.filter(pl.col("meter_id") != INVERTER_METER)
    source: Literal["inverter", "meter"] = "inverter"
    if of_meter["energy_nano"].sum():
        generation, source = of_meter, "meter"
    if not generation["energy_nano"].sum():
        return None
    present = generation.filter(pl.col("energy_nano").is_not_null()).with_columns(
        hour=(pl.col("starts_at") + AEST_OFFSET).dt.hour()
    )
    is_whole = (pl.col("interval_minutes") > LONGEST_MINUTES).any() | (
        pl.col("interval_minutes").filter(_DAYLIGHT).sum() >= 6 * 60
    )
    made = present.group_by("date").agg(generation_kwh=pl.col("energy_nano").sum() / NANO, is_whole=is_whole)
    made = made.filter("is_whole").drop("is_whole")
    days = made.join(_metered_days(reads), on="date", how="inner").sort("date")
    within_day = present.filter(pl.col("interval_minutes") <= LONGEST_MINUTES)
    slots = None
    if not within_day.is_empty():
        slots = half_hours(within_day.drop("hour").with_columns(direction=pl.lit("export"))).select(
            "starts_at", generation_kwh="export_kwh"
        )
    return Measured(source, days, slots)


def doubtful_generation(measured: Measured) -> Note | None:
    """Return a note where the generation cannot be a home's, as in a file that names another unit."""
    made, sold = (measured.days[name].sum() for name in ("generation_kwh", "export_kwh"))
    most = max(measured.days["generation_kwh"], default=0.0)
    if most > MOST_SOLAR_KWH_A_DAY:
        return Note("generation_too_much", kwh=most)
    return Note("generation_too_little", kwh=made, export=sold) if sold > made * _MOST_EXPORTED else None


def _metered_days(reads: pl.DataFrame) -> pl.DataFrame:
    """Return `date`, `import_kwh` and `export_kwh` of days without a missing read; 0 without a register of export."""
    metered = reads.filter(pl.col("direction").is_in(["import", "export"]) & (pl.col("unit") == "KWH"))

    def kwh(direction: str) -> pl.Expr:
        return pl.col("energy_nano").filter(pl.col("direction") == direction).sum() / NANO

    return (
        metered.group_by("date")
        .agg(import_kwh=kwh("import"), export_kwh=kwh("export"), is_whole=pl.col("energy_nano").is_not_null().all())
        .filter("is_whole")
        .drop("is_whole")
    )


def gross_metered(slots: pl.DataFrame) -> bool:
    """Return whether export looks like all of the generation, as old gross meters count it.

    Then the home also buys in nearly every sunny half hour; at a net meter that takes a change within the half hour.
    slots: with `elevation` of the sun in degrees.
    """
    sunny = slots.filter((pl.col("elevation") > 20) & (pl.col("export_kwh") > 0) & pl.col("import_kwh").is_not_null())
    if sunny.height < _FEWEST_SUNNY:
        return False
    both = np.minimum(sunny["import_kwh"].to_numpy(), sunny["export_kwh"].to_numpy()) > 0.05
    return bool(both.mean() > _BOTH_BUY_AND_SELL)
