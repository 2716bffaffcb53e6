"""A year of a home with panels: sky and roof by pvlib, people and devices by rule. Nothing of the toolkit.

Clear sky after Ineichen; clouds by the day (which last) and by the quarter of an hour, split into beam and diffuse by
Erbs; planes by Hay and Davies, with reflection, heat and an inverter. A home's yield differs from that by 12 % (one
sigma), which nobody knows. Means of the year match the measured 1,231 kWh per kW of 300 Sydney homes.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pvlib import atmosphere, iam, irradiance, temperature
from pvlib.location import Location

Values = NDArray[np.float64]

STEP_MINUTES = 10
STEPS = 24 * 60 // STEP_MINUTES
FIRST = date(2024, 7, 1)
DAYS = 365
YIELD_SPREAD = 0.12
_EFFICIENCY = 0.80
"""Wiring, dirt, mismatch, age and inverter of a mean home, beside heat and reflection."""


@dataclass(frozen=True)
class Place:
    """latitude, longitude: degrees. clear, dull: chances that a day begins so. heat: mean °C of July and January."""

    name: str
    postcode: str
    zone: str
    latitude: float
    longitude: float
    clear: float
    dull: float
    heat: tuple[float, float]


PLACES = (
    Place("Sydney", "2000", "Australia/Sydney", -33.87, 151.21, 0.42, 0.22, (13, 23)),
    Place("Melbourne", "3000", "Australia/Melbourne", -37.81, 144.96, 0.33, 0.30, (10, 21)),
    Place("Brisbane", "4000", "Australia/Brisbane", -27.47, 153.03, 0.50, 0.16, (15, 25)),
    Place("Adelaide", "5000", "Australia/Adelaide", -34.93, 138.60, 0.50, 0.18, (11, 23)),
    Place("Perth", "6000", "Australia/Perth", -31.95, 115.86, 0.58, 0.14, (13, 25)),
    Place("Hobart", "7000", "Australia/Hobart", -42.88, 147.33, 0.30, 0.30, (8, 17)),
)


@dataclass(frozen=True)
class Array:
    """kw: rated. azimuth: degrees from north over east. shade: azimuths from, to and elevation that hide the sun."""

    kw: float
    azimuth: float
    tilt: float
    shade: tuple[float, float, float] | None = None


@dataclass
class SolarHome:
    """A home's year in steps of ten minutes from `first` (AEST): kWh generated and used.

    limit_kw: most that it exports; None without a limit. inverter_kw: rated output. netting_minutes: over which its
    meter sets off what is generated against what is used; at most half an hour.
    """

    kind: str
    place: Place
    arrays: tuple[Array, ...]
    inverter_kw: float
    limit_kw: float | None
    made: Values
    used: Values
    first: date = FIRST
    faults: dict[str, tuple[int, int]] = field(default_factory=dict)
    """What failed → first day and number of days."""
    netting_minutes: int = STEP_MINUTES

    @property
    def panels_kw(self) -> float:
        """Rated size of all arrays."""
        return sum(array.kw for array in self.arrays)

    @property
    def half_hours(self) -> tuple[Values, Values, Values]:
        """kWh generated, bought and sold in each half hour, as a meter with two registers counts."""
        net = (self.made - self.used).reshape(-1, self.netting_minutes // STEP_MINUTES).sum(axis=1)
        steps = 30 // self.netting_minutes
        bought, sold = (part.reshape(-1, steps).sum(axis=1) for part in (np.maximum(-net, 0), np.maximum(net, 0)))
        return self.made.reshape(-1, 30 // STEP_MINUTES).sum(axis=1), bought, sold


@cache
def _sky(place: Place) -> tuple[pd.DatetimeIndex, pd.DataFrame, pd.DataFrame, Values]:
    """Return times (middles of steps), sun, clear sky and temperature of a place's year."""
    start = pd.Timestamp(FIRST, tz="Etc/GMT-10") + pd.Timedelta(minutes=STEP_MINUTES / 2)
    times = pd.date_range(start, periods=DAYS * STEPS, freq=f"{STEP_MINUTES}min")
    where = Location(place.latitude, place.longitude)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sun = where.get_solarposition(times)
        turbidity = 3.0 + 0.4 * np.cos(2 * np.pi * (times.day_of_year - 15) / 365)
        air = atmosphere.get_absolute_airmass(atmosphere.get_relative_airmass(sun["apparent_zenith"]))
        extra = irradiance.get_extra_radiation(times)
        from pvlib.clearsky import ineichen

        clear = ineichen(sun["apparent_zenith"], air, turbidity, dni_extra=extra)
    cold, hot = place.heat
    season = (hot + cold) / 2 + (hot - cold) / 2 * np.cos(2 * np.pi * (times.day_of_year - 20) / 365)
    daily = 5 * np.cos(2 * np.pi * (times.hour + times.minute / 60 - 15) / 24)
    return times, sun, clear, np.asarray(season + daily)


