"""Many plans as a few arrays, to price a household on all of them at once.

Each charge of a plan becomes a row that names the source of its quantity. Plans that need more (several clocks, dates
inside the range) are marked and priced one by one with `bills.price`; both ways give the same cents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.model import COMPONENTS, Component, Period
from toolkit.analytics.energy.compare.columns import Columns
from toolkit.analytics.energy.compare.home import DayRanges, day_ranges_of
from toolkit.analytics.energy.compare.rows import (
    PRICE_UNITS,
    DailyRow,
    DemandRow,
    DiscountRow,
    EnergyRow,
    Layout,
    RecurringRow,
    Role,
    Rows,
    Season,
    TieredRow,
    units,
)
from toolkit.analytics.energy.rates.model import BandRate, Clock, Rates, Tariff
from toolkit.units import NANO

Ints = NDArray[np.int64]

_CODES = {name: n for n, name in enumerate(COMPONENTS)}


def is_simple(rates: Rates) -> bool:
    """Return whether rows can represent the whole plan."""
    tariffs = [tariff for _, tariff in rates.tariffs()]
    clocks = {tariff.clock for tariff in tariffs} | {charge.clock for charge in rates.demands}
    simple = (
        rates.priceable
        and len(clocks) <= 1
        and all(tariff.rates for tariff in tariffs)
        and all(discount.span.always for discount in rates.discounts)
    )
    thresholds_whole = all(d.threshold * NANO == int(d.threshold * NANO) for d in rates.discounts)
    return simple and thresholds_whole and all(_is_whole(price) for price in _prices(rates))


def _prices(rates: Rates) -> list[Decimal]:
    blocks = [block for _, tariff in rates.tariffs() for rate in tariff.rates for block in rate.blocks]
    return [
        *(block.price for block in blocks),
        *(price for _, tariff in rates.tariffs() if tariff.supply for _, price in tariff.supply.steps),
        *(charge.price for charge in rates.demands),
        *(limit for charge in rates.demands for limit in (charge.least, charge.most) if limit is not None),
        *(charge.price for charge in rates.recurring),
        *(discount.share for discount in rates.discounts),
    ]


def _is_whole(price: Decimal) -> bool:
    return abs(price) < 10_000 and price * PRICE_UNITS == int(price * PRICE_UNITS)


@dataclass(slots=True)
class _Reader:
    rows: Rows
    plan: int
    rates: Rates

    def read(self) -> None:
        self._energy("usage", "usage", self.rates.periods)
        self._energy("controlled_load", "controlled", self.rates.controlled_loads)
        self._energy("feed_in", "export", self.rates.feed_ins)
        supply_seasons = [period for period in self.rates.periods if period.supply is not None]
        self._supply("supply", supply_seasons)
        if supply_seasons:
            self.rows.supply_seasons.append((self.plan, self._season(supply_seasons)))
        self._supply("controlled_load", self.rates.controlled_loads)
        self._demand()
        self._recurring()
        if self.rates.controlled_loads:
            self.rows.controlled_load_seasons.append((self.plan, self._season(self.rates.controlled_loads)))
        self.rows.usage_seasons.append((self.plan, self._season(self.rates.periods)))

    def _season(self, tariffs: Sequence[Tariff]) -> int:
        return self.rows.seasons.of((tariffs[0].clock, tuple(tariff.span for tariff in tariffs)))

    def _energy(self, component: Component, role: Role, tariffs: Sequence[Tariff]) -> None:
        for number, tariff in enumerate(tariffs):
            days = self.rows.days.of((self._season(tariffs), number))
            layout = self.rows.layouts.of((role, tariff.clock, tariff.bands))
            self.rows.unpriced_cells.append((self.plan, self.rows.cells.of((days, layout, len(tariff.bands)))))
            self.rows.unpriced_cells.append((self.plan, self.rows.cells.of((days, layout, len(tariff.bands) + 1))))
            for band, rate in enumerate(tariff.rates):
                self._band(component, self.rows.cells.of((days, layout, band)), rate)

    def _band(self, component: Component, cell: int, rate: BandRate) -> None:
        sign = -1 if component == "feed_in" else 1
        code, first = _CODES[component], rate.blocks[0]
        if first.width is None:
            self.rows.energy.append(EnergyRow(self.plan, code, cell, sign * units(first.price), first.gst))
        else:
            self.rows.tiered.append(TieredRow(self.plan, code, cell, rate, sign))

    def _supply(self, component: Component, tariffs: Sequence[Tariff]) -> None:
        for number, tariff in enumerate(tariffs):
            if tariff.supply is None:
                continue
            days = self.rows.days.of((self._season(tariffs), number))
            price, steps = units(tariff.supply.price(None)), tariff.supply if tariff.supply.banded else None
            row = DailyRow(self.plan, _CODES[component], days, price, component == "controlled_load", steps)
            self.rows.daily.append(row)

    def _demand(self) -> None:
        for charge in self.rates.demands:
            season = self.rows.seasons.of((charge.clock, (charge.span,)))
            self.rows.demand.append(
                DemandRow(
                    plan=self.plan,
                    days=self.rows.days.of((season, 0)),
                    window=self.rows.windows.of((charge.clock, charge.bands)),
                    price=units(charge.price),
                    monthly=charge.monthly,
                    least=None if charge.least is None else int(charge.least * NANO),
                    most=None if charge.most is None else int(charge.most * NANO),
                )
            )

    def _recurring(self) -> None:
        for charge in self.rates.recurring:
            every = charge.every
            row = RecurringRow(
                self.plan, _CODES[charge.component], units(charge.price), every.count, every.unit, charge.gst
            )
            self.rows.recurring.append(row)
        for discount in self.rates.discounts:
            threshold = int(discount.threshold * NANO)
            self.rows.discounts.append(
                DiscountRow(self.plan, discount.base, units(discount.share), discount.guaranteed, threshold)
            )


@dataclass(frozen=True, slots=True)
class Market:
    """Plans compiled for comparing. alone: numbers of the plans that are priced by `bills.price`."""

    plans: tuple[Rates, ...]
    alone: frozenset[int]
    rows: Rows
    columns: Columns
    clocks: tuple[Clock, ...]
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
                _Reader(rows, number, rates).read()
        return cls(
            plans=tuple(plans),
            alone=frozenset(alone),
            rows=rows,
            columns=Columns.of(rows),
            clocks=tuple(sorted({clock for clock, _ in rows.seasons.items})),
            seasons=tuple(rows.seasons.items),
            layouts=tuple(rows.layouts.items),
            days=np.array(list(rows.days.items), dtype=np.int64).reshape(-1, 2),
            cells=np.array(list(rows.cells.items), dtype=np.int64).reshape(-1, 3),
        )
