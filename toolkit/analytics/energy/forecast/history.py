"""The household's past days, ready to be drawn from: complete or not, of which kind, at which level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills import IntervalMatrix, Usage
from toolkit.analytics.energy.intervals.matrix import Role
from toolkit.analytics.energy.rates import Rates
from toolkit.analytics.energy.rates.model import PlanTimeZone

__all__ = ["YEAR", "History", "history_of", "levelled"]

YEAR = 364
"""Days: a year that keeps the weekday."""

_USABLE_GAP = 120
"""Minutes that may be missing in a day that still counts as metered; the last local day may lack the hour or two by
which local time is off the meter's."""

_RECENT = 28
_CLIP = (0.5, 2.0)
_WEATHER_RUNS = 6
"""Correlated days: neighbouring days share their weather, so four weeks are worth five
independent days."""

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Matrices = Mapping[PlanTimeZone, IntervalMatrix]


@dataclass(frozen=True, slots=True)
class History:
    """Days from `first` of the plan's time zone, one row each; matrices: by the time zones that the plan names.

    metered: the day's reads count as they are. complete: nothing is missing and the day has 24 hours, so that it can
    substitute another. weekend: Saturday, Sunday, public holiday.
    """

    first: date
    time_zone: PlanTimeZone
    matrices: Matrices
    metered: Flags
    complete: Flags
    weekend: Flags
    holidays: frozenset[date]

    @property
    def days(self) -> int:
        """Days of the history, metered or not."""
        return len(self.metered)

    def row(self, day: date) -> int:
        """Return the row of a day; outside the history it is negative or at least `days`."""
        return (day - self.first).days

    def is_metered(self, day: date) -> bool:
        """Return whether the day's reads count as they are; False outside the history."""
        return 0 <= self.row(day) < self.days and bool(self.metered[self.row(day)])

    def is_weekend(self, day: date) -> bool:
        """Return whether the day is a Saturday, Sunday or public holiday."""
        return day.weekday() >= 5 or day in self.holidays

    @property
    def metered_through(self) -> date | None:
        """The last metered day; None where there is none."""
        rows = np.flatnonzero(self.metered)
        return self.first + timedelta(int(rows[-1])) if rows.size else None


def history_of(usage: Usage, rates: Rates, today: date, holidays: frozenset[date] = frozenset()) -> History:
    """All days with reads up to `today`, on the plan's time zone; later reads are not looked at."""
    time_zones: set[PlanTimeZone] = {rates.time_zone, *(tariff.time_zone for _, tariff in rates.tariffs())}
    time_zones |= {charge.time_zone for charge in rates.demands}
    main = usage.matrix(rates.time_zone)
    last = min(main.first + timedelta(main.days - 1), today)
    if main.days == 0 or last < main.first:
        none = np.zeros(0, dtype=np.bool_)
        return History(
            today,
            rates.time_zone,
            {time_zone: IntervalMatrix.empty() for time_zone in time_zones},
            none,
            none,
            none,
            holidays,
        )
    matrices = {
        time_zone: usage.matrix(time_zone, rates.time_zone).sliced(main.first, last, holidays)
        for time_zone in time_zones
    }
    sliced = matrices[rates.time_zone]
    missing, expected = sliced.missing, sliced.expected
    dates = sliced.dates
    return History(
        first=main.first,
        time_zone=rates.time_zone,
        matrices=matrices,
        metered=missing <= _USABLE_GAP,
        complete=(missing == 0) & (expected == 1440),
        weekend=np.array([day.weekday() >= 5 or day in holidays for day in dates], dtype=np.bool_),
        holidays=holidays,
    )


def levelled(history: History, known: int) -> Matrices:
    """The matrices twice over: days as they were, then the same days at today's level (see `level`), by kind of energy.

    known: rows before it count as known.
    """
    matrix = history.matrices[history.time_zone]
    ratios = {role: level(history, matrix.total(role), known) for role in matrix.energy}
    return {time_zone: _twice(each, ratios) for time_zone, each in history.matrices.items()}


def level(history: History, energy: Ints, known: int) -> float:
    """The last four weeks over the same four weeks a year before, as far as it is more than the weather's doing.

    Shrunk towards 1 by the share of its square that noise would give (James and Stein), and kept between a half and
    double. 1 where three of the four weeks are not known in both years.
    """
    now = np.arange(max(known - _RECENT, YEAR), known)
    sound = history.metered[now] & history.metered[now - YEAR]
    this_year, last_year = energy[now[sound]].astype(np.float64), energy[now[sound] - YEAR].astype(np.float64)
    if sound.sum() < _RECENT * 3 // 4 or this_year.sum() <= 0 or last_year.sum() <= 0:
        return 1.0
    log_ratio = float(np.log(this_year.sum() / last_year.sum()))
    noise = _WEATHER_RUNS * (_relative_variance(this_year) + _relative_variance(last_year)) / len(this_year)
    kept = max(1 - noise / log_ratio**2, 0.0) if log_ratio else 0.0
    return float(np.clip(np.exp(kept * log_ratio), *_CLIP))


def _relative_variance(values: NDArray[np.float64]) -> float:
    return float(values.var() / values.mean() ** 2)


def _twice(matrix: IntervalMatrix, ratios: Mapping[Role, float]) -> IntervalMatrix:
    general = ratios["general"]
    return matrix.with_days(
        energy={role: _stacked(cells, ratios[role]) for role, cells in matrix.energy.items()},
        untimed={role: _stacked(cells, ratios[role]) for role, cells in matrix.untimed.items()},
        demand=np.concatenate([matrix.demand, np.where(matrix.demand < 0, -1, _scaled(matrix.demand, general))]),
        measured=np.concatenate([matrix.measured, _scaled(matrix.measured, general)]),
        missing=np.tile(matrix.missing, 2),
        expected=np.tile(matrix.expected, 2),
        own=None if matrix.own is None else np.tile(matrix.own, (2, 1)),
    )


def _stacked(cells: Ints, ratio: float) -> Ints:
    return np.concatenate([cells, _scaled(cells, ratio)])


def _scaled(cells: Ints, ratio: float) -> Ints:
    return cells if ratio == 1.0 else np.rint(cells * ratio).astype(np.int64)
