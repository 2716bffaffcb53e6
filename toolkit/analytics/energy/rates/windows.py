"""Lay windows out on the week, to see which band each minute belongs to (pricing rule 4), and word them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.rates.model import EVERY_WEEKDAY, Bands, Duration, Window

MINUTES = 1440
DAY_TYPES = 14
"""Rows: Monday to Sunday, then the same weekdays when they are public holidays."""

UNCLAIMED = -1

Cells = NDArray[np.int8]


@lru_cache(maxsize=4096)
def cells_of(bands: Bands) -> Cells:
    """Return [day type, minute], the band or UNCLAIMED; overlaps go to the shorter window, then the first listed."""
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
    """Return the longest of 30, 15, 5 and 1 minutes on which every window begins and ends."""
    cells = cells_of(bands)
    breaks = np.flatnonzero((cells[:, 1:] != cells[:, :-1]).any(axis=0)) + 1
    return next(slot for slot in (30, 15, 5, 1) if not (breaks % slot).any())


@lru_cache(maxsize=4096)
def overlapping(bands: Bands) -> bool:
    """Return whether two bands claim the same minute."""
    claims = np.zeros((DAY_TYPES, MINUTES), dtype=np.int16)
    for windows in bands:
        own = np.zeros((DAY_TYPES, MINUTES), dtype=bool)
        for window in windows:
            own |= _claimed(window)
        claims += own
    return bool((claims > 1).any())


@lru_cache(maxsize=4096)
def unclaimed_minutes(bands: Bands) -> int:
    """Return the minutes of an ordinary week that no window claims."""
    return int((cells_of(bands)[:7] == UNCLAIMED).sum())


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ANY_TIME = "any time"


def windows_text(windows: Sequence[Window]) -> str:
    """Word windows: `Mon–Fri 15:00–21:00; Sat, Sun 10:00–12:00`; one time on several days is named once."""
    days: dict[tuple[int, int, bool], frozenset[int]] = {}
    for window in windows:
        key = (window.start, window.end, window.holidays_only)
        days[key] = days.get(key, frozenset()) | window.days
    return "; ".join(_one(start, end, on, holidays=holidays) for (start, end, holidays), on in days.items())


def _one(start: int, end: int, days: frozenset[int], *, holidays: bool) -> str:
    on = "public holidays" if holidays else "" if days >= EVERY_WEEKDAY else days_text(days)
    at = "" if (end - start) % 1440 == 0 else f"{_time_of_day(start)}–{_time_of_day(end)}"
    return " ".join(part for part in (on, at) if part) or ANY_TIME


def days_text(days: Iterable[int]) -> str:
    """Word weekdays (0 is Monday): `Mon–Fri`, `Sat, Sun`, `Tue, Thu–Sat`."""
    runs: list[list[int]] = []
    for day in sorted(days):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ", ".join(_run(run) for run in runs)


def _run(days: Sequence[int]) -> str:
    if len(days) > 2:
        return f"{_DAYS[days[0]]}–{_DAYS[days[-1]]}"
    return ", ".join(_DAYS[day] for day in days)


def _time_of_day(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def any_of(period: Duration) -> str:
    """Word a block period: `a day`, `a month`, `in 2 months`."""
    words = str(period)
    return f"in {words}" if words[0].isdigit() else f"a {words}"