def _clearness(place: Place, chance: np.random.Generator) -> tuple[Values, Values]:
    """Return the share of the clear sky's irradiance in each step, and the kind of each day (0 clear, 2 dull)."""
    kinds = np.empty(DAYS, dtype=int)
    odds = [place.clear, 1 - place.clear - place.dull, place.dull]
    kinds[0] = chance.choice(3, p=odds)
    for day in range(1, DAYS):
        kinds[day] = kinds[day - 1] if chance.random() < 0.35 else chance.choice(3, p=odds)
    share = np.empty((DAYS, STEPS))
    for day, kind in enumerate(kinds):
        slow = np.interp(np.arange(STEPS), np.linspace(0, STEPS, 13), chance.normal(0, 1, 13))
        fast = chance.normal(0, 1, STEPS)
        if kind == 0:
            share[day] = chance.uniform(0.97, 1.02) - 0.01 * np.abs(slow)
        elif kind == 1:
            if chance.random() < 0.35:  # thin cloud over the whole day
                share[day] = chance.uniform(0.45, 0.95) * (1 + 0.04 * slow)
                continue
            cover = chance.uniform(0.2, 0.8)
            broken = (slow * 0.7 + fast * 0.7) > np.quantile(slow * 0.7 + fast * 0.7, cover)
            share[day] = np.where(broken, chance.uniform(0.95, 1.08), chance.uniform(0.3, 0.6)) + 0.04 * fast
        else:
            share[day] = chance.uniform(0.12, 0.5) * np.exp(0.25 * slow)
    return np.clip(share, 0.05, 1.15).ravel(), kinds.astype(float)


def _generated(place: Place, arrays: tuple[Array, ...], inverter_kw: float, share: Values, factor: float) -> Values:
    """Return kWh generated in each step."""
    times, sun, clear, heat = _sky(place)
    ghi = clear["ghi"].to_numpy() * share
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = irradiance.erbs(pd.Series(ghi, index=times), sun["zenith"], times)
        extra = irradiance.get_extra_radiation(times)
        power = np.zeros(len(ghi))
        for array in arrays:
            beam = parts["dni"].to_numpy().clip(0, 1000)
            zenith, azimuth = sun["apparent_zenith"].to_numpy(), sun["azimuth"].to_numpy()
            hidden = np.zeros(len(ghi), dtype=bool)
            if array.shade is not None:
                start, end, height = array.shade
                within = (azimuth - start) % 360 <= (end - start) % 360
                hidden = within & (90 - zenith < height)
            angle = irradiance.aoi(array.tilt, array.azimuth, zenith, azimuth)
            plane = irradiance.get_total_irradiance(
                array.tilt, array.azimuth, zenith, azimuth,
                np.where(hidden, 0, beam), ghi, parts["dhi"].to_numpy(), dni_extra=extra.to_numpy(), model="haydavies",
            )  # fmt: skip
            direct = np.nan_to_num(np.asarray(plane["poa_direct"])) * np.nan_to_num(iam.physical(angle))
            total = direct + 0.95 * np.nan_to_num(np.asarray(plane["poa_diffuse"]))
            cell = temperature.faiman(total, heat, 1.5)
            power += array.kw * total / 1000 * (1 - 0.004 * (cell - 25))
    power = np.minimum(power * _EFFICIENCY * factor, inverter_kw)
    return np.asarray(np.maximum(power, 0) * STEP_MINUTES / 60)


@dataclass(frozen=True)
class Habits:
    """in_by_day: chance that somebody is in on a weekday. water: kW of a heater by day. vehicle: kW by day, chance.

    steady: kW from one hour to another, the same on every day, or on weekdays. cooling and heating run from 16:30 where
    nobody is in.
    """

    in_by_day: float
    base_kw: float
    evening_kw: float
    day_kw: float
    cooling_kw: float
    heating_kw: float
    water_kw: float = 0.0
    pump_kw: float = 0.0
    vehicle_kw: float = 0.0
    vehicle_chance: float = 0.0
    steady_kw: float = 0.0
    steady_from: float = 8.0
    steady_to: float = 17.0
    steady_days: float = 7


