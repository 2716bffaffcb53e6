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

_HARDLY_READ = 0.5
"""Share of missing reads from which on what is read of a bill's days says nothing about its amount."""
_HISTORY = timedelta(3 * 366)
"""Reads before a bill from which the home's curve of the year is known."""


def bill_against(
    ctx: Context,
    question: BillingQuestion = DEFAULTS,
    against: Wanted | Period = "previous",
    *,
    by_day: bool = False,
    reads: date | None = None,
    at_todays_prices: bool = False,
) -> Bill:
    """Price a bill as `bill` does, and explain its difference to another of the same home in parts.

    against: the bill before, the same time last year, or days. The same options and, where the question names one, the
    same plan count for both. at_todays_prices: where no bill of the earlier days is stored and their prices are not
    known, they are worked out at today's, so that only use differs. Raises as `bill`, and PricingError where there are
    neither reads nor a bill of those days.
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
    return msgspec.structs.replace(answer, against=_explained(usage, *sides, at_todays_prices=at_todays_prices))


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


def _explained(usage: Usage, now: _Side, then: _Side, *, at_todays_prices: bool) -> BillAgainst:
    days, bill = then.priced.days, then.priced.bill
    missing = bill.quality.missing_share or 0
    unread = missing > _HARDLY_READ
    if unread and then.billed is None:
        reads = "no reads" if missing == 1 else "hardly any reads"
        raise PricingError(
            bill.plan_id, Message(f"{reads} between {days.first} and {days.last} to compare with: ", Remedy.OTHER_DAYS)
        )
    # a bill that the assumed prices explain shows that they are right
    doubtful = [side.unknown and not side.agrees for side in (then, now)]
    contradicted = any(side.unknown and side.agrees is False for side in (then, now))
    supposed = at_todays_prices and then.billed is None and doubtful == [True, False]
    together = unread or contradicted or (doubtful[0] != doubtful[1] and not supposed)
    billed = then.billed if unread or (then.unknown and then.agrees is False) else None
    notes: list[Note] = []
    if together:
        found: Difference = difference_together(usage, then.priced, now.priced, billed)
        side = then if doubtful[0] or unread else now
        notes.append(Note("other_prices_not_known", first=side.priced.days.first, last=side.priced.days.last))
    else:
        found = difference(usage, then.priced, now.priced)
        notes += [Note("same_prices_assumed")] if all(doubtful) else []
        notes += [Note("at_todays_prices", first=days.first, last=days.last)] if supposed else []
    if missing and not unread:
        notes.append(Note("missing_reads_before", share=missing, first=days.first, last=days.last))
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
