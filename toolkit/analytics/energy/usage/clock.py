"""Whether the clock of a meter's file fits the sun, the hours of controlled load, or when people sleep."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.solar.climate import CITIES, city
from toolkit.analytics.energy.solar.clock import (
    FEWEST_AROUND_CHANGE,
    ClockError,
    clock_error,
    exports_in_the_dark,
    found_at,
    generation_clock_error,
    hours_off_noon,
)
from toolkit.answers.base import Note

__all__ = ["FEWEST_DAYS", "clock_note", "generation_clock_note", "sells_stored_energy"]

Values = NDArray[np.float64]

_SLOTS = 48
_HOURS = np.arange(_SLOTS) / 2 + 0.25
_FEWEST_DAYS = 28
"""Days that show the hours of people, or of controlled load."""
FEWEST_DAYS = min(_FEWEST_DAYS, 2 * FEWEST_AROUND_CHANGE)
"""Days below which `clock_note` finds nothing."""

_USUAL_DAY = (
    np.exp(-(((_HOURS - 19) / 3) ** 2))
    + 0.35 * ((_HOURS > 6.5) & (_HOURS < 17))
    - 1.0 * ((_HOURS > 0.5) & (_HOURS < 5.5))
)
"""Asleep in the small hours, awake by day, most used about 19:00: set on half of 101 measured homes."""
_UNLIKE, _ALIKE, _LEAST_HOURS = -0.2, 0.7, 4
"""Correlation with the usual day: as the clock shows it, and as a clock some hours off would; judged on the others."""
_HIGHEST = 2.9
"""Highest half hour of the mean day over its median: people's own is below it in 95 of 100 measured homes."""
_STEEPEST = 0.5
"""Largest step of the mean day between two half hours, as a share of its range: a time switch makes such, people do
not. Above it are one in twenty measured homes."""
_UNLIKE_CHANGES, _ALIKE_CHANGES = 0.1, 0.4
"""As `_UNLIKE` and `_ALIKE`, of how much use changes from half hour to half hour: people's rises and falls while they
are awake, a machine that runs through the night hardly changes."""

_PEAK = (_HOURS > 15) & (_HOURS < 21)
_NIGHT = (_HOURS > 22) | (_HOURS < 7)
_AT_PEAK, _AT_NIGHT = 0.6, 0.9
"""Networks switch controlled load off at the evening peak. Shares of its energy that lie in these hours."""


def clock_note(
    slots: pl.DataFrame, zone: str, state: str | None, postcode: str | None, *, file: str, in_any_zone: bool
) -> Note | None:
    """Return a note where another clock would explain half hours (`half_hours`) better; None where theirs fits.

    zone, state, postcode: of the home; its export is compared with the sun there. zone: IANA. file: named in the note.
    in_any_zone: the file may be in any time zone, so that the note can name the likely one.
    """
    found = _error(slots, zone, state, postcode)
    return None if found is None else _note(*found, zone, file=file, in_any_zone=in_any_zone)


def generation_clock_note(
    slots: pl.DataFrame, zone: str, state: str | None, postcode: str | None, *, file: str
) -> Note | None:
    """Return a note where the sun contradicts the clock of half hours of generation, as `export_kwh`; else None.

    An inverter's file may be in any time zone. Generation that is centred an hour from noon may also be that of a roof
    which faces east or west; the note states both. zone, state, postcode, file: as in `clock_note`.
    """
    error = found_at(city(state, postcode), generation_clock_error, slots)
    if error is not None:
        return _note(error, "the sun", zone, file=file, in_any_zone=True)
    hours = found_at(city(state, postcode), hours_off_noon, slots)
    if hours is None:
        return None
    side, facing = ("before", "east") if hours < 0 else ("after", "west")
    return Note("generation_off_noon", side=side, facing=facing)


def sells_stored_energy(
    exported: pl.DataFrame, generated: pl.DataFrame, state: str | None, postcode: str | None
) -> bool:
    """Return whether the home exports in the dark while the clock of its generation fits the sun: a battery sells.

    exported, generated: half hours, both as `export_kwh`. state, postcode: as in `clock_note`.
    """
    place = city(state, postcode) or CITIES[0]
    return exports_in_the_dark(exported, place) and generation_clock_error(generated, place) is None


def _note(error: ClockError, evidence: str, zone: str, *, file: str, in_any_zone: bool) -> Note:
    side, hours = "late" if error.hours > 0 else "early", abs(error.hours)
    if not in_any_zone:
        if error.summer:
            return Note("file_clock_in_summer_fixed", side=side, evidence=evidence)
        return Note("file_clock_off_fixed", side=side, evidence=evidence, hours=hours)
    likely = _likely_zone(zone, error)
    if error.summer:
        return Note("file_clock_in_summer", side=side, evidence=evidence, zone=likely, file=file)
    return Note("file_clock_off", side=side, evidence=evidence, hours=hours, zone=likely, file=file)


