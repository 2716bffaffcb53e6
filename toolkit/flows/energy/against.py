"""Why a bill differs from the one before, from the same time last year, or from that of any days."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta

import msgspec

from toolkit.analytics.energy.bills import Period, Usage, price_segments
from toolkit.analytics.energy.bills.against import (
    Difference,
    PricedBill,
    Wanted,
    difference,
    difference_together,
    earlier_period,
)
from toolkit.analytics.energy.pricing.model import aud
from toolkit.analytics.energy.reconcile.verdict import tolerance_of
from toolkit.answers.base import Note
from toolkit.answers.energy.bills import Bill, BillAgainst, BillPart
from toolkit.errors import NothingStoredError, PricingError
from toolkit.flows.energy.bill import AskedBill, Priceable, asked_bill, bill, priceable
from toolkit.flows.energy.invoices import stored_invoices
from toolkit.flows.household.billing_periods import DEFAULTS, BillingQuestion, invoice_periods, prepared, reads_for
from toolkit.flows.household.context import Context, open_home
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import NANO

_HISTORY = timedelta(3 * 366)
"""Reads before a bill from which the home's curve of the year is known."""


def bill_against(
    ctx: Context,
    question: BillingQuestion = DEFAULTS,
    against: Wanted | Period = "previous",
    *,
    by_day: bool = False,
    reads: date | None = None,
) -> Bill:
    """Price a bill as `bill` does, and explain its difference to another of the same home in parts.

    against: the bill before, the same time last year, or days. The same options and, where the question names one, the
    same plan count for both. Raises as `bill`, and PricingError where there are neither reads nor a bill of those days.
    """
    answer = bill(ctx, question, by_day=by_day, reads=reads)
    with open_home(ctx) as (store, household):
        asked = asked_bill(store, household, ctx, question)
        now = Period(asked.periods[0].first, asked.periods[-1].last)
        if not isinstance(against, Period):
            against = earlier_period(now, invoice_periods(store, household.household_id, asked.point), against)
        days = replace(question, from_=against.first, to=against.last)
        earlier = asked_bill(store, household, ctx, days)
        ready = priceable(store, household, asked), priceable(store, household, earlier)
        all_reads, _ = reads_for(
            store,
            household.household_id,
            asked.point,
            [Period(min(now.first, against.first) - _HISTORY, max(now.last, against.last))],
        )
        usage = prepared(all_reads, asked.point, ready[0].segments[-1].rates)
        sides = _Side.of(store, household, asked, ready[0], usage), _Side.of(store, household, earlier, ready[1], usage)
    return msgspec.structs.replace(answer, against=_explained(usage, *sides))


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two bills. billed: cents of the retailer's bill of the same days, where there is one."""

    priced: PricedBill
    billed: int | None
    unknown: bool
    """Whether plan or prices of some of its days are not known."""

    @classmethod
    def of(cls, store: Store, household: HouseholdRow, asked: AskedBill, ready: Priceable, usage: Usage) -> _Side:
        own = price_segments(usage, ready.segments, asked.periods, options=ready.options)
        priced = PricedBill(ready.segments, asked.periods, ready.options, own)
        unknown = any(segment.unknown for segment in asked.plans)
        return cls(priced, _billed(store, household, asked, priced.days), unknown)

    @property
    def agrees(self) -> bool | None:
        """Return whether the retailer's bill is what its reads come to at these prices; None without one."""
        if self.billed is None:
            return None
        bill = self.priced.bill
        return abs(self.billed - bill.total_minor) <= tolerance_of(len(bill.lines))


def _billed(store: Store, household: HouseholdRow, asked: AskedBill, days: Period) -> int | None:
    try:
        stored = stored_invoices(store, household, asked.point.id).concerned
    except NothingStoredError:
        return None
    amounts = (entry.invoice.minor for entry in stored if entry.invoice.period == days and len(entry.points) < 2)
    return next(amounts, None)


def _explained(usage: Usage, now: _Side, then: _Side) -> BillAgainst:
    days, bill = then.priced.days, then.priced.bill
    unread = bill.quality.missing_share == 1
    if unread and then.billed is None:
        raise PricingError(
            bill.plan_id, Message(f"no reads between {days.first} and {days.last} to compare with: ", Remedy.OTHER_DAYS)
        )
    # a bill that the assumed prices explain shows that they are right
    doubtful = [side.unknown and not side.agrees for side in (then, now)]
    contradicted = any(side.unknown and side.agrees is False for side in (then, now))
    together = unread or contradicted or doubtful[0] != doubtful[1]
    billed = then.billed if unread or (then.unknown and then.agrees is False) else None
    notes: list[Note] = []
    if together:
        found: Difference = difference_together(usage, then.priced, now.priced, billed)
        side = then if doubtful[0] or unread else now
        notes.append(Note("other_prices_not_known", first=side.priced.days.first, last=side.priced.days.last))
    else:
        found = difference(usage, then.priced, now.priced)
        notes += [Note("same_prices_assumed")] if all(doubtful) else []
    if billed is not None:
        notes.append(Note("amount_as_billed", first=days.first, last=days.last))
    return BillAgainst(
        from_=days.first,
        to=days.last,
        days=days.days,
        total=aud(bill.total_minor if billed is None else billed),
        billed=billed is not None,
        energy=_energy(usage, then.priced),
        energy_now=_energy(usage, now.priced),
        parts=tuple(BillPart(name, aud(minor)) for name, minor in found.parts.items()),
        notes=(*notes, *found.notes),
    )


def _energy(usage: Usage, bill: PricedBill) -> float:
    matrix = usage.matrix(bill.segments[-1].rates.time_zone).sliced(bill.days.first, bill.days.last)
    return int(matrix.total("general").sum() + matrix.total("controlled").sum()) / NANO
