"""Generation of a file beside the export of a meter."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from tests.many_cases import rest_slow
from tests.truth.homes import FIRST, SolarHome, reads, solar_home
from tests.truth.solar.batteries import battery, with_battery
from tests.truth.solar.homes import home as home_of_year
from toolkit.analytics.energy.solar.alignment import alignment, misfit_with_battery


def generation(first: date, made: np.ndarray) -> pl.DataFrame:
    return reads(first, made).with_columns(direction=pl.lit("generation"), meter_id=pl.lit("inverter"))


def beside(home: SolarHome, made: np.ndarray) -> pl.DataFrame:
    return pl.concat([home.net, generation(FIRST, made)])


def test_generation_that_covers_the_export_but_has_other_weather_is_unlike_it() -> None:
    """Seven kilowatts under the clouds of another place beside a home with three."""
    home = solar_home(panels_kw=3.0, days=120, seed=1)
    other = solar_home(panels_kw=7.0, days=120, seed=2)
    own, elsewhere = (alignment(beside(home, made), zone="Australia/Sydney") for made in (home.made, other.made))
    assert (own.is_unlike, own.days_beyond, own.is_other_home) == (False, 0, False)
    assert elsewhere.is_unlike


@pytest.mark.parametrize("kind", rest_slow(["north, in by day", "vehicle by day"]))
@pytest.mark.parametrize("stored", rest_slow(["sells in the evening", "buys and sells", "sells at peaks"]))
def test_beside_a_battery_that_sells_days_show_whose_the_generation_is(kind: str, stored: str) -> None:
    home = with_battery(home_of_year(kind, 720), battery(stored, 720), 720)
    _, bought, sold = home.half_hours
    net = pl.concat([reads(home.first, bought), reads(home.first, sold, export=True)])
    own, elsewhere = (
        pl.concat([net, generation(home.first, made)])
        for made in (home.half_hours[0], home_of_year(kind, 721).half_hours[0])
    )
    assert misfit_with_battery(own) is None
    assert misfit_with_battery(own.head(0)) is None
    assert misfit_with_battery(elsewhere) is not None


def test_a_home_cannot_sell_more_than_it_generates_and_buys() -> None:
    """Two kilowatts beside a home with seven under the same sky, whose battery sells."""
    large, small = (solar_home(panels_kw=size, days=120, seed=1) for size in (7.0, 2.0))
    assert misfit_with_battery(beside(large, large.made)) is None
    assert misfit_with_battery(beside(large, small.made)) == "used_less_than_nothing"
