"""Load added, moved or left out by time of day, and generation of more panels. Load is moved in whole numbers, so that
nothing is lost on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.rates.model import Window
from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.solar.sun import expected_kwh, with_clear_output
from toolkit.analytics.energy.whatif.profile import Profile
from toolkit.units import DAY_MINUTES, NANO

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Values = NDArray[np.float64]

_US = 60_000_000
_HALF_HOUR_US = 30 * _US


def minutes_of(window: Window) -> Bools:
    """Return [minute of the day] → whether the window holds it."""
    minute = np.arange(DAY_MINUTES)
    begun, not_over = minute >= window.start, minute < window.end
    return np.asarray(begun & not_over if window.start < window.end else begun | not_over)


def overlap(profile: Profile, chosen: Bools) -> Ints:
    """Return [interval] → how many of its minutes are among the chosen ones of the day, in the home's time zone."""
    before = np.concatenate([[0], np.cumsum(np.tile(chosen, 2), dtype=np.int64)])
    return np.asarray(before[profile.minute + profile.minutes] - before[profile.minute])


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
    first and last days of all reads, and days with gaps), that part of the energy is charged. An interval that the
    window cuts takes what its minutes inside do.
    """
    whole, added = round(kwh * NANO), np.zeros(len(profile.bought), dtype=np.int64)
    within = overlap(profile, minutes_of(window))
    limits = -(-within * round(kw * NANO) // 60)
    rows_within = np.flatnonzero((within > 0) & profile.known)
    sessions = _by_day(rows_within, _begun(profile, rows_within, window))
    share = np.array([_share_read(profile, rows, window, within) for rows in sessions], dtype=np.float64)
    wanted = np.rint(share * whole).astype(np.int64)
    for rows, energy in zip(sessions, wanted.tolist(), strict=True):
        before = np.concatenate([[0], np.cumsum(limits[rows])[:-1]])
        added[rows] = np.clip(energy - before, 0, limits[rows])
    day = [_begun(profile, rows[:1], window)[0] for rows in sessions]
    given = [added[rows].sum() for rows in sessions]
    return Charging(profile.with_load(added), _ints(day), share, _ints(given), wanted)


def _ints(values: Sequence[np.int64]) -> Ints:
    return np.array(values, dtype=np.int64)


def _begun(profile: Profile, rows: Ints, window: Window) -> Ints:
    """The days on which the window begins that each of the rows is in, at least with its last minutes."""
    minute = profile.minute[rows]
    since, ahead = (minute - window.start) % DAY_MINUTES, (window.start - minute) % DAY_MINUTES
    begins = np.where(since < window.minutes, minute - since, minute + ahead)
    return np.asarray(profile.day[rows] + begins // DAY_MINUTES)


def _share_read(profile: Profile, rows: Ints, window: Window, within: Ints) -> float:
    """1 where the rows run through the whole window, however long it is on the day that the clocks change."""
    minute, length, starts = profile.minute[rows], profile.minutes[rows], profile.starts_us[rows]
    begins = (window.start - minute[0]) % DAY_MINUTES < length[0]
    ends = (minute[-1] + length[-1] - window.end) % DAY_MINUTES < length[-1]
    unbroken = bool((np.diff(starts) == length[:-1] * _US).all())
    return 1.0 if begins and ends and unbroken else min(1.0, float(within[rows].sum()) / window.minutes)


@dataclass(frozen=True, slots=True)
class Moved:
    """The home with load elsewhere. away: [interval] what it no longer buys there, in 10^-9 kWh."""

    profile: Profile
    away: Ints


def moved(profile: Profile, share: float, window: Window, to: Window | None) -> Moved:
    """A share of what is bought in the window is used in another window of the same day instead, evenly; without
    one it is saved. Days that were not read in the other window keep their load.

    Of an interval that a window cuts, the minutes inside count, as if its energy flowed evenly. What is moved is not
    moved within its own window: only the minutes of `to` outside it take any.
    """
    from_ = minutes_of(window)
    within, into = overlap(profile, from_), _taking(profile, from_, to)
    taken = np.where(profile.known, (profile.bought * (share * within / profile.minutes)).astype(np.int64), 0)
    away, back = np.zeros_like(taken), np.zeros_like(taken)
    for rows in _by_day(np.arange(len(away)), profile.day):
        takes = bool(into[rows].any())
        if to is None or takes:
            away[rows] = taken[rows]
        if takes:
            back[rows] = _spread(int(taken[rows].sum()), into[rows])
    return Moved(profile.with_load(-away).with_load(back), away)


def spread_over(profile: Profile, wanted: Mapping[int, int], minutes: Ints) -> tuple[Ints, set[int]]:
    """Spread each day's energy over the minutes of its intervals that may take it, none lost.

    wanted: 10^-9 kWh by day (counted from 1970). Returns the energy of each interval, and the days that had no minutes.
    """
    added, left = np.zeros(len(profile.bought), dtype=np.int64), {day for day, energy in wanted.items() if energy}
    for rows in _by_day(np.arange(len(added)), profile.day):
        day = int(profile.day[rows[0]])
        if day in left and minutes[rows].any():
            added[rows] = _spread(wanted[day], minutes[rows])
            left.discard(day)
    return added, left


def _taking(profile: Profile, from_: Bools, to: Window | None) -> Ints:
    """[interval] → minutes that take what is moved."""
    if to is None:
        return np.zeros(len(profile.bought), dtype=np.int64)
    return np.where(profile.known, overlap(profile, minutes_of(to) & ~from_), 0)


def _spread(energy: int, minutes: Ints) -> Ints:
    """By the minutes, none lost."""
    upto = np.concatenate([[0], np.cumsum(minutes)])
    each, more = divmod(energy, int(upto[-1]))
    return np.asarray(each * minutes + np.diff(more * upto // upto[-1]))


def _by_day(rows: Ints, days: Ints) -> list[Ints]:
    if not len(rows):
        return []
    return np.split(rows, np.flatnonzero(np.diff(days)) + 1)


def more_panels(profile: Profile, kw: float, city: City, own: tuple[pl.DataFrame, float] | None = None) -> Profile:
    """Return the home with `kw` more panels; intervals without reads stay without.

    own: half hours with `starts_at` and `generation_kwh`, and the size of the panels that made it: the new ones make
    as much per kW. Without: a clear sky's shape, scaled to what panels in the city typically make.
    """
    at_half = profile.starts_us - profile.starts_us % _HALF_HOUR_US
    half_hours = np.unique(at_half)
    slots = pl.DataFrame({"starts_at": pl.Series(half_hours).cast(pl.Datetime("us", "UTC"))})
    made = _like_own(slots, *own) if own else _modelled(slots, city)
    per_interval = made[np.searchsorted(half_hours, at_half)] * profile.minutes / 30
    nano = np.rint(per_interval * kw * NANO).astype(np.int64)
    return profile.with_generation(np.where(profile.known, nano, 0))


def _modelled(slots: pl.DataFrame, city: City) -> Values:
    """[half hour] → kWh per kW."""
    clear = with_clear_output(slots, city)["clear_kwh"].to_numpy()
    whole = float(clear.sum())
    return np.asarray(clear * (expected_kwh(whole, city, 1.0)[1] / whole if whole else 0.0))


def _like_own(slots: pl.DataFrame, made: pl.DataFrame, kw: float) -> Values:
    joined = slots.join(made.select("starts_at", "generation_kwh"), on="starts_at", how="left", maintain_order="left")
    return np.asarray(joined["generation_kwh"].fill_null(0.0).to_numpy() / kw)
