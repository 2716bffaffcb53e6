"""The household's past days, ready to be drawn from: complete or not, of which kind, with which energy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.bills import IntervalMatrix, Usage
from toolkit.analytics.energy.intervals.billed import BILLED
from toolkit.analytics.energy.intervals.matrix import ROLES, Role
from toolkit.analytics.energy.rates import Rates
from toolkit.analytics.energy.rates.model import PlanTimeZone

__all__ = ["YEAR", "DailyUse", "History", "history_of", "with_time_zones_of"]

YEAR = 364
"""Days: a year that keeps the weekday."""

_USABLE_GAP = 120
"""Minutes that may be missing in a day that still counts as metered; the last local day may lack the hour or two by
which local time is off the meter's."""

_BLOCKS = 6
"""Parts of the day of four hours each: a change of people shows in most of them, one of the weather in few."""
_DARK_HOURS = (*range(7), *range(18, 24))
_WINDOW, _USUAL, _AWAY = 150, 60, 0.35
"""Days around, percentile of them that is usual, and the share of it below which a day's activity is nobody's."""
_NEAR_DAYS, _AWAY_NEAR, _BUSY_NEAR = 14, 0.45, 0.65
"""Days before and after; the share of their activity, and of the share of the day's energy that it has there, below
which a day is an empty home's: where heating ends, what is left is as much of the day as before."""
_LONGEST_AWAY = 48
"""Days; a home empty for longer is not on holiday."""

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Matrices = Mapping[PlanTimeZone, IntervalMatrix]


