"""Read what a contract has besides tariff periods and feed-in: controlled loads, discounts, fees, metering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from toolkit.analytics.energy.rates.contract import PlanMessages, Reading, number, text
from toolkit.analytics.energy.rates.dates import spans_in_force
from toolkit.analytics.energy.rates.model import (
    DAY,
    MONTH,
    WEEK,
    YEAR,
    Discount,
    Duration,
    RecurringCharge,
    Span,
    Supply,
    Tariff,
    read_duration,
)
from toolkit.analytics.energy.rates.prices import Terms, all_day, daily, timed
from toolkit.tables.plans import JsonObject

_CONTROLLED = Terms(single=MONTH, varying=MONTH, gst="added")
_FEE_TERMS = {"ANNUAL": YEAR, "MONTHLY": MONTH, "WEEKLY": WEEK, "DAILY": DAY}


def read_controlled_loads(contract: JsonObject, reading: Reading) -> list[Tariff]:
    """Read controlled loads in listed order; on each day the first that covers it counts (pricing rule 8)."""
    named = [(_load_name(written, n), written) for n, written in enumerate(contract["controlled_load"], start=1)]
    spans = spans_in_force(named, "Controlled load", reading)
    offered = [(label, written, span) for (label, written), span in zip(named, spans, strict=True) if span is not None]
    loads = [_load(label, written, span, reading) for label, written, span in offered]
    if len(loads) > 1:
        if len({load.span for load in loads}) == 1:
            reading.messages.note("controlled_loads_first", count=len(loads), label=loads[0].label)
        else:
            reading.messages.note("controlled_loads_by_day", count=len(loads))
    return loads


def _load_name(written: JsonObject, number: int) -> str:
    return text(written, "display_name") or text(written["single_rate"], "display_name") or f"Controlled load {number}"


def _load(label: str, written: JsonObject, span: Span, reading: Reading) -> Tariff:
    if written["time_of_use_rates"] and not written["single_rate"]:
        bands, rates = timed(written["time_of_use_rates"], label, _CONTROLLED, reading)
        supply = _one_supply(written["time_of_use_rates"], label, reading)
    else:
        single = written["single_rate"] or {"rates": []}
        bands, rates = all_day(single, label, _CONTROLLED, reading)
        supply = daily(single.get("daily_supply_charge"), label, reading)
    return Tariff(label, span, reading.other_time_zone, bands, rates, supply)


def _one_supply(bands: Sequence[JsonObject], label: str, reading: Reading) -> Supply | None:
    """One charge a day for a circuit, however many bands repeat it."""
    charges = [s for band in bands if (s := daily(band.get("daily_supply_charge"), label, reading)) is not None]
    if len(set(charges)) > 1:
        reading.messages.note("several_daily_charges", label=label)
    return charges[0] if charges else None


def read_discounts(contract: JsonObject, reading: Reading) -> list[Discount]:
    """Read the percentage discounts; fixed amounts are notes (pricing rule 10)."""
    named = [(text(written, "display_name", "description") or "Discount", written) for written in contract["discounts"]]
    spans = spans_in_force(named, "Discount", reading)
    read = [_discount(label, written, reading.messages) for label, written in named]
    pairs = zip(read, spans, strict=True)
    return [replace(discount, span=span) for discount, span in pairs if discount is not None and span is not None]


_METHODS: dict[str, Any] = {"percent_of_bill": "bill", "percent_of_use": "use", "percent_over_threshold": "over"}


def _discount(label: str, written: JsonObject, messages: PlanMessages) -> Discount | None:
    """The discount without its days; None, with a note or a problem, where it is no percentage."""
    for key, base in _METHODS.items():
        terms = written.get(key)
        if isinstance(terms, dict):
            return _percentage(written, terms, label, base, messages)
    fixed = written.get("fixed_amount")
    amount = number(fixed.get("amount")) if isinstance(fixed, dict) else None
    if amount is None:
        messages.problem(label, "the form of the discount is unknown")
    else:
        messages.note("fixed_discount", label=label, amount=amount)
    return None


def _percentage(
    written: JsonObject, terms: JsonObject, label: str, base: Any, messages: PlanMessages
) -> Discount | None:
    rate, threshold = number(terms.get("rate")), number(terms.get("usage_amount"))
    if rate is None or (base == "over" and threshold is None):
        messages.problem(label, "the discount has no readable percentage or threshold")
        return None
    return Discount(
        label=label,
        base=base,
        share=share_of(rate),
        guaranteed=text(written, "type").upper() == "GUARANTEED",
        threshold=threshold or Decimal(0),
    )


def share_of(rate: Decimal) -> Decimal:
    """Return a percentage as a share: `0.05` and `5` are both five per cent."""
    return rate / 100 if rate >= 1 else rate


def read_recurring(contract: JsonObject, metering: Sequence[JsonObject], reading: Reading) -> list[RecurringCharge]:
    """Read recurring fees (GST included) and metering charges with a period (GST added); others are notes."""
    fees = [fee for written in contract["fees"] if (fee := _fee(written, reading.messages)) is not None]
    left = len(contract["fees"]) - len(fees)
    if left:
        reading.messages.note("occasional_fees", count=left)
    charges = [charge for written in metering if (charge := _metering(written, reading)) is not None]
    return [fee for fee in (*fees, *charges) if fee.price != 0]


def _fee(written: JsonObject, messages: PlanMessages) -> RecurringCharge | None:
    """A recurring fee; None for another one, or, with a problem, where its amount cannot be read."""
    term, kind = text(written, "term").upper(), text(written, "type").upper()
    every = _FEE_TERMS.get(term) or (YEAR if kind == "MEMBERSHIP" and term in {"", "FIXED"} else None)
    if every is None:
        return None
    label = text(written, "description") or f"{kind or 'Fee'}".capitalize()
    amount = number(written.get("amount"))
    if amount is None:
        if written.get("amount") not in (None, ""):
            messages.problem(label, f"its amount {written['amount']!r} is not a number, so the fee is not billed")
        return None
    return RecurringCharge("fee", label, amount, every, "included")


def _metering(written: JsonObject, reading: Reading) -> RecurringCharge | None:
    label = text(written, "display_name", "description") or "Metering"
    every: Duration | None = read_duration(written.get("period"))
    least, most = number(written.get("minimum_value")), number(written.get("maximum_value"))
    if every is None or least is None:
        reading.messages.note("metering_not_billed", label=label)
        return None
    if most is not None and most != least:
        reading.messages.note("metering_range", label=label, least=least, most=most, period=str(every))
    return RecurringCharge("metering", label, least * reading.scale, every, "added")


def note_offers(contract: JsonObject, messages: PlanMessages) -> None:
    """Note green power and incentives: they are the customer's choice and not billed (pricing rule 11)."""
    for key, code in (("green_power_charges", "green_power_not_billed"), ("incentives", "incentives_not_billed")):
        names = [text(written, "display_name", "description") or "unnamed" for written in contract[key]]
        if names:
            messages.note(code, names="; ".join(dict.fromkeys(names)))
