"""Price every plan of a market for one household: totals and components, to the cent what a bill gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from toolkit.analytics.energy.bills.model import COMPONENTS, Bill, Options
from toolkit.analytics.energy.bills.pricing import price
from toolkit.analytics.energy.compare.arithmetic import Bools, Ints, half_away, rounded, to_nearest
from toolkit.analytics.energy.compare.market import Daily, Discounts, Home, Market
from toolkit.analytics.energy.compare.rows import PER_CENT_UNIT, PRICE_UNITS, Role
from toolkit.analytics.energy.compare.tiers import DailyTiers, End, below, cents_one_by_one, pooled_cents
from toolkit.analytics.energy.intervals.matrix import Role as MatrixRole
from toolkit.analytics.energy.intervals.prepare import Usage
from toolkit.analytics.energy.intervals.quality import yearly_energy
from toolkit.analytics.energy.rates.model import Rates
from toolkit.answers.base import Period
from toolkit.errors import Problem
from toolkit.units import NANO


@dataclass(frozen=True, slots=True)
class Demand:
    """Chargeable demand of every demand charge."""

    quantity: Ints
    """[row, period], 10^-9 kW × days, or × `MONTH_UNITS` of a month where charged by the month."""
    known: Bools
    """[row], whether every month with an open window has a reading in it."""


def demand_of(market: Market, home: Home) -> Demand:
    """Return the chargeable demand of every demand charge of the market (pricing rule 7)."""
    rows, ranges = market.columns.demands, home.ranges
    by_window = [home.highest(time_zone, bands) for time_zone, bands in market.rows.windows.items]
    highest = np.array([highest for highest, _ in by_window])[rows.window]
    possible = np.array([possible for _, possible in by_window])[rows.window]
    active = ranges.active[rows.days]
    keys = ranges.periods * (12 * 10_000) + ranges.months
    # [month], the first range of each calendar month of each billing period: a month is measured within its bill.
    months = np.concatenate([[0], np.flatnonzero(np.diff(keys)) + 1])
    # All arrays are [row, range]; reduceat over `months` makes them [row, month], over `periods` [row, period].
    top = np.maximum.reduceat(np.where(active, highest, -1), months, axis=1)
    expected = np.logical_or.reduceat(active & possible, months, axis=1)
    charged = np.minimum(np.maximum(np.maximum(top, 0), rows.least[:, None]), rows.most[:, None])
    lengths = np.where(rows.monthly[:, None], ranges.shares, ranges.lengths) * active
    by_month = charged * np.add.reduceat(lengths, months, axis=1)
    periods = np.searchsorted(ranges.periods[months], np.arange(ranges.count))
    quantity = np.add.reduceat(by_month, periods, axis=1)
    return Demand(quantity, np.asarray((~expected | (top >= 0)).all(axis=1)))


_CODE = {name: n for n, name in enumerate(COMPONENTS)}
_ROLES: dict[Role, MatrixRole] = {"usage": "general", "controlled": "controlled", "export": "export"}
_BASES = {
    "bill": [_CODE["supply"], _CODE["usage"], _CODE["controlled_load"], _CODE["demand"]],
    "use": [_CODE["usage"], _CODE["controlled_load"]],
}


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy by cell and period, in 10^-9 kWh or MJ.

    own: [cell, period], energy of the cell's own role. extra: [cell, period], controlled load in the cells of usage.
    combined: [plan], whether the plan bills controlled load as usage, so that `extra` counts too.
    """

    own: Ints
    extra: Ints
    combined: Bools

    def of(self, plans: Ints, cells: Ints) -> Ints:
        """Return [line, period], the energy of each line's cell on its plan."""
        if not self.combined.any():
            return self.own.take(cells, axis=0)
        # Both kinds of plan read one array: [cells without, then with controlled load; period].
        both = np.concatenate([self.own, self.own + self.extra])
        return both.take(cells + self.combined[plans] * len(self.own), axis=0)

    def any_of(self, plans: Ints, cells: Ints) -> Bools:
        """Return [line], whether the line has energy in any period."""
        own, extra = (np.asarray(side.any(axis=1)) for side in (self.own, self.extra))
        return np.asarray(own[cells] | (extra[cells] & self.combined[plans]))