@dataclass(frozen=True, slots=True)
class DailyUse:
    """Energy of the days in 10^-9 kWh or MJ. energy: role → [day]. blocks: [day, part of the day], general import.

    activity: [day], general import above the quietest quarter of the day's half hours; of whole-day reads, all of it.
    busy: [day], its share of the day; of whole-day reads their energy.
    """

    energy: Mapping[Role, Floats]
    blocks: Floats
    activity: Floats
    busy: Floats

    @classmethod
    def of(cls, matrix: IntervalMatrix) -> DailyUse:
        """Sum up a matrix with windows read on its own days."""
        energy = {role: matrix.total(role).astype(np.float64) for role in ROLES}
        slots, untimed = matrix.energy["general"].astype(np.float64), matrix.untimed["general"]
        if untimed.any() or not slots.shape[1]:
            return cls(energy, energy["general"][:, None], energy["general"], energy["general"])
        hours = slots.reshape(len(slots), 24, -1).sum(axis=2)  # some meters read by the hour
        if energy["export"].any():
            hours = hours[:, _DARK_HOURS]  # by day the panels cover what people do
        quiet = np.quantile(hours, 0.25, axis=1, keepdims=True) if len(hours) else 0.0
        activity = np.maximum(hours - quiet, 0.0).sum(axis=1)
        busy = activity / np.maximum(hours.sum(axis=1), 1.0)
        return cls(energy, slots.reshape(len(slots), _BLOCKS, -1).sum(axis=2), activity, busy)

    def away(self, metered: Flags, known: int) -> Flags:
        """Return [day before `known`], whether nobody seems to be home: three days to seven weeks without activity."""
        away = np.zeros(known, dtype=np.bool_)
        if known < 3 or not self.activity[:known].any():
            return away
        activity = np.where(metered[:known], self.activity[:known], np.nan)
        window = min(_WINDOW, known)
        starts = np.unique(np.append(np.arange(0, known - window + 1, 7), known - window))
        around = np.lib.stride_tricks.sliding_window_view(activity, window)[starts]
        usual = _percentile(around, _USUAL)
        usual = np.interp(np.clip(np.arange(known) - window // 2, 0, known - window), starts, usual)
        padded = np.concatenate([[np.nan], activity, [np.nan]])
        smooth = _percentile(np.lib.stride_tricks.sliding_window_view(padded, 3), 50)
        low = np.concatenate([[0], (smooth < _AWAY * usual).astype(np.int64), [0]])
        turns, others = np.flatnonzero(np.diff(low)), metered[:known] & (low[1:-1] == 0)
        for first, end in zip(turns[::2], turns[1::2], strict=True):
            if 3 <= end - first <= _LONGEST_AWAY and self._is_quiet(slice(first, end), others):
                away[max(first - 1, 0) : end + 1] = True  # the days of leaving and coming back, where they are quiet
        return np.asarray(away & (activity < 2 * _AWAY * usual))

    def _is_quiet(self, days: slice, others: Flags) -> bool:
        """Return whether days differ from the weeks around them as an empty home does, not as one without heating."""
        around = np.concatenate(
            [
                np.flatnonzero(others[: days.start])[-_NEAR_DAYS:],
                np.flatnonzero(others[days.stop :])[:_NEAR_DAYS] + days.stop,
            ]
        )
        if not around.size:
            return True
        levels = ((self.activity, _AWAY_NEAR), (self.busy, _BUSY_NEAR))
        return all(float(np.median(each[days])) < share * float(np.median(each[around])) for each, share in levels)


def _percentile(values: Floats, percent: float) -> Floats:
    """Return the percentile of each row's numbers; those without any stay NaN."""
    # NaN sorts last; numpy's own nanpercentile takes a Python call a row.
    ordered, counts = np.sort(values, axis=1), (~np.isnan(values)).sum(axis=1)
    at = np.maximum(np.rint((counts - 1) * percent / 100), 0).astype(np.int64)
    return np.asarray(ordered[np.arange(len(values)), at])


@dataclass(frozen=True, slots=True)
class History:
    """Days from `first` of the plan's time zone, one row each; matrices: by the time zones that the plan names.

    metered: the day's reads count as they are. complete: nothing is missing and the day has 24 hours, so that it can
    substitute another. weekend: Saturday, Sunday, public holiday. from_bills: the energy of bills is spread evenly over
    their days.
    """

    first: date
    time_zone: PlanTimeZone
    matrices: Matrices
    metered: Flags
    complete: Flags
    weekend: Flags
    holidays: frozenset[date]
    from_bills: bool = False
    as_days: dict[tuple[PlanTimeZone, tuple[int, ...]], IntervalMatrix] = field(default_factory=dict)
    """Cache of the matrices with all rows read as days of one type (see `IntervalMatrix.types`)."""
    _use: list[DailyUse] = field(default_factory=list)
    _at_home: dict[int, Flags] = field(default_factory=dict)

    @property
    def days(self) -> int:
        """Days of the history, metered or not."""
        return len(self.metered)

    @property
    def use(self) -> DailyUse:
        """Return the energy of each day (cached)."""
        if not self._use:
            self._use.append(DailyUse.of(self.matrices[self.time_zone]))
        return self._use[0]

    def at_home(self, known: int) -> Flags:
        """Return [day before `known`], metered and somebody at home, as those days alone show it (cached)."""
        if known not in self._at_home:
            self._at_home[known] = self.metered[:known] & ~self.use.away(self.metered, known)
        return self._at_home[known]

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


def with_time_zones_of(plans: list[Rates], time_zone: PlanTimeZone) -> set[PlanTimeZone]:
    """Return the time zones in which windows of the plans are read, and that in which days are counted."""
    zones: set[PlanTimeZone] = {time_zone}
    for rates in plans:
        zones |= {tariff.time_zone for _, tariff in rates.tariffs()} | {charge.time_zone for charge in rates.demands}
    return zones


def history_of(
    usage: Usage, rates: Rates, today: date, holidays: frozenset[date] = frozenset(), later: tuple[Rates, ...] = ()
) -> History:
    """Return all days with reads up to `today`, on the plan's time zone; later reads are not looked at.

    later: plans that price some of the days to come; their windows may be in other time zones.
    """
    time_zones = with_time_zones_of([rates, *later], rates.time_zone)
    main = usage.matrix(rates.time_zone)
    last = min(main.first + timedelta(main.days - 1), today)
    if main.days == 0 or last < main.first:
        none = np.zeros(0, dtype=np.bool_)
        empty: Matrices = {time_zone: IntervalMatrix.empty() for time_zone in time_zones}
        return History(today, rates.time_zone, empty, none, none, none, holidays)
    matrices = {
        time_zone: usage.matrix(time_zone, rates.time_zone).sliced(main.first, last, holidays)
        for time_zone in time_zones
    }
    sliced = matrices[rates.time_zone]
    missing, expected = sliced.missing, sliced.expected
    return History(
        first=main.first,
        time_zone=rates.time_zone,
        matrices=matrices,
        metered=missing <= _USABLE_GAP,
        complete=(missing == 0) & (expected == 1440),
        weekend=np.array([day.weekday() >= 5 or day in holidays for day in sliced.dates], dtype=np.bool_),
        holidays=holidays,
        from_bills=not usage.rows.filter(pl.col("quality") == BILLED).is_empty(),
    )
