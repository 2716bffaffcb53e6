"""Billing periods cut into runs of days that no plan tells apart, and one household over them."""

from __future__ import annotations

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.model import Period
from toolkit.analytics.energy.compare.rows import MONTH_UNITS, Season
from toolkit.analytics.energy.intervals.matrix import IntervalMatrix, first_covering
from toolkit.analytics.energy.rates.model import Bands, Clock

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_MONTHS_BEFORE_1970 = 1970 * 12


@dataclass(frozen=True, slots=True)
class Runs:
    """The same for every household. A run lies in one billing period and one month.

    starts: first day of each run. periods, months: of each run. lengths: its days. shares: its days in `MONTH_UNITS` of
    a month. openings: the first run of each period. assigned: [season, run] → number of the tariff that covers it.
    active: [days of the market, run], whether that tariff is theirs.
    """

    last: date
    starts: Ints
    lengths: Ints
    shares: Ints
    periods: Ints
    months: Ints
    openings: Ints
    assigned: Ints
    active: Bools

    @property
    def count(self) -> int:
        """How many periods."""
        return len(self.openings)

    def by_period(self, by_run: Ints) -> Ints:
        """[…, run] → […, period]."""
        return np.add.reduceat(by_run, self.openings, axis=-1)


def runs_of(seasons: Sequence[Season], days: Ints, periods: Sequence[Period]) -> Runs:
    """Runs of days between which neither period, month nor any season changes. days: as in `Market`."""
    first, last = periods[0].first, periods[-1].last
    dates = np.arange(np.datetime64(first, "D"), np.datetime64(last, "D") + 1)
    begun = np.array([np.datetime64(period.first, "D") for period in periods])
    period = np.searchsorted(begun, dates, side="right") - 1
    month = dates.astype("datetime64[M]").astype(np.int64) + _MONTHS_BEFORE_1970
    by_day = [first_covering(spans, first, len(dates)) for _, spans in seasons]
    marks = np.vstack([period, month, *by_day])
    changes = np.flatnonzero((marks[:, 1:] != marks[:, :-1]).any(axis=0)) + 1
    starts = np.concatenate([[0], changes]).astype(np.int64)
    lengths = np.diff(np.append(starts, len(dates)))
    assigned, (season, number) = marks[2:, starts], days.T
    in_month = np.array([_month_length(int(month[start])) for start in starts])
    return Runs(
        last=last,
        starts=starts,
        lengths=lengths,
        shares=lengths * (MONTH_UNITS // in_month),
        periods=period[starts],
        months=month[starts],
        openings=np.searchsorted(period[starts], np.arange(len(periods))),
        assigned=assigned,
        active=assigned[season] == number[:, None],
    )


def _month_length(month: int) -> int:
    return calendar.monthrange(month // 12, month % 12 + 1)[1]


@dataclass(frozen=True, slots=True)
class Home:
    """matrices: by clock, all sliced over the days of the runs."""

    matrices: Mapping[Clock, IntervalMatrix]
    runs: Runs

    def summed(self, daily: Ints) -> Ints:
        """[day, …] → [run, …]."""
        return np.add.reduceat(daily, self.runs.starts, axis=0)

    def highest(self, clock: Clock, bands: Bands) -> tuple[Ints, Bools]:
        """[run] → highest half hour inside the windows in 10^-9 kW, -1 unknown; and whether a window opens at all."""
        found = np.maximum.reduceat(self.matrices[clock].highest(bands), self.runs.starts)
        return np.maximum(found, -1), found >= -1
