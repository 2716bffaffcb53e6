"""What panels on a roof generate, by pvlib: the truth that estimates of solar are held against. Nothing of the toolkit.

Clear sky after Ineichen (Linke turbidity 2.8), the plane by pvlib's isotropic sky, 14 % losses, and each day dimmed by
clouds of its own.
"""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pvlib.irradiance import get_total_irradiance
from pvlib.location import Location

SYDNEY = (-33.87, 151.21)
"""Latitude and longitude in degrees."""
FACING = {"north": 0, "north-east": 45, "east": 90, "west": 270, "south": 180}
EFFICIENCY = 0.86
SLOT_US = 1_800_000_000
SKIES = (1.0, 0.9, 0.7, 0.45, 0.2)
"""Share of the clear sky that reaches the panels on a day, from clear to overcast."""


def generated(
    first_us: int, days: int, *, facing: str = "north", tilt: float = 20.0, cloudy: bool = True, seed: int = 7
) -> NDArray[np.float64]:
    """Return kWh per kW of panels in each half hour of `days` days from `first_us` (microseconds since 1970, UTC)."""
    clouds = np.random.default_rng(seed).choice(SKIES, days) if cloudy else np.ones(days)
    return _clear(first_us, days, FACING[facing], tilt) * np.repeat(clouds, 48)


@cache
def _clear(first_us: int, days: int, azimuth: int, tilt: float) -> NDArray[np.float64]:
    middles = first_us + SLOT_US // 2 + np.arange(days * 48, dtype=np.int64) * SLOT_US
    times = pd.DatetimeIndex(pd.to_datetime(middles, unit="us", utc=True))
    place = Location(*SYDNEY)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pvlib calls what pandas renamed
        sun = place.get_solarposition(times)
        sky = place.get_clearsky(times, model="ineichen", linke_turbidity=2.8)
    plane = get_total_irradiance(
        tilt, azimuth, sun["apparent_zenith"], sun["azimuth"], sky["dni"], sky["ghi"], sky["dhi"]
    )
    return np.asarray(plane["poa_global"].fillna(0).to_numpy() / 1000 * EFFICIENCY / 2)
