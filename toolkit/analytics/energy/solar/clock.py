"""Whether the clock of a file fits the sun: a wrong time zone, or daylight saving that should not be there.

With a battery, a likelihood over 24 clocks decides.
A battery moves what panels and people do, but not all of it: export ends with the sun, the morning's import ends soon
after sunrise, import changes from half hour to half hour while people are awake or clouds pass. Each weight is how
much a share or level in one hour before or after sunrise, or sunset, speaks for a clock; the sum is a logarithm of
likelihood (a conditional logit). None decides by itself, so neither does a battery that sells, nor do odd hours.

The weights were fitted on 1,200 years of generated homes (`tests/truth/solar`, seeds of their own from 910,000 to
940,012): every other with a battery, a quarter with the measured load of one of 101 homes, an eighth with a vehicle
that charges at night, and an eighth with people whose hours are up to three hours, or any hours, from the usual ones.
`toolkit/docs/reliability.md` states how they do on homes never used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.solar.climate import CITIES, City
from toolkit.analytics.energy.solar.day_matrix import IDLE_KWH, SLOTS, Days, battery_suspected, matrix_of
from toolkit.analytics.energy.solar.inference import envelope_misfit
from toolkit.analytics.energy.solar.roofs import CANDIDATES, clear_kwh

__all__ = [
    "ClockError",
    "clock_error",
    "exports_in_the_dark",
    "found_at",
    "generation_clock_error",
    "hours_off_noon",
]

Values = NDArray[np.float64]
Found = TypeVar("Found")

_ENDS = tuple(place for place in CITIES if place.name in ("Sydney", "Perth"))
"""Where the sun is early and late: most homes are between them."""

_FEWEST_DAYS = 200
_HOURS = tuple(hours for hours in range(-11, 13) if abs(hours) >= 2)
_ROUGH = 0.1
"""Misfit below which no clock can be hours off."""
_BETTER, _FITS = 0.6, 0.35
"""Share of the misfit that is left where another clock explains the export, and the most that it may be. With the right
one the share is near 1 or more, unless a battery sells in the evening or leaves little to export."""
_EXPORTED_IN_THE_DARK = 0.005
"""Share of the export in the dark from which a clock is wrong, or a battery sells."""
_EVENING = (60, 165)
"""Degrees of the hour angle: 16:00 to 23:00 by the sun, when batteries sell."""
_DEEP_NIGHT, _FEWEST_NIGHTS = -0.25, 60
_SERVED = 0.3
"""Share of the nights on which hardly anything is bought at one time of the deep night, from which a battery serves it.
Under the clock of a home without one it is hardly above 0."""
_DAYS_AROUND_CHANGE, FEWEST_AROUND_CHANGE = 42, 12
"""Days before and after a change of clocks that are compared, and how many of each must export."""
_LATER, _EARLIER = 0.57, -0.66
"""Hours by which export moves when daylight saving begins: between those of right and of wrong clocks. Of 480 files of
generated homes with right ones, half of them with people, pools and machines by local time, 479 lie between -0.57 and
0.52 (where a pool pump takes the middle of the day); of those an hour late 472 lie above, of those an hour early 474
below."""
_ROOFS = CANDIDATES[::2]
_OFF_NOON = 0.75
"""Hours between noon by the sun and the middle of export or generation from which a roof facing north is unlikely."""
_MOST_OFF_NOON = 1.75
"""Hours by which the middle of generation is from noon at most, whatever way a roof faces."""
_FEWEST_GENERATING, _FEWEST_KWH = 10, 10.0
_DARK = -0.07
"""Sine of the sun's elevation below which a half hour lies wholly before sunrise or after sunset."""
_IN_THE_DARK = 0.01
"""Share of generation in the dark from which a clock is wrong; a right one's is that of rounding."""
_LEFT_IN_THE_DARK = 0.1
"""Share of that which another clock may leave: a battery that serves the night leaves more under any."""