@dataclass(slots=True)
class Lines:
    """The bills of one household on all plans of a market.

    needs_bill_engine: [plan], whether only `bills.price` can price the plan. incomplete: [plan], whether energy has
    no price. unsupplied: [plan], days without a daily supply charge. sums: [plan × components + component, period],
    cents (see `ScatterIndex`).
    """

    market: Market
    home: Home
    options: Options
    usage: Usage
    needs_bill_engine: Bools = field(init=False)
    incomplete: Bools = field(init=False)
    unsupplied: Ints = field(init=False)
    sums: Ints = field(init=False)

    def cents(self) -> Ints:
        """Return [plan, component], cents."""
        plans = len(self.market.plans)
        self.needs_bill_engine, self.incomplete = np.zeros(plans, dtype=bool), np.zeros(plans, dtype=bool)
        self.sums = np.zeros((plans * len(COMPONENTS), self.home.ranges.count), dtype=np.int64)
        ranges = self.home.ranges
        # [row of `Market.days`, period]: days, and months in `MONTH_UNITS`.
        days, months = (ranges.by_period(ranges.active * each) for each in (ranges.lengths, ranges.shares))
        energy = self._energies()
        self._mark_incomplete(energy)
        self.unsupplied = self._days_without_supply()
        self._energy_lines(energy)
        self._tiered_lines(energy, days, months)
        self._daily_lines(days)
        self._demand_lines()
        self._recurring_lines()
        self._discount_lines()
        self._threshold_lines(energy)
        by_plan = self.sums.reshape(plans, len(COMPONENTS), -1)
        # [plan, component, period] → [plan, component]. einsum: `sum` loops over the last axis, which is short here.
        return np.asarray(np.einsum("pcn->pc", by_plan))

    def _energies(self) -> Energy:
        """Return the energy of all cells, and which plans bill controlled load as usage (pricing rule 8)."""
        own = self._cells(_ROLES)
        combined = np.zeros(len(self.market.plans), dtype=bool)
        if not self._controlled:
            return Energy(own, np.zeros_like(own), combined)
        return Energy(own, self._cells({"usage": "controlled"}), self._bills_controlled_as_usage())

    @property
    def _controlled(self) -> bool:
        """Return whether the home has a meter register of controlled load."""
        return any(matrix.controlled for matrix in self.home.matrices.values())

    def _cells(self, roles: Mapping[Role, MatrixRole]) -> Ints:
        """Return [cell, period], energy of the role given for the cell's layout; 0 for other layouts."""
        layouts = self.market.layouts
        widths = [len(bands) + 2 for _, _, bands in layouts]
        offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        by_range = np.zeros((len(self.home.ranges.starts), int(offsets[-1])), dtype=np.int64)
        for n, (role, time_zone, bands) in enumerate(layouts):
            if role in roles:
                daily = self.home.matrices[time_zone].banded(bands, roles[role])
                by_range[:, offsets[n] : offsets[n + 1]] = self.home.summed(daily)
        # by_range is [range, column], the columns of all layouts side by side; a cell is one column on its own days.
        days, layout, band = self.market.cells.T
        return self.home.ranges.by_period(by_range.T[offsets[layout] + band] * self.home.ranges.active[days])

    def _bills_controlled_as_usage(self) -> Bools:
        """Return [plan], whether it bills controlled load as usage; a tariff for some days only needs `bills.price`."""
        combined = np.ones(len(self.market.plans), dtype=bool)
        plans, seasons = self.market.columns.controlled_load_seasons
        covered = self.home.ranges.assigned >= 0
        some, all_ = np.asarray(covered.any(axis=1))[seasons], np.asarray(covered.all(axis=1))[seasons]
        combined[plans] = ~some
        self.needs_bill_engine[plans] |= some & ~all_
        return combined

    def _mark_incomplete(self, energy: Energy) -> None:
        """Mark the plans that have no price for some of the energy; `bills.price` gives their reasons."""
        plans, cells = self.market.columns.unpriced_cells
        self.incomplete[plans[energy.any_of(plans, cells)]] = True
        plans, seasons = self.market.columns.usage_seasons
        uncovered = np.asarray((self.home.ranges.assigned < 0).any(axis=1))
        self.incomplete[plans[uncovered[seasons]]] = True

    def _days_without_supply(self) -> Ints:
        """Return [plan], days that no tariff with a daily supply charge covers; all days where the plan has none."""
        ranges = self.home.ranges
        days = np.full(len(self.market.plans), ranges.lengths.sum())
        plans, seasons = self.market.columns.supply_seasons
        days[plans] = ((ranges.assigned < 0) @ ranges.lengths)[seasons]
        return days

    def _energy_lines(self, energy: Energy) -> None:
        rows = self.market.columns.energy
        # [line, period]: 10^-9 kWh × 10^-11 AUD ÷ (10^9 × 10^9) is cents.
        cents = rounded(energy.of(rows.plan, rows.cell), rows.price, NANO * PER_CENT_UNIT)
        rows.scatter.add(self.sums, cents)

    def _tiered_lines(self, energy: Energy, days: Ints, months: Ints) -> None:
        """Add energy in blocks: pooled over the billing period, or restarting every day (pricing rule 6)."""
        rows, blocks = self.market.columns.tiered, self.options.blocks
        pooled, daily_tiers = rows.pooled[blocks], rows.daily_tiers[blocks]
        own = self.market.cells[rows.cell[pooled], 0]
        energy_used = energy.of(rows.plan[pooled], rows.cell[pooled])
        cents = np.zeros((len(rows.rows), self.home.ranges.count), dtype=np.int64)
        cents[pooled] = pooled_cents(rows, pooled, energy_used, days[own], months[own])
        for number in daily_tiers.one_by_one:
            row = rows.rows[number]
            cents[number] = cents_one_by_one(row, self._own_days(row.cell, bool(energy.combined[row.plan])), blocks)
        rows.scatter.add(self.sums, cents)
        if daily_tiers.ends:
            self._daily_tier_lines(daily_tiers, energy.combined)

    def _daily_tier_lines(self, lines: DailyTiers, combined: Bools) -> None:
        # Two sets of ends, without and with controlled load: `offset` picks the plan's own.
        within = self._within(lines.ends, combined=False)
        offset = np.zeros(len(lines.plan), dtype=np.int64)
        if combined.any():
            within = np.concatenate([within, self._within(lines.ends, combined=True)])
            offset = combined[lines.plan] * len(lines.ends)
        # A block's energy is that up to its upper end less that up to its lower end.
        taken = within[lines.high + offset] - within[lines.low + offset]
        lines.scatter.add(self.sums, rounded(taken, lines.price, NANO * PER_CENT_UNIT))

    def _within(self, ends: Sequence[End], *, combined: bool) -> Ints:
        """Return [end, period], the energy of each day up to the end's amount."""
        openings = self.home.ranges.starts[self.home.ranges.openings]
        return np.array([below(self._daily(cell, combined), amount, openings) for cell, amount in ends])

    def _own_days(self, cell: int, combined: bool) -> list[Ints]:
        """Return for each period the energy [day] of a cell on its own days."""
        daily, inside = self._daily(cell, combined), self._inside(cell)
        openings = self.home.ranges.starts[self.home.ranges.openings[1:]]
        parts = zip(np.split(daily, openings), np.split(inside, openings), strict=True)
        return [energy[own] for energy, own in parts]

    def _inside(self, cell: int) -> Bools:
        """Return [day], whether the cell's own tariff covers the day."""
        return np.repeat(self.home.ranges.active[self.market.cells[cell, 0]], self.home.ranges.lengths)

    def _daily(self, cell: int, combined: bool) -> Ints:
        """Return [day], the energy of a cell on its own days, with controlled load where it is billed as usage."""
        _, layout, band = self.market.cells[cell]
        role, time_zone, bands = self.market.layouts[layout]
        matrix = self.home.matrices[time_zone]
        daily = matrix.banded(bands, _ROLES[role])[:, band]
        if combined and role == "usage":
            daily = daily + matrix.banded(bands, "controlled")[:, band]
        return np.asarray(daily * self._inside(cell))

    def _daily_lines(self, days: Ints) -> None:
        rows = self.market.columns.daily
        quantity = days[rows.days]
        if not self._controlled:  # no such meter register: its daily charge does not apply (pricing rule 8)
            quantity[rows.controlled] = 0
        rows.scatter.add(self.sums, rounded(quantity, self._daily_prices(rows), PER_CENT_UNIT))

    def _daily_prices(self, rows: Daily) -> Ints:
        """Return [row], the daily prices; supply in steps has the price of the year's energy."""
        if not rows.banded:
            return rows.price
        prices, last = rows.price.copy(), self.home.ranges.last
        yearly = dict.fromkeys(self.home.matrices, self.options.yearly)
        if self.options.yearly is None:
            yearly = {time_zone: yearly_energy(self.usage.matrix(time_zone), last) for time_zone in self.home.matrices}
        for line, steps in rows.banded:
            # A banded supply charge takes the band of the year's energy, the first where that is unknown (rule 5).
            year = yearly[self.market.seasons[self.market.days[rows.days[line], 0]][0]]
            fitting = (each for upper, each in steps if upper is None or year is None or year <= upper)
            prices[line] = next(fitting, steps[-1][1])
        return prices

    def _demand_lines(self) -> None:
        rows = self.market.columns.demands
        if not len(rows.plan):
            return
        demand = demand_of(self.market, self.home)
        # A month without a read in an open window is a problem on the bill: only `bills.price` words it.
        self.needs_bill_engine[rows.plan[~demand.known]] = True
        rows.scatter.add(self.sums, rounded(demand.quantity, rows.price, rows.divisor))

    def _recurring_lines(self) -> None:
        rows, ranges = self.market.columns.recurring, self.home.ranges
        days, months = ranges.by_period(ranges.lengths), ranges.by_period(ranges.shares)
        counts = np.where(rows.by_day[:, None], days, months) * rows.times[:, None]
        rows.scatter.add(self.sums, rounded(counts, rows.price, rows.divisor))

    def _earned(self, rows: Discounts) -> Bools:
        """Return [row], whether the chosen option counts the discount."""
        wanted = self.options.discounts
        return np.asarray(rows.guaranteed | (wanted == "all")) & (wanted != "none")

    def _discount_lines(self) -> None:
        """Add discounts: percentages summed by base, on the cents of each billing period (pricing rule 10)."""
        by_plan = self.sums.reshape(len(self.market.plans), len(COMPONENTS), -1)
        for base, components in _BASES.items():  # discount lines are in neither base
            rows = self.market.columns.discounts[base]
            earned = self._earned(rows)
            share = np.zeros(len(self.market.plans), dtype=np.int64)  # [plan], the sum of its discounts on the base
            np.add.at(share, rows.plan[earned], rows.share[earned])
            plans = np.flatnonzero(share)
            amounts = by_plan[plans[:, None], components].sum(axis=1)
            by_plan[plans, _CODE["discount"]] += rounded(amounts, -share[plans], PRICE_UNITS)

    def _threshold_lines(self, energy: Energy) -> None:
        """Add discounts on usage beyond a threshold, at the mean price of the period's usage."""
        rows, metered = self.market.columns.discounts["over"], self.market.columns.metered
        share = rows.share * self._earned(rows)
        if not share.any():
            return
        usage = rows.plan * len(COMPONENTS) + _CODE["usage"]
        taken = np.zeros_like(self.sums)
        metered.scatter.add(taken, energy.of(metered.plan, metered.cell))
        amounts, used = self.sums[usage], taken[usage]
        beyond = np.maximum(used - rows.threshold[:, None], 0)
        over = np.maximum(used, 1)
        # Floats decide all but the cents near a half, which are worked out again in integers.
        exact = -amounts * (beyond / over) * (share / PRICE_UNITS)[:, None]
        cents, near = to_nearest(exact)
        for line, period in zip(*near, strict=True):
            product = -int(amounts[line, period]) * int(beyond[line, period]) * int(share[line])
            cents[line, period] = half_away(product, int(over[line, period]) * PRICE_UNITS)
        rows.scatter.add(self.sums, cents)


