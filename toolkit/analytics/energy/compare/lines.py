"""The lines of every plan's bill for one household, added up by plan, component and billing period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.model import COMPONENTS, Options
from toolkit.analytics.energy.compare.columns import Daily, Discounts
from toolkit.analytics.energy.compare.daily_tiers import Afresh, End, below, slowly
from toolkit.analytics.energy.compare.demand import demand_of
from toolkit.analytics.energy.compare.home import Home
from toolkit.analytics.energy.compare.market import Market
from toolkit.analytics.energy.compare.rounding import half_away, rounded, to_nearest
from toolkit.analytics.energy.compare.rows import PER_CENT_UNIT, PRICE_UNITS, Role
from toolkit.analytics.energy.compare.tiers import pooled_cents
from toolkit.analytics.energy.intervals.matrix import Role as MatrixRole
from toolkit.analytics.energy.intervals.prepare import NANO, Usage
from toolkit.analytics.energy.intervals.quality import yearly_energy

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_CODE = {name: n for n, name in enumerate(COMPONENTS)}
_ROLES: dict[Role, MatrixRole] = {"usage": "general", "controlled": "controlled", "export": "export"}
_BASES = {
    "bill": [_CODE["supply"], _CODE["usage"], _CODE["controlled_load"], _CODE["demand"]],
    "use": [_CODE["usage"], _CODE["controlled_load"]],
}


@dataclass(frozen=True, slots=True)
class Energy:
    """[cell, period]: energy of the cell's own role, and of the controlled load where usage takes it in.

    combined: [plan], whether it does.
    """

    own: Ints
    extra: Ints
    combined: Bools

    def of(self, plans: Ints, cells: Ints) -> Ints:
        """[line, period]"""
        if not self.combined.any():
            return self.own.take(cells, axis=0)
        both = np.concatenate([self.own, self.own + self.extra])
        return both.take(cells + self.combined[plans] * len(self.own), axis=0)

    def any_of(self, plans: Ints, cells: Ints) -> Bools:
        """[line] → whether there is energy at all."""
        own, extra = (np.asarray(side.any(axis=1)) for side in (self.own, self.extra))
        return np.asarray(own[cells] | (extra[cells] & self.combined[plans]))


@dataclass(slots=True)
class Lines:
    """One household on one market.

    unsure: [plan], whether only the engine for single bills can price it. incomplete: whether energy has no price.
    unsupplied: [plan] → days without a daily supply charge. sums: [plan and component, period] → cents.
    """

    market: Market
    home: Home
    options: Options
    usage: Usage
    unsure: Bools = field(init=False)
    incomplete: Bools = field(init=False)
    unsupplied: Ints = field(init=False)
    sums: Ints = field(init=False)

    def cents(self) -> Ints:
        """[plan, component] → cents."""
        plans = len(self.market.plans)
        self.unsure, self.incomplete = np.zeros(plans, dtype=bool), np.zeros(plans, dtype=bool)
        self.sums = np.zeros((plans * len(COMPONENTS), self.home.runs.count), dtype=np.int64)
        days, months = self._days()
        energy = self._energies()
        self._guard(energy)
        self.unsupplied = self._days_without_supply()
        self._energy_lines(energy)
        self._stepped_lines(energy, days, months)
        self._daily_lines(days)
        self._demand_lines()
        self._recurring_lines()
        self._discount_lines()
        self._threshold_lines(energy)
        by_plan = self.sums.reshape(plans, len(COMPONENTS), -1)
        return np.asarray(np.einsum("pcn->pc", by_plan))  # quicker than a sum along a short axis

    def _days(self) -> tuple[Ints, Ints]:
        """[days, period] → how many, and in months."""
        runs = self.home.runs
        return runs.by_period(runs.active * runs.lengths), runs.by_period(runs.active * runs.shares)

    def _energies(self) -> Energy:
        own = self._cells(_ROLES)
        combined = np.zeros(len(self.market.plans), dtype=bool)
        if not self._controlled:
            return Energy(own, np.zeros_like(own), combined)
        return Energy(own, self._cells({"usage": "controlled"}), self._takes_in_controlled_load())

    @property
    def _controlled(self) -> bool:
        return any(matrix.controlled for matrix in self.home.matrices.values())

    def _cells(self, roles: Mapping[Role, MatrixRole]) -> Ints:
        """[cell, period] → energy of the role named for the cell's layout; 0 where none is."""
        layouts = self.market.layouts
        widths = [len(bands) + 2 for _, _, bands in layouts]
        offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        by_run = np.zeros((len(self.home.runs.starts), int(offsets[-1])), dtype=np.int64)
        for n, (role, clock, bands) in enumerate(layouts):
            if role in roles:
                daily = self.home.matrices[clock].banded(bands, roles[role])
                by_run[:, offsets[n] : offsets[n + 1]] = self.home.summed(daily)
        days, layout, band = self.market.cells.T
        return self.home.runs.by_period(by_run.T[offsets[layout] + band] * self.home.runs.active[days])

    def _takes_in_controlled_load(self) -> Bools:
        """Plans without a tariff for the controlled load bill it as usage; one for some days only needs the engine."""
        combined = np.ones(len(self.market.plans), dtype=bool)
        plans, seasons = self.market.columns.loads
        covered = self.home.runs.assigned >= 0
        some, all_ = np.asarray(covered.any(axis=1))[seasons], np.asarray(covered.all(axis=1))[seasons]
        combined[plans] = ~some
        self.unsure[plans] |= some & ~all_
        return combined

    def _guard(self, energy: Energy) -> None:
        """Plans with energy that has no price explain themselves one by one."""
        plans, cells = self.market.columns.guards
        self.incomplete[plans[energy.any_of(plans, cells)]] = True
        plans, seasons = self.market.columns.covering
        uncovered = np.asarray((self.home.runs.assigned < 0).any(axis=1))
        self.incomplete[plans[uncovered[seasons]]] = True

    def _days_without_supply(self) -> Ints:
        runs = self.home.runs
        days = np.full(len(self.market.plans), runs.lengths.sum())
        plans, seasons = self.market.columns.supplied
        days[plans] = ((runs.assigned < 0) @ runs.lengths)[seasons]
        return days

    def _energy_lines(self, energy: Energy) -> None:
        rows = self.market.columns.energy
        cents = rounded(energy.of(rows.plan, rows.cell), rows.price, NANO * PER_CENT_UNIT)
        rows.into.add(self.sums, cents)

    def _stepped_lines(self, energy: Energy, days: Ints, months: Ints) -> None:
        rows, blocks = self.market.columns.stepped, self.options.blocks
        pooled, afresh = rows.pooled[blocks], rows.afresh[blocks]
        own = self.market.cells[rows.cell[pooled], 0]
        held = energy.of(rows.plan[pooled], rows.cell[pooled])
        cents = np.zeros((len(rows.rows), self.home.runs.count), dtype=np.int64)
        cents[pooled] = pooled_cents(rows, pooled, held, days[own], months[own])
        for number in afresh.slow:
            row = rows.rows[number]
            cents[number] = slowly(row, self._own_days(row.cell, bool(energy.combined[row.plan])), blocks)
        rows.into.add(self.sums, cents)
        if afresh.ends:
            self._afresh_lines(afresh, energy.combined)

    def _afresh_lines(self, lines: Afresh, combined: Bools) -> None:
        within = self._within(lines.ends, combined=False)
        offset = np.zeros(len(lines.plan), dtype=np.int64)
        if combined.any():
            within = np.concatenate([within, self._within(lines.ends, combined=True)])
            offset = combined[lines.plan] * len(lines.ends)
        taken = within[lines.high + offset] - within[lines.low + offset]
        lines.into.add(self.sums, rounded(taken, lines.price, NANO * PER_CENT_UNIT))

    def _within(self, ends: Sequence[End], *, combined: bool) -> Ints:
        """[end, period]"""
        openings = self.home.runs.starts[self.home.runs.openings]
        return np.array([below(self._daily(cell, combined), amount, openings) for cell, amount in ends])

    def _own_days(self, cell: int, combined: bool) -> list[Ints]:
        """Energy of a cell on its own days, by period."""
        daily, inside = self._daily(cell, combined), self._inside(cell)
        openings = self.home.runs.starts[self.home.runs.openings[1:]]
        parts = zip(np.split(daily, openings), np.split(inside, openings), strict=True)
        return [energy[own] for energy, own in parts]

    def _inside(self, cell: int) -> Bools:
        return np.repeat(self.home.runs.active[self.market.cells[cell, 0]], self.home.runs.lengths)

    def _daily(self, cell: int, combined: bool) -> Ints:
        """[day] → energy of a cell on its own days, with the controlled load where usage takes it in."""
        _, layout, band = self.market.cells[cell]
        role, clock, bands = self.market.layouts[layout]
        matrix = self.home.matrices[clock]
        daily = matrix.banded(bands, _ROLES[role])[:, band]
        if combined and role == "usage":
            daily = daily + matrix.banded(bands, "controlled")[:, band]
        return np.asarray(daily * self._inside(cell))

    def _daily_lines(self, days: Ints) -> None:
        rows = self.market.columns.daily
        quantity = days[rows.days]
        if not self._controlled:
            quantity[rows.controlled] = 0
        rows.into.add(self.sums, rounded(quantity, self._daily_prices(rows), PER_CENT_UNIT))

    def _daily_prices(self, rows: Daily) -> Ints:
        """Prices of banded supply are those for the year's energy."""
        if not rows.banded:
            return rows.price
        prices, last = rows.price.copy(), self.home.runs.last
        yearly = dict.fromkeys(self.home.matrices, self.options.yearly)
        if self.options.yearly is None:
            yearly = {clock: yearly_energy(self.usage.matrix(clock), last) for clock in self.home.matrices}
        for line, steps in rows.banded:
            year = yearly[self.market.seasons[self.market.days[rows.days[line], 0]][0]]
            fitting = (each for upper, each in steps if upper is None or year is None or year <= upper)
            prices[line] = next(fitting, steps[-1][1])
        return prices

    def _demand_lines(self) -> None:
        rows = self.market.columns.demands
        if not len(rows.plan):
            return
        demand = demand_of(self.market, self.home)
        self.unsure[rows.plan[~demand.known]] = True
        cents = rounded(demand.quantity, rows.price, rows.divisor)
        rows.into.add(self.sums, cents)

    def _recurring_lines(self) -> None:
        rows = self.market.columns.recurring
        days, months = (self.home.runs.by_period(each) for each in (self.home.runs.lengths, self.home.runs.shares))
        counts = np.where(rows.by_day[:, None], days, months) * rows.times[:, None]
        rows.into.add(self.sums, rounded(counts, rows.price, rows.divisor))

    def _earned(self, rows: Discounts) -> Bools:
        wanted = self.options.discounts
        return np.asarray(rows.guaranteed | (wanted == "all")) & (wanted != "none")

    def _discount_lines(self) -> None:
        """Shares added up by base, on the cents of each billing period (pricing rule 10)."""
        by_plan = self.sums.reshape(len(self.market.plans), len(COMPONENTS), -1)
        for base, components in _BASES.items():  # discount lines are in neither base
            rows = self.market.columns.discounts[base]
            earned = self._earned(rows)
            share = np.zeros(len(self.market.plans), dtype=np.int64)
            np.add.at(share, rows.plan[earned], rows.share[earned])
            plans = np.flatnonzero(share)
            amounts = by_plan[plans[:, None], components].sum(axis=1)
            by_plan[plans, _CODE["discount"]] += rounded(amounts, -share[plans], PRICE_UNITS)

    def _threshold_lines(self, energy: Energy) -> None:
        """A share of what usage beyond a threshold costs, at the mean price of the period's usage."""
        rows, metered = self.market.columns.discounts["over"], self.market.columns.metered
        share = rows.share * self._earned(rows)
        if not share.any():
            return
        usage = rows.plan * len(COMPONENTS) + _CODE["usage"]
        taken = np.zeros_like(self.sums)
        metered.into.add(taken, energy.of(metered.plan, metered.cell))
        amounts, used = self.sums[usage], taken[usage]
        beyond = np.maximum(used - rows.threshold[:, None], 0)
        over = np.maximum(used, 1)
        exact = -amounts * (beyond / over) * (share / PRICE_UNITS)[:, None]
        cents, near = to_nearest(exact)
        for line, period in zip(*near, strict=True):
            product = -int(amounts[line, period]) * int(beyond[line, period]) * int(share[line])
            cents[line, period] = half_away(product, int(over[line, period]) * PRICE_UNITS)
        rows.into.add(self.sums, cents)
