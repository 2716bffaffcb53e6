"""Read the charges of many plans into rows of exact integers, and round many products of such numbers to the cent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.pricing.model import COMPONENTS, Component
from toolkit.analytics.energy.rates.model import (
    BandRate,
    Bands,
    DemandCharge,
    Discount,
    Gst,
    PlanTimeZone,
    Rates,
    RecurringCharge,
    Span,
    Supply,
    Tariff,
)
from toolkit.units import NANO

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

NEAR = 1e-6
"""Cents. A product of two integers below 2^53 is off by 1e-16 of itself: 1e-9 cents for a bill of $100,000."""

LARGEST = 2**61
"""Twice a product below this limit plus a divisor below it fit into 64 bits."""


def ints(values: Sequence[int]) -> Ints:
    """Return the values as an array of 64-bit integers."""
    return np.array(values, dtype=np.int64)


def flags(values: Sequence[bool]) -> Bools:
    """Return the values as an array of booleans."""
    return np.array(values, dtype=np.bool_)


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


PRICE_UNITS = 10**10
"""Prices are whole multiples of 10^-10 AUD in arrays; a line with a finer price is priced by itself."""

LARGEST_PRICE = 10_000
"""AUD. Whole multiples of 10^-10 AUD below it keep every product with energy within 64 bits (see `arithmetic`)."""

MONTH_UNITS = 377_580
"""Least common multiple of 28, 29, 30 and 31: part months are whole numbers of it."""

Role = Literal["usage", "controlled", "export"]

Clock = tuple[PlanTimeZone, PlanTimeZone]
"""The time zone that windows are read on, and the one that days are counted on: the plan's own."""

Season = tuple[PlanTimeZone, tuple[Span, ...]]
"""Dates of tariffs that are alternatives: on each day of the plan's time zone the first that covers it counts."""

Layout = tuple[Role, Clock, Bands]

T = TypeVar("T")

TENTHS: dict[Gst, int] = {"added": 11, "included": 10, "none": 10}
"""A price times this is in tenths of its unit, GST in it where it is added."""

PER_CENT_UNIT = PRICE_UNITS // 100 * 10
"""Tenths of 10^-10 AUD in a cent."""


def units(price: Decimal) -> int | None:
    """Return a price in whole 10^-10 AUD; None where it is finer or larger than arrays hold."""
    scaled = price * PRICE_UNITS
    whole = int(scaled)
    return whole if whole == scaled and abs(price) < LARGEST_PRICE else None


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


@dataclass(frozen=True, slots=True)
class EnergyRow:
    """A band of one price on one tariff's days."""

    plan: int
    component: int
    cell: int
    price: int
    gst: Gst


@dataclass(frozen=True, slots=True)
class TieredRow:
    """A band in blocks, or of a price that arrays do not hold. rate: as compiled; prices and GST by block."""

    plan: int
    component: int
    cell: int
    rate: BandRate
    sign: int
    exact: bool
    """Whether a price is finer or larger than arrays hold, so that each period is priced by itself."""


@dataclass(frozen=True, slots=True)
class DailyRow:
    """A daily charge. controlled: charged only with a controlled load register."""

    plan: int
    component: int
    days: int
    supply: Supply
    controlled: bool


@dataclass(frozen=True, slots=True)
class DemandRow:
    """A demand charge. window: number of its windows in `Rows.windows`."""

    plan: int
    days: int
    window: int
    charge: DemandCharge


@dataclass(frozen=True, slots=True)
class RecurringRow:
    """A recurring fee or metering charge."""

    plan: int
    component: int
    charge: RecurringCharge


@dataclass(frozen=True, slots=True)
class DiscountRow:
    """A discount. share: in 10^-10. threshold: in 10^-9 kWh or MJ."""

    plan: int
    base: str
    """`bill`, `use`, or `over` a threshold."""
    share: int
    guaranteed: bool
    threshold: int


class PlanRows(NamedTuple):
    """Numbers of the first row of a plan by kind, and what its days depend on.

    A plan's rows follow each other in the order of its tariffs (usage, controlled load, feed-in) and of their bands.
    """

    energy: int
    tiered: int
    daily: int
    demand: int
    recurring: int
    unpriced: int
    """Two cells for each tariff: energy in no window, and of unknown time of day."""
    usage_season: int
    loads_season: int
    feed_in_season: int
    exact_discounts: bool
    """Whether a discount holds on some days only, or has figures that arrays do not hold (see `discounts`)."""


@dataclass(slots=True)
class Rows:
    """All charges of the plans, in the order read."""

    plans: list[PlanRows] = field(default_factory=list)
    seasons: Index[Season] = field(default_factory=Index)
    days: Index[tuple[int, int]] = field(default_factory=Index)  # (season, number of the tariff in it)
    layouts: Index[Layout] = field(default_factory=Index)
    # (days, layout, band, season of the plan's controlled loads: outside it their energy is billed as usage)
    cells: Index[tuple[int, int, int, int]] = field(default_factory=Index)
    windows: Index[tuple[Clock, Bands]] = field(default_factory=Index)
    clocks: Index[Clock] = field(default_factory=Index)
    energy: list[EnergyRow] = field(default_factory=list)
    tiered: list[TieredRow] = field(default_factory=list)
    daily: list[DailyRow] = field(default_factory=list)
    demand: list[DemandRow] = field(default_factory=list)
    recurring: list[RecurringRow] = field(default_factory=list)
    discounts: list[DiscountRow] = field(default_factory=list)
    unpriced_cells: list[tuple[int, int]] = field(
        default_factory=list
    )  # (plan, cell): the plan cannot price energy in it
    supply_seasons: list[tuple[int, int]] = field(default_factory=list)  # (plan, season with a daily supply charge)


