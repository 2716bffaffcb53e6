"""Charges of many plans as rows, each with the source of its quantity."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Generic, Literal, TypeVar

from toolkit.analytics.energy.rates.model import BandRate, Bands, Clock, Gst, Span, Supply

PRICE_UNITS = 10**10
"""Prices are whole multiples of 10^-10 AUD; a plan with a finer one is priced by itself."""

MONTH_UNITS = 377_580
"""Least common multiple of 28, 29, 30 and 31: part months are whole numbers of it."""

Role = Literal["usage", "controlled", "export"]
Season = tuple[Clock, tuple[Span, ...]]
Layout = tuple[Role, Clock, Bands]

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
    """share: in 10^-10. base: `bill`, `use`, or `over` a threshold in 10^-9 units."""

    plan: int
    base: str
    share: int
    guaranteed: bool
    threshold: int = 0


@dataclass(slots=True)
class Rows:
    """All charges of the plans, in the order read."""

    seasons: Index[Season] = field(default_factory=Index)
    days: Index[tuple[int, int]] = field(default_factory=Index)  # (season, number of the tariff in it)
    layouts: Index[Layout] = field(default_factory=Index)
    cells: Index[tuple[int, int, int]] = field(default_factory=Index)  # (days, layout, band)
    windows: Index[tuple[Clock, Bands]] = field(default_factory=Index)
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
    )  # (plan, season of its controlled controlled_load_seasons)
    supply_seasons: list[tuple[int, int]] = field(default_factory=list)  # (plan, season with a daily supply charge)


def units(price: Decimal) -> int:
    """Return a price in whole 10^-10 AUD."""
    return int(price * PRICE_UNITS)
