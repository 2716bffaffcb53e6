"""My bill is too high: why, what to look at on it, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal, TypedDict

from msgspec import UNSET
from msgspec.structs import replace

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.bills.against import Wanted, earlier_period
from toolkit.analytics.energy.pricing.model import aud
from toolkit.answers.base import Note
from toolkit.answers.energy.bills import PART_LABELS, PART_PHRASES, BillPart, Fuel, PartName
from toolkit.answers.energy.high_bill import BillInShort, HighBill
from toolkit.answers.energy.invoice_list import Invoice
from toolkit.answers.energy.invoices import CheckedInvoice, CheckName, CheckState, LinkedPayment
from toolkit.answers.energy.plans import ComparedPlan
from toolkit.charts.bills import difference
from toolkit.errors import ChoiceRequiredError, NoPlansError, NothingStoredError, PricingError, ToolkitError
from toolkit.flows.energy.against import bill_against
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import ServicePoint, service_points
from toolkit.flows.invoices.edit import list_invoices
from toolkit.flows.plans.here import plan_prices
from toolkit.flows.wording import with_local_dates
from toolkit.remedies import page_wording
from toolkit.report import Section, Table, render
from toolkit.tables.reference import places
from toolkit.tables.reference.concessions import listed_concessions
from toolkit.tables.reference.ombudsmen import ombudsman_of
from toolkit.tables.schema.identity import HouseholdRow

CHECKS: dict[CheckName, str] = {
    "reads": "Meter reads",
    "days": "Days",
    "balance": "Owed from before",
    "concession": "Concession",
    "discount": "Discount",
    "fees": "Fees",
    "sum": "Our own sum",
}
"""The checks as people know them."""
STATES: dict[CheckState, str] = {"ok": "✓ In order", "problem": "✗ Look at this", "unknown": "? Not known"}
NO_CHECKS = (
    "The retailer's bill of these days is not stored, so it cannot be checked. Type it under “Your bills”, or drop its "
    "PDF on the Data page."
)
WORKED_OUT, BILLED_MORE = "Your plan's prices give", "Charged above that"
EARLIER_DAYS = "Earlier days, at your plan's prices"
_YEAR = 365
_METER_NUMBER = re.compile(r"[0-9A-Z]{10,11}")
"""An NMI or MIRN; other ids of service points are the service's own."""
_MORE_USE = 1.05
"""Times the use of the other bill from which on it is worth a question on the phone."""
_MAIN_SHARE = Decimal("0.2")
"""Share of the largest reason from which on another one is named with it."""


@dataclass(frozen=True, slots=True)
class HighBillQuestion:
    """Which bill, and against which. first, last: its days; None is the last complete bill."""

    first: date | None = None
    last: date | None = None
    against: Wanted = "previous"
    fuel: Fuel = "ELECTRICITY"
    """Counts where no meter is named and the bill cannot be priced."""


def high_bill(ctx: Context, question: HighBillQuestion) -> HighBill:
    """Compare a bill with the one before or the same time last year, check it, and name who can help.

    Where the bill cannot be priced, the amounts on the retailer's bills are compared. Raises NothingStoredError where
    neither is possible.
    """
    try:
        answer = _of_engine(ctx, question)
    except (PricingError, NothingStoredError, ChoiceRequiredError) as error:
        amounts = _of_amounts(ctx, question)
        if amounts is None:
            raise
        answer = amounts
        asked = error.question if isinstance(error, ChoiceRequiredError) else error
        not_priced = Note("bill_not_priced", reason=page_wording(asked))
        amounts_of = {"billed": answer.now.total, "billed_before": answer.before.total}
        answer = replace(answer, **amounts_of, notes=(*answer.notes, not_priced))
    checked, earlier = _checked(ctx, answer.now), _checked(ctx, answer.before)
    answer = _as_billed(answer, checked, earlier)
    with open_home(ctx) as (store, household):
        points = service_points(store, household, answer.meter)
        has_concession = store.count("typed_concessions", household.household_id) > 0
        state = _state(household, points)
        numbers = [point.national_metering_id or point.id for point in points] if answer.meter else []
    return replace(
        answer,
        number=None if checked is None else checked.invoice_number,
        sentences=tuple(_sentences(answer, checked)),
        concessions=() if has_concession or state is None else _to_ask_for(state, answer.fuel, ctx.today),
        meter=next(filter(_METER_NUMBER.fullmatch, numbers), None),
        checks=() if checked is None else checked.checks,
        **_payment(ctx, checked),
        ombudsman=_ombudsman_in(state),
    )


