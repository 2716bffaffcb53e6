"""Meter set-ups on which both engines price the same plan, chosen to be small and yet to meet every rule."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, cached_property
from random import Random

from tests.contracts.referee_meter import Site
from tests.contracts.referee_site import Household
from toolkit.analytics.energy.bills import Usage, prepare

LATER = date(2026, 11, 22)
"""A day that dates of plans published in 2024 do not contain, but for those that run for years."""

WH = 10**6
"""10^-9 kWh in a watt hour."""


@dataclass(frozen=True)
class Setup:
    """A household, its billing periods, and how to price where one may choose.

    on: the day that plans are priced for; None: they are the household's own.
    """

    name: str
    fuel: str
    household: Household
    periods: tuple[tuple[date, date], ...]
    blocks: str
    discounts: str
    on: date | None = None

    @cached_property
    def site(self) -> Site:
        return self.household.site()

    @cached_property
    def usage(self) -> Usage:
        unit = "kWh" if self.fuel == "electricity" else "MJ"
        return prepare(self.household.reads(), zone=self.household.zone, unit=unit)


@cache
def setups() -> tuple[Setup, ...]:
    return (_solar_and_hot_water(), _five_minutes(), _one_quarter(), _gas())


def _solar_and_hot_water() -> Setup:
    """29 February, and a season's first of March, in two bills."""
    chance, count = Random(1), 24 * 48
    registers = {
        "general": _drawn(chance, count, 900),
        "controlled": _drawn(chance, count, 300),
        "export": _drawn(chance, count, 500),
    }
    household = Household(date(2024, 2, 20), 30, registers=registers)
    periods = (date(2024, 2, 22), date(2024, 3, 3)), (date(2024, 3, 4), date(2024, 3, 12))
    return Setup("solar and hot water", "electricity", household, periods, "pooled", "guaranteed", LATER)


def _five_minutes() -> Setup:
    """Gaps, a zone half an hour off, a long weekend, and clocks put forward in the night of 6 October."""
    chance, count = Random(2), 9 * 288
    registers = {"general": _drawn(chance, count, 480, missing=0.02), "export": _drawn(chance, count, 150)}
    holiday = {date(2024, 10, 7)}
    household = Household(date(2024, 9, 30), 5, "Australia/Adelaide", registers, holiday)
    return Setup("five minutes with gaps", "electricity", household, (_days(2024, 10, 1, 7),), "daily", "all", LATER)


def _one_quarter() -> Setup:
    """One bill over four calendar months, with clocks put back and the first of July inside; a thirsty home."""
    registers = {"general": _drawn(Random(3), 101 * 48, 6000)}
    household = Household(date(2024, 4, 2), 30, "Australia/Melbourne", registers)
    return Setup("one quarter", "electricity", household, (_days(2024, 4, 4, 95),), "pooled", "none")


def _gas() -> Setup:
    registers = {"general": _drawn(Random(4), 398, 400_000)}
    household = Household(date(2023, 7, 1), 1440, registers=registers, unit="MJ")
    periods = _days(2023, 7, 5, 61), _days(2023, 9, 4, 88), _days(2024, 2, 10, 124)
    return Setup("gas by the day", "gas", household, periods, "pooled", "guaranteed")


FIRSTS = [date(2024, 2, 20), date(2024, 3, 27), date(2023, 9, 28), date(2023, 12, 20), date(2024, 6, 20)]
ZONES = ["Australia/Sydney", "Australia/Adelaide", "Australia/Brisbane"]
HOLIDAYS = frozenset({date(2024, 3, 29), date(2023, 12, 25), date(2024, 2, 29)})
OPTIONS = [(blocks, discounts) for discounts in ("none", "guaranteed", "all") for blocks in ("pooled", "daily")]


def generated_home(number: int, fuel: str) -> Setup:
    """A home of its own kind for each number: registers, interval length, gaps, time zone, billing periods, options."""
    dice = Random(number)
    first, days = FIRSTS[number % len(FIRSTS)], dice.choice([9, 33, 64])
    minutes, missing = dice.choice([5, 15, 30, 30]), dice.choice([0.0, 0.01])
    kinds = ["general", *(["controlled"] if number % 3 == 1 else []), *(["export"] if number % 2 else [])]
    if fuel == "gas":
        minutes, kinds = 1440, ["general"]
    most = {"general": 60 * minutes, "controlled": 20 * minutes, "export": 40 * minutes}
    count = (days + 2) * 1440 // minutes
    registers = {kind: _drawn(dice, count, most[kind], missing) for kind in kinds}
    zone, unit = ZONES[number % len(ZONES)], "MJ" if fuel == "gas" else "KWH"
    household = Household(first - timedelta(1), minutes, zone, registers, HOLIDAYS, unit)
    middle = first + timedelta(days // 3)
    periods = (first, middle), (middle + timedelta(1), first + timedelta(days - 1))
    return Setup(f"home {number}", fuel, household, periods, *OPTIONS[number % len(OPTIONS)], LATER)


def _drawn(chance: Random, count: int, most: int, missing: float = 0.0) -> list[int | None]:
    """Up to `most` Wh (of gas: kJ) in each interval."""
    return [None if chance.random() < missing else chance.randrange(most) * WH for _ in range(count)]


def _days(year: int, month: int, day: int, count: int) -> tuple[date, date]:
    first = date(year, month, day)
    return first, first + timedelta(count - 1)
