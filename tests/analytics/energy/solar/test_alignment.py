"""Generation of a file beside the export of a meter."""

from __future__ import annotations

import numpy as np
import polars as pl

from tests.truth.homes import FIRST, SolarHome, reads, solar_home
from toolkit.analytics.energy.solar.alignment import alignment


def beside(home: SolarHome, made: np.ndarray) -> pl.DataFrame:
    generation = reads(FIRST, made).with_columns(direction=pl.lit("generation"), meter_id=pl.lit("inverter"))
    return pl.concat([home.net, generation])


def test_generation_that_covers_the_export_but_has_other_weather_is_unlike_it() -> None:
    """Seven kilowatts under the clouds of another place beside a home with three."""
    home = solar_home(panels_kw=3.0, days=120, seed=1)
    other = solar_home(panels_kw=7.0, days=120, seed=2)
    own, elsewhere = (alignment(beside(home, made), zone="Australia/Sydney") for made in (home.made, other.made))
    assert (own.is_unlike, own.days_beyond, own.is_other_home) == (False, 0, False)
    assert elsewhere.is_unlike