class _Payment(TypedDict):
    due: date | None
    payment: Literal["open", "overdue", "paid"]


def _payment(ctx: Context, checked: CheckedInvoice | None) -> _Payment:
    """Return until when a stored bill is to be paid, and whether it is paid or that day has passed."""
    if checked is None:
        return _Payment(due=None, payment="open")
    stored = next((each for each in list_invoices(ctx).invoices if each.id == checked.id), None)
    due = None if stored is None else stored.due_date
    is_paid = isinstance(checked.payment, LinkedPayment) or (stored is not None and stored.paid is True)
    is_overdue = due is not None and due < ctx.today
    return _Payment(due=due, payment="paid" if is_paid else "overdue" if is_overdue else "open")


def ombudsman(ctx: Context) -> str | None:
    """Return who decides free of charge between this home and its retailer; None where its state is not known."""
    with open_home(ctx) as (store, household):
        return _ombudsman_in(_state(household, service_points(store, household, ctx.service_point)))


def _state(household: HouseholdRow, points: Sequence[ServicePoint]) -> str | None:
    stated = next((point.state for point in points if point.state), None) or household.state
    return stated or places.state(household.postcode)


def _ombudsman_in(state: str | None) -> str | None:
    """Return name, website and phone, as far as these were read at a source."""
    helper = ombudsman_of(state)
    return None if helper is None else ", ".join(filter(None, [helper[0].name, helper[0].website, helper[0].phone]))


def figures_of(answer: HighBill) -> list[tuple[str, Decimal, BillInShort]]:
    """Return the amounts that are compared, each by what it is: a bill, or what the plan's prices give for its days."""
    now, before = answer.now, answer.before
    shown = [("Your bill" if answer.billed is not None else WORKED_OUT, now.total, now)]
    if answer.billed is not None and now.worked_out is not None:
        shown += [(WORKED_OUT, now.worked_out, now), (BILLED_MORE, now.total - now.worked_out, now)]
    earlier = "Your earlier bill" if answer.billed_before is not None else EARLIER_DAYS
    return [*shown, (earlier, before.total, before)]


def _to_ask_for(state: str, fuel: Fuel, today: date) -> tuple[str, ...]:
    """Return the names of a state's concessions on a fuel, with their figures where these are known to hold today."""
    names = []
    for listed in listed_concessions(state):
        if listed.fuel == fuel:
            holds = listed.shape == "yearly" and (listed.last is None or listed.last >= today)
            names.append(f"{listed.name} (${listed.amount:,.2f} a year)" if holds else listed.name)
    return tuple(names)


def _of_engine(ctx: Context, question: HighBillQuestion) -> HighBill:
    asked = BillingQuestion(question.first, question.last)
    bill = bill_against(ctx, asked, question.against, at_todays_prices=True)
    other = bill.against
    assert other is not UNSET
    now = BillInShort(from_=bill.from_, to=bill.to, total=bill.total, worked_out=bill.total, energy=other.energy_now)
    before = BillInShort(
        from_=other.from_,
        to=other.to,
        total=other.total,
        worked_out=None if other.billed else other.total,
        energy=other.energy,
    )
    answer = _explained(now, before, other.parts, bill.fuel, bill.service_point_id, other.notes)
    return replace(answer, billed_before=other.total) if other.billed else answer


def _as_billed(answer: HighBill, checked: CheckedInvoice | None, earlier: CheckedInvoice | None) -> HighBill:
    """Compare what was billed, where it is known: what that differs from our own sums is a part of its own."""
    now, before = answer.now, answer.before
    billed = answer.billed if checked is None or checked.billed is None else checked.billed
    billed_before = answer.billed_before if earlier is None or earlier.billed is None else earlier.billed
    now = now if billed is None else replace(now, total=billed)
    before = before if billed_before is None else replace(before, total=billed_before)
    rest = (now.total - before.total) - (answer.now.total - answer.before.total)
    small = sum(each.tolerance for each in (checked, earlier) if each is not None)
    parts = {part.name: part.amount for part in answer.parts}
    name: PartName = "rounding" if abs(rest) <= small else "not_explained"
    parts[name] = parts.get(name, aud(0)) + rest
    return replace(
        answer,
        now=now,
        before=before,
        billed=billed,
        billed_before=billed_before,
        parts=tuple(BillPart(name, amount) for name, amount in parts.items() if amount),
    )


