"""The clock of reads against the sun."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tests.many_cases import rest_slow
from tests.truth.homes import SolarHome, facing_home, reads
from tests.truth.solar.batteries import battery, with_battery
from tests.truth.solar.homes import KINDS, home
from toolkit.analytics.energy.solar import Array, Panels, service_point_solar
from toolkit.analytics.energy.solar.climate import CITIES, city
from toolkit.analytics.energy.solar.clock import ClockError, clock_error
from toolkit.analytics.energy.usage.reads import half_hours


def found(home: SolarHome) -> ClockError | None:
    return clock_error(half_hours(home.net), CITIES[0])


def moved(home: SolarHome, half_hours: int) -> SolarHome:
    """The home whose meter's clock is ahead by so many half hours."""
    return SolarHome(home.first, np.roll(home.made, half_hours), np.roll(home.used, half_hours))


@pytest.mark.parametrize("facing", rest_slow(["north", "east", "west", "south"]))
def test_a_right_clock_is_not_warned_of(facing: str) -> None:
    assert found(facing_home(facing, panels_kw=6.0, by_day_kw=0.4)) is None


@pytest.mark.parametrize(("hours", "facing"), rest_slow([(3, "north"), (-4, "east"), (10, "west")]))
def test_a_clock_that_is_hours_off_is_found(hours: int, facing: str) -> None:
    home = moved(facing_home(facing, panels_kw=6.0, by_day_kw=0.4), 2 * hours)
    error = found(home)
    assert error is not None
    assert not error.summer
    assert abs(error.hours - hours) <= 1


def test_a_clock_with_daylight_saving_is_found() -> None:
    """From 6 October 2024 to 5 April 2025 the reads are an hour late."""
    home = facing_home("north", panels_kw=6.0, by_day_kw=0.1)
    later = moved(home, 2)
    summer = slice(97 * 48, 279 * 48)
    made, used = home.made.copy(), home.used.copy()
    made[summer], used[summer] = later.made[summer], later.used[summer]
    assert found(SolarHome(home.first, made, used)) == ClockError(1, summer=True)


def test_a_battery_is_no_clock_that_follows_daylight_saving() -> None:
    """10 kWh that take what is left over, at most 5 kW, and serve until they are empty, in a generated home."""
    known = home("north, in by day", 700)
    made, bought, sold = known.half_hours
    stored = 0.0
    for slot in range(len(made)):
        taken = min(sold[slot], 2.5, 10 - stored)
        served = min(bought[slot], 2.5, stored + 0.95 * taken)
        stored += 0.95 * taken - served
        sold[slot] -= taken
        bought[slot] -= served
    net = pl.concat([reads(known.first, bought), reads(known.first, sold, export=True)])
    place = city(postcode=known.place.postcode)
    assert clock_error(half_hours(net), place) is None
    answer = service_point_solar(net, city=place, panels=Panels(storage_kwh=10.0)).answer
    assert not [code for code in answer.note_codes if code.startswith("clock")]


@pytest.mark.parametrize(
    ("kind", "stored", "seed"),
    rest_slow(
        [
            ("vehicle by day", "own use", 470100),  # 11 hours, by its small export alone
            ("limit or clipped", "sells in the evening", 470101),
            ("working from home", "buys and sells", 470104),
        ]
    ),
)
def test_a_battery_is_no_clock_that_is_hours_off(kind: str, stored: str, seed: int) -> None:
    number = 100 * seed + KINDS.index(kind)
    known = with_battery(home(kind, seed), battery(stored, number), number)
    _, bought, sold = known.half_hours
    net = pl.concat([reads(known.first, bought), reads(known.first, sold, export=True)])
    assert clock_error(half_hours(net), city(postcode=known.place.postcode)) is None


def test_a_west_roof_with_a_battery_that_sells_in_the_evening_is_no_clock_that_is_late() -> None:
    """In Perth: 13.5 kWh are sold from half past five on, on four days in five."""
    known = with_battery(home("west", 1_520_001), battery("sells in the evening", 19), 19)
    _, bought, sold = known.half_hours
    net = pl.concat([reads(known.first, bought), reads(known.first, sold, export=True)])
    assert clock_error(half_hours(net), city(postcode=known.place.postcode)) is None


