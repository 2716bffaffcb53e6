"""What a bill is: billing periods, lines that sum to it, and what was assumed or could not be priced."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Literal, NamedTuple, get_args

import polars as pl

from toolkit.analytics.energy.intervals.matrix import Quality
from toolkit.analytics.energy.rates.model import Gst, shown_price
from toolkit.answers.base import Note, Period
from toolkit.answers.energy.bills import Blocks, Cut, Discounts
from toolkit.problems import Problem
from toolkit.tables.rows.plans import Fuel

Component = Literal[
    "supply",
    "usage",
    "demand",
    "controlled_load",
    "metering",
    "green_power",
    "fee",
    "discount",
    "feed_in",
    "concession",
]
COMPONENTS: tuple[Component, ...] = get_args(Component)


@dataclass(frozen=True, slots=True)
class Options:
    """How to price where the household may choose."""

    blocks: Blocks = "pooled"
    """Whether block widths are pooled over the billing period or restart every day (pricing rule 6)."""
    discounts: Discounts = "guaranteed"
    """Which discounts count."""
    holidays: frozenset[date] = frozenset()
    """The state's public holidays."""
    yearly: Decimal | None = None
    """Energy of a year (kWh or MJ) where it is known better than from the reads; for banded supply charges."""


class Quantity(NamedTuple):
    """How much a line charges for, exact, in its unit."""

    amount: Fraction
    unit: str


class Price(NamedTuple):
    """AUD for one unit, and whether 10 % comes on top."""

    each: Decimal
    gst: Gst


@dataclass(frozen=True, slots=True)
class Line:
    """One line. quantity × unit_price (× 1.1 where gst is `added`) = amount, rounded once, half away from zero."""

    component: Component
    price_label: str
    """The price in the plan's words, with its season where the plan has seasons; blocks of a price share it."""
    block: int | None
    """Number of the block (tier) from 1; None where the price has no blocks."""
    tariff_period: str | None
    """Name of the plan's tariff period, for usage, daily supply and demand; None for other lines."""
    first: date
    """First day in the plan's time zone."""
    last: date
    """Last day, inclusive."""
    quantity: Fraction
    """Exact, in `unit`."""
    unit: str
    unit_price: Decimal
    """AUD per unit; negative for credits."""
    gst: Gst
    amount_minor: int
    """Cents including GST; credits negative."""
    gst_minor: int
    """Cents of GST in the amount."""

    @classmethod
    def charged(  # noqa: PLR0913 - the parts of a line
        cls,
        component: Component,
        price_label: str,
        days: Period,
        quantity: Quantity,
        price: Price,
        amount: int | None = None,
        *,
        block: int | None = None,
        tariff_period: str | None = None,
    ) -> Line:
        """Return a line. amount: the cents that quantity and price make, where they are known already."""
        if amount is None:  # rounded once, to the cent (pricing rule 1)
            amount = exact_cents(quantity.amount, price.each, price.gst)
        # GST is a share of the rounded amount, as on a tax invoice (pricing rule 1).
        tax = 0 if price.gst == "none" else (2 * abs(amount) + 11) // 22
        measures = (quantity.amount, quantity.unit, price.each, price.gst)
        named = (component, price_label, block, tariff_period)
        tax = tax if amount >= 0 else -tax
        return cls(*named, days.first, days.last, *measures, amount_minor=amount, gst_minor=tax)

    @property
    def label(self) -> str:
        """Return the line's name on the bill: the price, and its block where it has blocks."""
        return self.price_label if self.block is None else f"{self.price_label}, block {self.block}"

    @property
    def amount(self) -> Decimal:
        """Return the amount in AUD."""
        return aud(self.amount_minor)


