"""Files with a right or a wrong clock, and whether `solar` warns of the wrong ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl

import toolkit
from tests.truth.homes import reads
from tests.truth.solar.batteries import BATTERIES, battery, with_battery
from tests.truth.solar.homes import DAYS, STEP_MINUTES, STEPS, SolarHome, Values

_HOUR = 60 // STEP_MINUTES
_ZONE = ZoneInfo("Australia/Sydney")
MOST_HOURS = 10


@dataclass(frozen=True)
class Clocks:
    """Files of a kind, and how many of them were warned of as off by some hours, or in summer only."""

    kind: str
    files: int
    hours: int
    summer: int


def in_summer(home: SolarHome, energy: Values, hours: int) -> Values:
    """Return energy by step, that many hours later while daylight saving is in force."""
    noons = [datetime.combine(home.first + timedelta(day), time(12), _ZONE) for day in range(DAYS)]
    saving = np.repeat([bool(noon.dst()) for noon in noons], STEPS)
    return np.where(saving, np.roll(energy, hours * _HOUR), energy)


def clock_scores(homes: Sequence[SolarHome]) -> list[Clocks]:
    """Judge right and wrong files of each home: with people by the sun's hour all year, and by daylight saving."""
    local = [replace(home, used=in_summer(home, home.used, -1)) for home in homes]
    summer = [
        moved
        for home in (*homes, *local)
        for moved in [replace(home, made=in_summer(home, home.made, 1), used=in_summer(home, home.used, 1))]
    ]
    return [
        _judged("right, 12 months", (*homes, *local)),
        _judged("right, 24 months", (*homes, *local), years=2),
        _judged("an hour late in summer", summer),
        _judged("three to ten hours off", _hours_off(homes)),
        *_with_batteries(homes),
    ]


def _with_batteries(homes: Sequence[SolarHome]) -> Iterator[Clocks]:
    """Judge right files of each home with two kinds of battery, and those of one that are hours off."""
    numbered = list(enumerate(homes))
    one, other = (
        [with_battery(home, battery(BATTERIES[(n + step) % len(BATTERIES)], n), n) for n, home in numbered]
        for step in (0, 3)
    )
    yield _judged("right, 24 months, with a battery", (*one, *other), years=2)
    yield _judged("three to ten hours off, with a battery", _hours_off(one))


def _hours_off(homes: Sequence[SolarHome]) -> Iterator[SolarHome]:
    for number, home in enumerate(homes):
        hours = int(np.random.default_rng([number, 78]).integers(3, MOST_HOURS + 1)) * (-1) ** number
        yield replace(home, made=np.roll(home.made, hours * _HOUR), used=np.roll(home.used, hours * _HOUR))


def _judged(kind: str, homes: Iterable[SolarHome], years: int = 1) -> Clocks:
    codes = [_warnings(home, years) for home in homes]
    return Clocks(
        kind,
        len(codes),
        sum("clock_off" in each for each in codes),
        sum("clock_in_summer" in each for each in codes),
    )


def _warnings(home: SolarHome, years: int) -> set[str]:
    """Return the codes of the notes about a home; two years are the same year twice."""
    _, bought, sold = (np.tile(energy, years) for energy in home.half_hours)
    net = pl.concat([reads(home.first, bought), reads(home.first, sold, export=True)])
    answer = toolkit.solar(net, zone=home.place.zone, postcode=home.place.postcode)
    return {note.code for note in answer.notes}
