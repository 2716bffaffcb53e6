"""Why a bill differs from the one before, from the same time last year, or from that of any days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import msgspec

from toolkit.analytics.energy.bills import Period, PlanSegment, Usage, price_segments
from toolkit.analytics.energy.bills.against import (
    Difference,
    PricedBill,
    Wanted,
    difference,
    difference_together,
    earlier_period,
)
from toolkit.analytics.energy.plans.in_force import InForce
from toolkit.analytics.energy.pricing.model import aud
from toolkit.analytics.energy.reconcile.verdict import tolerance_of
from toolkit.answers.base import Note
from toolkit.answers.energy.bills import Bill, BillAgainst, BillPart, PartName
from toolkit.answers.energy.forecast import NextBillAgainst
from toolkit.errors import NothingStoredError, PricingError
from toolkit.flows.energy.bill import AskedBill, Priceable, asked_bill, bill, compiled, concessions_of, priceable
from toolkit.flows.energy.invoices import stored_invoices
from toolkit.flows.household.billing_periods import (
    DEFAULTS,
    BillingQuestion,
    invoice_periods,
    options_of,
    prepared,
    reads_for,
)
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import ServicePoint, billed_point, fuel_of
from toolkit.flows.plans.choice import plans_in_force
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import NANO

_HARDLY_READ = 0.5
"""Share of missing reads from which on what is read of a bill's days says nothing about its amount."""
_HARDLY_MISSING = 0.05
"""Share of missing reads from which on a bill's energy is not known well enough to be compared."""
_LONGEST_GAP = timedelta(45)
"""Between two bills that follow each other."""
_NEXT_PHRASES: Mapping[PartName, tuple[str, str]] = {
    "prices": ("new prices", "new prices"),
    "level": ("use", "use"),
    "prices_and_use": ("prices and energy together", "prices and energy together"),
    "not_explained": (
        "less on the last bill than your plan's prices give",
        "other charges on the last bill that your plan's prices do not explain",
    ),
}
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


def next_bill_against(ctx: Context, days: Period, total: Decimal, energy: float | None) -> NextBillAgainst | None:
    """Explain what the next bill is expected to be by the bill before: days, prices, and the energy used a day.

    days, total, energy: of the next bill, as `forecast` gives them. Each day more costs what a day of the bill before
    did; prices are what its energy comes to at those of the next bill; the rest is use. None where most of the bill
    before can be neither priced nor was billed. Raises as `bill`.
    """
    with open_home(ctx) as (store, household):
        point = billed_point(store, household, ctx.service_point)
        invoiced = [each for each in invoice_periods(store, household.household_id, point) if each.last < days.first]
        is_near = bool(invoiced) and days.first - invoiced[-1].last <= _LONGEST_GAP
        then = invoiced[-1] if is_near else earlier_period(days, [], "previous")
        question = BillingQuestion(from_=then.first, to=then.last, period="whole")
        asked = asked_bill(store, household, ctx, question)
        ready = priceable(store, household, asked)
        side = _Side.of(store, household, asked, ready, ready.usage)
        in_force = plans_in_force(store, household, point, (days.first, days.last))
        at_new_prices = _at_prices_of(store, household, asked, ready, in_force, days)
    missing = side.priced.bill.quality.missing_share or 0
    own, billed = side.priced.bill.total_minor, side.billed
    if missing > _HARDLY_MISSING and billed is None:
        return None
    stretched = Fraction(days.days, then.days)
    apart = missing <= _HARDLY_MISSING and not (side.unknown and side.agrees is False)
    base = own if billed is None or apart else billed
    parts: dict[PartName, int] = {"days": round(base * (stretched - 1))}
    if apart:
        parts["prices"] = round((at_new_prices - own) * stretched)
        if billed is not None and not side.agrees:
            parts["not_explained"] = own - billed
    before = own if billed is None else billed
    rest = int(total * 100) - before - sum(parts.values())
    parts["level" if apart else "prices_and_use"] = rest
    found = tuple(BillPart(name, aud(minor)) for name, minor in parts.items() if minor)
    used = _energy(ready.usage, side.priced) if apart else None
    causes = _causes(found, days, then, (energy, used), asked.point)
    by = total - aud(before)
    code = "next_bill_against" if billed is not None else "next_bill_against_reads"
    return NextBillAgainst(
        from_=then.first,
        to=then.last,
        total=aud(before),
        billed=billed is not None,
        parts=found,
        sentence=Note(
            code,
            by=f"${abs(by):,.2f} {'more' if by >= 0 else 'less'}",
            total=aud(before),
            first=then.first,
            last=then.last,
            causes=causes or "nothing differs",
        ),
    )


def _at_prices_of(
    store: Store,
    household: HouseholdRow,
    asked: AskedBill,
    ready: Priceable,
    in_force: Sequence[InForce],
    days: Period,
) -> int:
    """Return cents of the asked days at the prices of other days, where these change by the share of days of each."""
    total = Fraction(0)
    for each in in_force:
        rates = compiled(each.chosen, asked.point, asked.today)
        credits_ = concessions_of(store, household.household_id, each.chosen, fuel_of(asked.point))
        options = options_of(BillingQuestion(), [rates], asked.point, asked.periods)
        segment = PlanSegment(rates, Period(asked.periods[0].first, asked.periods[-1].last), credits_)
        priced = price_segments(ready.usage, [segment], asked.periods, options=options)
        total += Fraction(priced.total_minor * ((each.last - each.first).days + 1), days.days)
    return round(total)


def _causes(
    parts: Sequence[BillPart], days: Period, then: Period, used: tuple[float | None, float | None], point: ServicePoint
) -> str:
    """Word the parts, each with its amount. used: energy of the next bill and of the one before."""
    unit = "MJ" if fuel_of(point) == "GAS" else "kWh"

    def words(part: BillPart) -> str:
        up = part.amount > 0
        if part.name == "days":
            more = days.days - then.days
            return f"{abs(more)} day{'s' if abs(more) > 1 else ''} {'longer' if more > 0 else 'shorter'}"
        if part.name == "level" and None not in used and (now := used[0]) is not None and (was := used[1]) is not None:
            a_day = (now / days.days, was / then.days)
            if round(a_day[0], 1) != round(a_day[1], 1) and up == (a_day[0] > a_day[1]):
                more_or_less = "more" if a_day[0] > a_day[1] else "less"
                return f"{more_or_less} energy a day ({a_day[0]:,.1f} {unit}, not {a_day[1]:,.1f})"
            return "use at other hours, or other exports"
        return _NEXT_PHRASES[part.name][0 if up else 1]

    return "; ".join(f"{words(part)}: {'+' if part.amount > 0 else '−'}${abs(part.amount):,.2f}" for part in parts)


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
