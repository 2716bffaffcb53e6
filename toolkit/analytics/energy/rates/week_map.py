"""Windows laid out on the week: which band each minute belongs to (pricing rule 4)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.rates.model import Bands, Window

MINUTES = 1440
DAY_TYPES = 14
"""Rows: Monday to Sunday, then the same weekdays when they are public holidays."""

UNCLAIMED = -1

Cells = NDArray[np.int8]


@lru_cache(maxsize=4096)
def cells_of(bands: Bands) -> Cells:
    """[day type, minute] → band, or UNCLAIMED; where windows meet, the shorter a day, then the first listed."""
    cells = np.full((DAY_TYPES, MINUTES), UNCLAIMED, dtype=np.int8)
    claims = [(window.minutes, order, band, window) for order, band, window in _listed(bands)]
    for _, _, band, window in sorted(claims, key=lambda claim: (-claim[0], -claim[1])):
        cells[_claimed(window)] = band
    cells.flags.writeable = False
    return cells


def _listed(bands: Bands) -> list[tuple[int, int, Window]]:
    flat = [(band, window) for band, windows in enumerate(bands) for window in windows]
    return [(order, band, window) for order, (band, window) in enumerate(flat)]


def _claimed(window: Window) -> NDArray[np.bool_]:
    minutes = np.zeros(MINUTES, dtype=bool)
    if window.start < window.end:
        minutes[window.start : window.end] = True
    else:
        minutes[window.start :] = True
        minutes[: window.end] = True
    days = np.zeros(DAY_TYPES, dtype=bool)
    named = range(7) if window.holidays_only else window.days
    for day in named:
        days[day] = not window.holidays_only
        days[day + 7] = True
    return days[:, None] & minutes[None, :]


@lru_cache(maxsize=4096)
def coarsest_slot(bands: Bands) -> int:
    """The longest of 30, 15, 5 and 1 minutes on which every window begins and ends."""
    cells = cells_of(bands)
    breaks = np.flatnonzero((cells[:, 1:] != cells[:, :-1]).any(axis=0)) + 1
    return next(slot for slot in (30, 15, 5, 1) if not (breaks % slot).any())


@lru_cache(maxsize=4096)
def overlapping(bands: Bands) -> bool:
    """Whether two bands claim the same minute."""
    claims = np.zeros((DAY_TYPES, MINUTES), dtype=np.int16)
    for windows in bands:
        own = np.zeros((DAY_TYPES, MINUTES), dtype=bool)
        for window in windows:
            own |= _claimed(window)
        claims += own
    return bool((claims > 1).any())


@lru_cache(maxsize=4096)
def unclaimed_minutes(bands: Bands) -> int:
    """Minutes of an ordinary week that no window claims."""
    return int((cells_of(bands)[:7] == UNCLAIMED).sum())
