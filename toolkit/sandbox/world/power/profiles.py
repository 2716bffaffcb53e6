"""Weather, generation of solar panels, and household load, by day and interval."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from toolkit.sandbox.world.chance import array_stream
from toolkit.sandbox.world.people import Person, Place

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
TILT = np.radians(20.0)
"""Pitch of the roof."""
LOSSES = 0.80
"""Share of the panels' power left after heat, dust, wiring and inverter."""
ROUND_TRIP = 0.90
"""Share of the energy stored in a battery that comes out again."""


@dataclass(frozen=True, slots=True)
class Weather:
    """Weather of consecutive days; arrays with one value per day."""

    day_of_year: Array
    weekday: Ints
    """Monday is 0."""
    temperature: Array
    """Mean, °C."""
    clearness: Array
    """Share of clear-sky sun, 0 to 1."""

    def part(self, start: int, end: int) -> Weather:
        """Return days `start` to `end`, counted from the first, the end excluded."""
        days = slice(start, end)
        return Weather(self.day_of_year[days], self.weekday[days], self.temperature[days], self.clearness[days])


def generate_weather(place: Place, seed: int, first: date, days: int) -> Weather:
    """Generate weather: warmest in late January, warmer and steadier further north, cloudy days in runs."""
    ordinal = first.toordinal() + np.arange(days)
    day_of_year = ((ordinal - date(first.year, 1, 1).toordinal()) % 365.2425).astype(np.float64)
    # From Brisbane to Melbourne, the further south, the cooler, and the larger the difference between seasons.
    mean = 17.8 + (place.latitude + 33.9) * 0.75
    swing = 5.6 + abs(place.latitude + 27.0) * 0.12
    # The hottest day is 24 January.
    season = np.cos((day_of_year - 24) / 365.2425 * 2 * np.pi)
    drift = _smooth(array_stream(seed, "temperature", place.postcode).normal(0.0, 3.4, days))
    sky = 0.74 + 0.26 * np.tanh(_smooth(array_stream(seed, "sky", place.postcode).normal(0.15, 1.3, days)))
    return Weather(day_of_year, (ordinal - 1) % 7, mean + swing * season + drift, np.clip(sky, 0.12, 1.0))


def _smooth(values: Array) -> Array:
    """Mix each day with the two before."""
    padded = np.concatenate([values[:1], values[:1], values])
    return np.asarray(0.6 * padded[2:] + 0.3 * padded[1:-1] + 0.25 * padded[:-2])


def generation_kw(place: Place, seed: int, weather: Weather, panels_kw: float, minutes: int) -> Array:
    """Return the mean power of a north-facing roof in kW, days × intervals (AEST), clipped at the inverter."""
    hours = (np.arange(0, 1440, minutes) + minutes / 2) / 60
    hour_angle = np.radians((hours - 11.95) * 15)[None, :]
    # Declination by Cooper's formula: 23.45° times a sine over the year.
    declination = np.radians(23.45 * np.sin((weather.day_of_year + 284) / 365 * 2 * np.pi))[:, None]
    # In the southern hemisphere a roof tilted to the north gets the sun of a flat roof closer to the equator.
    incidence = _cosine(np.radians(place.latitude) + TILT, declination, hour_angle)
    elevation = _cosine(np.radians(place.latitude), declination, hour_angle)
    # Clear sky: 75 % of the light passes an air mass of 1, and the air mass is 1 / sine of the elevation.
    clear = np.where(
        elevation > 0.02, np.clip(incidence, 0, None) * 1.05 * 0.75 ** (1 / np.clip(elevation, 0.05, 1)), 0
    )
    # Passing clouds: the cloudier the day, the more one interval differs from the next.
    flicker = array_stream(seed, "cloud", place.postcode, minutes).normal(1.0, 0.16, clear.shape)
    cloudy = (1 - weather.clearness)[:, None]
    sky = np.clip(weather.clearness[:, None] * (1 + (flicker - 1) * 2.5 * cloudy), 0.05, 1.0)
    return np.minimum(panels_kw * LOSSES * clear * sky * 1.28, inverter_kw(panels_kw))


def _cosine(latitude: float, declination: Array, hour_angle: Array) -> Array:
    """Return the cosine of the angle between the sun and the vertical at that latitude."""
    return np.asarray(
        np.sin(latitude) * np.sin(declination) + np.cos(latitude) * np.cos(declination) * np.cos(hour_angle)
    )