_SHIFTS = np.arange(-12, 12)
_LEAST_SHIFT = 3
_SURE, _SURE_OF_PART, _YEAR = 4.5, 6.0, 330
"""Logarithm by which another clock has to be likelier than the file's, in so many days and in fewer: right files of
1,584 homes that the weights were not fitted on reach 4.3 in a year, and 5.0 in 205 days."""
_EXPORTING_KWH = 0.05
"""A half hour that exports."""
_LEAST_KWH_EXPORTED, _MOST_EXPORTED = 0.3, 0.5
"""Export of a day that counts, and the share of all days, those that export most, that show the hours of export."""
_MOST_ROUGH = 3.0
_FROM_HOUR, _TO_HOUR = -19, 18
"""Hours around sunrise and sunset that are looked at: those of the weights, by any of the shifts."""

_AROUND_SUNRISE = np.array(
    (
        (-0.2, -0.2, -0.4, 0.1, -1.7, -1.0, 2.0, 0.7, 0.1, -0.3, 0.3),
        (0.5, -0.6, -1.6, -0.7, -1.8, 0.5, 0.3, 0.2, 1.3, 1.2, 0.8),
        (0.8, -0.5, -1.0, -1.6, 1.7, 1.8, -2.0, -0.7, 0.1, -0.1, 0.5),
        (-0.1, -3.0, -1.1, -1.7, -4.2, 3.3, 0.6, 0.1, -0.5, -1.2, 1.0),
        (-0.1, -0.1, -0.2, -0.1, -0.5, -0.8, -0.2, -0.2, 0.3, 0.3, 0.6),
        (1.4, 0.4, -0.5, -1.0, -2.5, 0.5, 1.0, 1.2, 1.6, 0.6, -0.2),
    )
)
"""Weights by quantity (`_quantities`) and hour, the first of which is five hours before sunrise."""
_AROUND_SUNSET = np.array(
    (
        (-0.1, 0.6, 0.8, 1.7, 1.9, 2.1, -2.2, -1.8, -0.2, -0.8, -0.7, -0.4, -0.3),
        (0.6, 0.2, 0.6, 0.9, 0.8, 1.1, 0.3, 0.4, 0.2, 0.0, -0.6, -2.3, -0.1),
        (1.3, 0.8, -0.4, -1.3, -1.6, -1.7, 1.5, 0.1, -0.2, 0.0, 0.0, -1.4, -0.6),
        (0.4, -0.2, -0.1, 0.5, -0.4, -1.7, 3.7, -2.5, -1.6, 0.2, -1.6, 1.8, 0.3),
        (0.0, 0.1, 0.4, -0.1, -0.8, -0.2, 1.0, 1.1, 0.9, 0.0, -0.4, -0.3, -0.2),
        (0.1, -0.2, 0.0, -0.3, -0.9, -1.0, -0.5, 0.8, 0.2, 0.6, 0.7, -2.7, -0.5),
    )
)
"""As `_AROUND_SUNRISE`; the first hour is seven hours before sunset."""
_BEFORE_SUNRISE, _BEFORE_SUNSET = 5, 7


@dataclass(frozen=True, slots=True)
class ClockError:
    """hours: how far the file's clock is ahead of the sun's; summer: only while daylight saving is in force."""

    hours: int
    summer: bool = False


def found_at(
    place: City | None, judge: Callable[[pl.DataFrame, City], Found | None], slots: pl.DataFrame
) -> Found | None:
    """Return what a judge of a clock finds at a place; where that is not known, only what holds at all places.

    The sun is two hours later in Perth than in Sydney, so a right file of one would be a wrong one of the other.
    """
    if place is not None:
        return judge(slots, place)
    first = judge(slots, _ENDS[0])
    return None if first is None or any(judge(slots, end) is None for end in _ENDS[1:]) else first


