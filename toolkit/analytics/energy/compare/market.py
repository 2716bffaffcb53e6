"""Many plans as a few arrays: what every household can be priced on at once.

A plan's lines become rows that name where their quantity comes from. Plans that need more (banded supply, thresholds,
dates inside the range) are marked and priced one by one by `bills.price`; both ways give the same cents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.blocks import FREE_AT_MOST
from toolkit.analytics.energy.bills.model import COMPONENTS, Blocks, Component
from toolkit.analytics.energy.rates.model import BandRate, Bands, Clock, Gst, Rates, Span, Tariff

Ints = NDArray[np.int64]

PRICE_UNITS = 10**10
"""Prices are whole multiples of 10^-10 AUD; a plan with a finer one is priced by itself."""

MONTH_UNITS = 377_580
"""Least common multiple of 28, 29, 30 and 31: part months are whole numbers of it."""

Role = Literal["usage", "controlled", "export"]
Season = tuple[Clock, tuple[Span, ...]]
Layout = tuple[Role, Clock, Bands]

_CODES = {name: n for n, name in enumerate(COMPONENTS)}


T = TypeVar("T")


@dataclass(slots=True)
class Index(Generic[T]):
    """Distinct things numbered in the order of their coming."""

    items: dict[T, int] = field(default_factory=dict)

    def of(self, item: T) -> int:
        return self.items.setdefault(item, len(self.items))


@dataclass(frozen=True, slots=True)
class EnergyRow:
    """A band of one price on one tariff's days."""

    plan: int
    component: int
    cell: int
    price: int
    gst: Gst


@dataclass(frozen=True, slots=True)
class SteppedRow:
    """A band in blocks. rate: as compiled; prices and GST by block."""

    plan: int
    component: int
    cell: int
    rate: BandRate
    sign: int


@dataclass(frozen=True, slots=True)
class DailyRow:
    """A daily charge. controlled: only where a controlled load register exists."""

    plan: int
    component: int
    days: int
    price: int
    controlled: bool


@dataclass(frozen=True, slots=True)
class DemandRow:
    plan: int
    days: int
    window: int
    price: int
    monthly: bool
    least: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class RecurringRow:
    plan: int
    component: int
    price: int
    count: Fraction
    unit: Literal["day", "month"]
    gst: Gst


@dataclass(frozen=True, slots=True)
class DiscountRow:
    """share: in 10^-10. base: `bill` or `use`."""

    plan: int
    base: str
    share: int
    guaranteed: bool


@dataclass(slots=True)
class Rows:
    """Everything the plans ask for, in the order read."""

    seasons: Index[Season] = field(default_factory=Index)
    days: Index[tuple[int, int]] = field(default_factory=Index)  # (season, number of the tariff in it)
    layouts: Index[Layout] = field(default_factory=Index)
    cells: Index[tuple[int, int, int]] = field(default_factory=Index)  # (days, layout, band)
    windows: Index[tuple[Clock, Bands]] = field(default_factory=Index)
    energy: list[EnergyRow] = field(default_factory=list)
    stepped: list[SteppedRow] = field(default_factory=list)
    daily: list[DailyRow] = field(default_factory=list)
    demand: list[DemandRow] = field(default_factory=list)
    recurring: list[RecurringRow] = field(default_factory=list)
    discounts: list[DiscountRow] = field(default_factory=list)
    guards: list[tuple[int, int]] = field(default_factory=list)  # (plan, cell that must hold no energy)
    covering: list[tuple[int, int]] = field(default_factory=list)  # (plan, season that must cover all days)
    loads: list[tuple[int, int]] = field(default_factory=list)  # (plan, season of its controlled loads)


def is_simple(rates: Rates) -> bool:
    """Whether rows can say all of the plan."""
    tariffs = [tariff for _, tariff in rates.tariffs()]
    clocks = {tariff.clock for tariff in tariffs} | {charge.clock for charge in rates.demands}
    simple = (
        rates.priceable
        and len(clocks) <= 1
        and not any(tariff.supply is not None and tariff.supply.banded for tariff in tariffs)
        and all(tariff.rates for tariff in tariffs)
        and all(discount.base != "over" and discount.span.always for discount in rates.discounts)
    )
    return simple and all(_is_whole(price) for price in _prices(rates))


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


