"""Concessions on a household's own bill, by kind, frequency and target."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from toolkit.analytics.energy.bills.model import COMPONENTS, Bill, Component, Line, Period, Price, Quantity
from toolkit.analytics.energy.rates.extras import share_of
from toolkit.analytics.energy.rates.parsing.durations import DayCount, Duration, read_duration
from toolkit.analytics.energy.rates.parsing.values import number
from toolkit.answers.notes import Note

_TARGETS: dict[str, frozenset[Component]] = {
    "INVOICE": frozenset(COMPONENTS),
    "USAGE": frozenset(("usage",)),
    "SERVICE_CHARGE": frozenset(("supply",)),
    "CONTROLLED_LOAD": frozenset(("controlled_load",)),
}


@dataclass(frozen=True, slots=True)
class Concession:
    """One row of table `concessions`. every: None is once a billing period. targets: components it is reckoned on."""

    label: str
    amount: Decimal | None
    share: Decimal | None
    every: Duration | None
    targets: frozenset[Component]
    first: date | None
    last: date | None


def read_concession(row: Mapping[str, Any]) -> Concession:
    """A concession from its stored row. A percentage of 1 or more is divided by 100, as discounts are."""
    named = json.loads(row.get("applied_to") or "[]") or ["INVOICE"]
    share = number(row.get("percentage"))
    kind = str(row.get("type") or "").upper()
    return Concession(
        label=str(row.get("display_name") or "Concession"),
        amount=None if kind == "FIXED_PERCENTAGE" else number(row.get("amount")),
        share=None if kind == "FIXED_AMOUNT" or share is None else share_of(share),
        every=read_duration(row.get("discount_frequency")),
        targets=frozenset().union(*(_TARGETS.get(str(name).upper(), frozenset()) for name in named)),
        first=row.get("start_date"),
        last=row.get("end_date"),
    )


def with_concessions(bill: Bill, concessions: Sequence[Concession], periods: Sequence[Period] | None = None) -> Bill:
    """The bill with a credit line per concession and billing period; as stated, no GST in it.

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
    first = max(period.first, concession.first or period.first)
    last = min(period.last, concession.last or period.last)
    held = Period(first, last)
    if held.days < 1:
        return
    if concession.amount:
        times = _times(concession, held, period)
        yield Line.priced("concession", concession.label, held, times, Price(-concession.amount, "none"))
    elif concession.share:
        base = _base(bill, concession, period) * held.days / period.days
        price = Price(-concession.share, "none")
        yield Line.priced("concession", concession.label, held, Quantity(base, "$"), price)


def _times(concession: Concession, held: Period, period: Period) -> Quantity:
    if concession.every is None:
        return Quantity(Fraction(held.days, period.days), "bill")
    days = [held.first + timedelta(n) for n in range(held.days)]
    return Quantity(concession.every.fits(DayCount.of(days)), str(concession.every))


def _base(bill: Bill, concession: Concession, period: Period) -> Fraction:
    cents = sum(
        line.amount_minor
        for line in bill.lines
        if line.component in concession.targets and period.first <= line.first and line.last <= period.last
    )
    return Fraction(cents, 100)
