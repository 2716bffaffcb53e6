"""Plans compiled for pricing: their charges as arrays by kind; and a household's energy over its billing periods."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from toolkit.analytics.energy.intervals.matrix import IntervalMatrix, first_covering
from toolkit.analytics.energy.intervals.matrix import Role as MatrixRole
from toolkit.analytics.energy.pricing.model import COMPONENTS
from toolkit.analytics.energy.pricing.rows import (
    MONTH_UNITS,
    PER_CENT_UNIT,
    TENTHS,
    Bools,
    Clock,
    DailyRow,
    DemandRow,
    DiscountRow,
    EnergyRow,
    Ints,
    Layout,
    RecurringRow,
    RowReader,
    Rows,
    ScatterIndex,
    Season,
    TieredRow,
    flags,
    ints,
    nano,
    units,
)
from toolkit.analytics.energy.pricing.tiers import Tiered
from toolkit.analytics.energy.rates.model import Bands, DayCount, PlanTimeZone, Rates
from toolkit.answers.base import Period
from toolkit.units import NANO

NO_LIMIT = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy charges of one price, as arrays [row]. price: 10^-11 AUD, with GST."""

    scatter: ScatterIndex
    cell: Ints
    price: Ints

    @classmethod
    def of(cls, rows: Sequence[EnergyRow]) -> Energy:
        """Turn rows into arrays."""
        scatter = ScatterIndex.of(ints([row.plan for row in rows]), ints([row.component for row in rows]))
        return cls(scatter, ints([row.cell for row in rows]), ints([row.price * TENTHS[row.gst] for row in rows]))


@dataclass(frozen=True, slots=True)
class Daily:
    """Daily charges, as arrays [row]. price: 10^-11 AUD with GST; of the banded ones the first band's.

    banded: rows whose price depends on the year's energy → the price of each band.
    exact: rows whose price arrays do not hold (price 0).
    """

    rows: tuple[DailyRow, ...]
    scatter: ScatterIndex
    days: Ints
    price: Ints
    controlled: Bools
    banded: Mapping[int, Ints]
    exact: tuple[int, ...]

    @classmethod
    def of(cls, rows: Sequence[DailyRow]) -> Daily:
        """Turn rows into arrays."""
        prices = [units(row.supply.steps[0][1]) for row in rows]
        return cls(
            rows=tuple(rows),
            scatter=ScatterIndex.of(ints([row.plan for row in rows]), ints([row.component for row in rows])),
            days=ints([row.days for row in rows]),
            price=_with_gst(prices),
            controlled=flags([row.controlled for row in rows]),
            banded={
                n: _with_gst([units(price) for _, price in row.supply.steps])
                for n, row in enumerate(rows)
                if row.supply.banded
            },
            exact=_exact([_any_missing(price for _, price in row.supply.steps) for row in rows]),
        )


@dataclass(frozen=True, slots=True)
class Demands:
    """Demand charges, as arrays [row]."""

    rows: tuple[DemandRow, ...]
    plan: Ints
    days: Ints
    """Row of `Market.days`: when the charge applies."""
    window: Ints
    """Number of the window in `Rows.windows`."""
    price: Ints
    """10^-11 AUD per kW, with GST; 0 where arrays do not hold it."""
    monthly: Bools
    least: Ints
    """10^-9 kW."""
    most: Ints
    """10^-9 kW; `NO_LIMIT` for none."""
    divisor: Ints
    """What quantity × price is divided by for cents."""
    exact: tuple[int, ...]
    """Rows with a price or limit that arrays do not hold."""
    scatter: ScatterIndex

    @classmethod
    def of(cls, rows: Sequence[DemandRow]) -> Demands:
        """Turn rows into arrays."""
        monthly, plan = flags([row.charge.monthly for row in rows]), ints([row.plan for row in rows])
        prices = [units(row.charge.price) for row in rows]
        limits = [[limit for limit in (row.charge.least, row.charge.most) if limit is not None] for row in rows]
        finer = [any(nano(limit) is None for limit in each) for each in limits]
        return cls(
            rows=tuple(rows),
            plan=plan,
            days=ints([row.days for row in rows]),
            window=ints([row.window for row in rows]),
            price=_with_gst(prices),
            monthly=monthly,
            least=ints([nano(row.charge.least or Decimal(0)) or 0 for row in rows]),
            most=ints([_most(row.charge.most) for row in rows]),
            # Python integers as objects: months × 10^9 × cents does not fit into 64 bits.
            divisor=np.asarray(np.where(monthly, MONTH_UNITS, 1).astype(object) * (NANO * PER_CENT_UNIT)),
            exact=_exact([price is None or more for price, more in zip(prices, finer, strict=True)]),
            scatter=ScatterIndex.of(plan, COMPONENTS.index("demand")),
        )


def _most(limit: Decimal | None) -> int:
    """Return a highest demand in 10^-9 kW."""
    whole = None if limit is None else nano(limit)
    return NO_LIMIT if whole is None else whole


