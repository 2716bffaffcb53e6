"""By which clock a year of import and export looks most like that of a home with panels: a likelihood over 24 clocks.

A battery moves what panels and people do, but not all of it: export ends with the sun, the morning's import ends soon
after sunrise, import changes from half hour to half hour while people are awake or clouds pass. Each weight says how
much a share or level in one hour before or after sunrise, or sunset, speaks for a clock; the sum is a logarithm of
likelihood (a conditional logit). None decides by itself, so neither does a battery that sells, nor do odd hours.

The weights were fitted on 1,200 years of generated homes (`tests/truth/solar`, seeds of their own from 910,000 to
940,012): every other with a battery, a quarter with the measured load of one of 101 homes, an eighth with a vehicle
that charges at night, and an eighth with people whose hours are up to three hours, or any hours, from the usual ones.
`toolkit/docs/reliability.md` states how they do on homes never used.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.solar.inference import Days

__all__ = ["likeliest_shift"]

Values = NDArray[np.float64]

_SLOTS = 48
_SHIFTS = np.arange(-12, 12)
_LEAST_HOURS = 3
_SURE, _SURE_OF_PART, _YEAR = 4.5, 6.0, 330
"""Logarithm by which another clock has to be likelier than the file's, in so many days and in fewer: right files of
1,584 homes that the weights were not fitted on reach 4.3 in a year, and 5.0 in 205 days."""
_EXPORTING_KWH, _IDLE_KWH = 0.05, 0.015
"""A half hour that exports; one in which the home buys less than a fridge uses."""
_LEAST_KWH_EXPORTED, _MOST_EXPORTED = 0.3, 0.5
"""Export of a day that counts, and the share of all days, those that export most, that show the hours of export."""
_MOST_ROUGH = 3.0
_FROM_HOUR, _TO_HOUR = -19, 18
"""Hours around sunrise and sunset that are looked at: those of the weights, by any of the shifts."""

_AROUND_SUNRISE = np.array(
    (
        (-0.2, -0.2, -0.4, 0.1, -1.7, -1.0, 2.0, 0.7, 0.1, -0.3, 0.3),
        (0.5, -0.6, -1.6, -0.7, -1.8, 0.5, 0.3, 0.2, 1.3, 1.2, 0.8),
        (0.8, -0.5, -1.0, -1.6, 1.7, 1.8, -2.0, -0.7, 0.1, -0.1, 0.5),
        (-0.1, -3.0, -1.1, -1.7, -4.2, 3.3, 0.6, 0.1, -0.5, -1.2, 1.0),
        (-0.1, -0.1, -0.2, -0.1, -0.5, -0.8, -0.2, -0.2, 0.3, 0.3, 0.6),
        (1.4, 0.4, -0.5, -1.0, -2.5, 0.5, 1.0, 1.2, 1.6, 0.6, -0.2),
    )
)
"""Weights by quantity (`_quantities`) and hour, the first of which is five hours before sunrise."""
_AROUND_SUNSET = np.array(
    (
        (-0.1, 0.6, 0.8, 1.7, 1.9, 2.1, -2.2, -1.8, -0.2, -0.8, -0.7, -0.4, -0.3),
        (0.6, 0.2, 0.6, 0.9, 0.8, 1.1, 0.3, 0.4, 0.2, 0.0, -0.6, -2.3, -0.1),
        (1.3, 0.8, -0.4, -1.3, -1.6, -1.7, 1.5, 0.1, -0.2, 0.0, 0.0, -1.4, -0.6),
        (0.4, -0.2, -0.1, 0.5, -0.4, -1.7, 3.7, -2.5, -1.6, 0.2, -1.6, 1.8, 0.3),
        (0.0, 0.1, 0.4, -0.1, -0.8, -0.2, 1.0, 1.1, 0.9, 0.0, -0.4, -0.3, -0.2),
        (0.1, -0.2, 0.0, -0.3, -0.9, -1.0, -0.5, 0.8, 0.2, 0.6, 0.7, -2.7, -0.5),
    )
)
"""As `_AROUND_SUNRISE`; the first hour is seven hours before sunset."""
_BEFORE_SUNRISE, _BEFORE_SUNSET = 5, 7


def likeliest_shift(days: Days) -> int | None:
    """Return by how many hours the file's clock is ahead of the likeliest one; None where that is not sure.

    Only three hours and more are returned: one or two are also a roof that faces east or west.
    """
    found = _likelihoods(days)
    if found is None:
        return None
    far = np.abs(_SHIFTS) >= _LEAST_HOURS
    best = int(np.where(far, found, -np.inf).argmax())
    sure = _SURE if days.count >= _YEAR else _SURE_OF_PART
    return int(_SHIFTS[best]) if found[best] - found[_SHIFTS == 0][0] > sure else None


def _likelihoods(days: Days) -> Values | None:
    """Return the logarithm of the likelihood that the clock is ahead by each of `_SHIFTS`; None without export."""
    quantities = _quantities(days)
    if quantities is None:
        return None
    is_up = (days.sun.up > 0).reshape(-1, _SLOTS)
    sunrise, sunset = is_up.argmax(axis=1), _SLOTS - is_up[:, ::-1].argmax(axis=1)
    total = np.zeros(len(_SHIFTS))
    for turn, before, weights in (
        (sunrise, _BEFORE_SUNRISE, _AROUND_SUNRISE),
        (sunset, _BEFORE_SUNSET, _AROUND_SUNSET),
    ):
        hourly = _around(turn, *quantities)
        for place, shift in enumerate(_SHIFTS):
            first = shift - before - _FROM_HOUR
            total[place] += (weights * hourly[:, first : first + weights.shape[1]]).sum()
    return total


def _quantities(days: Days) -> tuple[Values, Values] | None:
    """Return what the weights are of, and how much each half hour counts [quantity, day, half hour].

    Quantities: exports; buys nothing; root of what it buys, and how much that changes from half hour to half hour, over
    the mean of the former; root of what it sells over its mean; buys nothing. The first and last are of sunny days.
    """
    bought, sold = np.nan_to_num(days.bought), np.nan_to_num(days.sold)
    known = ~(np.isnan(days.bought) | np.isnan(days.sold))
    by_day = sold.reshape(-1, _SLOTS).sum(axis=1)
    if by_day.max() <= _LEAST_KWH_EXPORTED:
        return None
    sunny = known & np.repeat(by_day >= max(_LEAST_KWH_EXPORTED, float(np.quantile(by_day, _MOST_EXPORTED))), _SLOTS)
    mean_bought, mean_sold = (float(energy[known].mean()) + 1e-6 for energy in (bought, sold))
    changes = np.minimum(np.abs(np.diff(bought, prepend=bought[:1])) / mean_bought, _MOST_ROUGH)
    is_idle = (bought < _IDLE_KWH).astype(float)
    exports = (sold > _EXPORTING_KWH).astype(float)
    of_all = [is_idle, np.sqrt(bought / mean_bought), changes, np.sqrt(sold / mean_sold)]
    return np.array([exports, *of_all, is_idle]), np.array([sunny, known, known, known, known, sunny], dtype=float)


def _around(turn: NDArray[np.int64], quantities: Values, counts: Values) -> Values:
    """Return means of quantities by hour, from `_FROM_HOUR` to `_TO_HOUR`, around the half hour `turn` of each day."""
    around = np.arange(2 * _FROM_HOUR, 2 * _TO_HOUR)
    places = (np.arange(len(turn)) * _SLOTS + turn)[:, None] + around
    counted = counts.take(places, axis=1, mode="wrap")
    sums = (quantities.take(places, axis=1, mode="wrap") * counted).sum(axis=1)
    means = sums / np.maximum(counted.sum(axis=1), 1)
    return np.asarray(means.reshape(len(quantities), -1, 2).mean(axis=2))