def clock_error(slots: pl.DataFrame, city: City) -> ClockError | None:
    """Return how the clock of half hours (`half_hours`) with export is off; None where it fits, or too little shows.

    A constant hour or two is not found: a roof that faces east or west looks the same. Daylight saving is, because no
    roof turns in October and April. The former takes 200 days, the latter a fortnight of export on both sides of a
    change, and no battery: the hour from which one is full moves as the days grow longer.
    """
    if slots.is_empty() or not slots["export_kwh"].sum():
        return None
    days = matrix_of(slots, city)
    has_battery = battery_suspected(days) or _is_served_at_night(days, days.bought)
    return _constant_error(days) or _likelier_clock(days) or (None if has_battery else _summer_error(days))


def generation_clock_error(slots: pl.DataFrame, city: City) -> ClockError | None:
    """Return how the clock of half hours of generation, as `export_kwh`, is off; None where it fits.

    Panels generate nothing in the dark, whatever way they face: some days in ten show a clock that is hours off. Of the
    clocks that leave nothing in the dark the one with the middle of generation nearest to noon is taken. On the long
    days of summer that middle alone shows it. An hour or two may also be the roof: see `hours_off_noon`.
    """
    if slots.is_empty():
        return None
    days = matrix_of(slots, city)
    made = np.nan_to_num(days.sold)
    by_day = made.reshape(-1, SLOTS).sum(axis=1)
    if made.sum() < _FEWEST_KWH or (by_day > 0).sum() < _FEWEST_GENERATING:
        return None
    dark = days.sun.up < _DARK
    still = made[dark].sum() / made.sum()
    if still < _IN_THE_DARK:
        centre, by_day = _centres(days)
        hours = float(np.average(centre, weights=by_day))
        return ClockError(round(hours)) if abs(hours) > _MOST_OFF_NOON else _summer_error(days)
    middles = {}
    for hours in (0, *_HOURS, -1, 1):
        moved = np.roll(made, -2 * hours)
        if moved[dark].sum() <= _LEFT_IN_THE_DARK * still * made.sum():
            middles[hours] = abs(np.average(days.hour_angle, weights=np.sqrt(moved)))
    hours = min(middles, key=lambda shift: middles[shift], default=0)
    return ClockError(hours) if hours else _summer_error(days)


def _constant_error(days: Days) -> ClockError | None:
    """Look for the clock that explains the export, where the file's has some of it in the dark and the other has none.

    Not so where only an evening's export is in the dark and, by the other clock, a battery would serve the night, nor
    where everything else speaks for the file's clock: a battery that sells looks like a clock that is late, most so
    under a roof that faces west.
    """
    if days.count < _FEWEST_DAYS or _in_the_dark(days, days.sold) < _EXPORTED_IN_THE_DARK:
        return None
    clear = clear_kwh(days.sun, _ROOFS)
    still = envelope_misfit(days, clear)
    if still is None or still <= _ROUGH:
        return None
    by_hours = {hours: _misfit(days, np.roll(clear, 2 * hours, axis=1)) for hours in _HOURS}
    hours = min(by_hours, key=lambda shift: by_hours[shift])
    if by_hours[hours] > min(_BETTER * still, _FITS):
        return None
    if _in_the_dark(days, np.roll(days.sold, -2 * hours)) > _EXPORTED_IN_THE_DARK:
        return None
    evening = (days.hour_angle > _EVENING[0]) & (days.hour_angle < _EVENING[1])
    at_night = _in_the_dark(days, np.where(evening, 0, days.sold)) >= _EXPORTED_IN_THE_DARK
    is_sure = at_night or not _is_served_at_night(days, np.roll(days.bought, -2 * hours))
    return ClockError(hours) if is_sure and not _is_unlikely(days, hours) else None


def _likelier_clock(days: Days) -> ClockError | None:
    """Look for a clock that is three hours off or more, whatever a battery takes from the export or adds to it."""
    hours = _likeliest_shift(days) if days.count >= _FEWEST_DAYS else None
    return None if hours is None else ClockError(hours)


