"""The charges of all plans of a market as arrays, built once and used for every household.

Each charge of a plan becomes a row that names the source of its quantity. Plans that need more (several time zones,
dates inside the range) are marked and priced one by one with `bills.price`; both ways give the same cents.
"""

from __future__ import annotations

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

import numpy as np

from toolkit.analytics.energy.bills.model import COMPONENTS
from toolkit.analytics.energy.compare.arithmetic import Bools, Ints, ScatterIndex, flags, ints
from toolkit.analytics.energy.compare.rows import (
    MONTH_UNITS,
    PER_CENT_UNIT,
    TENTHS,
    DailyRow,
    DemandRow,
    DiscountRow,
    EnergyRow,
    Layout,
    RecurringRow,
    RowReader,
    Rows,
    Season,
    TieredRow,
    is_simple,
    units,
)
from toolkit.analytics.energy.compare.tiers import Tiered
from toolkit.analytics.energy.intervals.matrix import IntervalMatrix, first_covering
from toolkit.analytics.energy.rates.model import Bands, PlanTimeZone, Rates
from toolkit.answers.base import Period
from toolkit.units import NANO

NO_LIMIT = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy charges of one price, as arrays [row]. price: 10^-11 AUD, with GST."""

    scatter: ScatterIndex
    plan: Ints
    cell: Ints
    price: Ints

    @classmethod
    def of(cls, rows: Sequence[EnergyRow]) -> Energy:
        """Turn rows into arrays."""
        plan = ints([row.plan for row in rows])
        scatter = ScatterIndex.of(plan, ints([row.component for row in rows]))
        return cls(scatter, plan, ints([row.cell for row in rows]), ints([row.price * TENTHS[row.gst] for row in rows]))


Steps = tuple[tuple[Decimal | None, int], ...]


@dataclass(frozen=True, slots=True)
class Daily:
    """Daily charges. price: 10^-11 AUD; of the banded ones the first step's.

    banded: line, and its steps as (upper end of the year's energy, price).
    """

    scatter: ScatterIndex
    days: Ints
    price: Ints
    controlled: Bools
    banded: tuple[tuple[int, Steps], ...]

    @classmethod
    def of(cls, rows: Sequence[DailyRow]) -> Daily:
        """Turn rows into arrays."""
        plan = ints([row.plan for row in rows])
        return cls(
            scatter=ScatterIndex.of(plan, ints([row.component for row in rows])),
            days=ints([row.days for row in rows]),
            price=ints([row.price * TENTHS["added"] for row in rows]),
            controlled=flags([row.controlled for row in rows]),
            banded=tuple(
                (n, tuple((upper, units(price) * TENTHS["added"]) for upper, price in row.steps.steps))
                for n, row in enumerate(rows)
                if row.steps is not None
            ),
        )


@dataclass(frozen=True, slots=True)
class Demands:
    """Demand charges, as arrays [row]."""

    plan: Ints
    days: Ints
    """Row of `Market.days`: when the charge applies."""
    window: Ints
    """Number of the window in `Rows.windows`."""
    price: Ints
    """10^-11 AUD per kW, with GST."""
    monthly: Bools
    least: Ints
    """10^-9 kW."""
    most: Ints
    """10^-9 kW; `NO_LIMIT` for none."""
    divisor: Ints
    """What quantity × price is divided by for cents."""
    scatter: ScatterIndex

    @classmethod
    def of(cls, rows: Sequence[DemandRow]) -> Demands:
        """Turn rows into arrays."""
        monthly, plan = flags([row.monthly for row in rows]), ints([row.plan for row in rows])
        return cls(
            plan=plan,
            scatter=ScatterIndex.of(plan, COMPONENTS.index("demand")),
            days=ints([row.days for row in rows]),
            window=ints([row.window for row in rows]),
            price=ints([row.price * TENTHS["added"] for row in rows]),
            monthly=monthly,
            least=ints([0 if row.least is None else row.least for row in rows]),
            most=ints([NO_LIMIT if row.most is None else row.most for row in rows]),
            # Python integers as objects: months × 10^9 × cents does not fit into 64 bits.
            divisor=np.asarray(np.where(monthly, MONTH_UNITS, 1).astype(object) * (NANO * PER_CENT_UNIT)),
        )


@dataclass(frozen=True, slots=True)
class Recurring:
    """Recurring charges, as arrays [row]."""

    scatter: ScatterIndex
    by_day: Bools
    """Whether the charge is counted in days, else in months."""
    times: Ints
    """Denominator of its period."""
    price: Ints
    divisor: Ints
    """What quantity × price is divided by for cents."""

    @classmethod
    def of(cls, rows: Sequence[RecurringRow]) -> Recurring:
        """Turn rows into arrays."""
        plan = ints([row.plan for row in rows])
        whole = [PER_CENT_UNIT * (1 if row.unit == "day" else MONTH_UNITS) * row.count.numerator for row in rows]
        return cls(
            scatter=ScatterIndex.of(plan, ints([row.component for row in rows])),
            by_day=flags([row.unit == "day" for row in rows]),
            times=ints([row.count.denominator for row in rows]),
            price=ints([row.price * TENTHS[row.gst] for row in rows]),
            divisor=np.array(whole, dtype=object),
        )


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
    plan: Ints
    cell: Ints

    @classmethod
    def of(cls, rows: Rows) -> Metered:
        """Collect the usage bands of plans with a discount over a threshold."""
        asking = {row.plan for row in rows.discounts if row.base == "over"}
        usage, bands = COMPONENTS.index("usage"), list[EnergyRow | TieredRow]([*rows.energy, *rows.tiered])
        own = [row for row in bands if row.plan in asking and row.component == usage]
        plan = ints([row.plan for row in own])
        return cls(ScatterIndex.of(plan, usage), plan, ints([row.cell for row in own]))


@dataclass(frozen=True, slots=True)
class Columns:
    """All charges of a market by kind. The last four are [2, pair], plan numbers over cell or season numbers.

    unpriced_cells: energy in the cell has no price on the plan. usage_seasons: the season of the plan's usage tariffs.
    controlled_load_seasons: the season of its controlled load tariffs, where it has some.
    supply_seasons: the season of its tariffs with a daily supply charge.
    """

    energy: Energy
    tiered: Tiered
    daily: Daily
    demands: Demands
    recurring: Recurring
    discounts: dict[str, Discounts]
    metered: Metered
    unpriced_cells: Ints
    usage_seasons: Ints
    controlled_load_seasons: Ints
    supply_seasons: Ints

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
            usage_seasons=_pairs(rows.usage_seasons),
            controlled_load_seasons=_pairs(rows.controlled_load_seasons),
            supply_seasons=_pairs(rows.supply_seasons),
        )


def _pairs(listed: Sequence[tuple[int, int]]) -> Ints:
    """Return [2, pair]."""
    return np.array(listed, dtype=np.int64).reshape(-1, 2).T


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
