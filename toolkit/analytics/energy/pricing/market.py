"""Plans compiled for pricing: their charges by kind; and a household's energy over its billing periods."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from toolkit.analytics.energy.intervals.matrix import IntervalMatrix, first_covering
from toolkit.analytics.energy.intervals.matrix import Role as MatrixRole
from toolkit.analytics.energy.pricing.model import COMPONENTS
from toolkit.analytics.energy.pricing.rows import ScatterIndex, flat_price, tables_of, units, with_gst
from toolkit.analytics.energy.pricing.tables import (
    BASES,
    MONTH_UNITS,
    PER_CENT_UNIT,
    Bools,
    Clock,
    DailyTable,
    DaysTable,
    DemandTable,
    DiscountTable,
    EnergyTable,
    Ints,
    MarketTables,
    PlanTable,
    RecurringTable,
    Season,
)
from toolkit.analytics.energy.pricing.tiers import Tiered
from toolkit.analytics.energy.rates.model import (
    BandRate,
    Bands,
    DayCount,
    DemandCharge,
    PlanTimeZone,
    Rates,
    RecurringCharge,
    Supply,
)
from toolkit.answers.base import Period
from toolkit.units import NANO


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy charges of one price."""

    rows: EnergyTable
    scatter: ScatterIndex


@dataclass(frozen=True, slots=True)
class Daily:
    """Daily charges. banded, exact: numbers of the rows with bands of the year's energy, or finely priced."""

    rows: DailyTable
    scatter: ScatterIndex
    controlled: Bools
    banded: tuple[int, ...]
    exact: tuple[int, ...]

    @classmethod
    def of(cls, rows: DailyTable) -> Daily:
        """Index the rows."""
        scatter = ScatterIndex.of(rows.plan, rows.component)
        return cls(rows, scatter, rows.controlled > 0, _where(rows.banded), _where(rows.exact))


@dataclass(frozen=True, slots=True)
class Demands:
    """Demand charges. divisor: what quantity × price is divided by for cents. exact: numbers of such rows."""

    rows: DemandTable
    scatter: ScatterIndex
    monthly: Bools
    divisor: Ints
    exact: tuple[int, ...]

    @classmethod
    def of(cls, rows: DemandTable) -> Demands:
        """Index the rows."""
        monthly = rows.monthly > 0
        # Python integers as objects: months × 10^9 × cents does not fit into 64 bits.
        divisor = np.asarray(np.where(monthly, MONTH_UNITS, 1).astype(object) * (NANO * PER_CENT_UNIT))
        scatter = ScatterIndex.of(rows.plan, COMPONENTS.index("demand"))
        return cls(rows, scatter, monthly, divisor, _where(rows.exact))


@dataclass(frozen=True, slots=True)
class Recurring:
    """Recurring charges. divisor: what quantity × price is divided by for cents. exact: numbers of such rows."""

    rows: RecurringTable
    scatter: ScatterIndex
    by_day: Bools
    divisor: Ints
    exact: tuple[int, ...]

    @classmethod
    def of(cls, rows: RecurringTable) -> Recurring:
        """Index the rows."""
        divisor = rows.parts.astype(object) * PER_CENT_UNIT
        scatter = ScatterIndex.of(rows.plan, rows.component)
        return cls(rows, scatter, rows.by_day > 0, divisor, _where(rows.exact))


@dataclass(frozen=True, slots=True)
class Discounts:
    """Discounts on one base."""

    rows: DiscountTable
    scatter: ScatterIndex

    @classmethod
    def of(cls, rows: DiscountTable, base: int) -> Discounts:
        """Index the rows with that base."""
        own = rows.taken(np.flatnonzero(rows.base == base))
        return cls(own, ScatterIndex.of(own.plan, COMPONENTS.index("discount")))


