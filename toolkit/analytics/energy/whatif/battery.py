"""A battery behind the meter, run interval by interval in whole 10^-9 kWh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.whatif.charges import FREE, Peak, Values
from toolkit.analytics.energy.whatif.profile import Profile
from toolkit.analytics.energy.whatif.shaving import FINE, Box, Shaving
from toolkit.units import NANO

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


WORTH_STORING = 1.02
"""Energy is bought for storing only where a later price, less the losses, is higher than now by this factor."""


@dataclass(frozen=True, slots=True)
class Battery:
    """kwh: usable. kw: most it takes in or gives. efficiency: of the round trip, lost while charging."""

    kwh: float
    kw: float
    efficiency: float = 0.9


@dataclass(frozen=True, slots=True)
class Stored:
    """The home with the battery. charged, given, lost, left: 10^-9 kWh; charged = given + lost + left.

    highest: 10^-9 kWh, the most it ever stored. limits: 10^-9 kW, one for each of the peaks.
    """

    profile: Profile
    charged: int
    given: int
    lost: int
    left: int
    highest: int
    limits: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Rules:
    """By interval: what must stay stored after it, up to what level the grid may fill it, and what may be bought beyond
    the load (negative: how much less must be)."""

    keep: Sequence[int]
    fill: Sequence[int]
    room: Sequence[int]


def with_battery(
    profile: Profile,
    battery: Battery,
    prices: Values | None = None,
    peaks: Sequence[Peak] = (),
    *,
    lower: bool = True,
) -> Stored:
    """Greedy self-consumption: what would be sold is stored, what would be bought is given, as far as size and power
    allow; the battery begins empty.

    prices: of each interval. Then it also keeps what it holds for dearer intervals ahead and buys in cheap ones what
    those will need beyond the sun, each day's load being known beforehand. peaks: charging raises none of them. lower:
    it holds each of them, in the order given, at the lowest limit that it can hold, all load being known beforehand,
    and spends only the rest on energy.
    """
    known = profile.known
    limits = np.where(known, (profile.minutes * round(battery.kw * NANO)) // 60, 0).tolist()
    box = Box(round(battery.kwh * NANO), limits, round(battery.efficiency * FINE))
    rules = _rules(profile, box, prices) if prices is not None else _idle(profile)
    shaving = Shaving(profile, box)
    if not lower:
        shaving.keep(peaks)
    kept_limits = shaving.lower(peaks) if lower else []
    return _run(profile, box, _with_peaks(rules, shaving, prices) if peaks else rules, tuple(kept_limits))


def _idle(profile: Profile) -> _Rules:
    none = [0] * len(profile.bought)
    return _Rules(none, none, [FREE] * len(none))


def _run(profile: Profile, box: Box, rules: _Rules, kept_limits: tuple[int, ...] = ()) -> Stored:
    bought, sold = profile.bought.tolist(), profile.sold.tolist()
    limits, capacity, part = box.limits, box.capacity, box.kept
    keep, fill, rooms = rules.keep, rules.fill, rules.room
    level = charged = given = highest = 0
    for n in np.flatnonzero(profile.known).tolist():
        surplus = sold[n]
        if not level and not surplus and not fill[n]:
            continue  # nothing is stored, and there is nothing to store
        limit, room = limits[n], rooms[n]
        due = -room if room < 0 else 0
        taken = 0
        if surplus:
            taken = min(surplus, limit - due, (capacity - level) * FINE // part)
            sold[n] = surplus - taken
            level += taken * part // FINE
        out, spare = min(bought[n], limit - taken), level - keep[n]
        out = spare if spare < out else out
        least = min(due, level)
        out = least if out < least else out
        bought[n] -= out
        level -= out
        given += out
        from_grid = 0
        if not out and room > 0 and fill[n] > level:
            wanted = -(-(fill[n] - level) * FINE // part)
            from_grid = min(limit - taken, room, wanted)
            bought[n] += from_grid
            level += from_grid * part // FINE
        charged += taken + from_grid
        highest = level if level > highest else highest
    changed = profile.changed(np.array(bought, dtype=np.int64), np.array(sold, dtype=np.int64))
    return Stored(changed, charged, given, charged - given - level, level, highest, kept_limits)


def _rules(profile: Profile, box: Box, prices: Values) -> _Rules:
    """What is needed at each interval by dearer ones ahead, until the sun or a cheap interval refills."""
    keep = np.zeros(len(prices), dtype=np.int64)
    fill = np.zeros_like(keep)
    cheap = _cheap(profile, prices, box.kept / FINE)
    for level in np.unique(prices):
        ahead = _needed_ahead(profile, box, np.where(prices > level, profile.bought, 0), cheap)
        mine = prices == level
        keep[mine] = ahead[mine]
        fill[mine & cheap] = ahead[mine & cheap]
    return _Rules(keep.tolist(), fill.tolist(), [FREE] * len(keep))


def _with_peaks(rules: _Rules, shaving: Shaving, prices: Values | None) -> _Rules:
    """Peaks come first: what they need is kept, and bought in the cheapest hours before, at the latest when it must."""
    profile, need = shaving.profile, np.array(shaving.need, dtype=np.int64)
    cheapest = _cheapest(profile, prices) if prices is not None else np.ones(len(need), dtype=bool)
    ahead = np.maximum(_needed_ahead(profile, shaving.box, np.maximum(-shaving.room, 0), cheapest), need)
    keep = np.maximum(rules.keep, ahead)
    fill = np.maximum(rules.fill, np.where(cheapest, ahead, need))
    return _Rules(keep.tolist(), fill.tolist(), shaving.room.tolist())


def _cheap(profile: Profile, prices: Values, efficiency: float) -> Bools:
    """Intervals at their day's lowest price, on days where the dearest pays for the losses."""
    _, day = np.unique(profile.day, return_inverse=True)
    highest = np.zeros(day.max(initial=0) + 1)
    np.maximum.at(highest, day, prices)
    pays = highest[day] * efficiency > prices * WORTH_STORING
    return np.asarray(_cheapest(profile, prices) & pays)


