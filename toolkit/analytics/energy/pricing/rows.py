"""Read the charges of many plans into tables of exact integers, and round many products of such numbers to the cent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Generic, TypeVar

import numpy as np

from toolkit.analytics.energy.pricing.model import COMPONENTS, Component
from toolkit.analytics.energy.pricing.tables import (
    BASES,
    KINDS,
    LARGEST_PRICE,
    MONTH_UNITS,
    NO_LIMIT,
    PRICE_UNITS,
    CellTable,
    Clock,
    DailyTable,
    DaysTable,
    DemandTable,
    DiscountTable,
    EnergyTable,
    Floats,
    Ints,
    Layout,
    MarketTables,
    OwnTable,
    RecurringTable,
    Role,
    Season,
    SupplyTable,
    Table,
    TieredTable,
    UnpricedTable,
    Window,
)
from toolkit.analytics.energy.rates.model import BandRate, Block, Gst, PlanTimeZone, Rates, Tariff
from toolkit.answers.energy.bills import Blocks
from toolkit.units import NANO

T = TypeVar("T")

NEAR = 1e-6
"""Cents. A product of two integers below 2^53 is off by 1e-16 of itself: 1e-9 cents for a bill of $100,000."""

LARGEST = 2**61
"""Twice a product below this limit plus a divisor below it fit into 64 bits."""


def rounded(quantity: Ints, price: Ints, divisor: int | Ints) -> Ints:
    """Return [line, period], quantity × price ÷ divisor to the nearest integer, half away from zero.

    quantity: [line, period]; price, divisor: [line]. All below 2^53 (divisors may be larger, then as objects).
    """
    # One float product for all; only results within NEAR of half a cent, where it may err, are done again exactly.
    out, (lines, periods) = to_nearest(quantity * (price / divisor).astype(np.float64)[:, None])
    if lines.size:
        divisors = divisor if isinstance(divisor, int) else divisor[lines]
        out[lines, periods] = _exactly(quantity[lines, periods], price[lines], divisors)
    return out


def _exactly(quantity: Ints, price: Ints, divisor: int | Ints) -> Ints | list[int]:
    """Return quantity × price ÷ divisor, rounded in 64-bit integers where they fit, else in Python's."""
    if isinstance(divisor, int) and divisor < LARGEST and _size(quantity) * _size(price) < LARGEST:
        product = quantity * price
        return np.asarray(np.sign(product) * ((2 * np.abs(product) + divisor) // (2 * divisor)))
    divisors = np.broadcast_to(np.asarray(divisor, dtype=object), price.shape).tolist()
    given = zip(quantity.tolist(), price.tolist(), divisors, strict=True)
    return [half_away(one * each, by) for one, each, by in given]


def _size(values: Ints) -> int:
    """Return the largest magnitude."""
    return int(np.abs(values).max(initial=0))


def to_nearest(exact: Floats) -> tuple[Ints, tuple[Ints, Ints]]:
    """Return the nearest integers, and the (line, period) indices too near a half to trust. Overwrites `exact`."""
    nearest = np.rint(exact)
    np.subtract(exact, nearest, out=exact)
    np.abs(exact, out=exact)
    near = np.flatnonzero(exact > 0.5 - NEAR)  # much quicker than where in two dimensions
    lines, periods = np.divmod(near, exact.shape[1])
    return nearest.astype(np.int64), (lines, periods)


def half_away(product: int | Fraction, divisor: int) -> int:
    """Return product ÷ divisor to the nearest integer, half away from zero."""
    size = product if product >= 0 else -product
    whole = int((2 * size + divisor) // (2 * divisor))
    return whole if product >= 0 else -whole


_FEW = 64
"""Lines up to which `np.add.at` is quicker than building layers."""


@dataclass(frozen=True, slots=True)
class ScatterIndex:
    """For each line the row of the sums that it is added to: plan × number of components + component.

    few: the sum rows where lines are few. layers: else pairs of (line indices, sum rows). No sum row occurs twice in a
    layer, so that a plain indexed addition, which is much quicker than `np.add.at` on many lines, adds every line.
    """

    few: Ints
    layers: tuple[tuple[Ints, Ints], ...]

    @classmethod
    def of(cls, plans: Ints, components: Ints | int) -> ScatterIndex:
        """Build the index of lines. plans: [line]. components: [line], or one component for all."""
        number = plans * len(COMPONENTS) + components
        if len(number) <= _FEW:
            return cls(number, ())
        # Take each sum row's first line into a layer, then the first of those left, and so on: few plans need many.
        left, layers = np.arange(len(number)), list[tuple[Ints, Ints]]()
        while left.size:
            numbers, firsts = np.unique(number[left], return_index=True)
            layers.append((left[firsts], numbers))
            left = np.delete(left, firsts)
        return cls(number[:0], tuple(layers))

    def add(self, sums: Ints, cents: Ints) -> None:
        """Add cents [line, period] to sums [plan × components + component, period], in place."""
        if len(self.few):
            np.add.at(sums, self.few, cents)
        for lines, numbers in self.layers:
            sums[numbers] += cents.take(lines, axis=0)


TENTHS: dict[Gst, int] = {"added": 11, "included": 10, "none": 10}
"""A price times this is in tenths of its unit, GST in it where it is added."""


@lru_cache(maxsize=65_536)
def units(price: Decimal) -> int | None:
    """Return a price in whole 10^-10 AUD; None where it is finer or larger than arrays hold."""
    scaled = price * PRICE_UNITS
    whole = int(scaled)
    return whole if whole == scaled and abs(price) < LARGEST_PRICE else None


@lru_cache(maxsize=65_536)
def nano(amount: Decimal) -> int | None:
    """Return an amount in whole 10^-9 of its unit; None where it is finer or larger than arrays hold."""
    scaled = amount * NANO
    whole = int(scaled)
    return whole if whole == scaled and abs(whole) < PRICE_UNITS * LARGEST_PRICE else None


@dataclass(slots=True)
class Index(Generic[T]):
    """Number distinct items in the order in which they are added."""

    items: dict[T, int] = field(default_factory=dict)

    def of(self, item: T) -> int:
        """Return the number of an item; a new item gets the next one."""
        return self.items.setdefault(item, len(self.items))


FREE_AT_MOST = Decimal("0.0005")
"""AUD per unit: a block up to this price is a free daily allowance; what is unused is not carried over (rule 6)."""


def daily_blocks(rate: BandRate, blocks: Blocks) -> int:
    """Return how many blocks, from the first, restart every day.

    All under the option `daily`; else those up to the last free allowance, since earlier ones fill first each day.
    """
    if not rate.period.daily:
        return 0
    if blocks == "daily":
        return len(rate.blocks)
    # P1D blocks at a price of at most 0.0005 restart every day under either option (pricing rule 6).
    free = [
        n for n, block in enumerate(rate.blocks, start=1) if block.width is not None and block.price <= FREE_AT_MOST
    ]
    return max(free, default=0)


def flat_price(rate: BandRate) -> int | None:
    """Return the price of a band in 10^-10 AUD where all energy has one price that arrays hold; else None."""
    first = rate.blocks[0]
    return units(first.price) if first.width is None else None


_WIDEST = 2**59
"""10^-9 units. The widths of the few blocks of a band add up within 64 bits."""
_MOST_BLOCKS = 8


def _widths(blocks: Sequence[Block]) -> list[int] | None:
    """Return the widths of blocks in 10^-9 units, `NO_LIMIT` where open; None where arrays do not hold them."""
    if len(blocks) > _MOST_BLOCKS:
        return None
    widths = []
    for block in blocks:
        width = NO_LIMIT if block.width is None else Fraction(block.width) * NANO
        if width != NO_LIMIT and (width.denominator > 1 or not 0 <= width < _WIDEST):
            return None
        widths.append(int(width))
    return widths


def _kind(rate: BandRate, blocks: Blocks) -> int:
    """Return the number in `KINDS` of how blocks that arrays hold are priced under the option."""
    resets = daily_blocks(rate, blocks)
    *closed, last = rate.blocks
    pooled_ones_follow = resets < (len(closed) if last.width is None else len(rate.blocks))
    if resets and (pooled_ones_follow or any(block.width is None for block in closed)):
        return KINDS.index("one by one")
    return KINDS.index("daily" if resets else "pooled")


_CODES = {name: n for n, name in enumerate(COMPONENTS)}


@dataclass(slots=True)
class Rows:
    """All charges of the plans, in the order read: rows of the tables of the same names."""

    seasons: Index[Season] = field(default_factory=Index)
    days: Index[tuple[int, int]] = field(default_factory=Index)
    layouts: Index[Layout] = field(default_factory=Index)
    cells: Index[tuple[int, int, int, int]] = field(default_factory=Index)
    windows: Index[Window] = field(default_factory=Index)
    clocks: Index[Clock] = field(default_factory=Index)
    plans: list[tuple[int, ...]] = field(default_factory=list)
    energy: list[tuple[int, ...]] = field(default_factory=list)
    tiered: list[tuple[int, ...]] = field(default_factory=list)
    blocks: list[list[tuple[int, int]]] = field(default_factory=list)
    """Width and price of each block of the rows of `tiered`."""
    daily: list[tuple[int, ...]] = field(default_factory=list)
    demand: list[tuple[int, ...]] = field(default_factory=list)
    recurring: list[tuple[int, ...]] = field(default_factory=list)
    discounts: list[tuple[int, ...]] = field(default_factory=list)
    unpriced: list[tuple[int, ...]] = field(default_factory=list)
    supply: list[tuple[int, ...]] = field(default_factory=list)

    def tables(self) -> MarketTables:
        """Return the rows as tables."""
        deepest = max(map(len, self.blocks), default=0)
        filled = [[*blocks, *[(NO_LIMIT, 0)] * (deepest - len(blocks))] for blocks in self.blocks]
        blocks = np.array(filled, dtype=np.int64).reshape(len(filled), deepest, 2)
        tiered = [*np.array(self.tiered, dtype=np.int64).reshape(-1, 9).T, blocks[:, :, 0], blocks[:, :, 1]]
        return MarketTables(
            plans=OwnTable(*_columns(self.plans, OwnTable)),
            energy=EnergyTable(*_columns(self.energy, EnergyTable)),
            tiered=TieredTable(*tiered),
            daily=DailyTable(*_columns(self.daily, DailyTable)),
            demand=DemandTable(*_columns(self.demand, DemandTable)),
            recurring=RecurringTable(*_columns(self.recurring, RecurringTable)),
            discounts=DiscountTable(*_columns(self.discounts, DiscountTable)),
            unpriced=UnpricedTable(*_columns(self.unpriced, UnpricedTable)),
            supply=SupplyTable(*_columns(self.supply, SupplyTable)),
            cells=CellTable(*_columns(list(self.cells.items), CellTable)),
            days=DaysTable(*_columns(list(self.days.items), DaysTable)),
            clocks=tuple(self.clocks.items),
            seasons=tuple(self.seasons.items),
            layouts=tuple(self.layouts.items),
            windows=tuple(self.windows.items),
        )


def tables_of(plans: Iterable[Rates]) -> MarketTables:
    """Read the charges of plans, all of one fuel, into tables."""
    rows = Rows()
    for number, rates in enumerate(plans):
        RowReader(rows, number, rates).read()
    return rows.tables()


def _columns(rows: Sequence[tuple[int, ...]], table: type[Table]) -> Ints:
    """Return [column of the table, row]."""
    return np.ascontiguousarray(np.array(rows, dtype=np.int64).reshape(-1, len(fields(table))).T)


@dataclass(slots=True)
class RowReader:
    """Read the charges of one plan into the rows of a market."""

    rows: Rows
    plan: int
    rates: Rates
    loads_season: int = 0

    def read(self) -> None:
        """Add every charge of the plan to the rows."""
        rates, rows = self.rates, self.rows
        clock = rows.clocks.of((rates.time_zone, rates.time_zone))
        usage, self.loads_season = self._season(rates.periods), self._season(rates.controlled_loads)
        feed_in = self._season(rates.feed_ins)
        exact = any(
            not discount.span.always or units(discount.share) is None or nano(discount.threshold) is None
            for discount in rates.discounts
        )
        rows.plans.append((self.plan, clock, usage, self.loads_season, feed_in, exact))
        self._energy("usage", "usage", rates.periods, usage)
        self._energy("controlled_load", "controlled", rates.controlled_loads, self.loads_season)
        self._energy("feed_in", "export", rates.feed_ins, feed_in)
        supplied = [period for period in rates.periods if period.supply is not None]
        if supplied:
            rows.supply.append((self.plan, self._season(supplied)))
        self._supply("supply", supplied)
        self._supply("controlled_load", rates.controlled_loads)
        self._demand()
        self._recurring()
        if not exact:
            self._discounts()

    def _season(self, tariffs: Sequence[Tariff]) -> int:
        """Return the number of the tariffs' dates, taken together: on each day the first that covers it counts."""
        return self.rows.seasons.of((self.rates.time_zone, tuple([tariff.span for tariff in tariffs])))

    def _clock(self, time_zone: PlanTimeZone) -> Clock:
        """Return the clock of windows in that time zone, counted by the plan's days."""
        clock = (time_zone, self.rates.time_zone)
        self.rows.clocks.of(clock)
        return clock

    def _energy(self, component: Component, role: Role, tariffs: Sequence[Tariff], season: int) -> None:
        """Add the bands of tariffs, and the cells of energy without a price."""
        loads = self.loads_season if role == "usage" else 0
        for number, tariff in enumerate(tariffs):
            days = self.rows.days.of((season, number))
            layout = self.rows.layouts.of((role, self._clock(tariff.time_zone), tariff.bands))
            # The two columns after the bands: energy in no window, and of unknown time of day (pricing rule 4).
            for column in (len(tariff.bands), len(tariff.bands) + 1):
                self.rows.unpriced.append((self.plan, self.rows.cells.of((days, layout, column, loads))))
            for band, rate in enumerate(tariff.rates):
                self._band(component, self.rows.cells.of((days, layout, band, loads)), rate)

    def _band(self, component: Component, cell: int, rate: BandRate) -> None:
        """Add one band: a single price, or blocks."""
        sign = -1 if component == "feed_in" else 1  # credits are negative (pricing rule 9)
        code, price = _CODES[component], flat_price(rate)
        if price is not None:
            self.rows.energy.append((self.plan, code, cell, sign * price * TENTHS[rate.blocks[0].gst]))
            return
        widths, prices = _widths(rate.blocks), [units(block.price) for block in rate.blocks]
        if widths is None or None in prices:
            pooled = daily = KINDS.index("one by one")
            blocks = [(NO_LIMIT, 0)]
        else:
            pooled, daily = _kind(rate, "pooled"), _kind(rate, "daily")
            tenths = [sign * (price or 0) * TENTHS[b.gst] for price, b in zip(prices, rate.blocks, strict=True)]
            blocks = list(zip(widths, tenths, strict=True))
        length, by_day = rate.period.count, rate.period.unit == "day"
        parts = length.numerator * (1 if by_day else MONTH_UNITS)
        kinds = (pooled, daily, by_day, length.denominator, parts, len(blocks))
        self.rows.tiered.append((self.plan, code, cell, *kinds))
        self.rows.blocks.append(blocks)

    def _supply(self, component: Component, tariffs: Sequence[Tariff]) -> None:
        """Add daily charges."""
        season = self._season(tariffs)
        for number, tariff in enumerate(tariffs):
            if tariff.supply is not None:
                prices = [units(price) for _, price in tariff.supply.steps]
                own = (self.plan, _CODES[component], self.rows.days.of((season, number)), with_gst(prices[0]))
                controlled = component == "controlled_load"
                self.rows.daily.append((*own, controlled, tariff.supply.banded, None in prices))

    def _demand(self) -> None:
        """Add demand charges (pricing rule 7)."""
        for charge in self.rates.demands:
            days = self.rows.days.of((self.rows.seasons.of((self.rates.time_zone, (charge.span,))), 0))
            window = self.rows.windows.of((self._clock(charge.time_zone), charge.bands))
            price, least = units(charge.price), nano(charge.least or Decimal(0))
            most = NO_LIMIT if charge.most is None else nano(charge.most)
            exact = None in (price, least, most)
            limits = (charge.monthly, least or 0, NO_LIMIT if most is None else most)
            self.rows.demand.append((self.plan, days, window, with_gst(price), *limits, exact))

    def _recurring(self) -> None:
        """Add recurring fees and metering charges (pricing rule 11)."""
        for charge in self.rates.recurring:
            price, length, by_day = units(charge.price), charge.every.count, charge.every.unit == "day"
            parts = length.numerator * (1 if by_day else MONTH_UNITS)
            tenths = (price or 0) * TENTHS[charge.gst]
            times = (by_day, length.denominator, parts)
            self.rows.recurring.append((self.plan, _CODES[charge.component], *times, tenths, price is None))

    def _discounts(self) -> None:
        """Add discounts on all days (pricing rule 10)."""
        for discount in self.rates.discounts:
            share, threshold = units(discount.share), nano(discount.threshold)
            assert share is not None
            assert threshold is not None
            base = BASES.index(discount.base)
            self.rows.discounts.append((self.plan, base, share, discount.guaranteed, threshold))


def with_gst(price: int | None) -> int:
    """Return a price before GST in 10^-11 AUD with GST; 0 for one that arrays do not hold."""
    return (price or 0) * TENTHS["added"]
