"""Load added, moved or left out by time of day. Whole numbers: nothing is lost on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.rates.model import Window
from toolkit.analytics.energy.whatif.profile import Profile

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Values = NDArray[np.float64]

NANO = 1_000_000_000
_DAY = 1440
_US = 60_000_000


def inside(profile: Profile, window: Window) -> Bools:
    """Which intervals start in the window, on the home's clock."""
    at = profile.minute
    if window.start < window.end:
        return np.asarray((at >= window.start) & (at < window.end))
    return np.asarray((at >= window.start) | (at < window.end))


@dataclass(frozen=True, slots=True)
class Charging:
    """The home with the vehicle. [session]: day is that on which the window begins (counted from 1970), share the part
    of the window that was read (1: all of it), given and wanted what it got and should have got, in 10^-9 kWh.
    """

    profile: Profile
    day: Ints
    share: Values
    given: Ints
    wanted: Ints


def vehicle(profile: Profile, kwh: float, kw: float, window: Window) -> Charging:
    """Charge `kwh` on every day, from the window's start at up to `kw`. Own export that hour serves first.

    A window over midnight begins in the evening and belongs to that day. Where only a part of a window was read (the
    first and last days of all reads, and days with gaps), that part of the energy is charged.
    """
    whole, added = round(kwh * NANO), np.zeros(len(profile.bought), dtype=np.int64)
    limits = (profile.minutes * round(kw * NANO)) // 60
    sessions = _sessions(profile, window)
    share = np.array([_share_read(profile, rows, window) for rows in sessions], dtype=np.float64)
    wanted = np.rint(share * whole).astype(np.int64)
    for rows, energy in zip(sessions, wanted.tolist(), strict=True):
        before = np.concatenate([[0], np.cumsum(limits[rows])[:-1]])
        added[rows] = np.clip(energy - before, 0, limits[rows])
    day = [profile.day[rows[0]] - _since_midnight(profile, rows[:1], window)[0] for rows in sessions]
    given = [added[rows].sum() for rows in sessions]
    return Charging(profile.with_load(added), _ints(day), share, _ints(given), wanted)


def _ints(values: Sequence[np.int64]) -> Ints:
    return np.array(values, dtype=np.int64)


def _sessions(profile: Profile, window: Window) -> list[Ints]:
    """Row numbers of each night or day of the window, in order of time; only intervals that were read."""
    rows = np.flatnonzero(inside(profile, window) & profile.known)
    return _by_day(rows, profile.day[rows] - _since_midnight(profile, rows, window))


def _since_midnight(profile: Profile, rows: Ints, window: Window) -> Ints:
    """1 for rows after the midnight that a window wraps over: they belong to the day before."""
    return np.asarray((window.start >= window.end) & (profile.minute[rows] < window.end), dtype=np.int64)


def _share_read(profile: Profile, rows: Ints, window: Window) -> float:
    """1 where the rows run through the whole window, however long it is on the day that the clocks change."""
    minute, length, starts = profile.minute[rows], profile.minutes[rows], profile.starts_us[rows]
    begins = (minute[0] - window.start) % _DAY < length[0]
    ends = (minute[-1] + length[-1] - window.end) % _DAY < length[-1]
    unbroken = bool((np.diff(starts) == length[:-1] * _US).all())
    return 1.0 if begins and ends and unbroken else min(1.0, float(length.sum()) / window.minutes)


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
