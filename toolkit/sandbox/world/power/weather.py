"""A plausible sequence of days: temperature and how clear the sky is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from toolkit.sandbox.world.cast import Place
from toolkit.sandbox.world.chance import noise

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Weather:
    """One value a day. temperature: mean, °C. clearness: share of clear-sky sun, 0 to 1."""

    day_of_year: Array
    weekday: Ints
    temperature: Array
    clearness: Array

    def part(self, start: int, end: int) -> Weather:
        """Days `start` to `end`, counted from the first, the end excluded."""
        days = slice(start, end)
        return Weather(self.day_of_year[days], self.weekday[days], self.temperature[days], self.clearness[days])


def weather(place: Place, seed: int, first: date, days: int) -> Weather:
    """Warmest in late January; warmer and with a smaller swing further north; cloudy days come in runs."""
    ordinal = first.toordinal() + np.arange(days)
    day_of_year = ((ordinal - date(first.year, 1, 1).toordinal()) % 365.2425).astype(np.float64)
    mean = 17.8 + (place.latitude + 33.9) * 0.75
    swing = 5.6 + abs(place.latitude + 27.0) * 0.12
    season = np.cos((day_of_year - 24) / 365.2425 * 2 * np.pi)
    drift = _smooth(noise(seed, "temperature", place.postcode).normal(0.0, 3.4, days))
    sky = 0.74 + 0.26 * np.tanh(_smooth(noise(seed, "sky", place.postcode).normal(0.15, 1.3, days)))
    return Weather(day_of_year, (ordinal - 1) % 7, mean + swing * season + drift, np.clip(sky, 0.12, 1.0))


def _smooth(values: Array) -> Array:
    """Each day keeps something of the two before."""
    padded = np.concatenate([values[:1], values[:1], values])
    return np.asarray(0.6 * padded[2:] + 0.3 * padded[1:-1] + 0.25 * padded[:-2])