def _cheapest(profile: Profile, prices: Values) -> Bools:
    """Intervals at their day's lowest price."""
    _, day = np.unique(profile.day, return_inverse=True)
    lowest = np.full(day.max(initial=0) + 1, np.inf)
    np.minimum.at(lowest, day, prices)
    return np.asarray(prices <= lowest[day])


def _needed_ahead(profile: Profile, box: Box, wanted: Ints, cheap: Bools) -> Ints:
    """[interval] → level needed at its end for what is wanted later, until the sun or a cheap interval refills."""
    limits = np.array(box.limits, dtype=np.int64)
    sun = np.minimum(profile.sold, limits) * box.kept // FINE
    refill = np.where(cheap & (wanted == 0), limits * box.kept // FINE, 0)
    # Backwards, each interval maps what is needed after it to what is needed before: clip(need + more, 0, capacity).
    more = (np.minimum(wanted, limits) - refill - sun)[::-1]
    needed = _clipped_sums(more, box.capacity)[::-1]
    return np.append(needed[1:], 0)


def _clipped_sums(steps: Ints, most: int) -> Ints:
    """[n] → x of n = clip(x of n−1 + steps of n, 0, most), beginning from 0.

    Such maps compose to maps of the same form, min(high, max(low, x + total)): they are joined in runs of 1, 2, 4 ….
    """
    total, low, high = steps.copy(), np.zeros_like(steps), np.full_like(steps, most)
    span = 1
    while span < len(steps):
        later = slice(span, None)
        joined_low = np.clip(low[:-span] + total[later], low[later], high[later])
        joined_high = np.clip(high[:-span] + total[later], low[later], high[later])
        joined_total = total[:-span] + total[later]
        total[later], low[later], high[later] = joined_total, joined_low, joined_high
        span *= 2
    return np.asarray(np.minimum(high, np.maximum(low, total)))
