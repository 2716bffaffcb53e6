"""What every charge of every plan costs one household in each billing period, as arrays, to the cent.

Axis `row` numbers the charges of one kind (see `rows`), axis `period` the billing periods. `lines` reads the lines of
one plan's bill from these arrays. What arrays do not hold is priced by itself, in one place for each kind: energy and
its blocks in `_price_one_by_one`, daily, demand and recurring charges by `exact_cents`, discounts in `discounts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from toolkit.analytics.energy.intervals.matrix import Role as MatrixRole
from toolkit.analytics.energy.pricing.demand import DemandAmounts, demand_amounts
from toolkit.analytics.energy.pricing.market import Daily, Home, Market
from toolkit.analytics.energy.pricing.model import COMPONENTS, Options, exact_cents
from toolkit.analytics.energy.pricing.rows import half_away, rounded, to_nearest
from toolkit.analytics.energy.pricing.tables import (
    PER_CENT_UNIT,
    PRICE_UNITS,
    Bools,
    DiscountTable,
    Ints,
    Role,
)
from toolkit.analytics.energy.pricing.tiers import DailyTiers, below, pooled_cents, split
from toolkit.analytics.energy.rates.model import DayCount
from toolkit.units import NANO

_CODE = {name: n for n, name in enumerate(COMPONENTS)}
_ROLES: dict[Role, MatrixRole] = {"usage": "general", "controlled": "controlled", "export": "export"}
_BASES = {
    "bill": [_CODE["supply"], _CODE["usage"], _CODE["controlled_load"], _CODE["demand"]],
    "use": [_CODE["usage"], _CODE["controlled_load"]],
}


class Amounts(NamedTuple):
    """Charges of one kind. quantity: in 10^-9 of the charge's unit, daily charges in days."""

    quantity: Ints
    """[row, period]."""
    cents: Ints
    """[row, period]."""


class BlockAmount(NamedTuple):
    """One block of energy in one billing period."""

    number: int
    """From 1."""
    energy: Fraction
    """In 10^-9 kWh or MJ."""
    cents: int


@dataclass(frozen=True, slots=True)
class TierAmounts:
    """Energy in blocks."""

    pooled: Ints
    """[pooled row], its number in `Tiered`, rising."""
    energy: Ints
    """[pooled row, period], energy of all blocks in 10^-9 kWh or MJ."""
    cents: Sequence[Ints]
    """[pooled row, period] for each block."""
    daily: Amounts
    """[block of `DailyTiers`, period]."""
    single: Mapping[tuple[int, int], Sequence[BlockAmount]]
    """Blocks of the rows that are priced one by one, by row and period."""