@dataclass(frozen=True, slots=True)
class Metered:
    """The bands of usage of plans with a discount on usage over a threshold (pricing rule 10)."""

    scatter: ScatterIndex
    cell: Ints

    @classmethod
    def of(cls, tables: MarketTables) -> Metered:
        """Collect the usage bands of plans with a discount over a threshold."""
        asking = tables.discounts.plan[tables.discounts.base == BASES.index("over")]
        usage = COMPONENTS.index("usage")
        energy, tiered = tables.energy, tables.tiered
        plan, component, cell = (
            np.concatenate(pair)
            for pair in (
                (energy.plan, tiered.plan),
                (energy.component, tiered.component),
                (energy.cell, tiered.cell),
            )
        )
        own = np.isin(plan, asking) & (component == usage)
        return cls(ScatterIndex.of(plan[own], usage), cell[own])


@dataclass(frozen=True, slots=True)
class Columns:
    """All charges of a market by kind."""

    energy: Energy
    tiered: Tiered
    daily: Daily
    demands: Demands
    recurring: Recurring
    discounts: Mapping[str, Discounts]
    """By base, as far as a plan has one."""
    metered: Metered
    exact_discounts: tuple[int, ...]
    """Plans with discounts that are priced by themselves (see `discounts`)."""

    @classmethod
    def of(cls, tables: MarketTables) -> Columns:
        """Derive what pricing needs from all tables of a market."""
        energy = tables.energy
        return cls(
            energy=Energy(energy, ScatterIndex.of(energy.plan, energy.component)),
            tiered=Tiered.of(tables.tiered),
            daily=Daily.of(tables.daily),
            demands=Demands.of(tables.demand),
            recurring=Recurring.of(tables.recurring),
            discounts={
                BASES[n]: Discounts.of(tables.discounts, n) for n in sorted(set(tables.discounts.base.tolist()))
            },
            metered=Metered.of(tables),
            exact_discounts=_where(tables.plans.exact_discounts),
        )


