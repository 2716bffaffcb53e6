"""Read the charges of many plans into rows, each with the source of its quantity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Generic, Literal, TypeVar

from toolkit.analytics.energy.bills.model import COMPONENTS, Component
from toolkit.analytics.energy.rates.model import BandRate, Bands, Gst, PlanTimeZone, Rates, Span, Supply, Tariff
from toolkit.units import NANO

PRICE_UNITS = 10**10
"""Prices are whole multiples of 10^-10 AUD; a plan with a finer one is priced by itself."""

MONTH_UNITS = 377_580
"""Least common multiple of 28, 29, 30 and 31: part months are whole numbers of it."""

Role = Literal["usage", "controlled", "export"]
Season = tuple[PlanTimeZone, tuple[Span, ...]]
Layout = tuple[Role, PlanTimeZone, Bands]

T = TypeVar("T")

TENTHS: dict[Gst, int] = {"added": 11, "included": 10, "none": 10}
"""A price times this is in tenths of its unit, GST in it where it is added."""

PER_CENT_UNIT = PRICE_UNITS // 100 * 10
"""Tenths of 10^-10 AUD in a cent."""


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
    """A band in blocks. rate: as compiled; prices and GST by block."""

    plan: int
    component: int
    cell: int
    rate: BandRate
    sign: int


@dataclass(frozen=True, slots=True)
class DailyRow:
    """A daily charge. controlled: charged only with a controlled load register. steps: prices by yearly energy."""

    plan: int
    component: int
    days: int
    price: int
    controlled: bool
    steps: Supply | None = None


@dataclass(frozen=True, slots=True)
class DemandRow:
    """A demand charge. price: 10^-10 AUD per kW. least, most: 10^-9 kW; None for no limit."""

    plan: int
    days: int
    window: int
    price: int
    monthly: bool
    least: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class RecurringRow:
    """A recurring fee. price: 10^-10 AUD for each `count` of `unit`."""

    plan: int
    component: int
    price: int
    count: Fraction
    unit: Literal["day", "month"]
    gst: Gst


@dataclass(frozen=True, slots=True)
class DiscountRow:
    """A discount."""

    plan: int
    base: str
    """`bill`, `use`, or `over` a threshold."""
    share: int
    """In 10^-10."""
    guaranteed: bool
    threshold: int = 0
    """In 10^-9 kWh or MJ."""


@dataclass(slots=True)
class Rows:
    """All charges of the plans, in the order read."""

    seasons: Index[Season] = field(default_factory=Index)
    days: Index[tuple[int, int]] = field(default_factory=Index)  # (season, number of the tariff in it)
    layouts: Index[Layout] = field(default_factory=Index)
    cells: Index[tuple[int, int, int]] = field(default_factory=Index)  # (days, layout, band)
    windows: Index[tuple[PlanTimeZone, Bands]] = field(default_factory=Index)
    energy: list[EnergyRow] = field(default_factory=list)
    tiered: list[TieredRow] = field(default_factory=list)
    daily: list[DailyRow] = field(default_factory=list)
    demand: list[DemandRow] = field(default_factory=list)
    recurring: list[RecurringRow] = field(default_factory=list)
    discounts: list[DiscountRow] = field(default_factory=list)
    unpriced_cells: list[tuple[int, int]] = field(
        default_factory=list
    )  # (plan, cell): the plan cannot price energy in it
    usage_seasons: list[tuple[int, int]] = field(
        default_factory=list
    )  # (plan, season of its usage tariffs, which should cover every day)
    controlled_load_seasons: list[tuple[int, int]] = field(
        default_factory=list
    )  # (plan, season of its controlled load tariffs)
    supply_seasons: list[tuple[int, int]] = field(default_factory=list)  # (plan, season with a daily supply charge)


def units(price: Decimal) -> int:
    """Return a price in whole 10^-10 AUD."""
    return int(price * PRICE_UNITS)


_CODES = {name: n for n, name in enumerate(COMPONENTS)}


def is_simple(rates: Rates) -> bool:
    """Return whether rows can represent the whole plan."""
    tariffs = [tariff for _, tariff in rates.tariffs()]
    time_zones = {tariff.time_zone for tariff in tariffs} | {charge.time_zone for charge in rates.demands}
    simple = (
        rates.priceable
        and len(time_zones) <= 1
        and all(tariff.rates for tariff in tariffs)
        and all(discount.span.always for discount in rates.discounts)
    )
    # Thresholds are compared in whole 10^-9 kWh or MJ.
    thresholds_whole = all(d.threshold * NANO == int(d.threshold * NANO) for d in rates.discounts)
    # Whole multiples of 10^-10 AUD below 10,000 keep every product with energy within 64 bits (see `arithmetic`).
    whole = all(abs(price) < 10_000 and price * PRICE_UNITS == int(price * PRICE_UNITS) for price in _prices(rates))
    return simple and thresholds_whole and whole


def _prices(rates: Rates) -> list[Decimal]:
    """Return every number of a plan that rows hold as an integer of 10^-10."""
    blocks = [block for _, tariff in rates.tariffs() for rate in tariff.rates for block in rate.blocks]
    return [
        *(block.price for block in blocks),
        *(price for _, tariff in rates.tariffs() if tariff.supply for _, price in tariff.supply.steps),
        *(charge.price for charge in rates.demands),
        *(limit for charge in rates.demands for limit in (charge.least, charge.most) if limit is not None),
        *(charge.price for charge in rates.recurring),
        *(discount.share for discount in rates.discounts),
    ]


@dataclass(slots=True)
class RowReader:
    """Read the charges of one plan into the rows of a market."""

    rows: Rows
    plan: int
    rates: Rates

    def read(self) -> None:
        """Add every charge of the plan to the rows."""
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
        """Return the number of the tariffs' dates, taken together: on each day the first that covers it counts."""
        return self.rows.seasons.of((tariffs[0].time_zone, tuple(tariff.span for tariff in tariffs)))

    def _energy(self, component: Component, role: Role, tariffs: Sequence[Tariff]) -> None:
        """Add the bands of tariffs, and the cells of energy without a price."""
        for number, tariff in enumerate(tariffs):
            days = self.rows.days.of((self._season(tariffs), number))
            layout = self.rows.layouts.of((role, tariff.time_zone, tariff.bands))
            # The two columns after the bands: energy in no window, and of unknown time of day (pricing rule 4).
            for column in (len(tariff.bands), len(tariff.bands) + 1):
                self.rows.unpriced_cells.append((self.plan, self.rows.cells.of((days, layout, column))))
            for band, rate in enumerate(tariff.rates):
                self._band(component, self.rows.cells.of((days, layout, band)), rate)

    def _band(self, component: Component, cell: int, rate: BandRate) -> None:
        """Add one band: a single price, or blocks."""
        sign = -1 if component == "feed_in" else 1  # credits are negative (pricing rule 9)
        code, first = _CODES[component], rate.blocks[0]
        if first.width is None:
            self.rows.energy.append(EnergyRow(self.plan, code, cell, sign * units(first.price), first.gst))
        else:
            self.rows.tiered.append(TieredRow(self.plan, code, cell, rate, sign))

    def _supply(self, component: Component, tariffs: Sequence[Tariff]) -> None:
        """Add daily charges."""
        for number, tariff in enumerate(tariffs):
            if tariff.supply is None:
                continue
            days = self.rows.days.of((self._season(tariffs), number))
            price, steps = units(tariff.supply.price(None)), tariff.supply if tariff.supply.banded else None
            row = DailyRow(self.plan, _CODES[component], days, price, component == "controlled_load", steps)
            self.rows.daily.append(row)

    def _demand(self) -> None:
        """Add demand charges (pricing rule 7)."""
        for charge in self.rates.demands:
            season = self.rows.seasons.of((charge.time_zone, (charge.span,)))
            self.rows.demand.append(
                DemandRow(
                    plan=self.plan,
                    days=self.rows.days.of((season, 0)),
                    window=self.rows.windows.of((charge.time_zone, charge.bands)),
                    price=units(charge.price),
                    monthly=charge.monthly,
                    least=None if charge.least is None else int(charge.least * NANO),
                    most=None if charge.most is None else int(charge.most * NANO),
                )
            )

    def _recurring(self) -> None:
        """Add recurring fees, metering charges and discounts (pricing rules 10 and 11)."""
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
