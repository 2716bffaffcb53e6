"""Answers about bills: a bill line by line, and what each of its prices took of the meter's reads."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from toolkit.answers.base import Answer, Note, Noted, Period, Rows
from toolkit.problems import Problem

Fuel = Literal["ELECTRICITY", "GAS"]
FUELS: Mapping[str, str] = {"ELECTRICITY": "electricity", "GAS": "gas"}
"""What a fuel is called in a sentence."""
Blocks = Literal["pooled", "daily"]
Discounts = Literal["all", "guaranteed", "none"]
Cut = Literal["whole", "month", "invoice"]
"""How a range of days is cut into billing periods."""
PartName = Literal[
    "days",
    "prices",
    "season",
    "level",
    "shape",
    "controlled_load",
    "export",
    "discounts",
    "estimated",
    "rounding",
    "prices_and_use",
    "not_explained",
]
"""A cause of the difference of two bills; `prices_and_use` in place of the causes that need both price lists.

`not_explained`: what was billed beyond the energy and its prices, where amounts billed are compared (never in `bill`).
"""

PART_LABELS: Mapping[PartName, str] = {
    "days": "Days",
    "prices": "Prices",
    "season": "Time of year",
    "level": "Use",
    "shape": "Hours of use",
    "controlled_load": "Controlled load",
    "export": "Solar exports",
    "discounts": "Discounts and concessions",
    "estimated": "Estimated reads",
    "rounding": "Rounding",
    "prices_and_use": "Prices and use",
    "not_explained": "Not explained",
}
"""The causes as people know them."""
PART_PHRASES: Mapping[PartName, tuple[str, str]] = {
    "days": ("more days", "fewer days"),
    "prices": ("higher prices", "lower prices"),
    "season": ("the time of year", "the time of year"),
    "level": ("more use", "less use"),
    "shape": ("use at dearer hours", "use at cheaper hours"),
    "controlled_load": ("more controlled load", "less controlled load"),
    "export": ("less credit for solar exports", "more credit for solar exports"),
    "discounts": ("smaller discounts and concessions", "larger discounts and concessions"),
    "estimated": ("estimated reads", "estimated reads"),
    "rounding": ("rounding", "rounding"),
    "prices_and_use": ("prices and use together", "prices and use together"),
    "not_explained": ("charges that your plan's prices don't explain", "less charged than your plan's prices give"),
}
"""Each cause in a sentence, where it makes a bill higher and where it makes it lower."""


class BillLine(msgspec.Struct, frozen=True):
    """One line of a bill: quantity × unit_price (× 1.1 where gst is `added`) = amount, rounded once to the cent."""

    component: str
    """supply, usage, demand, controlled_load, metering, green_power, fee, discount, feed_in or concession."""
    label: str
    """The line's name: the price, and its block where it has blocks."""
    price_label: str
    """The price in the plan's words, with its season where the plan has seasons; the blocks of a price share it."""
    block: int | None
    """Number of the block (tier) from 1; null where the price has no blocks."""
    tariff_period: str | None
    """Name of the plan's tariff period, for usage and daily supply; null for other lines."""
    from_: dt.date = msgspec.field(name="from")
    """First day, in the plan's time zone."""
    to: dt.date
    """Last day, inclusive."""
    quantity: float
    """In `unit`."""
    unit: str
    unit_price: str
    """Decimal text: AUD for one unit; negative for credits."""
    gst: Literal["added", "included", "none"]
    """What lies between quantity × unit_price and the amount."""
    amount: Decimal
    """Including GST; credits negative."""


class BillLines(Rows[BillLine]):
    """The lines of a bill, in the order of their components and days."""

    row_type = BillLine


class PlanDays(msgspec.Struct, frozen=True):
    """The days that are priced on one plan."""

    plan_id: str
    from_: dt.date = msgspec.field(name="from")
    to: dt.date
    """Last day, inclusive."""


class DayQuantity(msgspec.Struct, frozen=True):
    """What one price took of one day."""

    component: str
    label: str
    """The `price_label` of the bill's lines; `without a price` for energy that no price takes."""
    date: dt.date
    """In the plan's time zone."""
    unit: str
    """kWh or MJ; kW for demand."""
    priced: bool
    """False for energy that no price takes."""
    quantity: float
    """Energy of the day; for demand the day's highest half-hour."""


class DayQuantities(Rows[DayQuantity]):
    """What each price took of each day; the energy of a label adds up to that of its lines, all blocks together."""

    row_type = DayQuantity


class PricedRead(msgspec.Struct, frozen=True):
    """One read of the meter and the price that it falls under."""

    component: str
    label: str | None
    """As in `by_day`; null where no price takes the read."""
    time: str
    """Start, `2026-07-01 16:30`, in the time zone of the price's windows."""
    interval_minutes: int
    meter_id: str | None
    register_suffix: str | None
    quality: str
    quantity: float | None
    """Energy; null where the read has no value."""
    unit: str
    """kWh or MJ."""


class PricedReads(Rows[PricedRead]):
    """The reads of one day, in order of component, time and register."""

    row_type = PricedRead


class BillPart(msgspec.Struct, frozen=True):
    """What one cause adds to a bill in comparison with another."""

    name: PartName
    """days, prices, season, level, shape, controlled_load, export, discounts, estimated or rounding; or prices_and_use
    where one of the two price lists is not known. Of amounts billed also not_explained; never in `bill`."""
    amount: Decimal
    """AUD with GST; negative where it lowers the bill."""


class BillAgainst(Noted, frozen=True, kw_only=True):
    """Another bill of the same home, and why this one differs from it."""

    from_: dt.date = msgspec.field(name="from")
    to: dt.date
    """Last day, inclusive."""
    days: int
    total: Decimal
    """AUD with GST; where its prices are not known, the amount on the retailer's bill of those days."""
    billed: bool
    """Whether `total` is the amount on the retailer's bill."""
    energy: float
    """Energy from the grid in the bill's unit, controlled load included."""
    energy_now: float
    """The same of the bill that is explained."""
    parts: tuple[BillPart, ...]
    """In their order, without those of nothing; they add up to the difference of the totals."""
    notes: tuple[Note, ...]
    note_codes: tuple[str, ...] = ()
    """The code of each note."""


class Bill(Answer, Noted, frozen=True, kw_only=True):
    """The stored reads priced on a plan, line by line: what `bill` answers. Amounts in AUD, credits negative."""

    plan_id: str
    """The plan; where plans changed within the bill, the last one."""
    plans: tuple[PlanDays, ...]
    """Which plan each day is priced on."""
    service_point_id: str
    fuel: Fuel
    unit: str
    """Unit of energy: kWh or MJ."""
    from_: dt.date = msgspec.field(name="from")
    to: dt.date
    """Last day, inclusive."""
    days: int
    periods: tuple[Period, ...]
    """The billing periods that the days are cut into."""
    lines: BillLines
    components: dict[str, Decimal]
    """Sum of the lines by component; components without a line are absent."""
    gst: Decimal
    """GST in the total."""
    total: Decimal
    """Sum of the lines."""
    measured_share: float | None
    """Share of the whole that rests on actual reads; with the next two it makes one. Null without energy."""
    substituted_share: float | None
    missing_share: float | None
    """Share of the time without reads; that energy is not in the bill."""
    notes: tuple[Note, ...]
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    problems: tuple[Problem, ...]
    by_day: DayQuantities | UnsetType = UNSET
    reads: PricedReads | UnsetType = UNSET
    against: BillAgainst | UnsetType = UNSET
