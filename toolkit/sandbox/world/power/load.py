"""What a household draws: a floor, mornings and evenings, heating and cooling, hot water at night, a battery."""

from __future__ import annotations

import numpy as np

from toolkit.sandbox.world.cast import Person
from toolkit.sandbox.world.chance import noise
from toolkit.sandbox.world.power.weather import Array, Weather

ROUND_TRIP = 0.90


def load_kw(person: Person, seed: int, weather: Weather, minutes: int) -> Array:
    """General load by day and interval, mean power; averages `daily_kwh` a day but for the weather."""
    hours = (np.arange(0, 1440, minutes) + minutes / 2) / 60
    evening = 0.32 + _bump(hours, 18.8, 1.9) * 1.5
    working_day = evening + _bump(hours, 7.2, 1.0) * 0.9
    weekend = evening + _bump(hours, 9.5, 2.0) * 0.8 + _bump(hours, 13.5, 3.0) * 0.25
    mean = (5 * working_day.mean() + 2 * weekend.mean()) / 7
    shape = np.where((weather.weekday >= 5)[:, None], weekend, working_day)
    base = shape / mean * person.daily_kwh / 24 * 0.85
    chance = noise(seed, "load", person.index, minutes)
    spiky = chance.gamma(shape=4.0 * minutes / 30 + 2.0, scale=1.0, size=base.shape)
    spiky /= 4.0 * minutes / 30 + 2.0
    return np.asarray(base * (0.55 + 0.45 * spiky) + _climate(person, weather, hours))


def _bump(hours: Array, centre: float, width: float) -> Array:
    return np.asarray(np.exp(-(((hours - centre) / width) ** 2)))


def _climate(person: Person, weather: Weather, hours: Array) -> Array:
    """Cooling above 24 °C in the afternoon, heating below 15 °C morning and night."""
    size = person.daily_kwh / 19.0 * (1.0 if person.air_conditioned else 0.35)
    hot = np.clip(weather.temperature - 21.5, 0, 9)[:, None] * 0.33 * _bump(hours, 17.0, 3.4)
    cold = np.clip(14.5 - weather.temperature, 0, 9)[:, None] * 0.16
    cold = cold * (_bump(hours, 7.0, 1.4) + _bump(hours, 19.5, 2.6))
    return np.asarray(size * (hot + cold))


def hot_water_kw(person: Person, seed: int, weather: Weather, minutes: int) -> Array:
    """Controlled load: a 3.6 kW element, on from 22:30 and again near 2:00 until the tank is warm."""
    hours = (np.arange(0, 1440, minutes) + minutes / 2) / 60
    need = noise(seed, "tank", person.index, minutes).normal(5.6, 0.9, len(weather.temperature))
    need = np.clip(need + (18 - weather.temperature) * 0.14, 1.5, 9.0)
    late, early = 0.4 * need / 3.6, 0.6 * need / 3.6
    on = _window(hours, 22.5, late, minutes) + _window(hours, 2.0, early, minutes)
    return np.asarray(3.6 * on)


def _window(hours: Array, start: float, length: Array, minutes: int) -> Array:
    """Share of each interval inside [start, start + length)."""
    width = minutes / 60
    begins = hours[None, :] - width / 2
    inside = np.minimum(begins + width, (start + length)[:, None]) - np.maximum(begins, start)
    return np.asarray(np.clip(inside, 0, width) / width)


def through_battery(net_kw: Array, capacity_kwh: float, minutes: int) -> Array:
    """Net load after a battery that stores what is left over and gives it back first, at 5 kW at most."""
    hours, stored_kwh = minutes / 60, 0.5 * capacity_kwh
    out = net_kw.ravel().tolist()
    for nth, kw in enumerate(out):
        if kw < 0:
            taken = min(-kw, 5.0, (capacity_kwh - stored_kwh) / ROUND_TRIP / hours)
            stored_kwh += taken * ROUND_TRIP * hours
            out[nth] = kw + taken
        else:
            given = min(kw, 5.0, max(stored_kwh - 0.1 * capacity_kwh, 0.0) / hours)
            stored_kwh -= given * hours
            out[nth] = kw - given
    return np.asarray(out).reshape(net_kw.shape)