def _likeliest_shift(days: Days) -> int | None:
    """Return by how many hours the file's clock is ahead of the likeliest one; None where that is not sure.

    Only three hours and more are returned: one or two are also a roof that faces east or west.
    """
    found = _likelihoods(days)
    if found is None:
        return None
    far = np.abs(_SHIFTS) >= _LEAST_SHIFT
    best = int(np.where(far, found, -np.inf).argmax())
    sure = _SURE if days.count >= _YEAR else _SURE_OF_PART
    return int(_SHIFTS[best]) if found[best] - found[_SHIFTS == 0][0] > sure else None


def _is_unlikely(days: Days, hours: int) -> bool:
    """Return whether the file's clock is surely likelier than any that is `hours` away or more, either way."""
    found = _likelihoods(days)
    if found is None:
        return False
    far = np.abs(_SHIFTS) >= min(abs(hours), _LEAST_SHIFT)
    return bool(found[_SHIFTS == 0][0] - found[far].max() > _SURE)


def _likelihoods(days: Days) -> Values | None:
    """Return the logarithm of the likelihood that the clock is ahead by each of `_SHIFTS`; None without export."""
    quantities = _quantities(days)
    if quantities is None:
        return None
    is_up = (days.sun.up > 0).reshape(-1, SLOTS)
    sunrise, sunset = is_up.argmax(axis=1), SLOTS - is_up[:, ::-1].argmax(axis=1)
    total = np.zeros(len(_SHIFTS))
    for turn, before, weights in (
        (sunrise, _BEFORE_SUNRISE, _AROUND_SUNRISE),
        (sunset, _BEFORE_SUNSET, _AROUND_SUNSET),
    ):
        hourly = _means_by_hour(turn, *quantities)
        for place, shift in enumerate(_SHIFTS):
            first = shift - before - _FROM_HOUR
            total[place] += (weights * hourly[:, first : first + weights.shape[1]]).sum()
    return total


def _quantities(days: Days) -> tuple[Values, Values] | None:
    """Return what the weights are of, and how much each half hour counts [quantity, day, half hour].

    Quantities: exports; buys nothing; root of what it buys, and how much that changes from half hour to half hour, over
    the mean of the former; root of what it sells over its mean; buys nothing. The first and last are of sunny days.
    """
    bought, sold = np.nan_to_num(days.bought), np.nan_to_num(days.sold)
    known = ~(np.isnan(days.bought) | np.isnan(days.sold))
    by_day = sold.reshape(-1, SLOTS).sum(axis=1)
    if by_day.max() <= _LEAST_KWH_EXPORTED:
        return None
    sunny = known & np.repeat(by_day >= max(_LEAST_KWH_EXPORTED, float(np.quantile(by_day, _MOST_EXPORTED))), SLOTS)
    mean_bought, mean_sold = (float(energy[known].mean()) + 1e-6 for energy in (bought, sold))
    changes = np.minimum(np.abs(np.diff(bought, prepend=bought[:1])) / mean_bought, _MOST_ROUGH)
    is_idle = (bought < IDLE_KWH).astype(float)
    exports = (sold > _EXPORTING_KWH).astype(float)
    of_all = [is_idle, np.sqrt(bought / mean_bought), changes, np.sqrt(sold / mean_sold)]
    return np.array([exports, *of_all, is_idle]), np.array([sunny, known, known, known, known, sunny], dtype=float)


def _means_by_hour(turn: NDArray[np.int64], quantities: Values, counts: Values) -> Values:
    """Return means of quantities by hour, from `_FROM_HOUR` to `_TO_HOUR`, around the half hour `turn` of each day."""
    around = np.arange(2 * _FROM_HOUR, 2 * _TO_HOUR)
    places = (np.arange(len(turn)) * SLOTS + turn)[:, None] + around
    counted = counts.take(places, axis=1, mode="wrap")
    sums = (quantities.take(places, axis=1, mode="wrap") * counted).sum(axis=1)
    means = sums / np.maximum(counted.sum(axis=1), 1)
    return np.asarray(means.reshape(len(quantities), -1, 2).mean(axis=2))