_CODES = {name: n for n, name in enumerate(COMPONENTS)}


def flat_price(rate: BandRate) -> int | None:
    """Return the price of a band in 10^-10 AUD where all energy has one price that arrays hold; else None."""
    first = rate.blocks[0]
    return units(first.price) if first.width is None else None


@dataclass(slots=True)
class RowReader:
    """Read the charges of one plan into the rows of a market."""

    rows: Rows
    plan: int
    rates: Rates

    def read(self) -> None:
        """Add every charge of the plan to the rows."""
        rates, rows = self.rates, self.rows
        rows.clocks.of((rates.time_zone, rates.time_zone))
        exact = any(
            not discount.span.always or units(discount.share) is None or nano(discount.threshold) is None
            for discount in rates.discounts
        )
        own = PlanRows(
            energy=len(rows.energy),
            tiered=len(rows.tiered),
            daily=len(rows.daily),
            demand=len(rows.demand),
            recurring=len(rows.recurring),
            unpriced=len(rows.unpriced_cells),
            usage_season=self._season(rates.periods),
            loads_season=self._season(rates.controlled_loads),
            feed_in_season=self._season(rates.feed_ins),
            exact_discounts=exact,
        )
        rows.plans.append(own)
        self._energy("usage", "usage", rates.periods, own)
        self._energy("controlled_load", "controlled", rates.controlled_loads, own)
        self._energy("feed_in", "export", rates.feed_ins, own)
        supplied = [period for period in rates.periods if period.supply is not None]
        self._supply("supply", supplied)
        if supplied:
            rows.supply_seasons.append((self.plan, self._season(supplied)))
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

    def _energy(self, component: Component, role: Role, tariffs: Sequence[Tariff], own: PlanRows) -> None:
        """Add the bands of tariffs, and the cells of energy without a price."""
        season = self._season(tariffs)
        loads = own.loads_season if role == "usage" else 0
        for number, tariff in enumerate(tariffs):
            days = self.rows.days.of((season, number))
            layout = self.rows.layouts.of((role, self._clock(tariff.time_zone), tariff.bands))
            # The two columns after the bands: energy in no window, and of unknown time of day (pricing rule 4).
            for column in (len(tariff.bands), len(tariff.bands) + 1):
                self.rows.unpriced_cells.append((self.plan, self.rows.cells.of((days, layout, column, loads))))
            for band, rate in enumerate(tariff.rates):
                self._band(component, self.rows.cells.of((days, layout, band, loads)), rate)

    def _band(self, component: Component, cell: int, rate: BandRate) -> None:
        """Add one band: a single price, or blocks."""
        sign = -1 if component == "feed_in" else 1  # credits are negative (pricing rule 9)
        code, price = _CODES[component], flat_price(rate)
        if price is not None:
            self.rows.energy.append(EnergyRow(self.plan, code, cell, sign * price, rate.blocks[0].gst))
        else:
            exact = any(units(block.price) is None for block in rate.blocks)
            self.rows.tiered.append(TieredRow(self.plan, code, cell, rate, sign, exact))

    def _supply(self, component: Component, tariffs: Sequence[Tariff]) -> None:
        """Add daily charges."""
        for number, tariff in enumerate(tariffs):
            if tariff.supply is not None:
                days = self.rows.days.of((self._season(tariffs), number))
                controlled = component == "controlled_load"
                self.rows.daily.append(DailyRow(self.plan, _CODES[component], days, tariff.supply, controlled))

    def _demand(self) -> None:
        """Add demand charges (pricing rule 7)."""
        for charge in self.rates.demands:
            days = self.rows.days.of((self.rows.seasons.of((self.rates.time_zone, (charge.span,))), 0))
            window = self.rows.windows.of((self._clock(charge.time_zone), charge.bands))
            self.rows.demand.append(DemandRow(self.plan, days, window, charge))

    def _recurring(self) -> None:
        """Add recurring fees and metering charges (pricing rule 11)."""
        for charge in self.rates.recurring:
            self.rows.recurring.append(RecurringRow(self.plan, _CODES[charge.component], charge))

    def _discounts(self) -> None:
        """Add discounts on all days (pricing rule 10)."""
        for discount in self.rates.discounts:
            self.rows.discounts.append(_discount_row(self.plan, discount))


def _discount_row(plan: int, discount: Discount) -> DiscountRow:
    share, threshold = units(discount.share), nano(discount.threshold)
    assert share is not None
    assert threshold is not None
    return DiscountRow(plan, discount.base, share, discount.guaranteed, threshold)
