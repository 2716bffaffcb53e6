"""A home's half hours in a matrix of days by time of day, what each day shows, and the signs of a battery."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import polars as pl
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.solar.sun import Sun, sun_at
from toolkit.units import AEST_OFFSET

Values = NDArray[np.float64]
Bools = NDArray[np.bool_]

SLOTS = 48
_SLOT_US = 30 * 60_000_000
_DAY_US = SLOTS * _SLOT_US
IDLE_KWH = 0.015
"""Bought in a half hour: a fridge alone uses more."""
_IDLE_SHARE = 0.4
"""Share of the evening half hours after sunny days in which a home with a battery buys less than that."""
_WELL_UP, _BALANCED_SLOTS, _BALANCED_DAYS = 0.1, 4, 0.15
"""Sine of the sun's elevation, two hours, and the share of days with such two hours from which a battery is likely:
0.04 at most on 168 generated homes without one, 0.25 at least on 288 with one."""
_LITTLE_KWH = 0.06
"""Highest export of a half hour below which an inverter is told to export nothing: it then follows what is used."""


@dataclass(frozen=True, slots=True)
class Days:
    """Half hours in a matrix of days (AEST) by time of day. place: of each row of the frame in the flattened matrix."""

    net: Values
    bought: Values
    sold: Values
    sun: Sun
    place: NDArray[np.int64]
    first: date

    hour_angle: Values
    """Degrees, 0 at solar noon."""

    @property
    def count(self) -> int:
        return len(self.net) // SLOTS


def matrix_of(slots: pl.DataFrame, city: City) -> Days:
    """Lay half hours into a matrix of days, with the sun at the place of `city`."""
    shifted = slots["starts_at"].dt.epoch("us").to_numpy() + int(AEST_OFFSET.total_seconds() * 1e6)
    first = shifted.min() // _DAY_US
    place = (shifted - first * _DAY_US) // _SLOT_US
    count = int(shifted.max() // _DAY_US - first + 1)

    def spread(column: str) -> Values:
        values = np.full(count * SLOTS, np.nan)
        values[place] = slots[column].to_numpy()
        return values

    starts = first * _DAY_US - int(AEST_OFFSET.total_seconds() * 1e6) + np.arange(count * SLOTS) * _SLOT_US
    sun = sun_at(starts + _SLOT_US // 2, city.latitude, city.longitude)
    latitude = np.radians(city.latitude)
    over_pole = sun.up * np.cos(latitude) - sun.north * np.sin(latitude)
    hour_angle = np.degrees(np.arctan2(-sun.east, over_pole))
    bought, sold = spread("import_kwh"), spread("export_kwh")
    return Days(
        net=sold - np.nan_to_num(bought),
        bought=np.where(np.isnan(sold), np.nan, bought),
        sold=sold,
        sun=sun,
        place=place,
        first=date(1970, 1, 1) + timedelta(int(first)),
        hour_angle=hour_angle,
    )


def battery_suspected(days: Days) -> bool:
    """Return whether the home buys nothing on evenings after sunny days, or often neither buys nor sells by day."""
    return _buys_nothing_in_evenings(days) or _is_often_balanced(days)


def _buys_nothing_in_evenings(days: Days) -> bool:
    bought = days.bought.reshape(-1, SLOTS)
    dark = (days.sun.up < -0.03).reshape(-1, SLOTS)
    evening = dark & (np.arange(SLOTS) >= SLOTS * 2 // 3)  # from 16:00 AEST
    sold = np.nansum(days.sold.reshape(-1, SLOTS), axis=1)
    sunny = sold >= np.quantile(sold, 0.67)
    idle = np.where(evening, bought < IDLE_KWH, False)
    counted = evening & ~np.isnan(bought) & sunny[:, None]
    return bool(counted.any() and sold.any() and (idle & counted).sum() > _IDLE_SHARE * counted.sum())


def _is_often_balanced(days: Days) -> bool:
    """Return whether on many days the home neither buys nor sells for hours while the sun is up.

    Use and generation are never that equal by themselves; a battery that takes the difference makes them so, also one
    that is empty by the evening, or sells then. An inverter that may export nothing makes them so as well.
    """
    if not np.nanmax(days.sold, initial=0.0) > _LITTLE_KWH:
        return False
    still = (days.bought < IDLE_KWH) & (days.sold < IDLE_KWH) & (days.sun.up > _WELL_UP)
    runs = np.asarray(sliding_window_view(still.reshape(-1, SLOTS), _BALANCED_SLOTS, axis=1))
    balanced = np.any(np.all(runs, axis=2), axis=1)
    measured = (~np.isnan(days.sold)).reshape(-1, SLOTS).any(axis=1)
    return bool(balanced.sum() > _BALANCED_DAYS * measured.sum())


def best_share(share: Values, potential: Values, measured: Bools) -> Values:
    """Return, for each day, the mean of the three highest shares while the roof could give at least half its most."""
    by_day = potential.reshape(-1, SLOTS)
    strong = (by_day > 0.5 * by_day.max(axis=1, keepdims=True)) & measured.reshape(-1, SLOTS)
    best = np.sort(np.where(strong, share.reshape(-1, SLOTS), -np.inf), axis=1)[:, -3:]
    return np.where(strong.sum(axis=1) >= 3, np.maximum(best, 0).mean(axis=1), np.nan)


def top_share(netted: Values, potential: Values, measured: Bools) -> Values:
    """Return, for each day, its highest net export as a share of its highest potential; NaN where none was measured."""
    top = netted.reshape(-1, SLOTS).max(axis=1) / np.maximum(potential.reshape(-1, SLOTS).max(axis=1), 1e-9)
    return np.where(measured.reshape(-1, SLOTS).any(axis=1), top, np.nan)


def hours_at_top(kwh: Values) -> Values:
    """Return for how long each day's power stays within a twelfth of its highest, hours; 0 on days without any."""
    by_day = kwh.reshape(-1, SLOTS)
    top = by_day.max(axis=1, keepdims=True)
    return np.asarray(((by_day > 11 / 12 * top) & (top > 0)).sum(axis=1) / 2)


def highest_around(share: Values, width: int) -> Values:
    """Return the highest value of the half hours up to `width` before and after each, within its day."""
    padded = np.pad(share.reshape(-1, SLOTS), ((0, 0), (width, width)), constant_values=-1.0)
    return np.asarray(np.max([padded[:, at : at + SLOTS] for at in range(2 * width + 1)], axis=0).ravel())
