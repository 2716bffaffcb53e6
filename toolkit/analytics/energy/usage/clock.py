"""Whether the clock of a file fits the people at home: when they sleep, and when controlled load is switched on."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["hours_off_by_controlled_load", "hours_off_by_evenings"]

Values = NDArray[np.float64]

_SLOTS = 48
_HOURS = np.arange(_SLOTS) / 2 + 0.25
_FEWEST_DAYS = 28

_USUAL_DAY = (
    np.exp(-(((_HOURS - 19) / 3) ** 2))
    + 0.35 * ((_HOURS > 6.5) & (_HOURS < 17))
    - 1.0 * ((_HOURS > 0.5) & (_HOURS < 5.5))
)
"""Asleep in the small hours, awake by day, most used about 19:00: set on half of 101 measured homes."""
_UNLIKE, _ALIKE, _LEAST_HOURS = -0.2, 0.7, 4
"""Correlation with the usual day: as the clock shows it, and as a clock some hours off would; judged on the others."""
_HIGHEST = 2.9
"""Highest half hour of the mean day over its median: people's own is below it in 95 of 100 measured homes."""

_PEAK = (_HOURS > 15) & (_HOURS < 21)
_NIGHT = (_HOURS > 22) | (_HOURS < 7)
_AT_PEAK, _AT_NIGHT = 0.6, 0.9
"""Networks switch controlled load off at the evening peak. Shares of its energy that lie in these hours."""


def hours_off_by_evenings(slots: pl.DataFrame, zone: str) -> int | None:
    """Return by how many hours the clock of half hours (`half_hours`) is ahead of people's day; None where it fits.

    Only what is four hours off or more, and only about three in four of those: some homes have no usual day. Where a
    machine, such as a vehicle that charges at night, outweighs what people use, None. zone: IANA, of the home.
    """
    mean = _mean_day(slots, "general_kwh", zone)
    if mean is None or mean.max() > _HIGHEST * np.median(mean):
        return None
    shape = np.log(mean + 1e-3)
    likeness = [_correlation(np.roll(shape, -2 * hours)) for hours in _SHIFTS]
    best = int(np.argmax(likeness))
    is_off = likeness[_SHIFTS.index(0)] < _UNLIKE and likeness[best] > _ALIKE and abs(_SHIFTS[best]) >= _LEAST_HOURS
    return _SHIFTS[best] if is_off else None


def hours_off_by_controlled_load(slots: pl.DataFrame, zone: str) -> int | None:
    """Return by how many hours the clock of half hours is ahead of controlled load's; None where it fits.

    Only where most of it lies in the evening peak, and another clock would lay it into the night. zone: IANA.
    """
    mean = _mean_day(slots, "controlled_kwh", zone)
    if mean is None or mean[_PEAK].sum() < _AT_PEAK * mean.sum():
        return None
    at_night = [np.roll(mean, -2 * hours)[_NIGHT].sum() for hours in _SHIFTS]
    best = int(np.argmax(at_night))
    return _SHIFTS[best] if at_night[best] > _AT_NIGHT * mean.sum() else None


_SHIFTS = sorted(range(-11, 13), key=abs)
"""Hours, the smallest first: of several that fit alike it is taken."""


def _mean_day(slots: pl.DataFrame, column: str, zone: str) -> Values | None:
    """Return the mean of a column in each half hour of the local day; None where few days or no energy are known."""
    local = pl.col("starts_at").dt.convert_time_zone(zone)
    slot = (local.dt.hour().cast(pl.Int64) * 2 + local.dt.minute() // 30).alias("slot")
    means = slots.drop_nulls(column).group_by(slot).agg(pl.col(column).mean(), pl.len()).sort("slot")
    mean, counted = means[column].to_numpy(), means["len"].to_numpy()
    return mean if len(mean) == _SLOTS and counted.min() >= _FEWEST_DAYS and mean.any() else None


def _correlation(shape: Values) -> float:
    return float(np.corrcoef(shape, _USUAL_DAY)[0, 1]) if shape.std() > 0 else 0.0
