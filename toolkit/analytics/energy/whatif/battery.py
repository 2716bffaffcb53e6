"""A battery behind the meter, run interval by interval in whole 10^-9 kWh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.whatif.prices import SlotPrices
from toolkit.analytics.energy.whatif.profile import Profile

Ints = NDArray[np.int64]

NANO = 1_000_000_000
_FINE = 1_000_000

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
    """The home with the battery. charged, given, lost, left: 10^-9 kWh; charged = given + lost + left."""

    profile: Profile
    charged: int
    given: int
    lost: int
    left: int


@dataclass(frozen=True, slots=True)
class _Rules:
    """By interval: what must stay stored after it, and up to what level the grid may fill it."""

    keep: Sequence[int]
    fill: Sequence[int]


def with_battery(profile: Profile, battery: Battery, prices: SlotPrices | None = None) -> Stored:
    """Greedy self-consumption: what would be sold is stored, what would be bought is given, as far as size and power
    allow; the battery begins empty.

    prices: of each interval. Then it also keeps what it holds for dearer intervals ahead (demand windows first) and
    buys in cheap ones what those will need beyond the sun, each day's load being known beforehand.
    """
    capacity = round(battery.kwh * NANO)
    limits = ((profile.minutes * round(battery.kw * NANO)) // 60).tolist()
    kept = round(battery.efficiency * _FINE)
    none = [0] * len(limits)
    rules = _rules(profile, capacity, limits, kept, prices) if prices is not None else _Rules(none, none)
    return _run(profile, capacity, limits, kept, rules)


def _run(profile: Profile, capacity: int, limits: Sequence[int], kept: int, rules: _Rules) -> Stored:
    bought, sold = profile.bought.tolist(), profile.sold.tolist()
    level = charged = given = 0
    for n in np.flatnonzero(profile.known).tolist():
        limit = limits[n]
        taken = min(sold[n], limit, (capacity - level) * _FINE // kept)
        sold[n] -= taken
        level += taken * kept // _FINE
        out = min(bought[n], limit - taken, max(level - rules.keep[n], 0))
        from_grid = min(limit - taken - out, max(rules.fill[n] - level, 0) * _FINE // kept)
        if from_grid > 0 and out <= 0:
            bought[n] += from_grid
            level += from_grid * kept // _FINE
            taken += from_grid
        else:
            bought[n] -= out
            level -= out
            given += out
        charged += taken
    changed = profile.changed(np.array(bought, dtype=np.int64), np.array(sold, dtype=np.int64))
    return Stored(changed, charged, given, charged - given - level, level)


def _rules(profile: Profile, capacity: int, limits: Sequence[int], kept: int, prices: SlotPrices) -> _Rules:
    """What is needed at each interval by dearer ones ahead, until the sun or a cheap interval refills."""
    worth = np.round(prices.worth, 6)
    keep = np.zeros(len(worth), dtype=np.int64)
    fill = np.zeros_like(keep)
    cheap = _cheap(profile, prices, kept / _FINE)
    for level in np.unique(worth):
        ahead = _needed_ahead(profile, capacity, limits, kept, (worth > level, cheap))
        mine = worth == level
        keep[mine] = ahead[mine]
        fill[mine & cheap] = ahead[mine & cheap]
    return _Rules(keep.tolist(), fill.tolist())


def _cheap(profile: Profile, prices: SlotPrices, efficiency: float) -> NDArray[np.bool_]:
    """Intervals at their day's lowest price, on days where the dearest pays for the losses."""
    _, day = np.unique(profile.day, return_inverse=True)
    lowest, highest = np.full(day.max(initial=0) + 1, np.inf), np.zeros(day.max(initial=0) + 1)
    np.minimum.at(lowest, day, prices.worth)
    np.maximum.at(highest, day, prices.worth)
    pays = highest * efficiency > lowest * WORTH_STORING
    return np.asarray((prices.worth <= lowest[day]) & pays[day])


def _needed_ahead(
    profile: Profile,
    capacity: int,
    limits: Sequence[int],
    kept: int,
    kinds: tuple[NDArray[np.bool_], NDArray[np.bool_]],
) -> Ints:
    """[interval] → level needed at its end, for the dearer intervals that follow."""
    dearer, cheap = kinds[0].tolist(), kinds[1].tolist()
    bought, sold = profile.bought.tolist(), profile.sold.tolist()
    out = np.zeros(len(limits), dtype=np.int64)
    need = 0
    for n in range(len(limits) - 1, -1, -1):
        out[n] = need
        limit = limits[n]
        if dearer[n]:
            need += min(bought[n], limit)
        elif cheap[n]:
            need -= limit * kept // _FINE
        need = min(capacity, max(0, need - min(sold[n], limit) * kept // _FINE))
    return out