class Bills(Mapping[int, Bill]):
    """Bills of some plans by plan number, each priced on first access."""

    def __init__(self, make: Callable[[int], Bill], numbers: Iterable[int]) -> None:
        self._make, self._numbers = make, sorted(numbers)
        self._asked = set(self._numbers)
        self._made: dict[int, Bill] = {}

    def __getitem__(self, number: int) -> Bill:
        if number not in self._asked:
            raise KeyError(number)
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    def __contains__(self, number: object) -> bool:
        return number in self._asked

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


@dataclass(frozen=True, slots=True)
class Priced:
    """A market priced for one household."""

    plans: Sequence[Rates]
    cents: Ints
    """[plan, component of COMPONENTS]."""
    alone: Mapping[int, Bill]
    """Bills by plan number: of plans with energy without a price, and of those that only `bills.price` prices."""
    unsupplied: Ints
    """[plan], days of `days` without a daily supply charge."""
    days: int
    """Days of all billing periods."""

    @property
    def totals(self) -> Ints:
        """Return [plan], cents."""
        return np.asarray(self.cents.sum(axis=1))

    def problems(self, number: int) -> tuple[Problem, ...]:
        """Return what is missing from a plan's total, days without a published supply charge included.

        A bill only notes such days; in a comparison a plan must not rank first because it leaves a charge out.
        """
        bill, rates, free = self.alone.get(number), self.plans[number], int(self.unsupplied[number])
        problems = rates.problems if bill is None else bill.unpriceable
        reason = f"no daily supply charge is published for {free} of the {self.days} days"
        return (*problems, Problem(rates.plan_id, reason)) if free else problems

    def reasons(self, number: int) -> list[str]:
        """Return why a plan's total is incomplete; an empty list where it is complete."""
        rejected = (problem.reason for problem in self.problems(number) if problem.severity == "rejected")
        return list(dict.fromkeys(rejected))


