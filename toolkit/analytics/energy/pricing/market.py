"""Plans compiled for pricing, the ranges of days that billing periods are cut into, and a household's energy over them.

Charges become arrays once and are used for every household and billing period."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from toolkit.analytics.energy.intervals.matrix import IntervalMatrix, first_covering
from toolkit.analytics.energy.intervals.matrix import Role as MatrixRole
from toolkit.analytics.energy.pricing.arithmetic import Bools, Ints
from toolkit.analytics.energy.pricing.columns import Columns
from toolkit.analytics.energy.pricing.rows import MONTH_UNITS, Clock, Layout, RowReader, Rows, Season
from toolkit.analytics.energy.rates.model import Bands, DayCount, PlanTimeZone, Rates
from toolkit.answers.base import Period

_MONTHS_BEFORE_1970 = 1970 * 12


class BilledDays(NamedTuple):
    """The days of one billing period on which a tariff is charged. period: from the first to the last of them."""

    period: Period
    days: DayCount


@dataclass(frozen=True, slots=True)
class DayRanges:
    """Billing periods cut into ranges of days, the same for every household. Axis `range` numbers them in order.

    A range lies in one billing period and one calendar month, and no season begins or ends inside it.
    """

    billed_periods: tuple[Period, ...]
    """The days that are billed, one a billing period."""
    whole_periods: tuple[Period, ...]
    """The billing periods; another plan may be in force on a part of them."""
    starts: Ints
    """[range], index of its first day."""
    lengths: Ints
    """[range], number of days."""
    shares: Ints
    """[range], its share of the calendar month, in `MONTH_UNITS` of a month."""
    periods: Ints
    """[range], index of its billing period."""
    months: Ints
    """[range], calendar month (year × 12 + month − 1)."""
    openings: Ints
    """[period], the first range of each billing period."""
    billed: Bools
    """[range], whether its days are billed."""
    assigned: Ints
    """[season, range], the number of the tariff that covers the range; -1 for none."""
    covering: Bools
    """[row of `Market.days`, range], whether the row's own tariff covers the range."""
    active: Bools
    """[row of `Market.days`, range], whether it covers the range and its days are billed."""
    _billed_days: dict[int, tuple[BilledDays | None, ...]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Return the number of billing periods."""
        return len(self.openings)

    @property
    def first(self) -> date:
        """Return the first day of all."""
        return self.whole_periods[0].first

    @property
    def last(self) -> date:
        """Return the last day of all."""
        return self.whole_periods[-1].last

    @property
    def whole(self) -> bool:
        """Return whether billing periods are billed as a whole."""
        return self.billed_periods == self.whole_periods

    def by_period(self, by_range: Ints) -> Ints:
        """Sum [..., range] over each billing period. Returns [..., period]."""
        return np.add.reduceat(by_range, self.openings, axis=-1)

    def period_days(self, period: int) -> DayCount:
        """Count the billed days of a billing period."""
        own = self.billed & (self.periods == period)
        return DayCount(int(self.lengths[own].sum()), Fraction(int(self.shares[own].sum()), MONTH_UNITS))

    def billed_days(self, days: int) -> tuple[BilledDays | None, ...]:
        """Return the days of each billing period that a row of `Market.days` is charged for (cached)."""
        if days not in self._billed_days:
            self._billed_days[days] = tuple(self._in_period(days, n) for n in range(self.count))
        return self._billed_days[days]

    def _in_period(self, days: int, period: int) -> BilledDays | None:
        own = np.flatnonzero(self.active[days] & (self.periods == period))
        if not own.size:
            return None
        first, last = int(self.starts[own[0]]), int(self.starts[own[-1]] + self.lengths[own[-1]] - 1)
        shares = Fraction(int(self.shares[own].sum()), MONTH_UNITS)
        count = DayCount(int(self.lengths[own].sum()), shares)
        return BilledDays(Period(self.first + timedelta(first), self.first + timedelta(last)), count)


def day_ranges_of(
    seasons: Sequence[Season], days: Ints, periods: Sequence[Period], whole_periods: Sequence[Period]
) -> DayRanges:
    """Cut the billing periods wherever the period, the month or any season changes.

    days: as in `Market`. periods: the billed days of each of `whole_periods`.
    """
    first, last = whole_periods[0].first, whole_periods[-1].last
    dates = np.arange(np.datetime64(first, "D"), np.datetime64(last, "D") + 1)
    period = np.searchsorted(_days64([whole.first for whole in whole_periods]), dates, side="right") - 1
    begun, ended = (_days64(ends)[period] for ends in ([p.first for p in periods], [p.last for p in periods]))
    billed = (begun <= dates) & (dates <= ended)
    month = dates.astype("datetime64[M]").astype(np.int64) + _MONTHS_BEFORE_1970
    # [period, month, billed, seasons…; day]: a range ends where any row changes from one day to the next.
    by_day = [first_covering(spans, first, len(dates)) for _, spans in seasons]
    marks = np.vstack([period, month, billed, *by_day])
    changes = np.flatnonzero((marks[:, 1:] != marks[:, :-1]).any(axis=0)) + 1
    starts = np.concatenate([[0], changes]).astype(np.int64)
    lengths = np.diff(np.append(starts, len(dates)))
    assigned, (season, number) = marks[3:, starts], days.T  # [season, range]; of each row of `days`
    in_month = np.array([calendar.monthrange(m // 12, m % 12 + 1)[1] for m in month[starts].tolist()])
    covering = assigned[season] == number[:, None]
    return DayRanges(
        billed_periods=tuple(periods),
        whole_periods=tuple(whole_periods),
        starts=starts,
        lengths=lengths,
        shares=lengths * (MONTH_UNITS // in_month),
        periods=period[starts],
        months=month[starts],
        openings=np.searchsorted(period[starts], np.arange(len(periods))),
        billed=billed[starts],
        assigned=assigned,
        covering=covering,
        active=covering & billed[starts],
    )


def _days64(days: Sequence[date]) -> np.ndarray[tuple[int], np.dtype[np.datetime64]]:
    return np.array(days, dtype="datetime64[D]")


@dataclass(frozen=True, slots=True)
class Home:
    """One household's energy by clock, over exactly the days of the ranges."""

    matrices: Mapping[Clock, IntervalMatrix]
    ranges: DayRanges
    yearly: Callable[[PlanTimeZone], Decimal | None]
    """Energy of the year up to the last day, in kWh or MJ, counted by days of the time zone; None where unknown."""

    @property
    def controlled(self) -> bool:
        """Return whether the home has a meter register of controlled load."""
        return any(matrix.controlled for matrix in self.matrices.values())

    def summed(self, daily: Ints) -> Ints:
        """Sum [day, ...] over each range. Returns [range, ...]."""
        return np.add.reduceat(daily, self.ranges.starts, axis=0)

    def total(self, time_zone: PlanTimeZone, role: MatrixRole) -> Ints:
        """Return [range], the energy of that role, by days of the time zone."""
        return self.summed(self.matrices[time_zone, time_zone].total(role))

    def highest(self, clock: Clock, bands: Bands) -> tuple[Ints, Bools]:
        """Return two [range]: the highest half hour in the windows in 10^-9 kW (-1 unknown), and if a window opens."""
        highest = np.maximum.reduceat(self.matrices[clock].highest(bands), self.ranges.starts)
        return np.maximum(highest, -1), highest >= -1


@dataclass(frozen=True, slots=True)
class Market:
    """Plans compiled for pricing, all of one fuel."""

    plans: tuple[Rates, ...]
    rows: Rows
    columns: Columns
    clocks: tuple[Clock, ...]
    seasons: tuple[Season, ...]
    layouts: tuple[Layout, ...]
    days: Ints
    """[row, 2], season and number of a tariff in it: the days that the tariff is charged for."""
    cells: Ints
    """[cell, 4], row of `days`, layout, column of the layout, and the season of the plan's controlled loads."""
    _ranges: dict[tuple[tuple[Period, ...], tuple[Period, ...]], DayRanges] = field(default_factory=dict)

    def ranges(self, periods: Sequence[Period], whole_periods: Sequence[Period] | None = None) -> DayRanges:
        """Return the day ranges of the billing periods, the same for every household (cached)."""
        key = tuple(periods), tuple(whole_periods or periods)
        if key not in self._ranges:
            self._ranges[key] = day_ranges_of(self.seasons, self.days, *key)
        return self._ranges[key]

    @classmethod
    def of(cls, plans: Sequence[Rates]) -> Market:
        """Compile the plans, all of one fuel, into a market."""
        rows = Rows()
        for number, rates in enumerate(plans):
            RowReader(rows, number, rates).read()
        return cls(
            plans=tuple(plans),
            rows=rows,
            columns=Columns.of(rows),
            clocks=tuple(rows.clocks.items),
            seasons=tuple(rows.seasons.items),
            layouts=tuple(rows.layouts.items),
            days=np.array(list(rows.days.items), dtype=np.int64).reshape(-1, 2),
            cells=np.array(list(rows.cells.items), dtype=np.int64).reshape(-1, 4),
        )
