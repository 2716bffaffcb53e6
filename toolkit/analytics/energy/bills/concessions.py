"""Credits for concessions: on a bill, on every plan of a market, and those that a bill leaves out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from operator import attrgetter

import numpy as np

from toolkit.analytics.energy.pricing import Priced
from toolkit.analytics.energy.pricing.model import COMPONENTS, Bill, Component, Line, Price, Quantity, aud
from toolkit.analytics.energy.rates.charges import share_of
from toolkit.analytics.energy.rates.contract import number
from toolkit.analytics.energy.rates.model import DAYS_PER_YEAR, DayCount, Duration, read_duration
from toolkit.answers.base import Note, Period
from toolkit.tables.schema.energy import ConcessionRow
from toolkit.tables.schema.typed import TypedConcessionRow

_TARGETS: dict[str, frozenset[Component]] = {
    "INVOICE": frozenset(COMPONENTS),
    "USAGE": frozenset(("usage",)),
    "SERVICE_CHARGE": frozenset(("supply",)),
    "CONTROLLED_LOAD": frozenset(("controlled_load",)),
}

_USE: frozenset[Component] = frozenset(("usage", "controlled_load"))
_AFTER_CREDITS: frozenset[Component] = _USE | {"supply", "demand", "metering", "discount", "feed_in"}
"""Usage and supply after discounts and solar credits; fees and green power are left out."""


@dataclass(frozen=True, slots=True)
class Concession:
    """One that an energy account has, or that a person typed."""

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
    above: Decimal = Decimal(0)
    """AUD a year that a share is not taken of, counted by days."""
    typed: bool = False
    """Whether a person typed it for the home, so that it holds on any plan."""


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


def typed_concessions(rows: Sequence[TypedConcessionRow]) -> tuple[Concession, ...]:
    """Return the concessions typed for a home; each ends before a later one of the same name and fuel begins."""
    of_name = attrgetter("fuel", "name")
    ordered = sorted(rows, key=lambda row: (*of_name(row), row.first_day or date.min))
    typed: list[Concession] = []
    for _, group in groupby(ordered, key=of_name):
        versions = list(group)
        begins = [row.first_day for row in versions[1:]]
        for row, later in zip(versions, [*begins, None], strict=True):
            before = later - timedelta(1) if later else None
            last = min((day for day in (row.last_day, before) if day), default=None)
            typed.append(_typed(row, last))
    return tuple(typed)


def _typed(row: TypedConcessionRow, last: date | None) -> Concession:
    amount = None if row.amount_minor is None else aud(row.amount_minor)
    is_yearly = row.shape == "yearly"
    return Concession(
        label=row.name,
        amount=amount if is_yearly else None,
        share=None if row.percent is None else Decimal(row.percent) / 100,
        every=read_duration("P1Y") if is_yearly else None,
        targets=_AFTER_CREDITS if row.shape == "percent_above" else _USE,
        first=row.first_day,
        last=last,
        above=Decimal(0) if is_yearly or amount is None else amount,
        typed=True,
    )


def typed_concession(minor: int) -> Concession:
    """Return a concession of so many cents on one bill, as a person typed it from there."""
    return Concession("Concession on the bill", aud(minor), None, None, frozenset(), None, None)


def with_concessions(bill: Bill, concessions: Sequence[Concession], periods: Sequence[Period] | None = None) -> Bill:
    """Return the bill with a credit line per concession and billing period; as stated, without GST.

    periods: those of the account that the concessions are of, where the bill is not all its own.

    A fixed amount counts as often as its frequency fits into the days it holds; a percentage is of the lines it
    targets, by those days. One without either is a note, and so is one typed for the home that ended before the bill.
    """
    lines = list(bill.lines)
    assumed = list(bill.assumed)
    for concession in concessions:
        if concession.amount is None and concession.share is None:
            assumed.append(Note("concession_without_amount", label=concession.label))
            continue
        lines += [line for period in periods or bill.periods for line in _lines(concession, bill, period)]
    if periods or bill.periods:
        assumed += lapsed_notes(concessions, (periods or bill.periods)[-1].last)
    return replace(bill, lines=tuple(lines), assumed=tuple(assumed))


def lapsed_notes(concessions: Sequence[Concession], on: date) -> list[Note]:
    """Note each concession typed for the home that ended before a day, and has no later figures under its name."""
    current = {each.label for each in concessions if each.last is None or each.last >= on}
    ended = {each.label: each.last for each in concessions if each.typed and each.last and each.label not in current}
    return [Note("concession_lapsed", label=label, day=day) for label, day in ended.items()]


def credited(priced: Priced, concessions: Sequence[Concession]) -> Priced:
    """Return a market with the credits of concessions on every plan, to the cent as `with_concessions` gives them."""
    ranges = priced.charges.home.ranges
    by_plan = priced.charges.sums.reshape(len(priced.plans), len(COMPONENTS), ranges.count)
    credit = np.zeros(len(priced.plans), dtype=np.int64)
    for concession in concessions:
        targeted = [place for place, name in enumerate(COMPONENTS) if name in concession.targets]
        for n, period in enumerate(ranges.billed_periods):
            if (granted := _granted(concession, period)).days < 1:
                continue
            if concession.amount:
                quantity, price = _measure(concession, granted, period, 0)
                credit += Line.charged("concession", concession.label, granted, quantity, price).amount_minor
            elif concession.share:
                bases = by_plan[:, targeted, n].sum(axis=1).tolist()
                credit += np.array(_credits(concession, granted, period, bases), dtype=np.int64)
    cents = priced.cents.copy()
    cents[:, COMPONENTS.index("concession")] += credit
    return replace(priced, cents=cents)


def _granted(concession: Concession, period: Period) -> Period:
    """Return the days of a period on which a concession holds; without a day where it does not."""
    return Period(max(period.first, concession.first or period.first), min(period.last, concession.last or period.last))


def _credits(concession: Concession, granted: Period, period: Period, bases: Sequence[int]) -> list[int]:
    """Return [plan], cents of a share of the targeted components' cents, negative: as `_measure`, in whole numbers."""
    numerator, denominator = (concession.share or Decimal(0)).as_integer_ratio()
    above, per_above = (concession.above * 100).as_integer_ratio()
    # share × (base × granted ÷ days − above × granted ÷ 365), over one denominator
    whole = period.days * DAYS_PER_YEAR * per_above * denominator
    each = granted.days * DAYS_PER_YEAR * per_above * numerator
    less = above * granted.days * period.days * numerator
    amounts = [base * each - less for base in bases]
    if concession.typed:
        amounts = [max(amount, 0) for amount in amounts]
    return [
        -((2 * amount + whole) // (2 * whole)) if amount >= 0 else (whole - 2 * amount) // (2 * whole)
        for amount in amounts
    ]


def _measure(concession: Concession, granted: Period, period: Period, base: int) -> tuple[Quantity, Price]:
    """Return the quantity and the price of a credit."""
    if concession.amount:
        return _times(concession, granted, period), Price(-concession.amount, "none")
    above = Fraction(concession.above) * granted.days / DAYS_PER_YEAR
    share = Fraction(base, 100) * granted.days / period.days - above
    # Charges below the yearly amount, or outweighed by solar credits, earn nothing.
    share = max(share, Fraction(0)) if concession.typed else share
    return Quantity(share, "$"), Price(-(concession.share or Decimal(0)), "none")


def _lines(concession: Concession, bill: Bill, period: Period) -> Iterator[Line]:
    """Yield the credit of one concession for one billing period; nothing outside its dates."""
    granted = _granted(concession, period)
    if granted.days < 1 or not (concession.amount or concession.share):
        return
    base = sum(
        line.amount_minor
        for line in bill.lines
        if line.component in concession.targets and period.first <= line.first and line.last <= period.last
    )
    quantity, price = _measure(concession, granted, period, base)
    yield Line.charged("concession", concession.label, granted, quantity, price)


def _times(concession: Concession, granted: Period, period: Period) -> Quantity:
    """Return how often an amount is granted in those days; once a bill by its share of days, without a frequency."""
    if concession.every is None:
        return Quantity(Fraction(granted.days, period.days), "bill")
    days = [granted.first + timedelta(n) for n in range(granted.days)]
    return Quantity(concession.every.fits(DayCount.of(days)), str(concession.every))