@pytest.mark.parametrize(
    ("kind", "stored", "hours", "seed"),
    rest_slow(
        [
            ("north, out by day", "serves the peak", 7, 700),
            ("split east and west", "sells in the evening", 6, 700),
            ("large", "own use", -5, 700),
            ("shaded", "buys at night", -4, 700),
            ("east", "own use", 3, 701),
            ("west", "sells in the evening", -3, 701),
            ("north, in by day", "buys at night", 4, 701),
        ]
    ),
)
def test_a_battery_hides_no_clock_that_is_hours_off(kind: str, stored: str, hours: int, seed: int) -> None:
    """Also where the export alone could be that of another roof."""
    known = with_battery(home(kind, seed), battery(stored, seed), seed)
    net = [np.roll(energy, 2 * hours) for energy in known.half_hours]
    both = pl.concat([reads(known.first, net[1]), reads(known.first, net[2], export=True)])
    error = clock_error(half_hours(both), city(postcode=known.place.postcode))
    assert error is not None
    assert not error.summer
    assert abs(error.hours - hours) <= 2


def codes(home: SolarHome, panels: Panels | None = None) -> tuple[str, ...]:
    return service_point_solar(home.net, city=CITIES[0], panels=panels or Panels()).answer.note_codes


@pytest.mark.parametrize(("facing", "degrees"), rest_slow([("east", 90), ("west", 270)]))
def test_export_away_from_noon_asks_for_the_roof_or_the_clock(facing: str, degrees: int) -> None:
    """Until the roof is entered as one that faces that side."""
    home = facing_home(facing, panels_kw=6.0, by_day_kw=0.1)
    assert "export_off_noon" in codes(home)
    assert "export_off_noon" not in codes(home, Panels(6.0, "entered", arrays=(Array(6.0, degrees, 20),)))
    assert "export_off_noon" in codes(home, Panels(6.0, "entered", arrays=(Array(6.0, 0, 20),)))
    assert "export_off_noon" not in codes(facing_home("north", panels_kw=6.0, by_day_kw=0.1))


def test_export_that_a_battery_makes_late_asks_for_no_other_roof() -> None:
    """The battery takes the mornings of a roof that faces north."""
    known = with_battery(home("north, in by day", 3_100_002), battery("own use", 5), 5)
    _, bought, sold = known.half_hours
    rows = pl.concat([reads(known.first, bought), reads(known.first, sold, export=True)])
    place = city(postcode=known.place.postcode)
    for stored, asks in ((None, False), (10.0, False), (0.0, True)):
        codes = service_point_solar(rows, city=place, panels=Panels(storage_kwh=stored)).answer.note_codes
        assert ("export_off_noon" in codes) == asks


@pytest.mark.parametrize("kw", [None, 6.0])
def test_reads_hours_off_show_no_generation(kw: float | None) -> None:
    """Under another sun their export would show another roof: what was made came out at 0.9 to 2.4 times the truth."""
    north = facing_home("north", panels_kw=6.0, by_day_kw=0.4)
    for metered, answers in ((north, True), (moved(north, 8), False)):
        answer = service_point_solar(metered.net, city=CITIES[0], panels=Panels(kw)).answer
        assert (answer.self_consumption is not None) == answers
        assert (answer.reason is None) == answers
        assert not answer.battery_suspected
    assert answer.panels_kw == kw
    assert "clock_off" in answer.note_codes


def test_a_home_that_may_be_anywhere_is_warned_of_no_clock_that_is_right_in_perth() -> None:
    known = home("north, in by day", 3_100_002)
    assert known.place.name == "Perth"
    _, bought, sold = known.half_hours
    rows = pl.concat([reads(known.first, bought), reads(known.first, sold, export=True)])
    in_sydney, anywhere = (service_point_solar(rows, city=city, panels=Panels()).answer for city in (CITIES[0], None))
    assert "clock_off" in in_sydney.note_codes
    assert "clock_off" not in anywhere.note_codes