@dataclass(frozen=True, slots=True)
class Recurring:
    """Recurring charges, as arrays [row]."""

    rows: tuple[RecurringRow, ...]
    scatter: ScatterIndex
    by_day: Bools
    """Whether the charge is counted in days, else in months."""
    times: Ints
    """Denominator of its period."""
    price: Ints
    """10^-11 AUD with GST; 0 where arrays do not hold it."""
    divisor: Ints
    """What quantity × price is divided by for cents."""
    exact: tuple[int, ...]
    """Rows with a price that arrays do not hold."""

    @classmethod
    def of(cls, rows: Sequence[RecurringRow]) -> Recurring:
        """Turn rows into arrays."""
        charges = [row.charge for row in rows]
        by_day, prices = [charge.every.unit == "day" for charge in charges], [units(charge.price) for charge in charges]
        whole = [
            PER_CENT_UNIT * (1 if daily else MONTH_UNITS) * charge.every.count.numerator
            for charge, daily in zip(charges, by_day, strict=True)
        ]
        return cls(
            rows=tuple(rows),
            scatter=ScatterIndex.of(ints([row.plan for row in rows]), ints([row.component for row in rows])),
            by_day=flags(by_day),
            times=ints([charge.every.count.denominator for charge in charges]),
            price=ints([(price or 0) * TENTHS[charge.gst] for price, charge in zip(prices, charges, strict=True)]),
            divisor=np.array(whole, dtype=object),
            exact=_exact([price is None for price in prices]),
        )


def _with_gst(prices: Sequence[int | None]) -> Ints:
    """Return prices before GST in 10^-11 AUD with GST; 0 for those that arrays do not hold."""
    return ints([(price or 0) * TENTHS["added"] for price in prices])


def _any_missing(prices: Iterable[Decimal]) -> bool:
    """Return whether arrays do not hold one of the prices."""
    return any(units(price) is None for price in prices)


def _exact(marks: Sequence[bool]) -> tuple[int, ...]:
    """Return the numbers of the marked rows."""
    return tuple(n for n, marked in enumerate(marks) if marked)


@dataclass(frozen=True, slots=True)
class Discounts:
    """Discounts on one base, as arrays [row]."""

    scatter: ScatterIndex
    plan: Ints
    share: Ints
    """In 10^-10."""
    guaranteed: Bools
    threshold: Ints
    """In 10^-9 kWh or MJ."""

    @classmethod
    def of(cls, rows: Sequence[DiscountRow], base: str) -> Discounts:
        """Turn the rows with that base into arrays."""
        own = [row for row in rows if row.base == base]
        plan = ints([row.plan for row in own])
        return cls(
            scatter=ScatterIndex.of(plan, COMPONENTS.index("discount")),
            plan=plan,
            share=ints([row.share for row in own]),
            guaranteed=flags([row.guaranteed for row in own]),
            threshold=ints([row.threshold for row in own]),
        )


@dataclass(frozen=True, slots=True)
class Metered:
    """The bands of usage of plans with a discount on usage over a threshold (pricing rule 10)."""

    scatter: ScatterIndex
    cell: Ints

    @classmethod
    def of(cls, rows: Rows) -> Metered:
        """Collect the usage bands of plans with a discount over a threshold."""
        asking = {row.plan for row in rows.discounts if row.base == "over"}
        usage, bands = COMPONENTS.index("usage"), list[EnergyRow | TieredRow]([*rows.energy, *rows.tiered])
        own = [row for row in bands if row.plan in asking and row.component == usage]
        return cls(ScatterIndex.of(ints([row.plan for row in own]), usage), ints([row.cell for row in own]))


@dataclass(frozen=True, slots=True)
class Columns:
    """All charges of a market by kind."""

    energy: Energy
    tiered: Tiered
    daily: Daily
    demands: Demands
    recurring: Recurring
    discounts: dict[str, Discounts]
    metered: Metered
    unpriced_cells: Ints
    """[2, pair], plan over cell: energy in the cell has no price on the plan."""
    usage_seasons: Ints
    """[plan], the season of the plan's usage tariffs."""
    supply_seasons: Ints
    """[2, pair], plan over the season of its tariffs with a daily supply charge."""
    exact_discounts: tuple[int, ...]
    """Plans whose discounts are priced by themselves (see `discounts`)."""

    @classmethod
    def of(cls, rows: Rows) -> Columns:
        """Turn all rows of a market into arrays."""
        return cls(
            energy=Energy.of(rows.energy),
            tiered=Tiered.of(rows.tiered),
            daily=Daily.of(rows.daily),
            demands=Demands.of(rows.demand),
            recurring=Recurring.of(rows.recurring),
            discounts={base: Discounts.of(rows.discounts, base) for base in ("bill", "use", "over")},
            metered=Metered.of(rows),
            unpriced_cells=_pairs(rows.unpriced_cells),
            usage_seasons=ints([plan.usage_season for plan in rows.plans]),
            supply_seasons=_pairs(rows.supply_seasons),
            exact_discounts=_exact([plan.exact_discounts for plan in rows.plans]),
        )


def _pairs(listed: Sequence[tuple[int, int]]) -> Ints:
    """Return [2, pair]."""
    return np.array(listed, dtype=np.int64).reshape(-1, 2).T


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
