"""A market priced for one household: totals and components of every plan, to the cent what a bill gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.grid import Role as GridRole
from toolkit.analytics.energy.bills.model import COMPONENTS, Bill, Options, Period
from toolkit.analytics.energy.bills.pricing import price
from toolkit.analytics.energy.bills.usage import NANO, Usage
from toolkit.analytics.energy.compare.demanded import Demand
from toolkit.analytics.energy.compare.home import Home, home_of
from toolkit.analytics.energy.compare.market import MONTH_UNITS, PRICE_UNITS, Market, Role, SteppedRow, resets_daily
from toolkit.analytics.energy.compare.rounding import rounded
from toolkit.analytics.energy.compare.stepped import afresh_cents, pooled_cents

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_CODE = {name: n for n, name in enumerate(COMPONENTS)}
_ROLES: dict[Role, GridRole] = {"usage": "general", "controlled": "controlled", "export": "export"}
_BASES = {
    "bill": [_CODE["supply"], _CODE["usage"], _CODE["controlled_load"], _CODE["demand"]],
    "use": [_CODE["usage"], _CODE["controlled_load"]],
}
_GST = {"added": 11, "included": 10, "none": 10}

PER_CENT_UNIT = PRICE_UNITS // 100 * 10
"""A price in 10^-10 AUD times eleven or ten tenths, into cents."""


@dataclass(frozen=True, slots=True)
class Priced:
    """[plan, component of COMPONENTS] → cents. alone: bills of the plans that were priced one by one, by number."""

    cents: Ints
    alone: Mapping[int, Bill]

    @property
    def totals(self) -> Ints:
        return np.asarray(self.cents.sum(axis=1))


def price_market(market: Market, usage: Usage, periods: Sequence[Period], options: Options | None = None) -> Priced:
    """Every plan of the market on the household's reads. Same cents as `bills.price`, plan by plan."""
    chosen = options or Options()
    first, last = periods[0].first, periods[-1].last
    grids = {clock: usage.grid(clock).framed(first, last, chosen.holidays) for clock in market.clocks}
    cents = np.zeros((len(market.plans), len(COMPONENTS)), dtype=np.int64)
    alone = set(market.alone)
    if grids:
        pricing = _Pricing(market, home_of(grids, market.seasons, periods), chosen)
        cents, flagged = pricing.run()
        alone |= flagged
    bills = {n: price(usage, market.plans[n], periods, options=chosen) for n in sorted(alone)}
    for n, bill in bills.items():
        by_name = bill.components_minor()
        cents[n] = [by_name.get(name, 0) for name in COMPONENTS]
    return Priced(cents, bills)


@dataclass(frozen=True, slots=True)
class _Energy:
    """[cell, period]: energy of the cell's own role, and of the controlled load where usage takes it in."""

    own: Ints
    extra: Ints
    combined: Bools

    def of(self, plans: Ints, cells: Ints) -> Ints:
        return np.asarray(self.own[cells] + self.extra[cells] * self.combined[plans][:, None])


