"""Lines for recurring fees, metering, discounts and concessions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from toolkit.analytics.energy.bills.energy import BillingContext
from toolkit.analytics.energy.bills.model import COMPONENTS, Bill, Component, Line, Price, Quantity, aud
from toolkit.analytics.energy.rates.contract import number
from toolkit.analytics.energy.rates.model import DayCount, Discount, Duration, read_duration
from toolkit.analytics.energy.rates.other_charges import share_of
from toolkit.answers.base import Period
from toolkit.answers.notes import Note
from toolkit.tables.schema.energy import ConcessionRow

_BASES: dict[str, frozenset[Component]] = {
    "bill": frozenset(("supply", "usage", "controlled_load", "demand")),
    "use": frozenset(("usage", "controlled_load")),
    "over": frozenset(("usage",)),
}


def recurring_lines(context: BillingContext) -> Iterator[Line]:
    """Yield membership and other recurring fees, and metering charges (pricing rule 11)."""
    matrix = context.matrices[context.rates.time_zone]
    days = DayCount.of(matrix.dates)
    for charge in context.rates.recurring:
        quantity = Quantity(charge.every.fits(days), str(charge.every))
        yield Line.priced(charge.component, charge.label, context.period, quantity, Price(charge.price, charge.gst))


def discount_lines(lines: Sequence[Line], context: BillingContext) -> Iterator[Line]:
    """Yield discounts: percentages summed by base, on the billing period's lines with GST (pricing rule 10)."""
    earned = [d for d in context.rates.discounts if _counts(d, context) and _days_in_force(d, context)]
    for base in ("bill", "use"):
        together = [discount for discount in earned if discount.base == base]
        if together and (amount := _sum(lines, base)):
            yield _discount(together, Fraction(amount, 100), context)
    for discount in earned:
        beyond = _amount_beyond(lines, discount, context.share) if discount.base == "over" else Fraction(0)
        if beyond:
            yield _discount([discount], beyond, context)


def _counts(discount: Discount, context: BillingContext) -> bool:
    """Return whether the chosen option counts the discount; a condition is noted."""
    wanted = context.options.discounts
    if discount.guaranteed or wanted == "none":
        return wanted != "none"
    context.messages.note("condition_assumed" if wanted == "all" else "condition_not_met", label=discount.label)
    return wanted == "all"


def _days_in_force(discount: Discount, context: BillingContext) -> int:
    """Return how many days of the bill a discount with dates applies to (pricing rule 8); noted where not to all."""
    days = int((context.matrices[context.rates.time_zone].assigned((discount.span,)) == 0).sum())
    if 0 < days < context.period.days:
        context.messages.note("discount_on_some_days", label=discount.label, days=days, period_days=context.period.days)
    return days


def _sum(lines: Sequence[Line], base: str) -> int:
    """Return the cents of the lines that a discount of that base applies to."""
    return sum(line.amount_minor for line in lines if line.component in _BASES[base])


def _amount_beyond(lines: Sequence[Line], discount: Discount, share: Fraction) -> Fraction:
    """Return the part of the usage amount, in AUD, beyond the period's share of the threshold's energy."""
    energy = sum((line.quantity for line in lines if line.component == "usage"), Fraction(0))
    beyond = max(energy - Fraction(discount.threshold) * share, Fraction(0))
    return Fraction(_sum(lines, "over"), 100) * beyond / energy if energy else Fraction(0)


def _discount(together: Sequence[Discount], base: Fraction, context: BillingContext) -> Line:
    """Return the line of discounts on one base. quantity: AUD they apply to, by days in force; price: their share."""
    share = sum((discount.share for discount in together), Decimal(0))
    by_days = sum((Fraction(d.share) * _days_in_force(d, context) for d in together), Fraction(0)) / context.period.days
    quantity = base * by_days / Fraction(share) if share else Fraction(0)
    label = " + ".join(discount.label for discount in together)
    return Line.priced("discount", label, context.period, Quantity(quantity, "$"), Price(-share, "included"))


_TARGETS: dict[str, frozenset[Component]] = {
    "INVOICE": frozenset(COMPONENTS),
    "USAGE": frozenset(("usage",)),
    "SERVICE_CHARGE": frozenset(("supply",)),
    "CONTROLLED_LOAD": frozenset(("controlled_load",)),
}


@dataclass(frozen=True, slots=True)
class Concession:
    """One row of table `concessions`."""

    label: str
    amount: Decimal | None
    """AUD each time; None for a percentage."""
    share: Decimal | None
    """Share of the targeted lines: 0.05 is five per cent."""
    every: Duration | None
    """How often an amount is granted; None is once a billing period."""
    targets: frozenset[Component]
    """Components that a share is taken of."""
    first: date | None
    last: date | None


def read_concession(row: ConcessionRow) -> Concession:
    """Read a stored row. A percentage of 1 or more is divided by 100, as discounts are."""
    named = json.loads(row.applied_to or "[]") or ["INVOICE"]
    share = number(row.percentage)
    kind = str(row.type or "").upper()
    return Concession(
        label=str(row.display_name or "Concession"),
        amount=None if kind == "FIXED_PERCENTAGE" else number(row.amount),
        share=None if kind == "FIXED_AMOUNT" or share is None else share_of(share),
        every=read_duration(row.discount_frequency),
        targets=frozenset().union(*(_TARGETS.get(str(name).upper(), frozenset()) for name in named)),
        first=row.start_date,
        last=row.end_date,
    )


def typed_concession(minor: int) -> Concession:
    """Return a concession of so many cents on one bill, as a person typed it from there."""
    return Concession("Concession on the bill", aud(minor), None, None, frozenset(), None, None)


def with_concessions(bill: Bill, concessions: Sequence[Concession], periods: Sequence[Period] | None = None) -> Bill:
    """Return the bill with a credit line per concession and billing period; as stated, without GST.

    periods: those of the account that the concessions are of, where the bill is not all its own.

    A fixed amount counts as often as its frequency fits into the days it holds; a percentage is of the lines it
    targets, by those days. One without either is a note.
    """
    lines = list(bill.lines)
    assumed = list(bill.assumed)
    for concession in concessions:
        if concession.amount is None and concession.share is None:
            assumed.append(Note("concession_without_amount", label=concession.label))
            continue
        lines += [line for period in periods or bill.periods for line in _lines(concession, bill, period)]
    return replace(bill, lines=tuple(lines), assumed=tuple(assumed))


def _lines(concession: Concession, bill: Bill, period: Period) -> Iterator[Line]:
    """Yield the credit of one concession for one billing period; nothing outside its dates."""
    first = max(period.first, concession.first or period.first)
    last = min(period.last, concession.last or period.last)
    granted = Period(first, last)
    if granted.days < 1:
        return
    if concession.amount:
        times = _times(concession, granted, period)
        yield Line.priced("concession", concession.label, granted, times, Price(-concession.amount, "none"))
    elif concession.share:
        targeted = sum(
            line.amount_minor
            for line in bill.lines
            if line.component in concession.targets and period.first <= line.first and line.last <= period.last
        )
        base = Fraction(targeted, 100) * granted.days / period.days
        price = Price(-concession.share, "none")
        yield Line.priced("concession", concession.label, granted, Quantity(base, "$"), price)


def _times(concession: Concession, granted: Period, period: Period) -> Quantity:
    """Return how often an amount is granted in those days; once a bill by its share of days, without a frequency."""
    if concession.every is None:
        return Quantity(Fraction(granted.days, period.days), "bill")
    days = [granted.first + timedelta(n) for n in range(granted.days)]
    return Quantity(concession.every.fits(DayCount.of(days)), str(concession.every))
