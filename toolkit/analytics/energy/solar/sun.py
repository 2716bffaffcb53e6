"""Where the sun stands, what a clear sky gives, and what panels would make of it.

Sources: NOAA Global Monitoring Laboratory, solar calculation details (after Meeus, Astronomical Algorithms), good to
some hundredths of a degree; Haurwitz 1945 for global irradiance on the level, Meinel 1976 for the beam; Kasten and
Young 1989 for the air mass; isotropic sky (Liu and Jordan 1962) and a ground that reflects a fifth.

Panels are assumed to be, as no record has details: one plane, 20° steep, facing north; 14 % losses in wiring, dirt,
heat and inverter (PVWatts' default). Real homes make less than the installers' figure: see `REAL_WORLD_FACTOR`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.solar.climate import REAL_WORLD_FACTOR, City

__all__ = [
    "ASSUMED",
    "Plane",
    "Sun",
    "clear_output",
    "clear_sky_ghi",
    "clear_sky_plane",
    "clear_sky_planes",
    "expected_kwh",
    "sun_at",
    "typical_share",
    "with_clear_output",
]

Values = NDArray[np.float64]

_ALBEDO = 0.2


class Sun(NamedTuple):
    """Direction of the sun as a unit vector; `up` is the cosine of the zenith angle, negative below the horizon."""

    east: Values
    north: Values
    up: Values

    @property
    def elevation(self) -> Values:
        """Degrees above the horizon, without refraction."""
        return np.degrees(np.arcsin(np.clip(self.up, -1, 1)))

    @property
    def azimuth(self) -> Values:
        """Degrees clockwise from north."""
        return np.degrees(np.arctan2(self.east, self.north)) % 360


class Plane(NamedTuple):
    """A roof. tilt: degrees from level; azimuth: degrees clockwise from north that it faces."""

    tilt: float = 20.0
    azimuth: float = 0.0


ASSUMED = Plane(tilt=20.0, azimuth=0.0)
_LOSSES = 0.14
_SLOT_US = 30 * 60_000_000
_YEAR_US = np.arange(1_546_300_800_000_000, 1_577_836_800_000_000, _SLOT_US, dtype=np.int64)
"""The half hours of 2019, the year of the climate tables."""


def sun_at(instants_us: NDArray[np.int64], latitude: float, longitude: float) -> Sun:
    """Return the sun's direction at UTC instants (microseconds since 1970); degrees, south and west negative."""
    seconds = instants_us / 1e6
    declination, equation_of_time = _orbit((seconds / 86_400 - 10_957.5) / 36_525)
    solar_minutes = (seconds % 86_400) / 60 + equation_of_time + 4 * longitude
    hour_angle = np.radians(solar_minutes / 4 - 180)
    phi = np.radians(latitude)
    east = -np.cos(declination) * np.sin(hour_angle)
    north = np.cos(phi) * np.sin(declination) - np.sin(phi) * np.cos(declination) * np.cos(hour_angle)
    up = np.sin(phi) * np.sin(declination) + np.cos(phi) * np.cos(declination) * np.cos(hour_angle)
    return Sun(east, north, up)


def _orbit(century: Values) -> tuple[Values, Values]:
    """Declination (radians) and equation of time (minutes), for Julian centuries since noon of 1 January 2000."""
    longitude = np.radians(280.46646 + century * (36000.76983 + 0.0003032 * century))
    anomaly = np.radians(357.52911 + century * (35999.05029 - 0.0001537 * century))
    eccentricity = 0.016708634 - century * (0.000042037 + 0.0000001267 * century)
    node = np.radians(125.04 - 1934.136 * century)
    obliquity = np.radians(23.4392911 - 0.0130042 * century + 0.00256 * np.cos(node))
    centre = (
        (1.914602 - 0.004817 * century) * np.sin(anomaly)
        + (0.019993 - 0.000101 * century) * np.sin(2 * anomaly)
        + 0.000289 * np.sin(3 * anomaly)
    )
    apparent = longitude + np.radians(centre - 0.00569 - 0.00478 * np.sin(node))
    declination = np.arcsin(np.sin(obliquity) * np.sin(apparent))
    y = np.tan(obliquity / 2) ** 2
    equation = (
        y * np.sin(2 * longitude)
        - 2 * eccentricity * np.sin(anomaly)
        + 4 * eccentricity * y * np.sin(anomaly) * np.cos(2 * longitude)
        - 0.5 * y**2 * np.sin(4 * longitude)
        - 1.25 * eccentricity**2 * np.sin(2 * anomaly)
    )
    return declination, 4 * np.degrees(equation)


