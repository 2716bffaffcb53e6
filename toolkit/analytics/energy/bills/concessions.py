"""Credits for concessions on a bill."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from toolkit.analytics.energy.pricing.model import COMPONENTS, Bill, Component, Line, Price, Quantity, aud
from toolkit.analytics.energy.rates.charges import share_of
from toolkit.analytics.energy.rates.contract import number
from toolkit.analytics.energy.rates.model import DayCount, Duration, read_duration
from toolkit.answers.base import Period
from toolkit.answers.notes import Note
from toolkit.tables.schema.energy import ConcessionRow

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
