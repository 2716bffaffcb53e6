"""Many plans as a few arrays, to price a household on all of them at once.

Each charge of a plan becomes a row that names the source of its quantity. Plans that need more (several time zones,
dates inside the range) are marked and priced one by one with `bills.price`; both ways give the same cents.
"""

from __future__ import annotations

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from toolkit.analytics.energy.bills.model import Period
from toolkit.analytics.energy.compare.arithmetic import Bools, Ints
from toolkit.analytics.energy.compare.columns import Columns
from toolkit.analytics.energy.compare.rows import (
    MONTH_UNITS,
    Layout,
    RowReader,
    Rows,
    Season,
    is_simple,
)
from toolkit.analytics.energy.intervals.matrix import IntervalMatrix, first_covering
from toolkit.analytics.energy.rates.model import Bands, PlanTimeZone, Rates


@dataclass(frozen=True, slots=True)
class Market:
    """Plans compiled for comparing. alone: numbers of the plans that are priced by `bills.price`."""

    plans: tuple[Rates, ...]
    alone: frozenset[int]
    rows: Rows
    columns: Columns
    time_zones: tuple[PlanTimeZone, ...]
    seasons: tuple[Season, ...]
    layouts: tuple[Layout, ...]
    days: Ints
    cells: Ints
    _ranges: dict[tuple[Period, ...], DayRanges] = field(default_factory=dict)

    def ranges(self, periods: Sequence[Period]) -> DayRanges:
        """Return the day ranges of the billing periods, the same for every household (cached)."""
        key = tuple(periods)
        if key not in self._ranges:
            self._ranges[key] = day_ranges_of(self.seasons, self.days, periods)
        return self._ranges[key]

    @classmethod
    def of(cls, plans: Sequence[Rates]) -> Market:
        """Compile the plans, all of one fuel, into a market."""
        rows = Rows()
        alone = {n for n, rates in enumerate(plans) if not is_simple(rates)}
        for number, rates in enumerate(plans):
            if number not in alone:
                RowReader(rows, number, rates).read()
        return cls(
            plans=tuple(plans),
            alone=frozenset(alone),
            rows=rows,
            columns=Columns.of(rows),
            time_zones=tuple(sorted({time_zone for time_zone, _ in rows.seasons.items})),
            seasons=tuple(rows.seasons.items),
            layouts=tuple(rows.layouts.items),
            days=np.array(list(rows.days.items), dtype=np.int64).reshape(-1, 2),
            cells=np.array(list(rows.cells.items), dtype=np.int64).reshape(-1, 3),
        )


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
    assigned, (season, number) = marks[2:, starts], days.T  # [season, range]; of each row of `days`
    in_month = np.array([calendar.monthrange(m // 12, m % 12 + 1)[1] for m in month[starts].tolist()])
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


@dataclass(frozen=True, slots=True)
class Home:
    """One household's energy by time zone, over exactly the days of the ranges."""

    matrices: Mapping[PlanTimeZone, IntervalMatrix]
    ranges: DayRanges

    def summed(self, daily: Ints) -> Ints:
        """Sum [day, ...] over each range. Returns [range, ...]."""
        return np.add.reduceat(daily, self.ranges.starts, axis=0)

    def highest(self, time_zone: PlanTimeZone, bands: Bands) -> tuple[Ints, Bools]:
        """Return two [range]: the highest half hour in the windows in 10^-9 kW (-1 unknown), and if a window opens."""
        highest = np.maximum.reduceat(self.matrices[time_zone].highest(bands), self.ranges.starts)
        return np.maximum(highest, -1), highest >= -1