_AGAINST_PRICES: Mapping[str, str] = {
    "check_sum_above": "billed_above",
    "check_sum_below": "billed_below",
    "check_sum_agrees": "billed_right",
    "check_sum_open": "billed_open",
}
"""What the check of the sum found → how it is said of the bill."""
_NAMED: Mapping[str, str] = {
    "check_fees_named": "call_charged_named",
    "check_fees_not_stored": "call_charged_not_stored",
}
"""What the check of the fees found → what to say of lines that are what the bill differs by."""
_EARLIER_BILL: Mapping[str, str] = {"same": "bill_same", "higher": "bill_higher", "lower": "bill_lower"}
_EARLIER_DAYS: Mapping[str, str] = {"same": "earlier_same", "higher": "earlier_lower", "lower": "earlier_higher"}
"""How the bill compares with an earlier one, or with days of which none is stored → how it is said."""


def _sentences(answer: HighBill, checked: CheckedInvoice | None) -> Iterator[Note]:
    """Yield what the bill is, how it differs from the plan's prices and from the earlier one, and why."""
    now, before = answer.now, answer.before
    more = now.total - before.total
    days = {"first": now.from_, "last": now.to, "before_first": before.from_, "before_last": before.to}
    amounts = {"total": now.total, "before": before.total, "by": abs(more)}
    which = "same" if not more else "higher" if more > 0 else "lower"
    if answer.billed is None:
        code = "bill_worked_out" if answer.billed_before is None else "bill_worked_out_beside"
        compared = Note(code, **days, **amounts)
    elif answer.billed_before is None:
        yield Note("bill_alone", first=now.from_, last=now.to, total=now.total)
        yield from _beside_prices(checked)
        compared = Note(_EARLIER_DAYS[which], **days, **amounts)
    else:
        compared = Note(_EARLIER_BILL[which], **days, **amounts)
    yield compared
    yield _reasons(answer.parts, answer.notes, up=more >= 0, same_days=now.days == before.days)
    if answer.billed_before is not None:
        yield from _beside_prices(checked)


def _beside_prices(checked: CheckedInvoice | None) -> Iterator[Note]:
    """Yield how the amount billed compares with what the plan's prices give, where that is known."""
    if checked is None or checked.recomputed is None:
        return
    code = next((_AGAINST_PRICES.get(check.code) for check in checked.checks if check.name == "sum"), None)
    if code is not None:
        yield Note(code, by=abs(checked.difference or aud(0)), worked_out=checked.recomputed)
    named = next((check.text for check in checked.checks if check.code in _NAMED), None)
    if named is not None:
        yield Note("billed_lines", lines=named.figures["lines"])


def _of_amounts(ctx: Context, question: HighBillQuestion) -> HighBill | None:
    """Compare the amounts of two kept bills; None where there are no two."""
    try:
        kept = list_invoices(ctx).invoices
    except ToolkitError:
        return None
    bills = [
        (Period(each.from_, each.to), each)
        for each in kept
        if each.from_ and each.to and each.billed is not None and each.fuel in (None, question.fuel)
        if ctx.service_point is None or each.service_point_id in (None, ctx.service_point)
    ]
    bills.sort(key=lambda pair: pair[0].last)
    asked = [pair for pair in bills if question.first in (None, pair[0].first) and pair[0].last < ctx.today]
    if not asked:
        return None
    days, now = asked[-1]
    wanted = earlier_period(days, [period for period, _ in bills], question.against)
    before = next((pair for pair in bills if pair[0] == wanted), None)
    if before is None:
        return None
    later, earlier = _in_short(days, now), _in_short(*before)
    by_days = (earlier.total * (later.days - earlier.days) / earlier.days).quantize(Decimal("0.01"), ROUND_HALF_UP)
    rest = later.total - earlier.total - by_days
    amounts: tuple[BillPart, ...] = (BillPart("days", by_days), BillPart("prices_and_use", rest))
    parts = tuple(part for part in amounts if part.amount)
    return _explained(later, earlier, parts, question.fuel, now.service_point_id, ())