def inverter_kw(panels_kw: float) -> float:
    """Return the inverter's capacity for panels of that size."""
    return 5.0 if panels_kw <= 6.6 else round(panels_kw / 1.25, 1)


def load_kw(person: Person, seed: int, weather: Weather, minutes: int) -> Array:
    """Return the general load in kW, days × intervals; averages `daily_kwh` per day apart from heating and cooling."""
    hours = (np.arange(0, 1440, minutes) + minutes / 2) / 60
    # A constant base load and peaks at breakfast and dinner; on weekends breakfast is late and somebody cooks lunch.
    evening = 0.32 + _bump(hours, 18.8, 1.9) * 1.5
    working_day = evening + _bump(hours, 7.2, 1.0) * 0.9
    weekend = evening + _bump(hours, 9.5, 2.0) * 0.8 + _bump(hours, 13.5, 3.0) * 0.25
    mean = (5 * working_day.mean() + 2 * weekend.mean()) / 7
    shape = np.where((weather.weekday >= 5)[:, None], weekend, working_day)
    base = shape / mean * person.daily_kwh / 24 * 0.85
    chance = array_stream(seed, "load", person.index, minutes)
    # Appliances: the shorter the interval, the more its mean differs from the average load.
    spiky = chance.gamma(shape=4.0 * minutes / 30 + 2.0, scale=1.0, size=base.shape)
    spiky /= 4.0 * minutes / 30 + 2.0
    return np.asarray(base * (0.55 + 0.45 * spiky) + _climate(person, weather, hours))


def _bump(hours: Array, centre: float, width: float) -> Array:
    return np.asarray(np.exp(-(((hours - centre) / width) ** 2)))


def _climate(person: Person, weather: Weather, hours: Array) -> Array:
    """Return the power for cooling above 21.5 °C in the afternoon and heating below 14.5 °C morning and night."""
    size = person.daily_kwh / 19.0 * (1.0 if person.air_conditioned else 0.35)
    hot = np.clip(weather.temperature - 21.5, 0, 9)[:, None] * 0.33 * _bump(hours, 17.0, 3.4)
    cold = np.clip(14.5 - weather.temperature, 0, 9)[:, None] * 0.16
    cold = cold * (_bump(hours, 7.0, 1.4) + _bump(hours, 19.5, 2.6))
    return np.asarray(size * (hot + cold))


def hot_water_kw(person: Person, seed: int, weather: Weather, minutes: int) -> Array:
    """Return the controlled load in kW: a 3.6 kW element, on from 22:30 and from 2:00 until the tank is warm."""
    hours = (np.arange(0, 1440, minutes) + minutes / 2) / 60
    need = array_stream(seed, "tank", person.index, minutes).normal(5.6, 0.9, len(weather.temperature))
    need = np.clip(need + (18 - weather.temperature) * 0.14, 1.5, 9.0)
    # 40 % of the energy in the first heating, the rest in the second.
    late, early = 0.4 * need / 3.6, 0.6 * need / 3.6
    on = _window(hours, 22.5, late, minutes) + _window(hours, 2.0, early, minutes)
    return np.asarray(3.6 * on)


def _window(hours: Array, start: float, length: Array, minutes: int) -> Array:
    """Return the share of each interval inside [start, start + length), in hours of the day."""
    width = minutes / 60
    begins = hours[None, :] - width / 2
    inside = np.minimum(begins + width, (start + length)[:, None]) - np.maximum(begins, start)
    return np.asarray(np.clip(inside, 0, width) / width)


def with_battery(net_kw: Array, capacity_kwh: float, minutes: int) -> Array:
    """Return the net load behind a battery that stores all surplus and supplies all load it can, at most at 5 kW."""
    hours, stored_kwh = minutes / 60, 0.5 * capacity_kwh
    out = net_kw.ravel().tolist()
    for nth, kw in enumerate(out):
        if kw < 0:
            taken = min(-kw, 5.0, (capacity_kwh - stored_kwh) / ROUND_TRIP / hours)
            stored_kwh += taken * ROUND_TRIP * hours
            out[nth] = kw + taken
        else:
            # A tenth of the capacity is never discharged.
            given = min(kw, 5.0, max(stored_kwh - 0.1 * capacity_kwh, 0.0) / hours)
            stored_kwh -= given * hours
            out[nth] = kw - given
    return np.asarray(out).reshape(net_kw.shape)