def _in_the_dark(days: Days, sold: Values) -> float:
    """Return the share of the home's export that is `sold` while the sun is down."""
    return float(np.nansum(sold[days.sun.up < _DARK]) / np.nansum(days.sold))


def exports_in_the_dark(slots: pl.DataFrame, city: City) -> bool:
    """Return whether half hours (`half_hours`) export while the sun is down: by a right clock, from a battery alone."""
    if slots.is_empty() or not slots["export_kwh"].sum():
        return False
    days = matrix_of(slots, city)
    return _in_the_dark(days, days.sold) >= _EXPORTED_IN_THE_DARK


def _is_served_at_night(days: Days, bought: Values) -> bool:
    """Return whether at some time of the night the home often buys nothing."""
    night = ((days.sun.up < _DEEP_NIGHT) & ~np.isnan(bought)).reshape(-1, SLOTS)
    idle = night & (bought < IDLE_KWH).reshape(-1, SLOTS)
    nights = night.sum(axis=0)
    counted = nights >= _FEWEST_NIGHTS
    return bool((idle.sum(axis=0) > _SERVED * nights)[counted].any())


def _misfit(days: Days, clear: Values) -> float:
    found = envelope_misfit(days, clear)
    return 1.0 if found is None else found


def _summer_error(days: Days) -> ClockError | None:
    """Compare the solar time around which each day exports, in the weeks before and after the clocks change.

    Cloud, roof and season hardly move its mean over six weeks by more than some minutes; a clock that follows daylight
    saving moves it by an hour, less what people's own hour does: their morning and evening move the other way.
    """
    centre, exported = _centres(days)
    steps = [
        step if change.month > 6 else -step
        for change in _changes(days.first, days.count)
        if (step := _step(centre, exported, (change - days.first).days)) is not None
    ]
    if not steps:
        return None
    step = float(np.mean(steps))
    if step > _LATER:
        return ClockError(1, summer=True)
    return ClockError(-1, summer=True) if step < _EARLIER else None


def hours_off_noon(slots: pl.DataFrame, city: City) -> float | None:
    """Return by how many hours the middle of the export of half hours is after solar noon.

    None where none is known, or so few that a roof facing north explains them.
    """
    if slots.is_empty() or not slots["export_kwh"].sum():
        return None
    centre, exported = _centres(matrix_of(slots, city))
    hours = float(np.average(centre, weights=exported))
    return hours if abs(hours) >= _OFF_NOON else None


def _centres(days: Days) -> tuple[Values, Values]:
    """Return the solar time around which each day exports, hours after noon, and what it exports [kWh]."""
    sold = np.nan_to_num(days.sold).reshape(-1, SLOTS)
    weight = np.sqrt(sold)  # evens out what use takes away at midday
    hours = days.hour_angle.reshape(-1, SLOTS) / 15
    return (weight * hours).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-9), sold.sum(axis=1)


def _step(centre: Values, exported: Values, at: int) -> float | None:
    """Return by how many hours the days from `at` on export later than those before it; None where few export."""
    days = np.arange(max(at - _DAYS_AROUND_CHANGE, 0), min(at + _DAYS_AROUND_CHANGE, len(centre)))
    near = 1 - np.abs(days - at + 0.5) / (_DAYS_AROUND_CHANGE + 1)
    weight = np.minimum(exported[days], np.quantile(exported[days], 0.8)) * near
    sides = [(days < at) & (weight > 0), (days >= at) & (weight > 0)]
    if min(side.sum() for side in sides) < FEWEST_AROUND_CHANGE:
        return None
    before, after = (float(np.average(centre[days[side]], weights=weight[side])) for side in sides)
    return after - before


def _changes(first: date, count: int) -> list[date]:
    """Return the days within `count` from `first` on which daylight saving begins or ends: first Sundays, by AEST."""
    last = first + timedelta(count - 1)
    months = [date(year, month, 1) for year in range(first.year, last.year + 1) for month in (4, 10)]
    sundays = [month + timedelta((6 - month.weekday()) % 7) for month in months]
    return [day for day in sundays if first < day <= last]