def _in_short(days: Period, bill: Invoice) -> BillInShort:
    used = [entry.quantity for entry in bill.energy if entry.register != "solar"]
    return BillInShort(from_=days.first, to=days.last, total=bill.billed or aud(0), energy=sum(used) if used else None)


def _explained(
    now: BillInShort,
    before: BillInShort,
    parts: Sequence[BillPart],
    fuel: Fuel,
    meter: str | None,
    notes: Sequence[Note],
) -> HighBill:
    return HighBill(
        fuel=fuel,
        unit="MJ" if fuel == "GAS" else "kWh",
        number=None,
        meter=meter,
        now=now,
        before=before,
        parts=tuple(parts),
        sentences=(),
        checks=(),
        ombudsman=None,
        notes=tuple(notes),
    )


def _reasons(parts: Sequence[BillPart], notes: Sequence[Note], *, up: bool, same_days: bool) -> Note:
    """Name the largest part in the direction of the difference, the next one, and what went the other way."""
    named = [part for part in parts if part.name != "rounding"]
    same_way = sorted((p for p in named if (p.amount > 0) == up), key=lambda p: abs(p.amount), reverse=True)
    if not same_way:
        return Note("bill_without_reason")
    main = [part for part in same_way[:2] if abs(part.amount) >= _MAIN_SHARE * abs(same_way[0].amount)]
    other = max((p for p in named if p not in same_way), key=lambda p: abs(p.amount), default=None)

    def phrase(part: BillPart) -> str:
        higher, lower = PART_PHRASES[part.name]
        words = "other weekdays" if part.name == "days" and same_days else higher if part.amount > 0 else lower
        if part.name == "level" and any(note.code == "season_not_known" for note in notes):
            words += ", which may be the time of year"
        return f"{words} (${abs(part.amount):,.2f})"

    causes = " and ".join(map(phrase, main))
    if other is None or abs(other.amount) < _MAIN_SHARE * abs(main[0].amount):
        return Note("bill_reasons", causes=causes)
    return Note("bill_reasons_up" if up else "bill_reasons_down", causes=causes, against=phrase(other))


def _checked(ctx: Context, bill: BillInShort) -> CheckedInvoice | None:
    """Return the retailer's bill of the same days, checked; None where none is stored."""
    try:
        checked = reconcile(ctx, from_=bill.from_, to=bill.to).invoices
    except ToolkitError:
        return None
    same = [each for each in checked if (each.from_, each.to) == (bill.from_, bill.to)]
    return same[-1] if same else None


@dataclass(frozen=True, slots=True)
class CheaperPlan:
    """The cheapest plan that can be had without conditions and saves something."""

    plan: ComparedPlan
    is_own_retailers: bool
    """Whether the retailer of today's plan has it."""


def cheaper_plan(ctx: Context) -> CheaperPlan | None:
    """Return the plan to ask for; None where none is known, or not where the home is."""
    try:
        if not plan_prices(ctx).place_known:
            return None
        compared = compare(ctx, BillingQuestion(), PlanFilters())
    except (ToolkitError, NoPlansError):
        return None
    best, current, saving = compared.headline, compared.current, compared.named_saving
    if best is None or saving is None or saving <= 0:
        return None
    return CheaperPlan(best, current is not None and current.retailer == best.retailer)


def even_payment(ctx: Context) -> Decimal | None:
    """Return the even payment a fortnight that covers the next twelve months in nine years of ten; None if unknown."""
    try:
        even = forecast(ctx).even_payments
    except ToolkitError:
        return None
    return None if even is None else even.p90.fortnightly