@dataclass(slots=True)
class _Pricing:
    market: Market
    home: Home
    options: Options
    flagged: Bools = field(init=False)
    sums: Ints = field(init=False)

    def run(self) -> tuple[Ints, set[int]]:
        """Cents by plan and component, and the plans that have to be priced by themselves."""
        count = len(self.market.plans)
        self.flagged = np.zeros(count, dtype=bool)
        self.sums = np.zeros((count, len(COMPONENTS), self.home.count), dtype=np.int64)
        days, months = self._days()
        energy = self._energies()
        self._guard(energy)
        self._energy_lines(energy)
        self._stepped_lines(energy, days, months)
        self._daily_lines(days)
        self._demand_lines()
        self._recurring_lines()
        self._discount_lines()
        return self.sums.sum(axis=2), set(np.flatnonzero(self.flagged).tolist())

    def _add(self, plans: Sequence[int], components: Sequence[int], cents: Ints) -> None:
        where = (np.asarray(plans, dtype=np.int64), np.asarray(components, dtype=np.int64))
        np.add.at(self.sums, where, cents)

    def _active(self, run: int) -> Bools:
        """[days] → whether the run is one of them."""
        season, number = self.market.days.T
        return np.asarray(self.home.assigned[season, run] == number)

    def _days(self) -> tuple[Ints, Ints]:
        """[days, period] → how many, and in months."""
        shape = (len(self.market.days), self.home.count)
        days, months = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for run, period in enumerate(self.home.periods):
            active = self._active(run)
            days[:, period] += active * self.home.lengths[run]
            months[:, period] += active * self.home.shares[run]
        return days, months

    def _energies(self) -> _Energy:
        home = self.home
        own = self._cells(_ROLES)
        extra, combined = np.zeros_like(own), np.zeros(len(self.market.plans), dtype=bool)
        if any(grid.controlled for grid in home.grids.values()):
            extra = self._cells({"usage": "controlled"})
            combined = self._takes_in_controlled_load()
        return _Energy(own, extra, combined)

    def _cells(self, roles: Mapping[Role, GridRole]) -> Ints:
        """[cell, period] → energy of the role named for the cell's layout; 0 where none is."""
        layouts = self.market.layouts
        widths = [len(bands) + 2 for _, _, bands in layouts]
        offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        by_run = np.zeros((len(self.home.starts), int(offsets[-1])), dtype=np.int64)
        for n, (role, clock, bands) in enumerate(layouts):
            if role in roles:
                daily = self.home.grids[clock].banded(bands, roles[role])
                by_run[:, offsets[n] : offsets[n + 1]] = self.home.summed(daily)
        days, layout, band = self.market.cells.T
        out = np.zeros((len(days), self.home.count), dtype=np.int64)
        column = offsets[layout] + band
        for run, period in enumerate(self.home.periods):
            out[:, period] += by_run[run, column] * self._active(run)[days]
        return out

    def _takes_in_controlled_load(self) -> Bools:
        """Plans without a tariff for the controlled load bill it as usage; one for some days only needs the engine."""
        combined = np.ones(len(self.market.plans), dtype=bool)
        for plan, season in self.market.rows.loads:
            covered = self.home.assigned[season] >= 0
            combined[plan] = not covered.any()
            self.flagged[plan] |= covered.any() and not covered.all()
        return combined

    def _guard(self, energy: _Energy) -> None:
        """Plans with energy that has no price explain themselves one by one."""
        plans, cells = np.array(self.market.rows.guards, dtype=np.int64).reshape(-1, 2).T
        self.flagged[plans[energy.of(plans, cells).any(axis=1)]] = True
        for plan, season in self.market.rows.covering:
            self.flagged[plan] |= bool((self.home.assigned[season] < 0).any())

    def _energy_lines(self, energy: _Energy) -> None:
        rows = self.market.rows.energy
        plans, cells = [row.plan for row in rows], [row.cell for row in rows]
        prices = np.array([row.price * _GST[row.gst] for row in rows], dtype=np.int64)
        quantity = energy.of(np.array(plans, dtype=np.int64), np.array(cells, dtype=np.int64))
        divisor = [NANO * PER_CENT_UNIT] * len(rows)
        self._add(plans, [row.component for row in rows], rounded(quantity, prices, divisor))

    def _stepped_lines(self, energy: _Energy, days: Ints, months: Ints) -> None:
        rows = self.market.rows.stepped
        afresh = [row for row in rows if resets_daily(row.rate, self.options.blocks)]
        for row in afresh:
            self._add([row.plan], [row.component], self._afresh(row, energy)[None, :])
        pooled = [row for row in rows if not resets_daily(row.rate, self.options.blocks)]
        if pooled:
            plans, cells = np.array([(row.plan, row.cell) for row in pooled]).T
            own = self.market.cells[cells, 0]
            cents = pooled_cents(pooled, energy.of(plans, cells), days[own], months[own])
            self._add(plans.tolist(), [row.component for row in pooled], cents)

    def _afresh(self, row: SteppedRow, energy: _Energy) -> Ints:
        """[period] → cents of a band whose blocks start afresh each day."""
        days, layout, band = self.market.cells[row.cell]
        season, number = self.market.days[days]
        role, clock, bands = self.market.layouts[layout]
        grid = self.home.grids[clock]
        daily = grid.banded(bands, _ROLES[role])[:, band]
        if role == "usage" and energy.combined[row.plan]:
            daily = daily + grid.banded(bands, "controlled")[:, band]
        inside = np.repeat(self.home.assigned[season] == number, self.home.lengths)
        periods = np.where(inside, np.repeat(self.home.periods, self.home.lengths), -1)
        return afresh_cents(row, daily, periods, self.home.count, self.options.blocks)

    def _daily_lines(self, days: Ints) -> None:
        controlled = any(grid.controlled for grid in self.home.grids.values())
        rows = [row for row in self.market.rows.daily if controlled or not row.controlled]
        if rows:
            prices = np.array([row.price * _GST["added"] for row in rows], dtype=np.int64)
            cents = rounded(days[[row.days for row in rows]], prices, [PER_CENT_UNIT] * len(rows))
            self._add([row.plan for row in rows], [row.component for row in rows], cents)

    def _demand_lines(self) -> None:
        rows = self.market.rows.demand
        if not rows:
            return
        demand = Demand.of(self.market, self.home)
        quantity = demand.quantity(rows)
        self.flagged[[row.plan for row, known in zip(rows, demand.known(rows), strict=True) if not known]] = True
        prices = np.array([row.price * _GST["added"] for row in rows], dtype=np.int64)
        divisor = [NANO * PER_CENT_UNIT * (MONTH_UNITS if row.monthly else 1) for row in rows]
        self._add([row.plan for row in rows], [_CODE["demand"]] * len(rows), rounded(quantity, prices, divisor))

    def _recurring_lines(self) -> None:
        rows = self.market.rows.recurring
        if not rows:
            return
        periods = self.home.periods
        days = np.bincount(periods, weights=self.home.lengths, minlength=self.home.count).astype(np.int64)
        months = np.bincount(periods, weights=self.home.shares, minlength=self.home.count).astype(np.int64)
        counts = np.array([(days if row.unit == "day" else months) * row.count.denominator for row in rows])
        prices = np.array([row.price * _GST[row.gst] for row in rows], dtype=np.int64)
        whole = [1 if row.unit == "day" else MONTH_UNITS for row in rows]
        divisor = [PER_CENT_UNIT * each * row.count.numerator for each, row in zip(whole, rows, strict=True)]
        self._add([row.plan for row in rows], [row.component for row in rows], rounded(counts, prices, divisor))

    def _discount_lines(self) -> None:
        """Shares added up by base, on the cents of each billing period (rule 10)."""
        wanted = self.options.discounts
        for base, components in _BASES.items():  # discount lines are in neither base
            share = np.zeros(len(self.market.plans), dtype=np.int64)
            for row in self.market.rows.discounts:
                if row.base == base and (wanted == "all" or (wanted == "guaranteed" and row.guaranteed)):
                    share[row.plan] += row.share
            plans = np.flatnonzero(share)
            amounts = self.sums[plans][:, components].sum(axis=1)
            cents = rounded(amounts, -share[plans], [PRICE_UNITS] * len(plans))
            self._add(plans.tolist(), [_CODE["discount"]] * len(plans), cents)
