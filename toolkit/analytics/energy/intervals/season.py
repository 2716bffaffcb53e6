"""How a home's use changes over the year: a smooth curve fitted to its own days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.intervals.matrix import Floats, IntervalMatrix
from toolkit.answers.base import Period

_YEAR = 365.25
_BINS = 12
_FEWEST_BINS = 10
"""A curve is fitted from so many twelfths of the year on, each with use known on at least half of its days."""

_USABLE_GAP = 120
"""Minutes that may be missing in a day that counts."""

_LONG_READ = 45
"""Days. Reads that are longer on average, such as quarterly bills, show one wave a year; others two."""

_LEAST = 0.01
"""Weeks below this share of the middle week are raised to it: the logarithm of nothing has no curve."""


@dataclass(frozen=True, slots=True, eq=False)
class SeasonCurve:
    """Expected use of a day in proportion to the year's mean: exp(Σ aₖ cos kt + bₖ sin kt), t the time of the year."""

    waves: Floats
    """[2k: aₖ, 2k + 1: bₖ]."""

    def on(self, first: date, days: int) -> Floats:
        """Return [day], the curve on consecutive days."""
        return np.asarray(np.exp(_waves(first, np.arange(days), len(self.waves) // 2) @ self.waves))


def season_curve(matrix: IntervalMatrix, without: Period) -> SeasonCurve | None:
    """Fit a home's curve to its general use; None where its reads cover less than about a year.

    matrix: all reads of the home. without: days that are to be explained, which the curve must not know. Weekly means
    are fitted in logarithms, so that a winter of twice the use is as far from the mean as a summer of half of it; each
    full year has a level of its own, so that a lasting change from one year to the next is not taken for a season.
    """
    used = matrix.total("general").astype(np.float64)
    excluded = np.zeros(matrix.days, dtype=np.bool_)
    begin = (without.first - matrix.first).days
    excluded[max(begin, 0) : max(begin + without.days, 0)] = True
    known = (matrix.missing <= _USABLE_GAP) & (matrix.expected > 0) & ~excluded
    if known.sum() < _FEWEST_BINS * _YEAR / _BINS / 2 or _bins_known(matrix.first, known) < _FEWEST_BINS:
        return None
    weeks = np.arange(matrix.days) // 7
    counted = np.bincount(weeks, weights=known)
    sums = np.bincount(weeks, weights=used * known)
    full = np.flatnonzero(counted >= 4)
    means = sums[full] / counted[full]
    if means.max() <= 0:
        return None
    logs = np.log(np.maximum(means, _LEAST * max(float(np.median(means)), float(means.max()) * _LEAST)))
    changes = np.count_nonzero(np.abs(np.diff(used)) > 1e-6 * used.max())
    count = 1 if changes * _LONG_READ < matrix.days else 2
    middle = full * 7 + 3
    years = np.minimum((matrix.days - 1 - middle).clip(0) // 365, max(matrix.days // 365 - 1, 0))
    levels = (years[:, None] == np.unique(years)).astype(np.float64)
    design = np.hstack([_waves(matrix.first, middle, count), levels])
    fitted, *_ = np.linalg.lstsq(design, logs, rcond=None)
    return SeasonCurve(fitted[: 2 * count])


def _bins_known(first: date, known: NDArray[np.bool_]) -> int:
    """Return of how many twelfths of the year at least half of the days are known in some year."""
    bins = (_day_of_year(first, np.arange(len(known))) * _BINS / _YEAR).astype(np.int64).clip(0, _BINS - 1)
    return int((np.bincount(bins[known], minlength=_BINS) >= _YEAR / _BINS / 2).sum())


def _waves(first: date, days: NDArray[np.int64], count: int) -> Floats:
    """Return [day, wave], cosine and sine of one to `count` waves a year on the days counted from `first`."""
    angle = 2 * np.pi * _day_of_year(first, days) / _YEAR
    return np.stack([wave(k * angle) for k in range(1, count + 1) for wave in (np.cos, np.sin)], axis=1)


def _day_of_year(first: date, days: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.array([(first + timedelta(int(day))).timetuple().tm_yday - 1 for day in days], dtype=np.int64)
