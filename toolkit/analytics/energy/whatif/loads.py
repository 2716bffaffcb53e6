"""Load added, moved or left out by time of day. Whole numbers: nothing is lost on the way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.rates.model import Window
from toolkit.analytics.energy.whatif.profile import Profile

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NANO = 1_000_000_000


def inside(profile: Profile, window: Window) -> Bools:
    """Which intervals start in the window, on the home's clock."""
    at = profile.minute
    if window.start < window.end:
        return np.asarray((at >= window.start) & (at < window.end))
    return np.asarray((at >= window.start) | (at < window.end))


def vehicle(profile: Profile, kwh: float, kw: float, window: Window) -> tuple[Profile, int]:
    """Charge `kwh` on every day, from the window's start at up to `kw`; and what found no room, in 10^-9 kWh.

    Own export that hour serves first. A window over midnight begins in the evening and belongs to that day.
    """
    wanted, added, left = round(kwh * NANO), np.zeros(len(profile.bought), dtype=np.int64), 0
    limits = (profile.minutes * round(kw * NANO)) // 60
    for rows in _sessions(profile, window):
        before = np.concatenate([[0], np.cumsum(limits[rows])[:-1]])
        added[rows] = np.clip(wanted - before, 0, limits[rows])
        left += wanted - int(added[rows].sum())
    return profile.with_load(added), left


def _sessions(profile: Profile, window: Window) -> list[Ints]:
    """Row numbers of each night or day of the window, in order of time; only intervals that were read."""
    rows = np.flatnonzero(inside(profile, window) & profile.known)
    early = (window.start >= window.end) & (profile.minute[rows] < window.end)
    return _by_day(rows, profile.day[rows] - early)


def moved(profile: Profile, share: float, window: Window, to: Window | None) -> Profile:
    """A share of what is bought in the window is used in another window of the same day instead, evenly; without
    one it is saved. Days that were not read in the other window keep their load.
    """
    away = np.zeros(len(profile.bought), dtype=np.int64)
    back = np.zeros_like(away)
    source, target = inside(profile, window) & profile.known, _target(profile, window, to)
    taken = np.where(source, (profile.bought * share).astype(np.int64), 0)
    for rows in _by_day(np.arange(len(away)), profile.day):
        into = rows[target[rows]]
        if to is None or len(into):
            away[rows] = taken[rows]
        if to is not None and len(into):
            back[into] = _spread(int(taken[rows].sum()), len(into))
    return profile.with_load(-away).with_load(back)


def _target(profile: Profile, window: Window, to: Window | None) -> Bools:
    if to is None:
        return np.zeros(len(profile.bought), dtype=bool)
    return inside(profile, to) & ~inside(profile, window) & profile.known


def _spread(energy: int, slots: int) -> Ints:
    each, more = divmod(energy, slots)
    return each + (np.arange(slots) < more)


def _by_day(rows: Ints, days: Ints) -> list[Ints]:
    if not len(rows):
        return []
    return np.split(rows, np.flatnonzero(np.diff(days)) + 1)
