"""One household over its billing periods, cut into runs of days that no plan tells apart."""

from __future__ import annotations

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.grid import DayGrid
from toolkit.analytics.energy.bills.model import Period
from toolkit.analytics.energy.compare.rows import MONTH_UNITS, Season
from toolkit.analytics.energy.rates.model import Bands, Clock

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_MONTHS_BEFORE_1970 = 1970 * 12


@dataclass(frozen=True, slots=True)
class Home:
    """grids: by clock, all framed over the same days. assigned: [season, run] → number of the tariff that covers it.

    starts: first day of each run. periods, months: of each run; a run lies in one billing period and one month.
    lengths: its days. shares: its days in `MONTH_UNITS` of a month.
    """

    grids: Mapping[Clock, DayGrid]
    starts: Ints
    lengths: Ints
    shares: Ints
    periods: Ints
    months: Ints
    assigned: Ints
    count: int

    @property
    def last(self) -> date:
        grid = next(iter(self.grids.values()))
        return grid.first + timedelta(grid.days - 1)

    def summed(self, daily: Ints) -> Ints:
        """[day, …] → [run, …]."""
        return np.add.reduceat(daily, self.starts, axis=0)

    def highest(self, daily: Ints) -> Ints:
        return np.maximum.reduceat(daily, self.starts, axis=0)


def home_of(grids: Mapping[Clock, DayGrid], seasons: Sequence[Season], periods: Sequence[Period]) -> Home:
    """Runs of days between which neither period, month nor any season changes."""
    any_grid = next(iter(grids.values()))
    days = np.datetime64(any_grid.first, "D") + np.arange(any_grid.days)
    begun = np.array([np.datetime64(period.first, "D") for period in periods])
    period = np.searchsorted(begun, days, side="right") - 1
    month = days.astype("datetime64[M]").astype(np.int64) + _MONTHS_BEFORE_1970
    by_day = np.array([grids[clock].assigned(spans) for clock, spans in seasons]).reshape(len(seasons), len(days))
    marks = np.vstack([period, month, by_day])
    changes = np.flatnonzero((marks[:, 1:] != marks[:, :-1]).any(axis=0)) + 1
    starts = np.concatenate([[0], changes]).astype(np.int64)
    lengths = np.diff(np.append(starts, len(days)))
    in_month = np.array([_month_length(int(month[start])) for start in starts])
    return Home(
        grids=grids,
        starts=starts,
        lengths=lengths,
        shares=lengths * (MONTH_UNITS // in_month),
        periods=period[starts],
        months=month[starts],
        assigned=by_day[:, starts],
        count=len(periods),
    )


def _month_length(month: int) -> int:
    return calendar.monthrange(month // 12, month % 12 + 1)[1]


def demand_by_run(home: Home, clock: Clock, bands: Bands) -> tuple[Ints, Bools]:
    """[run] → highest half hour inside the windows in 10^-9 kW, -1 unknown; and whether a window opens at all."""
    highest = home.highest(home.grids[clock].highest(bands))
    return np.maximum(highest, -1), highest >= -1
