"""What panels would make: under a clear sky by half hour, and typically by the installers' figure for the city.

Assumed throughout, since no record tells: one plane, 20° steep, facing north; 14 % losses in wiring, dirt, heat and
inverter (PVWatts' default). The real world is lower than the brochure: see `REAL_WORLD_FACTOR`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.solar.climate import REAL_WORLD_FACTOR, City
from toolkit.analytics.energy.solar.sun import Plane, clear_sky_plane, sun_at

__all__ = ["ASSUMED", "clear_output", "clear_outputs", "expected_kwh", "with_clear_output"]

ASSUMED = Plane(tilt=20.0, azimuth=0.0)
_LOSSES = 0.14
_SLOT_US = 30 * 60_000_000
_YEAR_US = np.arange(1_546_300_800_000_000, 1_577_836_800_000_000, _SLOT_US, dtype=np.int64)
"""The half hours of 2019, the year of the climate tables."""

Values = NDArray[np.float64]


def clear_output(starts_us: NDArray[np.int64], city: City, plane: Plane = ASSUMED) -> Values:
    """kWh per kW of panels in the half hours that start at these UTC instants (microseconds), under a clear sky."""
    return clear_outputs(starts_us, city, [plane])[0]


def clear_outputs(starts_us: NDArray[np.int64], city: City, planes: Sequence[Plane]) -> list[Values]:
    """`clear_output` of each plane."""
    sun = sun_at(starts_us + _SLOT_US // 2, city.latitude, city.longitude)
    return [clear_sky_plane(sun, plane) / 1000 * (1 - _LOSSES) / 2 for plane in planes]


def with_clear_output(slots: pl.DataFrame, city: City) -> pl.DataFrame:
    """`slots` with `clear_kwh` (per kW of panels) and `elevation` of the sun in degrees at the middle of each."""
    starts = slots["starts_at"].dt.epoch("us").to_numpy()
    elevation = sun_at(starts + _SLOT_US // 2, city.latitude, city.longitude).elevation
    return slots.with_columns(clear_kwh=pl.Series(clear_output(starts, city)), elevation=pl.Series(elevation))


@lru_cache(maxsize=64)
def _typical_share(city: City) -> float:
    """The city's installer figure over what a clear sky would give, both as means of the year."""
    return city.cec_yield[0] / (float(clear_output(_YEAR_US, city).sum()) / 365)


def expected_kwh(clear_kwh_per_kw: float, city: City, panels_kw: float) -> tuple[float, float, float]:
    """Return what such panels typically make where a clear sky would give `clear_kwh_per_kw`: low, mid, high [kWh].

    Right for months and years, not for single days: the sky is the city's average one.
    """
    typical = clear_kwh_per_kw * _typical_share(city) * panels_kw
    low, mid, high = REAL_WORLD_FACTOR
    return typical * low, typical * mid, typical * high
