"""Futures drawn from the household's own days: the same weeks of this and earlier years, by kind of day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.forecast.history import YEAR, Flags, History

__all__ = ["candidates", "draw"]

_AROUND = 21
"""Days: further away the season is another one (measured: with the last weeks whatever the season, solar homes' errors
are a third larger)."""

_RECENT = (28, 84)
_FEWEST = 5

Ints = NDArray[np.int64]


def draw(history: History, known: int, days: Sequence[date], futures: int, chance: np.random.Generator) -> Ints:
    """[future, day] → row of `levelled(history, known)`.

    A metered day among the known is itself in every future. Any other day is drawn from its candidates.
    """
    rows = np.empty((futures, len(days)), dtype=np.int64)
    for place, day in enumerate(days):
        at = history.row(day)
        if 0 <= at < known and history.metered[at]:
            rows[:, place] = at
        else:
            pool = candidates(history, known, day)
            rows[:, place] = pool[chance.integers(0, len(pool), futures)]
    return rows


def candidates(history: History, known: int, day: date) -> Ints:
    """Rows that may stand for `day`: complete days of its kind (weekday; weekend or holiday).

    From within three weeks of the day itself, as they were, and of the same day in earlier years, at today's level.
    Where these are too few: the last four, then twelve weeks, then any day of its kind, then any day.
    """
    alike = history.complete[:known] & (history.weekend[:known] == history.is_weekend(day))
    rows = np.arange(known)
    target = history.row(day)
    earlier = alike & _near_other_years(rows, target, known)
    lately = alike & (np.abs(rows - target) <= _AROUND)
    found = np.concatenate([np.flatnonzero(earlier) + history.days, np.flatnonzero(lately)])
    if len(found) >= _FEWEST:
        return found
    for pool in (*(alike & (rows >= known - recent) for recent in _RECENT), alike, history.complete[:known]):
        if int(pool.sum()) >= _FEWEST:
            return np.flatnonzero(pool)
    return np.flatnonzero(history.metered[:known])


def _near_other_years(rows: Ints, target: int, known: int) -> Flags:
    """Within three weeks of the target shifted by whole years into the past."""
    near = np.zeros(known, dtype=np.bool_)
    for back in range(YEAR, target + _AROUND + 1, YEAR):
        near |= np.abs(rows - (target - back)) <= _AROUND
    return near