def _used(place: Place, habits: Habits, kinds: Values, chance: np.random.Generator) -> Values:
    """Return kWh used in each step."""
    hour = np.arange(STEPS) * STEP_MINUTES / 60
    local = hour + (0 if place.zone in ("Australia/Brisbane",) else -2 if "Perth" in place.zone else 0.5)
    _, _, _, heat = _sky(place)
    daily_heat = heat.reshape(DAYS, STEPS).mean(axis=1)
    spell = 0.0
    use = np.empty((DAYS, STEPS))
    starts = chance.uniform(9.5, 12)
    for day in range(DAYS):
        spell = 0.7 * spell + chance.normal(0, 2.2)
        warmth = daily_heat[day] + spell + (1.5 if kinds[day] == 0 else -1)
        weekend = (FIRST + timedelta(day)).weekday() >= 5
        is_in = chance.random() < (max(habits.in_by_day, 0.6) if weekend else habits.in_by_day)
        away = chance.random() < 0.02
        fridge = 0.06 * (np.sin(2 * np.pi * (hour * 1.3 + chance.random())) > 0.2)
        power = habits.base_kw * chance.uniform(0.9, 1.1) + fridge
        awake = np.exp(-((local - 7.3) ** 2) / 1.2) * 0.7 + np.exp(-((local - 19) ** 2) / 6)
        power = power + (0.1 if away else 1) * habits.evening_kw * awake * chance.uniform(0.6, 1.4)
        if is_in and not away:
            level = habits.day_kw * chance.lognormal(-0.1, 0.45)
            power = power + level * ((local > 8.5) & (local < 17.5)) * chance.uniform(0.5, 1.5, STEPS)
            for _ in range(chance.poisson(2.5)):  # kettle, oven, washing
                at = chance.uniform(8.5, 17)
                power = power + chance.uniform(0.8, 2.2) * ((local > at) & (local < at + chance.uniform(0.15, 1.0)))
        warm = (local > (9 if is_in else 16.5)) & (local < 22)
        if not away:
            power = power + habits.cooling_kw * np.clip((warmth - 23) / 6, 0, 1) * warm * (local > 11)
            power = power + habits.heating_kw * np.clip((14 - warmth) / 6, 0, 1) * (
                warm | ((local > 6) & (local < 8.5))
            )
        if habits.water_kw:
            long = chance.uniform(1.0, 2.6) * (1.2 if daily_heat[day] < 16 else 0.9)
            power = power + habits.water_kw * ((local > starts) & (local < starts + long))
        if habits.steady_kw and (FIRST + timedelta(day)).weekday() < habits.steady_days:
            power = power + habits.steady_kw * ((local > habits.steady_from) & (local < habits.steady_to))
        if habits.pump_kw:
            power = power + habits.pump_kw * ((local > 10) & (local < 10 + (6 if daily_heat[day] > 18 else 3)))
        if habits.vehicle_kw and chance.random() < habits.vehicle_chance:
            at = chance.uniform(9, 12.5)
            power = power + habits.vehicle_kw * ((local > at) & (local < at + chance.uniform(1.0, 4.0)))
        use[day] = power
    return np.asarray(use.ravel() * STEP_MINUTES / 60)


def _habits(chance: np.random.Generator, *, in_by_day: float | None = None, **more: float) -> Habits:
    chosen = chance.choice([0.1, 0.35, 0.8]) if in_by_day is None else in_by_day
    usual = Habits(
        in_by_day=float(chosen),
        base_kw=float(chance.uniform(0.08, 0.4)),
        evening_kw=float(chance.uniform(0.5, 1.8)),
        day_kw=float(chance.uniform(0.25, 0.9)),
        cooling_kw=float(chance.uniform(0, 2.2)),
        heating_kw=float(chance.uniform(0, 2.0)),
    )
    return replace(usual, **more)


KINDS = (
    *("north, out by day", "north, in by day", "east", "west", "south or flat", "split east and west", "split other"),
    *("shaded", "limit or clipped", "hot water by day", "vehicle by day", "small", "large"),
    *("steady by day", "working from home", "air conditioning"),
)