def _error(slots: pl.DataFrame, zone: str, state: str | None, postcode: str | None) -> tuple[ClockError, str] | None:
    """Return how the clock is off and what shows it; where the home exports, the sun does."""
    if slots["export_kwh"].sum():
        error = found_at(city(state, postcode), clock_error, slots)
        return None if error is None else (error, "the sun")
    if (hours := _hours_off_by_controlled_load(slots, zone)) is not None:
        return ClockError(hours), "the hours of controlled load"
    if (hours := _hours_off_by_evenings(slots, zone)) is not None:
        return ClockError(hours), "the hours at which most power is used"
    return None


def _likely_zone(zone: str, error: ClockError) -> str:
    """Return the time zone that the file's times are probably in, by its error under the home's; ZONE where unclear."""
    if error.summer:
        return "Australia/Sydney" if error.hours > 0 else "Australia/Brisbane"
    offset = datetime(2026, 7, 1, tzinfo=ZoneInfo(zone)).utcoffset() or timedelta()
    return "UTC" if abs(offset + timedelta(hours=error.hours)) <= timedelta(hours=1) else "ZONE"


def _hours_off_by_evenings(slots: pl.DataFrame, zone: str) -> int | None:
    """Return by how many hours the clock of half hours (`half_hours`) is ahead of people's day; None where it fits.

    Only what is four hours off or more, and only about six in ten of those: some homes have no usual day. Where a
    machine, such as a vehicle that charges at night, outweighs what people use, None. zone: IANA, of the home.
    """
    changes = pl.mean_horizontal(pl.col("general_kwh").diff().abs(), pl.col("general_kwh").diff().abs().shift(-1))
    slots = slots.with_columns(changes_kwh=pl.when(pl.col("general_kwh").is_not_null()).then(changes))
    mean, rough = _mean_day(slots, "general_kwh", zone), _mean_day(slots, "changes_kwh", zone)
    if mean is None or rough is None or mean.max() > _HIGHEST * np.median(mean):
        return None
    steps = np.abs(np.diff(mean, append=mean[0]))
    if steps.max() > _STEEPEST * (mean.max() - mean.min()):
        return None
    level, changing = _likeness(mean), _likeness(rough)
    hours = max(_SHIFTS, key=lambda shift: level[shift])
    is_level_off = level[0] < _UNLIKE and level[hours] > _ALIKE
    is_off = is_level_off and changing[0] < _UNLIKE_CHANGES and changing[hours] > _ALIKE_CHANGES
    return hours if is_off and abs(hours) >= _LEAST_HOURS else None


def _likeness(mean: Values) -> dict[int, float]:
    """Return how like the usual day the logarithm of a mean day is, by the hours that its clock may be ahead."""
    shape = np.log(mean + 1e-3)
    return {hours: _correlation(np.roll(shape, -2 * hours)) for hours in _SHIFTS}


def _hours_off_by_controlled_load(slots: pl.DataFrame, zone: str) -> int | None:
    """Return by how many hours the clock of half hours is ahead of controlled load's; None where it fits.

    Only where most of it lies in the evening peak, and another clock would lay it into the night. zone: IANA.
    """
    mean = _mean_day(slots, "controlled_kwh", zone)
    if mean is None or mean[_PEAK].sum() < _AT_PEAK * mean.sum():
        return None
    at_night = [np.roll(mean, -2 * hours)[_NIGHT].sum() for hours in _SHIFTS]
    best = int(np.argmax(at_night))
    return _SHIFTS[best] if at_night[best] > _AT_NIGHT * mean.sum() else None


_SHIFTS = sorted(range(-11, 13), key=abs)
"""Hours, the smallest first: of several that fit alike it is taken."""


def _mean_day(slots: pl.DataFrame, column: str, zone: str) -> Values | None:
    """Return the mean of a column in each half hour of the local day; None where few days or no energy are known."""
    local = pl.col("starts_at").dt.convert_time_zone(zone)
    slot = (local.dt.hour().cast(pl.Int64) * 2 + local.dt.minute() // 30).alias("slot")
    means = slots.drop_nulls(column).group_by(slot).agg(pl.col(column).mean(), pl.len()).sort("slot")
    mean, counted = means[column].to_numpy(), means["len"].to_numpy()
    return mean if len(mean) == _SLOTS and counted.min() >= _FEWEST_DAYS and mean.any() else None


def _correlation(shape: Values) -> float:
    return float(np.corrcoef(shape, _USUAL_DAY)[0, 1]) if shape.std() > 0 else 0.0
