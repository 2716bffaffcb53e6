"""Homes of two years by rule, for judging forecasts: weather, people, panels, vehicles. Nothing of the toolkit.

Daily use follows the temperature of a made-up climate (heating below 16 °C, cooling above 23 °C), weekends, holidays
away, a slow drift of habits and day-to-day noise (coefficient of variation 0.15 to 0.3, autocorrelation 0.4). What
changes on a day changes for good. Energy in kWh.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]

FIRST = date(2024, 3, 1)
DAYS = 730
CLIMATES = ((18.0, 5.0), (15.0, 5.5), (20.5, 4.5), (16.5, 6.0))
"""Mean of the year and half the swing between summer and winter, °C."""
HALF_HOURS = np.arange(48) / 2

Kind = Literal[
    "plain", "solar", "new solar", "new vehicle", "moved in", "moved out", "holidays", "gaps", "quarterly", "heat pump"
]
KINDS: tuple[Kind, ...] = (
    *("plain", "solar", "new solar", "new vehicle", "moved in", "moved out"),
    *("holidays", "gaps", "quarterly", "heat pump"),
)


@dataclass(frozen=True)
class Home:
    """A home whose whole two years are known. bought, sold: [day, half hour], kWh. read: [day], whether it is read."""

    kind: str
    seed: int
    first: date
    bought: Values
    sold: Values
    read: Flags
    change: date | None = None
    """First day of a change for good."""
    billing_months: int = 1

    @property
    def days(self) -> int:
        """Return the days of the home."""
        return len(self.bought)


def home(kind: Kind, seed: int) -> Home:
    """Return one home of a kind. The same seed gives the same home."""
    made = _Making(np.random.default_rng([seed, KINDS.index(kind)]))
    at = int(made.chance.integers(380, 560))
    ratio = made.chance.uniform(1.5, 2.5) if kind == "moved in" else made.chance.uniform(0.4, 0.6)
    used: dict[str, Callable[[], Values]] = {
        "moved in": lambda: made.scaled(at, ratio),
        "moved out": lambda: made.scaled(at, ratio),
        "new vehicle": lambda: made.used + made.vehicle(at),
        "heat pump": lambda: made.used + made.heat_pump(at),
        "holidays": lambda: made.away(4, longest=28),
    }
    panels = {"solar": 0, "new solar": at}
    generated = made.panels(panels[kind]) if kind in panels else None
    built = _home(kind, seed, used.get(kind, lambda: made.used)(), generated)
    changes = kind in (*used, "new solar") and kind != "holidays"
    return replace(
        built,
        change=FIRST + timedelta(at) if changes else None,
        read=made.read() if kind == "gaps" else built.read,
        billing_months=3 if kind == "quarterly" else 1,
    )


def step_home(ratio: float, seed: int) -> Home:
    """Return a plain home whose use is `ratio` times as high from some day of its second year on (1: no change)."""
    made = _Making(np.random.default_rng([seed, 100]))
    at = int(made.chance.integers(455, 600))  # fifteen months of reads are known
    stepped = _home("step", seed, made.scaled(at, ratio))
    return replace(stepped, change=FIRST + timedelta(at) if ratio != 1 else None)


def _home(kind: str, seed: int, used: Values, made: Values | None = None) -> Home:
    """Return the home behind a net meter that reads whole watt hours."""
    net = used if made is None else used - made
    bought, sold = np.round(np.maximum(net, 0), 3), np.round(np.maximum(-net, 0), 3)
    return Home(kind, seed, FIRST, bought, sold, np.ones(len(used), dtype=np.bool_))


class _Making:
    """A home in the making. used: [day, half hour], kWh, before anything changes."""

    def __init__(self, chance: np.random.Generator) -> None:
        self.chance = chance
        day = np.array([(FIRST + timedelta(n)).timetuple().tm_yday for n in range(DAYS)])
        mean, swing = CLIMATES[chance.integers(len(CLIMATES))]
        spells = self.wandering(0.65, 2.6) + self.wandering(1 - 1 / 30, 0.9)
        self.temperature = mean + swing * np.cos(2 * np.pi * (day - 20) / 365.25) + spells
        self.declination = -np.radians(23.45) * np.cos(2 * np.pi * (day + 10) / 365.25)
        base = chance.lognormal(np.log(8), 0.4)
        heats, cools = chance.random() < 0.8, chance.random() < 0.7
        heating = heats * chance.uniform(0.2, 1.2) * np.maximum(16 - self.temperature, 0)
        cooling = cools * chance.uniform(0.2, 1.5) * np.maximum(self.temperature - 23, 0)
        people = np.exp(self.wandering(0.4, chance.uniform(0.15, 0.3)) + self.wandering(1 - 1 / 90, 0.07))
        weekend = np.array([(FIRST + timedelta(n)).weekday() >= 5 for n in range(DAYS)])
        people *= np.where(weekend, chance.uniform(1.0, 1.3), 1.0)
        self.fridge = 0.25 * base * np.ones(DAYS)
        parts = (
            (self.fridge, np.ones(48)),
            (0.75 * base * people, _humps((7.5, 1.0, 1.0), (13, 3.0, 0.5), (19, 2.0, 2.0))),
            (heating * people, _humps((7, 1.2, 1.0), (19, 2.5, 2.0))),
            (cooling * people, _humps((16.5, 3.0, 1.0))),
        )
        self.used = sum((self._spread(daily, shape) for daily, shape in parts), start=np.zeros((DAYS, 48)))
        self.used = self.away(2, longest=16)

    def wandering(self, memory: float, deviation: float) -> Values:
        """Return a first-order autoregression of a day each, with that standard deviation."""
        steps = self.chance.normal(0, deviation * np.sqrt(1 - memory**2), DAYS)
        level, out = self.chance.normal(0, deviation), np.empty(DAYS)
        for n, step in enumerate(steps):
            level = memory * level + step
            out[n] = level
        return out

    def _spread(self, daily: Values, shape: Values) -> Values:
        """Spread kWh of days over half hours by a shape, at random by about a third."""
        shares = shape * self.chance.gamma(9, 1 / 9, (DAYS, 48))
        return np.asarray(daily[:, None] * shares / shares.sum(axis=1, keepdims=True))

    def away(self, a_year: int, *, longest: int) -> Values:
        """Return the use with holidays of a week to `longest` days on which nobody is home, spread over the year."""
        used = self.used.copy()
        apart = 365 // a_year
        for begins in range(0, DAYS, apart):
            length = int(self.chance.integers(7, longest + 1))
            first = begins + int(self.chance.integers(0, apart - 30))
            days = slice(first, first + length)
            used[days] = self._spread(self.fridge * self.chance.uniform(0.8, 1.2), np.ones(48))[days]
        return used

    def scaled(self, at: int, ratio: float) -> Values:
        """Return the use, `ratio` times as high from a day on."""
        return np.where(np.arange(DAYS)[:, None] >= at, ratio, 1.0) * self.used

    def vehicle(self, at: int) -> Values:
        """Return what a vehicle takes at night from a day on: a share of nights, a few hours at 3.6 or 7 kW."""
        power, from_ = self.chance.choice([3.6, 7.0]), self.chance.choice([0.0, 1.0, 21.0])
        drives = self.chance.random(DAYS) < self.chance.uniform(0.4, 0.9)
        need = np.where(drives, self.chance.gamma(4, self.chance.uniform(1.2, 2.5), DAYS), 0.0)
        need[:at] = 0
        since = (HALF_HOURS - from_) % 24  # hours since charging begins; a session after midnight stays in its day
        return np.clip(need[:, None] - since * power, 0, power / 2)

    def heat_pump(self, at: int) -> Values:
        """Return what heating by a heat pump adds from a day on, where gas heated before, and hot water all year."""
        heating = self.chance.uniform(0.6, 1.4) * np.maximum(17 - self.temperature, 0)
        water = self.chance.uniform(2.0, 4.0) * self.chance.gamma(16, 1 / 16, DAYS)
        added = self._spread(heating, _humps((7, 1.5, 1.0), (19, 2.5, 1.5))) + self._spread(water, _humps((12, 1.5, 1)))
        added[:at] = 0
        return added

    def panels(self, since: int) -> Values:
        """Return what panels generate from a day on: the sun's height at 34° south, clouds of each day and hour."""
        hour_angle = np.radians(15 * (HALF_HOURS + 0.25 - 12))
        latitude = np.radians(-34)
        sine = np.sin(latitude) * np.sin(self.declination)[:, None]
        sine = sine + np.cos(latitude) * np.cos(self.declination)[:, None] * np.cos(hour_angle)
        sky = self.chance.beta(2.2, 1.0, (DAYS, 1)) * self.chance.beta(8, 1.5, (DAYS, 48))
        made = self.chance.uniform(3, 9) * 0.8 * np.maximum(sine, 0) ** 1.15 * sky / 2
        made[:since] = 0
        return np.asarray(made)

    def read(self) -> Flags:
        """Return which days are read: a few gaps of days to weeks, and single days missing."""
        read = self.chance.random(DAYS) > 0.01
        for _ in range(4):
            first = int(self.chance.integers(20, DAYS - 60))
            read[first : first + int(self.chance.integers(3, 32))] = False
        return read


def _humps(*humps: tuple[float, float, float]) -> Values:
    """Return a day's shape of humps: hour, width in hours, height."""
    shapes = (height * np.exp(-(((HALF_HOURS - hour) / width) ** 2)) for hour, width, height in humps)
    return np.asarray(sum(shapes)) + 0.02