def home(kind: str, seed: int) -> SolarHome:
    """Return the home of a kind and seed."""
    chance = np.random.default_rng([seed, KINDS.index(kind)])
    place = PLACES[int(chance.integers(len(PLACES)))]
    arrays = _arrays(kind, chance)
    habits = _habits(chance, **_of_kind(kind, chance))
    oversize, limit = float(chance.uniform(0.95, 1.33)), None
    if kind == "limit or clipped":
        oversize, limit = (1.33, float(chance.choice([1.5, 3.0, 5.0]))) if chance.random() < 0.5 else (1.5, None)
    inverter_kw = sum(array.kw for array in arrays) / oversize
    factor = float(np.exp(chance.normal(0, YIELD_SPREAD)))
    share, days = _clearness(place, chance)
    made = _generated(place, arrays, inverter_kw, share, factor)
    used = _used(place, habits, days, chance)
    if limit is not None:  # the inverter holds back what would be sent out beyond the limit
        made = np.minimum(made, used + limit * STEP_MINUTES / 60)
    netting = int(np.random.default_rng([seed, 30]).choice([STEP_MINUTES, 30]))
    return SolarHome(kind, place, arrays, inverter_kw, limit, made, used, netting_minutes=netting)


def _arrays(kind: str, chance: np.random.Generator) -> tuple[Array, ...]:
    tilt, north = float(chance.uniform(8, 32)), float(chance.normal(0, 25))
    low, high = {"small": (1.5, 2.5), "large": (8, 13), "limit or clipped": (5, 10)}.get(kind, (3, 8))
    size = float(chance.uniform(low, high))
    if kind in ("east", "west"):
        return (Array(size, float(chance.normal(90 if kind == "east" else 270, 18)), tilt),)
    if kind == "south or flat":
        is_flat = chance.random() < 0.5
        return (Array(size, float(chance.normal(180, 25)), float(chance.uniform(2, 8)) if is_flat else tilt),)
    if kind.startswith("split"):
        share, turn = float(chance.uniform(0.35, 0.65)), float(chance.normal(0, 12))
        sides = (90.0, 270.0) if kind == "split east and west" else (0.0, float(chance.choice([90, 270])))
        parts = zip((share, 1 - share), sides, strict=True)
        return tuple(Array(size * part, side + turn, tilt) for part, side in parts)
    if kind == "shaded":
        side = float(chance.choice([60, 250]))
        return (Array(size, north, tilt, (side, side + chance.uniform(30, 60), float(chance.uniform(18, 40)))),)
    return (Array(size, float(chance.normal(0, 60)) if kind == "large" else north, tilt),)


def _of_kind(kind: str, chance: np.random.Generator) -> dict[str, float]:
    """Return the habits that a kind of home is about."""
    if kind == "north, out by day":
        return {"in_by_day": 0.1}
    if kind == "north, in by day":
        return {"in_by_day": 0.9}
    if kind == "hot water by day":
        return {"water_kw": float(chance.choice([0.9, 1.8, 3.6]))}
    if kind == "vehicle by day":
        return {"vehicle_kw": float(chance.choice([2.2, 7.0])), "vehicle_chance": float(chance.uniform(0.2, 0.7))}
    return {"pump_kw": float(chance.choice([0, 1.1]))} if kind == "large" else _steady_habits(kind, chance)


def _steady_habits(kind: str, chance: np.random.Generator) -> dict[str, float]:
    if kind == "steady by day":
        return _steady(chance, 0.2, 1.6)
    if kind == "working from home":
        return {"in_by_day": 0.85, "heating_kw": float(chance.uniform(0.5, 2.5)), **_steady(chance, 0.1, 0.5)}
    if kind == "air conditioning":
        cooling, heating = float(chance.uniform(1, 4)), float(chance.uniform(1, 3))
        return {"in_by_day": 0.8, "cooling_kw": cooling, "heating_kw": heating}
    return {}


def _steady(chance: np.random.Generator, low_kw: float, high_kw: float) -> dict[str, float]:
    return {
        "steady_kw": float(chance.uniform(low_kw, high_kw)),
        "steady_from": float(chance.uniform(7, 9.5)),
        "steady_to": float(chance.uniform(15, 18)),
        "steady_days": float(chance.choice([5, 7])),
    }


def with_dead_string(known: SolarHome, share: float, first: int, days: int) -> SolarHome:
    """Return the home with a share of its panels dead for some days: what is left generates in proportion."""
    made = known.made.reshape(DAYS, STEPS).copy()
    made[first : first + days] *= 1 - share
    return replace(known, made=made.ravel(), faults={"dead": (first, days)})