@dataclass(slots=True)
class Charges:
    """The charges of one household on all plans of a market."""

    market: Market
    home: Home
    options: Options
    cells: Ints = field(init=False)
    """[cell, period], energy in 10^-9 kWh or MJ."""
    energy: Amounts = field(init=False)
    tiers: TierAmounts = field(init=False)
    daily: Amounts = field(init=False)
    demand: DemandAmounts | None = field(init=False, default=None)
    """None where no plan of the market has a demand charge."""
    recurring: Ints = field(init=False)
    """[row, period], cents."""
    sums: Ints = field(init=False)
    """[plan × components + component, period], cents, without the discounts of `Columns.exact_discounts`."""

    def __post_init__(self) -> None:
        self.sums = np.zeros((len(self.market.plans) * len(COMPONENTS), self.home.ranges.count), dtype=np.int64)
        ranges = self.home.ranges
        # [row of `MarketTables.days`, period]: days, and months in `MONTH_UNITS`.
        days, months = (ranges.by_period(ranges.active * each) for each in (ranges.lengths, ranges.shares))
        self.cells = self._cells()
        self.energy = self._energy()
        self.tiers = self._tiers(days, months)
        self.daily = self._daily(days)
        if len(self.market.tables.demand.plan):
            self.demand = demand_amounts(self.market, self.home)
            self.market.columns.demands.scatter.add(self.sums, self.demand.cents)
        self.recurring = self._recurring()
        self._discounts()
        self._threshold_discounts()

    def incomplete(self) -> Bools:
        """Return [plan], whether some of the energy or demand has no price; a plan's bill gives the reasons."""
        out = np.zeros(len(self.market.plans), dtype=bool)
        unpriced = self.market.tables.unpriced
        out[unpriced.plan[np.asarray(self.cells.any(axis=1))[unpriced.cell]]] = True
        ranges, demands = self.home.ranges, self.market.tables.demand
        uncovered = np.asarray(((ranges.assigned < 0) & ranges.billed).any(axis=1))
        out |= uncovered[self.market.tables.plans.usage_season]
        if self.demand is not None:
            out[demands.plan[~self.demand.known.all(axis=1)]] = True
        return out

    def unsupplied(self) -> Ints:
        """Return [plan], days that no tariff with a daily supply charge covers; all days where the plan has none."""
        ranges = self.home.ranges
        lengths = ranges.lengths * ranges.billed
        days = np.full(len(self.market.plans), lengths.sum())
        supply = self.market.tables.supply
        days[supply.plan] = ((ranges.assigned < 0) @ lengths)[supply.season]
        return days

    def _cells(self) -> Ints:
        """Return [cell, period], the energy of each cell.

        Usage includes controlled load on days without a tariff of its own (pricing rule 8).
        """
        ranges, cells = self.home.ranges, self.market.tables.cells
        active = ranges.active[cells.days]
        own = self._of_roles(_ROLES, active)
        if self.home.controlled:
            own += self._of_roles({"usage": "controlled"}, active & (ranges.assigned[cells.loads_season] < 0))
        return own

    def _of_roles(self, roles: Mapping[Role, MatrixRole], taken: Bools) -> Ints:
        """Return [cell, period], energy of the role given for the cell's layout; 0 for other layouts.

        taken: [cell, range], whether the cell takes the energy of the range.
        """
        tables, ranges = self.market.tables, self.home.ranges
        widths = [len(bands) + 2 for _, _, bands in tables.layouts]
        offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        by_range = np.zeros((len(ranges.starts), int(offsets[-1])), dtype=np.int64)
        for n, (role, clock, bands) in enumerate(tables.layouts):
            if role in roles:
                daily = self.home.matrices[clock].banded(bands, roles[role])
                by_range[:, offsets[n] : offsets[n + 1]] = self.home.summed(daily)
        # by_range is [range, column], the columns of all layouts side by side; a cell is one column on its own days.
        cells = tables.cells
        return ranges.by_period(by_range.T[offsets[cells.layout] + cells.column] * taken)

    def _energy(self) -> Amounts:
        energy, rows = self.market.columns.energy, self.market.tables.energy
        quantity = self.cells.take(rows.cell, axis=0)
        # [row, period]: 10^-9 kWh × 10^-11 AUD ÷ (10^9 × 10^9) is cents.
        amounts = Amounts(quantity, rounded(quantity, rows.price, NANO * PER_CENT_UNIT))
        energy.scatter.add(self.sums, amounts.cents)
        return amounts

    def _tiers(self, days: Ints, months: Ints) -> TierAmounts:
        """Price energy in blocks: pooled over the billing period, or restarting every day (pricing rule 6)."""
        tiered = self.market.columns.tiered
        pooled, daily, one_by_one = tiered.kinds(self.options.blocks)
        cell = tiered.rows.cell[pooled]
        own, energy = self.market.tables.cells.days[cell], self.cells.take(cell, axis=0)
        by_block = pooled_cents(tiered, pooled, energy, days[own], months[own])
        cents = np.zeros((len(tiered.rows.plan), self.home.ranges.count), dtype=np.int64)
        cents[pooled] = sum(by_block)
        single = {}
        for row in one_by_one:
            for period, amounts in enumerate(self._price_one_by_one(row)):
                single[row, period] = amounts
                cents[row, period] = sum(block.cents for block in amounts)
        tiered.scatter.add(self.sums, cents)
        return TierAmounts(pooled, energy, by_block, self._daily_tiers(daily), single)

    def _daily_tiers(self, lines: DailyTiers) -> Amounts:
        # [end, period]: the energy of each day up to the end's amount.
        openings = self.home.ranges.starts[self.home.ranges.openings]
        by_end = [below(self.by_day(cell), amount, openings) for cell, amount in lines.ends.tolist()]
        ends = np.array(by_end, dtype=np.int64).reshape(-1, len(openings))
        # A block's energy is that up to its upper end less that up to its lower end.
        taken = ends[lines.high] - ends[lines.low]
        amounts = Amounts(taken, rounded(taken, lines.price, NANO * PER_CENT_UNIT))
        lines.scatter.add(self.sums, amounts.cents)
        return amounts

    def _price_one_by_one(self, row: int) -> Iterator[list[BlockAmount]]:
        """Yield the blocks of a row in each period, each rounded by itself, worked out with fractions."""
        rate, cell = self.market.tiered_rate(row), int(self.market.tables.tiered.cell[row])
        sign = -1 if self.market.tables.tiered.component[row] == _CODE["feed_in"] else 1
        daily, inside = self.by_day(cell), self._inside(cell)
        ranges = self.home.ranges
        openings = ranges.starts[ranges.openings[1:]]
        parts = zip(
            np.split(daily, openings),
            np.split(inside, openings),
            ranges.billed_days(int(self.market.tables.cells.days[cell])),
            strict=True,
        )
        for energy, own, billed in parts:
            count = billed.days if billed else DayCount(0, Fraction(0))
            yield [
                BlockAmount(number, kwh * NANO, exact_cents(sign * kwh, block.price, block.gst))
                for number, block, kwh in split(rate, energy[own], count, self.options.blocks)
            ]

    def _inside(self, cell: int) -> Bools:
        """Return [day], whether the cell's own tariff is charged for the day."""
        return np.repeat(self.home.ranges.active[self.market.tables.cells.days[cell]], self.home.ranges.lengths)

    def by_day(self, cell: int) -> Ints:
        """Return [day], the energy of a cell on the days that its tariff is charged for; see `_cells`."""
        cells = self.market.tables.cells
        role, clock, bands = self.market.tables.layouts[cells.layout[cell]]
        band, loads = cells.column[cell], cells.loads_season[cell]
        matrix = self.home.matrices[clock]
        daily = matrix.banded(bands, _ROLES[role])[:, band]
        if role == "usage" and matrix.controlled:
            ranges = self.home.ranges
            alone = np.repeat(ranges.assigned[loads] < 0, ranges.lengths)
            daily = daily + matrix.banded(bands, "controlled")[:, band] * alone
        return np.asarray(daily * self._inside(cell))

    def _daily(self, days: Ints) -> Amounts:
        daily, rows = self.market.columns.daily, self.market.tables.daily
        quantity = days[rows.days]
        if not self.home.controlled:  # no such meter register: its daily charge does not apply (pricing rule 8)
            quantity[daily.controlled] = 0
        amounts = Amounts(quantity, rounded(quantity, self._daily_prices(daily), PER_CENT_UNIT))
        for row in daily.exact:
            price = self.daily_price(row)
            amounts.cents[row] = [exact_cents(Fraction(int(charged)), price, "added") for charged in quantity[row]]
        daily.scatter.add(self.sums, amounts.cents)
        return amounts

    def daily_price(self, row: int) -> Decimal:
        """Return a daily price; a banded one is that of the year's energy, the first where it is unknown (rule 5)."""
        supply = self.market.supply(row)
        return supply.price(self.yearly(int(self.market.tables.daily.plan[row])) if supply.banded else None)

    def yearly(self, plan: int) -> Decimal | None:
        """Return the energy of the year up to the last day, by the plan's days."""
        return self.home.yearly(self.market.plans[plan].time_zone)

    def _daily_prices(self, daily: Daily) -> Ints:
        """Return [row], the daily prices in 10^-11 AUD with GST."""
        if not daily.banded:
            return daily.rows.price
        prices = daily.rows.price.copy()
        for row in daily.banded:
            prices[row] = self.market.banded_price(row, self.yearly(int(daily.rows.plan[row])))
        return prices

    def _recurring(self) -> Ints:
        recurring, rows, ranges = self.market.columns.recurring, self.market.tables.recurring, self.home.ranges
        days, months = (ranges.by_period(each * ranges.billed) for each in (ranges.lengths, ranges.shares))
        counts = np.where(recurring.by_day[:, None], days, months) * rows.times[:, None]
        amounts = rounded(counts, rows.price, recurring.divisor)
        for row in recurring.exact:
            charge = self.market.recurring(row)
            fits = [charge.every.fits(ranges.period_days(period)) for period in range(ranges.count)]
            amounts[row] = [exact_cents(each, charge.price, charge.gst) for each in fits]
        recurring.scatter.add(self.sums, amounts)
        return amounts

    def _earned(self, rows: DiscountTable) -> Bools:
        """Return [row], whether the chosen option counts the discount."""
        wanted = self.options.discounts
        return np.asarray((rows.guaranteed > 0) | (wanted == "all")) & (wanted != "none")

    def _discounts(self) -> None:
        """Add discounts: percentages summed by base, on the cents of each billing period (pricing rule 10)."""
        by_plan = self.sums.reshape(len(self.market.plans), len(COMPONENTS), self.home.ranges.count)
        for base, discounts in self.market.columns.discounts.items():
            if base not in _BASES:
                continue
            rows, components = discounts.rows, _BASES[base]  # discount lines are in neither base
            earned = self._earned(rows)
            share = np.zeros(len(self.market.plans), dtype=np.int64)  # [plan], the sum of its discounts on the base
            np.add.at(share, rows.plan[earned], rows.share[earned])
            plans = np.flatnonzero(share)
            amounts = by_plan[plans[:, None], components].sum(axis=1)
            by_plan[plans, _CODE["discount"]] += rounded(amounts, -share[plans], PRICE_UNITS)

    def _threshold_discounts(self) -> None:
        """Add discounts on usage beyond a threshold, at the mean price of the period's usage."""
        discounts, metered = self.market.columns.discounts.get("over"), self.market.columns.metered
        if discounts is None:
            return
        rows = discounts.rows
        share = rows.share * self._earned(rows)
        if not share.any():
            return
        usage = rows.plan * len(COMPONENTS) + _CODE["usage"]
        taken = np.zeros_like(self.sums)
        metered.scatter.add(taken, self.cells.take(metered.cell, axis=0))
        amounts, used = self.sums[usage], taken[usage]
        # The threshold of a billing period counts by the share of its days that are billed: whole days of each.
        ranges = self.home.ranges
        billed = np.array([period.days for period in ranges.billed_periods])
        whole = np.array([period.days for period in ranges.whole_periods])
        beyond = np.maximum(used * whole - rows.threshold[:, None] * billed, 0)
        over = np.maximum(used, 1) * whole
        # Floats decide all but the cents near a half, which are worked out again in integers.
        exact = -amounts * (beyond / over) * (share / PRICE_UNITS)[:, None]
        cents, near = to_nearest(exact)
        for line, period in zip(*near, strict=True):
            product = -int(amounts[line, period]) * int(beyond[line, period]) * int(share[line])
            cents[line, period] = half_away(product, int(over[line, period]) * PRICE_UNITS)
        discounts.scatter.add(self.sums, cents)