def units(price: Decimal) -> int:
    """A price in whole 10^-10 AUD."""
    return int(price * PRICE_UNITS)


@dataclass(slots=True)
class _Reader:
    rows: Rows
    plan: int
    rates: Rates

    def read(self) -> None:
        self._energy("usage", "usage", self.rates.periods)
        self._energy("controlled_load", "controlled", self.rates.controlled_loads)
        self._energy("feed_in", "export", self.rates.feed_ins)
        supplied = [period for period in self.rates.periods if period.supply is not None]
        self._supply("supply", supplied)
        self._supply("controlled_load", self.rates.controlled_loads)
        self._demand()
        self._recurring()
        if self.rates.controlled_loads:
            self.rows.loads.append((self.plan, self._season(self.rates.controlled_loads)))
        self.rows.covering.append((self.plan, self._season(self.rates.periods)))

    def _season(self, tariffs: Sequence[Tariff]) -> int:
        return self.rows.seasons.of((tariffs[0].clock, tuple(tariff.span for tariff in tariffs)))

    def _energy(self, component: Component, role: Role, tariffs: Sequence[Tariff]) -> None:
        for number, tariff in enumerate(tariffs):
            days = self.rows.days.of((self._season(tariffs), number))
            layout = self.rows.layouts.of((role, tariff.clock, tariff.bands))
            self.rows.guards.append((self.plan, self.rows.cells.of((days, layout, len(tariff.bands)))))
            self.rows.guards.append((self.plan, self.rows.cells.of((days, layout, len(tariff.bands) + 1))))
            for band, rate in enumerate(tariff.rates):
                self._band(component, self.rows.cells.of((days, layout, band)), rate)

    def _band(self, component: Component, cell: int, rate: BandRate) -> None:
        sign = -1 if component == "feed_in" else 1
        code, first = _CODES[component], rate.blocks[0]
        if first.width is None:
            self.rows.energy.append(EnergyRow(self.plan, code, cell, sign * units(first.price), first.gst))
        else:
            self.rows.stepped.append(SteppedRow(self.plan, code, cell, rate, sign))

    def _supply(self, component: Component, tariffs: Sequence[Tariff]) -> None:
        for number, tariff in enumerate(tariffs):
            if tariff.supply is None:
                continue
            days = self.rows.days.of((self._season(tariffs), number))
            price = units(tariff.supply.price(None))
            self.rows.daily.append(DailyRow(self.plan, _CODES[component], days, price, component == "controlled_load"))

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
                    least=None if charge.least is None else int(charge.least * 10**9),
                    most=None if charge.most is None else int(charge.most * 10**9),
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
            row_ = DiscountRow(self.plan, discount.base, units(discount.share), discount.guaranteed)
            self.rows.discounts.append(row_)


@dataclass(frozen=True, slots=True)
class Market:
    """Plans compiled for comparing. alone: numbers of the plans that are priced by `bills.price`."""

    plans: tuple[Rates, ...]
    alone: frozenset[int]
    rows: Rows
    clocks: tuple[Clock, ...]
    seasons: tuple[Season, ...]
    layouts: tuple[Layout, ...]
    days: Ints
    cells: Ints

    @classmethod
    def of(cls, plans: Sequence[Rates]) -> Market:
        """The market of these plans, all of one fuel."""
        rows = Rows()
        alone = {n for n, rates in enumerate(plans) if not is_simple(rates)}
        for number, rates in enumerate(plans):
            if number not in alone:
                _Reader(rows, number, rates).read()
        return cls(
            plans=tuple(plans),
            alone=frozenset(alone),
            rows=rows,
            clocks=tuple(sorted({clock for clock, _ in rows.seasons.items})),
            seasons=tuple(rows.seasons.items),
            layouts=tuple(rows.layouts.items),
            days=np.array(list(rows.days.items), dtype=np.int64).reshape(-1, 2),
            cells=np.array(list(rows.cells.items), dtype=np.int64).reshape(-1, 3),
        )


def resets_daily(rate: BandRate, blocks: Blocks) -> bool:
    """Whether any block of it starts afresh each day (see `bills.blocks`)."""
    if not rate.period.daily:
        return False
    return blocks == "daily" or any(b.width is not None and b.price <= FREE_AT_MOST for b in rate.blocks)
