"""Homes with a battery behind the meter: what it takes and gives, by rule. Nothing of the toolkit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tests.truth.solar.homes import DAYS, STEP_MINUTES, STEPS, SolarHome, Values

_EFFICIENCY = 0.9
"""Of what goes in, this comes out again."""
_HOUR = np.arange(STEPS) * STEP_MINUTES / 60
BATTERIES = ("own use", "sells in the evening", "buys at night", "buys and sells", "serves the peak", "sells at peaks")


@dataclass(frozen=True)
class Battery:
    """kwh: that can be used. kw: most in and out. reserve: share of it below which it does not sell.

    Hours of the local day: sells, sells_early: in which it gives all to the grid; buys: in which it fills up from the
    grid; gives: in which it serves the home. chance: of a day on which it sells or buys.
    """

    kwh: float
    kw: float
    sells: tuple[float, float] = (0, 0)
    sells_early: tuple[float, float] = (0, 0)
    buys: tuple[float, float] = (0, 0)
    gives: tuple[float, float] = (0, 24)
    reserve: float = 0.2
    chance: float = 1.0


def battery(kind: str, seed: int) -> Battery:
    """Return the battery of a kind (`BATTERIES`) and seed."""
    chance = np.random.default_rng([seed, 600 + BATTERIES.index(kind)])
    kwh = float(chance.choice([5, 6.5, 9.8, 10, 13.5, 13.5, 20, 27, 40]))
    plain = Battery(kwh, float(min(max(kwh / chance.uniform(2, 3.5), 2.5), 10)))
    begins, ends, days = chance.uniform(16.5, 19), chance.uniform(19.5, 21.5), float(chance.choice([0.3, 0.8, 1.0]))
    cheap = (0.0, 6.0) if chance.random() < 0.5 else (11.0, 14.0)
    if kind == "sells in the evening":
        return replace(plain, sells=(begins, ends), chance=days)
    if kind == "buys at night":
        return replace(plain, buys=cheap, chance=days)
    if kind == "buys and sells":
        return replace(plain, buys=cheap, sells=(begins, ends), chance=days)
    if kind == "sells at peaks":
        return replace(plain, sells=(begins, ends), sells_early=(6.0, 8.0), chance=days, reserve=0.4)
    return replace(plain, gives=(15.0, 21.0)) if kind == "serves the peak" else plain


def with_battery(home: SolarHome, stored: Battery, seed: int) -> SolarHome:
    """Return the home with `used` less what the battery gives and with what it takes; below zero where it sells."""
    local = _HOUR + {"Australia/Brisbane": 0.0, "Australia/Perth": -2.0}.get(home.place.zone, 0.5)
    chance = np.random.default_rng([seed, 700])
    active = np.repeat(chance.random(DAYS) < stored.chance, STEPS)
    sells, early, buys, gives = (
        np.tile((local >= first) & (local < last), DAYS)
        for first, last in (stored.sells, stored.sells_early, stored.buys, stored.gives)
    )
    step_kwh = stored.kw * STEP_MINUTES / 60
    surplus = home.made - home.used
    moved = _moved(surplus, (sells | early) & active, buys & active, gives, stored, step_kwh)
    return replace(home, kind=f"{home.kind}, battery", used=home.used + moved)


def _moved(surplus: Values, sells: Values, buys: Values, gives: Values, stored: Battery, step_kwh: float) -> Values:
    """Return kWh that go in (positive) and come out (negative) in each step."""
    level, moved = stored.kwh / 2, np.zeros(len(surplus))
    for step, kwh in enumerate(surplus):
        if sells[step] and level > stored.reserve * stored.kwh:
            change = -min(step_kwh, level - stored.reserve * stored.kwh)
        elif buys[step] or kwh > 0:
            change = min(step_kwh if buys[step] else kwh, step_kwh, (stored.kwh - level) / _EFFICIENCY)
        else:
            change = -min(-kwh, step_kwh, level) if gives[step] else 0.0
        moved[step] = change
        level += change * _EFFICIENCY if change > 0 else change
    return moved
