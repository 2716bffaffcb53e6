"""What panels make: height of the sun, a fixed north roof, cloud by the day."""

from __future__ import annotations

import numpy as np

from toolkit.sandbox.world.cast import Place
from toolkit.sandbox.world.chance import noise
from toolkit.sandbox.world.power.weather import Array, Weather

TILT = np.radians(20.0)
LOSSES = 0.80


def generation_kw(place: Place, seed: int, weather: Weather, panels_kw: float, minutes: int) -> Array:
    """Mean power by day and interval (AEST clock; the sun is highest near noon there), clipped at the inverter."""
    hours = (np.arange(0, 1440, minutes) + minutes / 2) / 60
    turn = np.radians((hours - 11.95) * 15)[None, :]
    tilt_of_earth = np.radians(23.45 * np.sin((weather.day_of_year + 284) / 365 * 2 * np.pi))[:, None]
    # A roof tilted to the north in the south is a flat one nearer to the equator.
    incidence = _cosine(np.radians(place.latitude) + TILT, tilt_of_earth, turn)
    elevation = _cosine(np.radians(place.latitude), tilt_of_earth, turn)
    clear = np.where(
        elevation > 0.02, np.clip(incidence, 0, None) * 1.05 * 0.75 ** (1 / np.clip(elevation, 0.05, 1)), 0
    )
    flicker = noise(seed, "cloud", place.postcode, minutes).normal(1.0, 0.16, clear.shape)
    cloudy = (1 - weather.clearness)[:, None]
    sky = np.clip(weather.clearness[:, None] * (1 + (flicker - 1) * 2.5 * cloudy), 0.05, 1.0)
    return np.minimum(panels_kw * LOSSES * clear * sky * 1.28, inverter_kw(panels_kw))


def _cosine(latitude: float, declination: Array, turn: Array) -> Array:
    return np.asarray(np.sin(latitude) * np.sin(declination) + np.cos(latitude) * np.cos(declination) * np.cos(turn))


def inverter_kw(panels_kw: float) -> float:
    return 5.0 if panels_kw <= 6.6 else round(panels_kw / 1.25, 1)