@dataclass(frozen=True, slots=True)
class Bill:
    """A priced plan."""

    plan_id: str
    """Where plans changed within the bill, the last one's."""
    fuel: Fuel
    unit: str
    """kWh or MJ."""
    periods: tuple[Period, ...]
    lines: tuple[Line, ...]
    assumed: tuple[Note, ...]
    """What the plan made us assume; `notes` adds what the reads lack."""
    unpriceable: tuple[Problem, ...]
    """What has no price; `problems` adds days without reads."""
    quality: Quality
    unpriced: Fraction
    """Energy without a price, in `unit`."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return the plan's notes, then those on the reads."""
        return (*self.assumed, *self.quality.notes(self.unit))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the plan's problems, then days without reads."""
        return (*self.unpriceable, *self.quality.problems())

    @property
    def total_minor(self) -> int:
        """Return the total in cents."""
        return sum(line.amount_minor for line in self.lines)

    @property
    def gst_minor(self) -> int:
        """Return the GST in the total, in cents."""
        return sum(line.gst_minor for line in self.lines)

    def components_minor(self) -> dict[Component, int]:
        """Return cents by component, in the order of `COMPONENTS`; components without a line are absent."""
        return {
            name: sum(line.amount_minor for line in self.lines if line.component == name)
            for name in COMPONENTS
            if any(line.component == name for line in self.lines)
        }

    def frame(self) -> pl.DataFrame:
        """Return the lines as frame `bill_lines`."""
        return lines_frame(self.lines)


def lines_frame(lines: Sequence[Line]) -> pl.DataFrame:
    """Return lines as frame `bill_lines`."""
    rows = [
        (
            line.component,
            line.label,
            line.price_label,
            line.block,
            line.tariff_period,
            line.first,
            line.last,
            float(line.quantity),
            line.unit,
            f"{shown_price(line.unit_price):f}",
            line.gst,
            line.amount_minor,
            line.gst_minor,
        )
        for line in lines
    ]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


_SCHEMA = pl.Schema(
    {
        "component": pl.String,
        "label": pl.String,
        "price_label": pl.String,
        "block": pl.Int64,
        "tariff_period": pl.String,
        "from": pl.Date,
        "to": pl.Date,
        "quantity": pl.Float64,
        "unit": pl.String,
        "unit_price": pl.String,
        "gst": pl.String,
        "amount_minor": pl.Int64,
        "gst_minor": pl.Int64,
    }
)


def cents(dollars: Fraction) -> int:
    """Return dollars in whole cents, half away from zero."""
    value = dollars * 100
    whole = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return whole if value >= 0 else -whole


def exact_cents(quantity: Fraction, price: Decimal, gst: Gst) -> int:
    """Return quantity × price with its GST in whole cents, worked out with fractions."""
    return cents(quantity * Fraction(price) * (Fraction(11, 10) if gst == "added" else 1))


def aud(minor: int) -> Decimal:
    """Return cents as AUD."""
    return Decimal(minor).scaleb(-2)


_DAY = timedelta(1)


def billing_periods(first: date, last: date, cut: Cut, invoices: Sequence[Period] = ()) -> list[Period]:
    """Cut the days from first to last, both inclusive, into billing periods without gap or overlap (pricing rule 2).

    whole: one. month: cut at calendar months. invoice: the invoices' periods, months where there are none.
    """
    if cut == "whole":
        return [Period(first, last)]
    # Days between and after the invoices are cut at calendar months.
    known = sorted(invoices, key=lambda p: (p.first, p.last)) if cut == "invoice" else []
    periods = []
    while first <= last:
        end = min(_end_of_period(first, known), last)
        periods.append(Period(first, end))
        first = end + _DAY
    return periods


def _end_of_period(first: date, invoices: Sequence[Period]) -> date:
    """Return the last day of the invoice that covers the day; else of its month, or the day before the next invoice."""
    inside = [invoice.last for invoice in invoices if invoice.first <= first <= invoice.last]
    if inside:
        return inside[0]
    later = [invoice.first - _DAY for invoice in invoices if invoice.first > first]
    return min([month_end(first), *later])


def month_end(day: date) -> date:
    """Return the last day of the day's month."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def last_month_within(first: date, last: date) -> Period | None:
    """Return the last calendar month that lies wholly between the days; None where none does."""
    end = last if last == month_end(last) else last.replace(day=1) - _DAY
    start = end.replace(day=1)
    return Period(start, end) if start >= first else None