def clear_sky_ghi(up: Values) -> Values:
    """Return irradiance on the level under a clear sky, W/m², from the cosine of the zenith angle; 0 at night."""
    day = np.maximum(up, 1e-3)
    return np.where(up > 0, 1098 * day * np.exp(-0.059 / day), 0.0)


def clear_sky_plane(sun: Sun, plane: Plane) -> Values:
    """Return irradiance on a tilted plane under a clear sky, W/m²."""
    return clear_sky_planes(sun, [plane])[0]


def clear_sky_planes(sun: Sun, planes: Sequence[Plane]) -> list[Values]:
    """Return `clear_sky_plane` of each plane: all share one sky."""
    level = clear_sky_ghi(sun.up)
    # Direct irradiance across the ray, W/m².
    elevation = np.maximum(sun.elevation, 0.0)
    air_mass = 1 / (np.sin(np.radians(elevation)) + 0.50572 * (elevation + 6.07995) ** -1.6364)
    across = np.where(sun.up > 0, 1353 * 0.7 ** (air_mass**0.678), 0.0)
    beam = np.minimum(across, level / np.maximum(sun.up, 0.02))
    diffuse = np.maximum(level - beam * np.maximum(sun.up, 0.0), 0.0)

    def of_plane(plane: Plane) -> Values:
        tilt, azimuth = np.radians(plane.tilt), np.radians(plane.azimuth)
        facing = (
            sun.east * np.sin(tilt) * np.sin(azimuth)
            + sun.north * np.sin(tilt) * np.cos(azimuth)
            + sun.up * np.cos(tilt)
        )
        sky, ground = (1 + np.cos(tilt)) / 2, (1 - np.cos(tilt)) / 2
        total: Values = beam * np.maximum(facing, 0.0) + diffuse * sky + level * _ALBEDO * ground
        return total

    return [of_plane(plane) for plane in planes]


def clear_output(starts_us: NDArray[np.int64], city: City, plane: Plane = ASSUMED) -> Values:
    """Return kWh per kW of panels under a clear sky in the half hours that start at UTC instants (microseconds)."""
    return _output(clear_sky_plane(sun_at(starts_us + _SLOT_US // 2, city.latitude, city.longitude), plane))


def _output(irradiance: Values) -> Values:
    """Return kWh per kW of panels in a half hour of this irradiance, W/m²."""
    return irradiance / 1000 * (1 - _LOSSES) / 2


def with_clear_output(slots: pl.DataFrame, city: City) -> pl.DataFrame:
    """Add `clear_kwh` (per kW of panels) and `elevation` of the sun in degrees at the middle of each slot."""
    starts = slots["starts_at"].dt.epoch("us").to_numpy()
    sun = sun_at(starts + _SLOT_US // 2, city.latitude, city.longitude)
    clear = _output(clear_sky_plane(sun, ASSUMED))
    return slots.with_columns(clear_kwh=pl.Series(clear), elevation=pl.Series(sun.elevation))


@lru_cache(maxsize=64)
def typical_share(city: City) -> float:
    """Return the city's installer figure over what a clear sky would give, both as means of the year."""
    return city.cec_yield[0] / (float(clear_output(_YEAR_US, city).sum()) / 365)


def expected_kwh(clear_kwh_per_kw: float, city: City, panels_kw: float) -> tuple[float, float, float]:
    """Return what such panels typically make where a clear sky would give `clear_kwh_per_kw`: low, mid, high [kWh].

    Right for months and years, not for single days: the sky is the city's average one.
    """
    typical = clear_kwh_per_kw * typical_share(city) * panels_kw
    low, mid, high = REAL_WORLD_FACTOR
    return typical * low, typical * mid, typical * high
