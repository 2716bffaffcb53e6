"""Whether the clock of a meter's file fits the sun: a wrong time zone, or daylight saving that should not be there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.solar.inference import Days, envelope_misfit, matrix_of
from toolkit.analytics.energy.solar.roofs import CANDIDATES, clear_kwh

__all__ = ["ClockError", "clock_error"]

Values = NDArray[np.float64]

_SLOTS = 48
_FEWEST_DAYS = 200
_HOURS = tuple(hours for hours in range(-11, 13) if abs(hours) >= 2)
_ROUGH = 0.15
"""Misfit below which no clock can be hours off: sound files of any roof and use stay below it."""
_BETTER, _BETTER_IN_SUMMER = 0.6, 0.87
"""Share of the misfit that is left where another clock explains the export; with the right one it is near 1 or more."""
_ROOFS = CANDIDATES[::2]


@dataclass(frozen=True, slots=True)
class ClockError:
    """hours: how far the file's clock is ahead of the sun's; summer: only while daylight saving is in force."""

    hours: int
    summer: bool = False


def clock_error(slots: pl.DataFrame, city: City) -> ClockError | None:
    """Return how the clock of half hours (`half_hours`) with export is off; None where it fits, or too little shows.

    A constant hour or two is not found: a roof that faces east or west looks the same. Daylight saving is, because no
    roof turns in October and April.
    """
    if slots.is_empty() or not slots["export_kwh"].sum():
        return None
    days = matrix_of(slots, city)
    if days.count < _FEWEST_DAYS:
        return None
    clear = clear_kwh(days.sun, _ROOFS)
    still = envelope_misfit(days, clear)
    if still is None:
        return None
    if still > _ROUGH:
        by_hours = {hours: _misfit(days, np.roll(clear, 2 * hours, axis=1)) for hours in _HOURS}
        hours = min(by_hours, key=lambda shift: by_hours[shift])
        if by_hours[hours] < _BETTER * still:
            return ClockError(hours)
    in_summer = np.repeat([_is_summer(days.first + timedelta(n)) for n in range(days.count)], _SLOTS)
    by_side = {side: _misfit(days, np.where(in_summer, np.roll(clear, 2 * side, axis=1), clear)) for side in (1, -1)}
    side = min(by_side, key=lambda shift: by_side[shift])
    return ClockError(side, summer=True) if by_side[side] < _BETTER_IN_SUMMER * still else None


def _misfit(days: Days, clear: Values) -> float:
    found = envelope_misfit(days, clear)
    return 1.0 if found is None else found


def _is_summer(day: date) -> bool:
    """Return whether daylight saving is in force: first Sunday of October to first Sunday of April."""
    first = date(day.year, 10 if day.month > 6 else 4, 1)
    sunday = first + timedelta((6 - first.weekday()) % 7)
    return day >= sunday if day.month > 6 else day < sunday
