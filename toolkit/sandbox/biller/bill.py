"""Price the reads of a meter on a contract, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

from toolkit.sandbox.biller.calendar import (
    EMPTY,
    Series,
    Span,
    block_widths,
    minutes_of_week,
    months_of,
    season_spans,
    starts_in,
)
from toolkit.wire import JsonObject

CENT = Decimal("0.01")
WITH_GST = Decimal("1.1")
DISCOUNTED = ("supply", "usage", "controlled_load", "demand")
"""Components that a percentage off the bill applies to."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a bill; credits are negative."""

    component: str
    """supply, usage, demand, controlled_load, feed_in, fee or discount."""
    label: str
    span: Span
    quantity: Decimal
    unit: str
    """DAYS, KWH, MJ, KW (kW × days) or AUD."""
    unit_price: Decimal
    """Dollars per unit, with GST where the line carries it."""
    taxed: bool
    """Whether the amount includes GST."""
    amount: Decimal
    """Dollars, rounded to the cent."""
    band: str = "ALL_DAY"
    """Time-of-use type."""


def total(lines: list[Line]) -> Decimal:
    """Add up the amounts, in dollars with GST."""
    return sum((line.amount for line in lines), Decimal("0.00"))


def tax(lines: list[Line]) -> Decimal:
    """Add up the GST in the lines: an eleventh of each that carries it, rounded line by line."""
    return sum((round_cents(line.amount / 11) for line in lines if line.taxed), Decimal("0.00"))


def round_cents(amount: Decimal) -> Decimal:
    """Round half away from zero."""
    return amount.quantize(CENT, ROUND_HALF_UP)


def bill(contract: JsonObject, meter: Mapping[str, Series], span: Span, unit: str = "KWH") -> list[Line]:
    """Return the lines of a bill over the days of `span`.

    contract: in the service's shape, prices without GST. meter: reads on the contract's clock by role: `general`,
    `controlled`, `export`. unit: of the usage lines.
    """
    lines: list[Line] = []
    for period in contract["tariff_period"]:
        for season in season_spans(span, period["start_date"], period["end_date"]):
            lines += _season(period, meter, season, unit)
    lines += _controlled(contract, meter, span)
    lines += _feed_in(contract, meter, span)
    lines += _fees(contract, span)
    return [*lines, *_discounts(contract, lines, span)]


def _season(period: JsonObject, meter: Mapping[str, Series], span: Span, unit: str) -> Iterator[Line]:
    if supply := period.get("daily_supply_charge"):
        yield _line("supply", "Daily supply", span, (Decimal(span.days), "DAYS"), supply)
    general = meter["general"].between(span.first, span.last)
    if single := period.get("single_rate"):
        yield from _blocks("usage", single, general, span, unit)
    for rate in period.get("time_of_use_rates") or []:
        # an interval has the price of the band with the window that contains its start
        banded = general.only(starts_in(general, minutes_of_week(rate["time_of_use"])))
        yield from _blocks("usage", rate, banded, span, "KWH", rate["type"])
    for charge in period.get("demand_charges") or []:
        yield from _demand(charge, general, span)


def _blocks(
    component: str, rate: JsonObject, reads: Series, span: Span, unit: str, band: str = "ALL_DAY"
) -> Iterator[Line]:
    """Make a line for each block that is used, at least for the first; the last block has no limit."""
    left = Decimal(int(reads.wh.sum())) / 1000
    for block, width in zip(rate["rates"], block_widths(rate, span), strict=True):
        quantity = left if width is None else min(left, width)
        left -= quantity
        # The first block is on the bill even without any usage, as on printed bills.
        if quantity or block is rate["rates"][0]:
            label = rate.get("display_name") or component
            yield _line(component, label, span, (quantity, unit), block["unit_price"], band=band)


def _demand(charge: JsonObject, general: Series, span: Span) -> Iterator[Line]:
    """Charge dollars per kW and day: each calendar month's highest half-hour mean in the window, times its days."""
    within = general.only(starts_in(general, minutes_of_week([charge])))
    months = [(_highest_half_hour(within.between(m.first, m.last)), m.days) for m in months_of(span)]
    kw_days = sum((highest * days for highest, days in months), Decimal(0))
    yield _line("demand", charge["display_name"], span, (kw_days, "KW"), charge["amount"], band="PEAK")


def _highest_half_hour(reads: Series) -> Decimal:
    if not len(reads.wh):
        return Decimal(0)
    half_hours = (reads.day - reads.day[0]) * 48 + reads.minute // 30
    # Wh in half an hour × 2 are W, / 1000 are kW.
    return Decimal(int(np.bincount(half_hours, weights=reads.wh).max())) / 500


def _controlled(contract: JsonObject, meter: Mapping[str, Series], span: Span) -> Iterator[Line]:
    offered = contract.get("controlled_load") or []
    if not offered or "controlled" not in meter:
        return
    single = offered[0]["single_rate"]
    if supply := single.get("daily_supply_charge"):
        yield _line("controlled_load", "Controlled load supply", span, (Decimal(span.days), "DAYS"), supply)
    reads = meter["controlled"].between(span.first, span.last)
    yield from _blocks("controlled_load", single, reads, span, "KWH", "CONTROLLED_LOAD")


def _feed_in(contract: JsonObject, meter: Mapping[str, Series], span: Span) -> Iterator[Line]:
    reads = meter.get("export", EMPTY).between(span.first, span.last)
    if not len(reads.wh):
        return
    for tariff in contract.get("solar_feed_in_tariff") or []:
        if single := tariff.get("single_tariff"):
            yield from _blocks("feed_in", single, reads, span, "KWH", "SOLAR")
        for rate in tariff.get("time_varying_tariffs_v2") or []:
            within = reads.only(starts_in(reads, minutes_of_week(rate["time_variations"])))
            yield from _blocks("feed_in", rate, within, span, "KWH", "SOLAR")


def _fees(contract: JsonObject, span: Span) -> Iterator[Line]:
    for fee in contract.get("fees") or []:
        if fee["term"] == "ANNUAL":
            amount = round_cents(Decimal(fee["amount"]) * span.days / 365)
            yield Line(
                "fee", fee["description"], span, Decimal(span.days), "DAYS", Decimal(fee["amount"]), True, amount
            )


def _discounts(contract: JsonObject, lines: list[Line], span: Span) -> Iterator[Line]:
    """Apply guaranteed percentages off the bill; other discounts are conditional and not applied."""
    base = sum((line.amount for line in lines if line.component in DISCOUNTED), Decimal(0))
    for discount in contract.get("discounts") or []:
        if discount["type"] == "GUARANTEED":
            rate = Decimal(discount["percent_of_bill"]["rate"])
            amount = round_cents(-base * rate)
            yield Line("discount", discount["display_name"], span, base, "AUD", -rate, True, amount)


def _line(
    component: str, label: str, span: Span, quantity: tuple[Decimal, str], price: str, *, band: str = "ALL_DAY"
) -> Line:
    """Make a line of quantity × price; feed-in is a credit without GST, everything else has GST added."""
    taxed = component != "feed_in"
    unit_price = Decimal(price) * (WITH_GST if taxed else -1)
    return Line(component, label, span, *quantity, unit_price, taxed, round_cents(quantity[0] * unit_price), band)
