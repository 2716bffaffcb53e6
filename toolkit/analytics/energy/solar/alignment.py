"""Whether generation of a file and export of a meter can be of one home and one clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.usage.reads import half_hours
from toolkit.units import NANO

__all__ = ["Alignment", "Misfit", "alignment", "misfit_with_battery"]

Values = NDArray[np.float64]
Misfit = Literal["unlike", "used_less_than_nothing"]

_TOLERANCE = 1.03
_SLACK_KWH = 0.05
"""Half hours: meters and inverters round, and their clocks differ by a minute or two."""
_FEWEST_DAYS, _FEWEST_KWH = 5, 10.0
_EXCESS = 0.10
"""Share of the export beyond what was generated from which something is wrong."""
_MOST_STEPS = 24
"""Half hours that a clock may be off."""
_ALIKE = 0.7
"""Correlation of daily export and generation below which they are of different homes: one roof has one weather."""
_FEWEST_TO_REFUSE = 20
_UNLIKE, _FEWEST_TO_WARN, _EXPORTED_TO_WARN = 0.3, 60, 0.2
"""Correlation of the changes from day to day: generated homes that export a fifth and more reach 0.4 with their own
generation, and at most 0.22 with that of another place."""
_FOLLOWS, _ERRORS = 0.4, 3
"""Change of a day's export less import for each kWh by which its generation changes, and standard errors above it, from
which a generation is the home's own: 0.55 and more in 288 generated homes with a battery, below 0.4 in six in seven of
them with the generation of another."""
_BALANCED_DAYS = 30
"""Days over which no battery makes up for what a home uses."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """How generation agrees with export. days: with both. days_beyond: exporting more than was generated, 0 where few.

    is_unlike: whether the two do not rise and fall together from day to day, though nothing else speaks against them.
    shift_hours: to add to the generation's times to fit the export; 0 where they fit. summer_shift_hours: likewise
    where only October to March are off.
    """

    days: int = 0
    days_beyond: int = 0
    is_other_home: bool = False
    is_unlike: bool = False
    shift_hours: float = 0.0
    summer_shift_hours: float = 0.0


def alignment(reads: pl.DataFrame, *, zone: str) -> Alignment:
    """Compare the generation and the export in `reads` (frame `reads` of one service point). zone: IANA."""
    sums = (
        reads.filter((pl.col("unit") == "KWH") & pl.col("energy_nano").is_not_null())
        .group_by("date")
        .agg(
            generation=pl.col("energy_nano").filter(pl.col("direction") == "generation").sum() / NANO,
            export=pl.col("energy_nano").filter(pl.col("direction") == "export").sum() / NANO,
            has_both=pl.col("direction").filter(pl.col("direction").is_in(["generation", "export"])).n_unique() == 2,
        )
        .filter("has_both")
        .sort("date")
    )
    generated, exported = sums["generation"].to_numpy(), sums["export"].to_numpy()
    if len(exported) < _FEWEST_DAYS or exported.sum() < _FEWEST_KWH:
        return Alignment(days=len(exported))
    beyond = np.maximum(exported - _TOLERANCE * generated - _SLACK_KWH, 0)
    days_beyond = int((beyond > 0).sum()) if beyond.sum() > _EXCESS * exported.sum() else 0
    other = bool(
        days_beyond and (_correlation(generated, exported) or 0.0) < _ALIKE and len(exported) >= _FEWEST_TO_REFUSE
    )
    if other or days_beyond:
        return Alignment(len(exported), days_beyond, other)
    unlike = False
    if len(exported) >= _FEWEST_TO_WARN and exported.sum() > _EXPORTED_TO_WARN * generated.sum():
        day_to_day = _correlation(np.diff(generated), np.diff(exported))
        unlike = day_to_day is not None and day_to_day < _UNLIKE
    whole, summer, winter = _shifts(reads, zone)
    if summer != winter and (summer == 0 or winter == 0):
        return Alignment(len(exported), is_unlike=unlike, summer_shift_hours=summer or -winter)
    return Alignment(len(exported), is_unlike=unlike, shift_hours=whole)


def misfit_with_battery(reads: pl.DataFrame) -> Misfit | None:
    """Return why generation in `reads` cannot be of a home with a battery that sells; None where it can, or few days.

    "unlike": what the home exports less what it imports does not rise and fall with the generation from day to day.
    "used_less_than_nothing": generation and import are less than the export over 30 days.
    """
    kinds = ("generation", "export", "import")
    days = (
        reads.filter((pl.col("unit") == "KWH") & pl.col("energy_nano").is_not_null())
        .group_by("date")
        .agg(*(pl.col("energy_nano").filter(pl.col("direction") == kind).sum().alias(kind) / NANO for kind in kinds),
             known=pl.col("direction").filter(pl.col("direction").is_in(kinds)).n_unique())
        .filter(pl.col("known") == len(kinds))
        .sort("date")
    )  # fmt: skip
    if days.height < _FEWEST_TO_WARN:
        return None
    generated, net = days["generation"].to_numpy(), (days["export"] - days["import"]).to_numpy()
    if (np.convolve(generated - net, np.ones(_BALANCED_DAYS), "valid") < 0).any():
        return "used_less_than_nothing"
    follows = (days["date"].diff().dt.total_days() == 1).fill_null(False).to_numpy()[1:]
    change, net_change = np.diff(generated)[follows], np.diff(net)[follows]
    if not (square := float((change**2).sum())):
        return None
    slope = float((change * net_change).sum()) / square
    error = float(np.sqrt(((net_change - slope * change) ** 2).sum() / len(change) / square))
    return "unlike" if slope + _ERRORS * error < _FOLLOWS else None


def _correlation(ours: Values, theirs: Values) -> float | None:
    """Return Pearson's correlation; None where one of the two never changes."""
    if not ours.std() * theirs.std() > 0:
        return None
    return float(np.corrcoef(ours, theirs)[0, 1])


def _shifts(reads: pl.DataFrame, zone: str) -> tuple[float, float, float]:
    """Return the hours that the generation is off: over all days, from October to March, from April to September."""
    made = half_hours(reads.filter(pl.col("direction") == "generation").with_columns(direction=pl.lit("export")))
    sold = half_hours(reads.filter(pl.col("direction") == "export"))
    both = sold.select("starts_at", "export_kwh").join(
        made.select("starts_at", generation_kwh="export_kwh"), on="starts_at", how="left"
    )
    # an inverter's file often leaves out the night: nothing is generated then
    generated = both["generation_kwh"].fill_null(0).to_numpy()
    exported = both["export_kwh"].fill_null(0).to_numpy()
    month = both["starts_at"].dt.convert_time_zone(zone).dt.month()
    summer = (month.is_between(4, 9).not_()).to_numpy()
    in_summer, in_winter = (np.where(mask, exported, 0.0) for mask in (summer, ~summer))
    return _shift(generated, exported), _shift(generated, in_summer), _shift(generated, in_winter)


def _shift(generated: Values, exported: Values) -> float:
    """Return the hours by which to move `generated` so that it covers `exported`; 0 where it does, or nothing would."""
    total = exported.sum()
    if total < _FEWEST_KWH:
        return 0.0

    def excess(steps: int) -> float:
        moved = np.roll(generated, steps)
        return float(np.maximum(exported - _TOLERANCE * moved - _SLACK_KWH, 0).sum() / total)

    still = excess(0)
    if still < _EXCESS / 2:
        return 0.0
    best = min(range(-_MOST_STEPS, _MOST_STEPS + 1), key=lambda steps: (round(excess(steps), 3), abs(steps)))
    return best / 2 if excess(best) < still / 3 else 0.0
