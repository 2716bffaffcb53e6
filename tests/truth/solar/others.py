"""Homes with panels made on other assumptions than those of `homes`, to judge what was fitted on those.

Clear sky by the simplified Solis model; the share of it that arrives is a slow wave with a mean of each day's own, from
clear to overcast without kinds, split by Boland; planes by Perez; panels by PVWatts with the cell temperature of SAPM.
Use is the sum of devices that run for a while each, by whether somebody is in, and of what runs all day: a workshop, a
desk, a pump, a machine that never stops. Half of the meters net over half an hour.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from types import MappingProxyType

import numpy as np
import pandas as pd
from pvlib import irradiance, pvsystem, temperature
from pvlib.location import Location

from tests.truth.solar.homes import DAYS, FIRST, STEP_MINUTES, STEPS, YIELD_SPREAD, Array, Place, SolarHome, Values

_PLACES = (
    Place("Canberra", "2600", "Australia/Sydney", -35.28, 149.13, 0.72, 0.16, (6, 21)),
    Place("Newcastle", "2300", "Australia/Sydney", -32.93, 151.78, 0.68, 0.18, (13, 23)),
    Place("Geelong", "3220", "Australia/Melbourne", -38.15, 144.36, 0.60, 0.20, (10, 19)),
    Place("Townsville", "4810", "Australia/Brisbane", -19.26, 146.82, 0.78, 0.14, (19, 28)),
    Place("Adelaide", "5000", "Australia/Adelaide", -34.93, 138.60, 0.70, 0.18, (11, 23)),
    Place("Perth", "6000", "Australia/Perth", -31.95, 115.86, 0.75, 0.15, (13, 25)),
)
"""clear: mean share of the clear sky; dull: its spread from day to day."""

_HABITS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "empty by day": {"in": 0.05},
        "in by day, many devices": {"in": 0.9, "devices": 14},
        "workshop or office by day": {"in": 0.5, "steady": 1.2, "weekdays": 5},
        "a load that never stops": {"in": 0.3, "never": 0.7},
        "at a desk at home": {"in": 0.8, "steady": 0.3, "weekdays": 5, "heat": 1.5},
        "air conditioning by day": {"in": 0.7, "cool": 2.5, "heat": 2.0},
        "pool pump every day": {"in": 0.4, "steady": 1.1, "weekdays": 7},
        "small panels, in by day": {"in": 0.8, "devices": 10},
    }
)
OTHER_KINDS = tuple(_HABITS)


def other_home(kind: str, seed: int) -> SolarHome:
    """Return the home of a kind and seed."""
    chance = np.random.default_rng([seed, 900 + OTHER_KINDS.index(kind)])
    place = _PLACES[int(chance.integers(len(_PLACES)))]
    arrays = _arrays(chance, small=kind.startswith("small"))
    inverter_kw = sum(array.kw for array in arrays) / float(chance.uniform(0.9, 1.33))
    sky = _share_of_clear(place, chance)
    made = _generated(place, arrays, inverter_kw, sky) * np.exp(chance.normal(0, YIELD_SPREAD))
    used = _used(place, _HABITS[kind], sky, chance)
    made = np.minimum(made, inverter_kw * STEP_MINUTES / 60)
    netting = int(chance.choice([STEP_MINUTES, 30]))
    return SolarHome(kind, place, arrays, inverter_kw, None, made, used, netting_minutes=netting)


def _arrays(chance: np.random.Generator, *, small: bool) -> tuple[Array, ...]:
    size = float(np.exp(chance.uniform(np.log(1.5), np.log(3))) if small else chance.triangular(3, 6, 11))
    azimuth = float(chance.choice([0, 0, 0, 45, 90, 270, 315, 180]) + chance.normal(0, 15))
    tilt = float(chance.choice([10, 15, 22.5, 22.5, 27]))
    if chance.random() < 0.75:
        return (Array(size, azimuth, tilt),)
    share = float(chance.uniform(0.3, 0.7))
    return (Array(size * share, azimuth, tilt), Array(size * (1 - share), azimuth + 90, tilt))


@cache
def _clear_sky(place: Place) -> tuple[pd.DatetimeIndex, pd.DataFrame, pd.DataFrame]:
    start = pd.Timestamp(FIRST, tz="Etc/GMT-10") + pd.Timedelta(minutes=STEP_MINUTES / 2)
    times = pd.date_range(start, periods=DAYS * STEPS, freq=f"{STEP_MINUTES}min")
    where = Location(place.latitude, place.longitude)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pvlib calls what pandas renamed
        return times, where.get_solarposition(times), where.get_clearsky(times, model="simplified_solis")


def _share_of_clear(place: Place, chance: np.random.Generator) -> Values:
    """Return the share of the clear sky in each step: waves of some hours and of minutes around each day's mean."""
    day = 0.0
    means = np.empty(DAYS)
    for number in range(DAYS):  # days are like those before them
        day = 0.5 * day + chance.normal(0, 0.87)
        means[number] = place.clear + place.dull * day
    means = np.clip(means, 0.08, 0.99)
    broken = np.sqrt(np.clip(means * (1 - means), 0, None)) * chance.uniform(0.2, 1.2, DAYS)
    waves = np.zeros(DAYS * STEPS)
    for steps, weight in ((18, 0.6), (3, 0.6), (1, 0.4)):
        points = chance.normal(0, 1, DAYS * STEPS // steps + 2)
        waves += weight * np.interp(np.arange(DAYS * STEPS), np.arange(len(points)) * steps, points)
    return np.clip(np.repeat(means, STEPS) * 1.05 + np.repeat(broken, STEPS) * waves * 0.8, 0.05, 1.1)


def _generated(place: Place, arrays: tuple[Array, ...], inverter_kw: float, sky: Values) -> Values:
    times, sun, clear = _clear_sky(place)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ghi = clear["ghi"] * sky
        parts = irradiance.boland(ghi, sun["zenith"], times)
        extra = irradiance.get_extra_radiation(times)
        cold, hot = place.heat
        air = (hot + cold) / 2 + (hot - cold) / 2 * np.cos(2 * np.pi * (times.day_of_year - 20) / 365) + 3
        thermal = temperature.TEMPERATURE_MODEL_PARAMETERS["sapm"]["close_mount_glass_glass"]
        power = np.zeros(len(times))
        for array in arrays:
            plane = irradiance.get_total_irradiance(
                array.tilt, array.azimuth % 360, sun["apparent_zenith"], sun["azimuth"],
                np.minimum(parts["dni"], 1000), ghi, parts["dhi"], dni_extra=extra,
                airmass=np.clip(1 / np.cos(np.radians(sun["apparent_zenith"].clip(0, 87))), 1, 20), model="perez",
            )["poa_global"].fillna(0)  # fmt: skip
            cell = temperature.sapm_cell(plane, np.asarray(air), 2.0, **thermal)
            power += np.asarray(pvsystem.pvwatts_dc(plane, cell, array.kw, -0.0037))
    return np.asarray(np.clip(power * 0.83, 0, inverter_kw) * STEP_MINUTES / 60)


def _used(place: Place, habits: Mapping[str, float], sky: Values, chance: np.random.Generator) -> Values:
    """Return kWh used in each step."""
    ahead = {"Australia/Perth": -2.0, "Australia/Brisbane": 0.0}.get(place.zone, 0.5)
    hour = np.arange(STEPS) * STEP_MINUTES / 60 + ahead
    cold, hot = place.heat
    idle = float(np.exp(chance.normal(np.log(0.15), 0.5))) + habits.get("never", 0.0) * chance.uniform(0.6, 1.6)
    steady_kw = habits.get("steady", 0.0) * chance.uniform(0.5, 1.5)
    opens, closes = chance.uniform(7, 10), chance.uniform(14.5, 18)
    by_day_sky = sky.reshape(DAYS, STEPS).mean(axis=1)
    use = np.empty((DAYS, STEPS))
    for day in range(DAYS):
        date = FIRST + timedelta(day)
        season = np.cos(2 * np.pi * (date.timetuple().tm_yday - 20) / 365)
        warmth = (hot + cold) / 2 + (hot - cold) / 2 * season + chance.normal(0, 3) + 4 * (by_day_sky[day] - 0.6)
        is_in = chance.random() < (max(habits["in"], 0.7) if date.weekday() >= 5 else habits["in"])
        power = np.full(STEPS, idle)
        for begins, ends, devices in ((6.5, 9, 3), (9, 17, habits.get("devices", 6) if is_in else 0.5), (17, 23, 9)):
            for _ in range(chance.poisson(devices)):
                at, long = chance.uniform(begins, ends), chance.exponential(0.5) + 0.1
                power = power + chance.choice([0.1, 0.2, 0.4, 1.0, 2.0]) * ((hour > at) & (hour < at + long))
        if steady_kw and date.weekday() < habits["weekdays"]:
            power = power + steady_kw * ((hour > opens) & (hour < closes))
        awake = (hour > (9 if is_in else 16)) & (hour < 22)
        power = power + awake * habits.get("cool", 0.8) * np.clip((warmth - 24) / 4, 0, 1)
        power = power + awake * habits.get("heat", 0.8) * np.clip((15 - warmth) / 5, 0, 1)
        use[day] = power
    return np.asarray(use.ravel() * STEP_MINUTES / 60)
