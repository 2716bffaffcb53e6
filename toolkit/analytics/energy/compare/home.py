"""Ranges of days on which no plan of the market changes its prices, and a household's energy over them."""

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
class DayRanges:
    """Billing periods cut into ranges of days, the same for every household. Axis `range` numbers them in order.

    A range lies in one billing period and one calendar month, and no season begins or ends inside it.
    last: the last day of all.
    starts: [range], index of its first day. lengths: [range], number of days.
    shares: [range], its share of the calendar month, in `MONTH_UNITS` of a month.
    periods: [range], index of its billing period. months: [range], calendar month (year × 12 + month − 1).
    openings: [period], the first range of each billing period.
    assigned: [season, range], the number of the tariff that covers the range; -1 for none.
    active: [row of `Market.days`, range], whether the row's own tariff covers the range.
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
        """Return the number of billing periods."""
        return len(self.openings)

    def by_period(self, by_range: Ints) -> Ints:
        """Sum [..., range] over each billing period. Returns [..., period]."""
        return np.add.reduceat(by_range, self.openings, axis=-1)


def day_ranges_of(seasons: Sequence[Season], days: Ints, periods: Sequence[Period]) -> DayRanges:
    """Cut the billing periods wherever the period, the month or any season changes. days: as in `Market`."""
    first, last = periods[0].first, periods[-1].last
    dates = np.arange(np.datetime64(first, "D"), np.datetime64(last, "D") + 1)
    begun = np.array([np.datetime64(period.first, "D") for period in periods])
    period = np.searchsorted(begun, dates, side="right") - 1
    month = dates.astype("datetime64[M]").astype(np.int64) + _MONTHS_BEFORE_1970
    # [period, month, seasons…; day]: a range ends where any row changes from one day to the next.
    by_day = [first_covering(spans, first, len(dates)) for _, spans in seasons]
    marks = np.vstack([period, month, *by_day])
    changes = np.flatnonzero((marks[:, 1:] != marks[:, :-1]).any(axis=0)) + 1
    starts = np.concatenate([[0], changes]).astype(np.int64)
    lengths = np.diff(np.append(starts, len(dates)))
    assigned, (season, number) = marks[2:, starts], days.T
    in_month = np.array([_month_length(int(month[start])) for start in starts])
    return DayRanges(
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
    """One household's energy by clock, over exactly the days of the ranges."""

    matrices: Mapping[Clock, IntervalMatrix]
    ranges: DayRanges

    def summed(self, daily: Ints) -> Ints:
        """Sum [day, ...] over each range. Returns [range, ...]."""
        return np.add.reduceat(daily, self.ranges.starts, axis=0)

    def highest(self, clock: Clock, bands: Bands) -> tuple[Ints, Bools]:
        """Return two [range]: the highest half hour in the windows in 10^-9 kW (-1 unknown), and if a window opens."""
        highest = np.maximum.reduceat(self.matrices[clock].highest(bands), self.ranges.starts)
        return np.maximum(highest, -1), highest >= -1