def what_to_say(answer: HighBill, cheaper: CheaperPlan | None, even: Decimal | None = None) -> tuple[Note, ...]:
    """Return what to say on the phone and what to do after it, in order. even: as `even_payment` gives it."""
    now, before = answer.now, answer.before
    if answer.billed_before is None:  # our own sum is no bill that anybody could quote
        points = [Note("call_opening_alone", first=now.from_, last=now.to, total=now.total)]
    else:
        points = [Note("call_opening", first=now.from_, last=now.to, total=now.total, before=before.total)]
    problems = {check.code: check.text for check in answer.checks if check.state == "problem"}
    if by_name := [code for code in _NAMED if code in problems]:
        problems.pop("check_sum_above", None)
        lines = problems.pop(by_name[0]).figures["lines"]
        points.append(Note(_NAMED[by_name[0]], first=now.from_, last=now.to, lines=lines))
    elif (above := problems.pop("check_sum_above", None)) is not None:
        by, ours = above.figures["difference"], above.figures["amount"]
        points.append(Note("call_charged_more", by=by, first=now.from_, last=now.to, billed=now.total, worked_out=ours))
    if now.energy is not None and before.energy is not None:
        a_day, used = now.energy / now.days, before.energy / before.days
        if a_day > _MORE_USE * used:
            asked = Note(
                "call_energy",
                first=now.from_,
                last=now.to,
                before_first=before.from_,
                before_last=before.to,
                now=a_day,
                before=used,
                unit=answer.unit,
            )
            points.append(asked)
    points += problems.values()
    if cheaper is not None:
        plan = cheaper.plan
        code = "call_best_plan" if cheaper.is_own_retailers else "call_other_plan"
        over = "over the last year" if plan.saving_days == _YEAR else f"over {plan.saving_days} days"
        name, retailer = plan.name or plan.plan_id, plan.retailer or "another retailer"
        points.append(Note(code, name=name, retailer=retailer, saving=plan.saving, over=over))
    if not any(check.name == "concession" and check.state == "ok" for check in answer.checks):
        named = " or ".join(answer.concessions)
        points.append(Note("call_concession_named", names=named) if named else Note("call_concession"))
    if even is not None and even > 0:
        points.append(Note("call_even_payment", amount=even))
    if answer.payment == "paid":
        points.append(Note("call_hardship_next"))
    else:
        is_overdue = answer.payment == "overdue"
        points.append(Note("call_hardship_overdue", due=answer.due) if is_overdue else Note("call_hardship"))
    points.append(Note("call_ombudsman", name=answer.ombudsman) if answer.ombudsman else Note("call_ombudsman_unknown"))
    return tuple(points)


def high_bill_page(ctx: Context, question: HighBillQuestion, *, names_plan: bool = True) -> str:
    """Return one HTML page to print: why the bill differs, its checks, and what to say. Raises as `high_bill`.

    names_plan: whether to name the plan to ask for, where one is known.
    """
    answer = high_bill(ctx, question)
    shown = [figure for figure in figures_of(answer) if figure[0] != BILLED_MORE]
    facts = [
        *((_days(bill) if what != WORKED_OUT else what, f"${amount:,.2f}") for what, amount, bill in shown),
        *((name, text) for name, text in (("Bill", answer.number), ("Meter", answer.meter)) if text),
    ]
    rows = [
        [PART_LABELS[part.name], f"{'+' if part.amount > 0 else '−'}${abs(part.amount):,.2f}"] for part in answer.parts
    ]
    reasons = Table("Why it differs", ["", "Amount"], rows, frozenset({1}))
    checked = [[CHECKS[c.name], STATES[c.state], _words(c.text)] for c in answer.checks]
    checks = [Table("Checks of the bill", ["Check", "Result", ""], checked)] if checked else []
    cheaper = cheaper_plan(ctx) if names_plan else None
    steps = [_words(note) for note in what_to_say(answer, cheaper, even_payment(ctx))]
    return render(
        "My bill is too high",
        " ".join(map(_words, answer.sentences)),
        [
            Section(
                f"Why, as of {_local(ctx.today)}",
                facts=facts,
                parts=[difference(answer), reasons],
            ),
            Section("Look at the bill", parts=checks, notes=[] if checks else [NO_CHECKS]),
            Section("The call", steps=("What to say and do", steps), notes=list(map(_words, answer.notes))),
        ],
        one_sheet=True,
    )


def _words(note: Note) -> str:
    return with_local_dates(note.page)


def _local(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def _days(bill: BillInShort) -> str:
    return f"{_local(bill.from_)} to {_local(bill.to)}"