def _where(marks: Ints) -> tuple[int, ...]:
    """Return the numbers of the marked rows."""
    return tuple(np.flatnonzero(marks).tolist())


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
    """[row of `MarketTables.days`, range], whether the row's own tariff covers the range."""
    active: Bools
    """[row of `MarketTables.days`, range], whether it covers the range and its days are billed."""
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

    def repeated(self, times: int) -> DayRanges:
        """Return the same ranges over and over: of simulated futures of the same days, one after another."""
        days, ranges, count = int(self.lengths.sum()), len(self.starts), self.count

        def shifted(array: Ints, step: int) -> Ints:
            return np.asarray((np.arange(times)[:, None] * step + array).ravel())

        return DayRanges(
            billed_periods=self.billed_periods * times,
            whole_periods=self.whole_periods * times,
            starts=shifted(self.starts, days),
            lengths=np.tile(self.lengths, times),
            shares=np.tile(self.shares, times),
            periods=shifted(self.periods, count),
            months=np.tile(self.months, times),
            openings=shifted(self.openings, ranges),
            billed=np.tile(self.billed, times),
            assigned=np.tile(self.assigned, times),
            covering=np.tile(self.covering, times),
            active=np.tile(self.active, times),
        )

    def by_period(self, by_range: Ints) -> Ints:
        """Sum [..., range] over each billing period. Returns [..., period]."""
        return np.add.reduceat(by_range, self.openings, axis=-1)

    def period_days(self, period: int) -> DayCount:
        """Count the billed days of a billing period."""
        own = self.billed & (self.periods == period)
        return DayCount(int(self.lengths[own].sum()), Fraction(int(self.shares[own].sum()), MONTH_UNITS))

    def billed_days(self, days: int) -> tuple[BilledDays | None, ...]:
        """Return the days of each billing period that a row of `MarketTables.days` is charged for (cached)."""
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
    seasons: Sequence[Season], days: DaysTable, periods: Sequence[Period], whole_periods: Sequence[Period]
) -> DayRanges:
    """Cut the billing periods wherever the period, the month or any season changes.

    periods: the billed days of each of `whole_periods`.
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
    assigned = marks[3:, starts]  # [season, range]
    in_month = np.array([calendar.monthrange(m // 12, m % 12 + 1)[1] for m in month[starts].tolist()])
    covering = assigned[days.season] == days.number[:, None]
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


class PlanRows(NamedTuple):
    """Numbers of the first row of a plan by kind, and of the seasons of its tariffs."""

    energy: int
    tiered: int
    daily: int
    demand: int
    recurring: int
    unpriced: int
    usage_season: int
    loads_season: int
    feed_in_season: int


@dataclass(frozen=True, slots=True)
class Market:
    """Plans compiled for pricing, all of one fuel."""

    plans: Sequence[Rates]
    tables: MarketTables
    columns: Columns
    _ranges: dict[tuple[tuple[Period, ...], tuple[Period, ...]], DayRanges] = field(default_factory=dict)
    _bands: dict[int, tuple[Supply, tuple[int, ...]]] = field(default_factory=dict)

    @classmethod
    def of(cls, plans: Sequence[Rates]) -> Market:
        """Compile the plans, all of one fuel, into a market."""
        return cls.kept(plans, tables_of(plans))

    @classmethod
    def kept(cls, plans: Sequence[Rates], tables: MarketTables) -> Market:
        """Return the market of tables that were kept. plans: in the order of the tables' plans."""
        return cls(plans, tables, Columns.of(tables))

    def ranges(self, periods: Sequence[Period], whole_periods: Sequence[Period] | None = None) -> DayRanges:
        """Return the day ranges of the billing periods, the same for every household (cached)."""
        key = tuple(periods), tuple(whole_periods or periods)
        if key not in self._ranges:
            self._ranges[key] = day_ranges_of(self.tables.seasons, self.tables.days, *key)
        return self._ranges[key]

    def own(self, plan: int) -> PlanRows:
        """Return where the charges of a plan stand."""
        tables = self.tables
        by_kind = (tables.energy, tables.tiered, tables.daily, tables.demand, tables.recurring, tables.unpriced)
        seasons = (tables.plans.usage_season, tables.plans.loads_season, tables.plans.feed_in_season)
        return PlanRows(*(_first(table, plan) for table in by_kind), *(int(season[plan]) for season in seasons))

    def tiered_rate(self, row: int) -> BandRate:
        """Return the rate of a row of the tiered charges."""
        plan = int(self.tables.tiered.plan[row])
        tariffs = chain.from_iterable(tariff.rates for _, tariff in self.plans[plan].tariffs())
        tiered = (rate for rate in tariffs if flat_price(rate) is None)
        return next(islice(tiered, row - _first(self.tables.tiered, plan), None))

    def supply(self, row: int) -> Supply:
        """Return the supply charge of a row of the daily charges."""
        plan = int(self.tables.daily.plan[row])
        rates = self.plans[plan]
        supplies = (tariff.supply for tariff in (*rates.periods, *rates.controlled_loads) if tariff.supply)
        return next(islice(supplies, row - _first(self.tables.daily, plan), None))

    def banded_price(self, row: int, yearly: Decimal | None) -> int:
        """Return the daily price of a banded row for a year's energy, in 10^-11 AUD with GST."""
        if row not in self._bands:
            supply = self.supply(row)
            self._bands[row] = supply, tuple(with_gst(units(price)) for _, price in supply.steps)
        supply, prices = self._bands[row]
        return prices[supply.band(yearly)]

    def demand(self, row: int) -> DemandCharge:
        """Return a demand charge by its row."""
        plan = int(self.tables.demand.plan[row])
        return self.plans[plan].demands[row - _first(self.tables.demand, plan)]

    def recurring(self, row: int) -> RecurringCharge:
        """Return a recurring charge by its row."""
        plan = int(self.tables.recurring.plan[row])
        return self.plans[plan].recurring[row - _first(self.tables.recurring, plan)]


def _first(table: PlanTable, plan: int) -> int:
    """Return the number of the first row of a plan, also where it has none."""
    return int(np.searchsorted(table.plan, plan))