def price_market(market: Market, usage: Usage, periods: Sequence[Period], options: Options | None = None) -> Priced:
    """Price every plan of the market on the household's reads, to the same cents as `bills.price`."""
    chosen = options or Options()
    days = sum(period.days for period in periods)
    first, last = periods[0].first, periods[-1].last
    matrices = {
        time_zone: usage.matrix(time_zone).sliced(first, last, chosen.holidays) for time_zone in market.time_zones
    }
    cents = np.zeros((len(market.plans), len(COMPONENTS)), dtype=np.int64)
    unsupplied = np.zeros(len(market.plans), dtype=np.int64)
    engine, incomplete = set(market.alone), set[int]()
    if matrices:
        lines = Lines(market, Home(matrices, market.ranges(periods)), chosen, usage)
        cents = lines.cents()
        unsupplied = lines.unsupplied
        engine |= set(np.flatnonzero(lines.needs_bill_engine).tolist())
        incomplete = set(np.flatnonzero(lines.incomplete).tolist())
    bills = Bills(lambda n: price(usage, market.plans[n], periods, options=chosen), engine | incomplete)
    for n in engine:
        by_name = bills[n].components_minor()
        cents[n] = [by_name.get(name, 0) for name in COMPONENTS]
        charged = sum(line.quantity for line in bills[n].lines if line.component == "supply")
        unsupplied[n] = int(days - charged)
    return Priced(market.plans, cents, bills, unsupplied, days)
