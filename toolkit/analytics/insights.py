"""What needs attention in a household, and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from hashlib import sha256

from msgspec.structs import replace

from toolkit.answers.base import Note
from toolkit.answers.consents import Consent
from toolkit.answers.energy.bills import FUELS, Fuel
from toolkit.answers.energy.invoices import BillToPay, CheckedInvoice
from toolkit.answers.energy.plans import Comparison
from toolkit.answers.energy.solar import DayToCheck, ServicePointSolar
from toolkit.answers.insights import Insight, InsightKind, InsightPage
from toolkit.answers.money import Cashflow, RecurringPayment

MOST = 5
"""Insights shown at a time."""
MOST_OF_A_KIND = 2
"""So that a year of bills in dispute does not hide everything else."""
SOON = timedelta(days=14)
"""What ends, or runs out, within these days comes first."""
LEAST_SAVING = Decimal(50)
"""AUD a year: a smaller saving is not worth a change of plan."""
LEAST_DIFFERENCE = Decimal(1)
"""AUD: a bill that differs by less is not worth a call."""
LEAST_RISE = Decimal(12)
"""AUD a year: a dollar a month."""
BILL_AGE = timedelta(days=365)
PRICE_AGE = timedelta(days=90)
CONSENT_NOTICE = timedelta(days=30)
CONSENT_PAST = timedelta(days=60)
"""A consent that ended longer ago was let go on purpose."""
BANK_DATA_AGE = timedelta(days=31)
SOLAR_AGE = timedelta(days=60)
SOLAR_DAYS = 3
"""Fewer days in a row of failures are more often an odd sky than a defect."""
SOLAR_GAP = timedelta(days=30)
"""Failed days that lie further apart are two events."""

TO_PAY_AND_DIFFERS = {
    "insight_bill_due": "insight_bill_due_differs",
    "insight_bill_overdue": "insight_bill_overdue_differs",
    "insight_bill_not_seen": "insight_bill_not_seen_differs",
    "insight_bill_begun_later": "insight_bill_begun_later_differs",
    "insight_bill_paid_less": "insight_bill_paid_less_differs",
    "insight_bill_paid_more": "insight_bill_paid_more_differs",
}
"""Code of a bill to pay → code of the sentence that says also by how much it differs."""


@dataclass(frozen=True, slots=True)
class OldMeter:
    """A service point with reads that are too old for a forecast."""

    service_point_id: str
    fuel: Fuel
    to: date
    """Last day with reads."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a household on a day; empty or None where it is not known."""

    today: date
    bills: Sequence[CheckedInvoice] = ()
    to_pay: Sequence[BillToPay] = ()
    """Bills due lately or soon that no payment of their amount is known of."""
    fuels: Mapping[str, Fuel] = field(default_factory=dict)
    """Service point → fuel."""
    comparisons: Sequence[Comparison] = ()
    cash_flow: Cashflow | None = None
    recurring: Sequence[RecurringPayment] = ()
    consents: Sequence[Consent] = ()
    ended_consents: frozenset[str] = frozenset()
    """Arrangements that ended and were not renewed."""
    old_meters: Sequence[OldMeter] = ()
    solar: Sequence[ServicePointSolar] = ()
    bank_data_to: date | None = None
    """Last day with a transaction."""


def insights_of(known: Known) -> list[Insight]:
    """Return everything that needs attention, each cause once, most important first.

    First what ends, runs out or is to be paid within 14 days, the nearest first; then what costs or saves money, the
    largest amount first; then the rest by day.
    """
    found = [
        *(*_balance(known), *_consents(known), *_bills(known), *_savings(known)),
        *(*_prices(known), *_solar(known), *_old_data(known), *_missing_balances(known)),
    ]
    once = {insight.id: insight for insight in found}
    return sorted(once.values(), key=lambda insight: _rank(insight, known.today))


def shown(insights: Iterable[Insight], decided: Mapping[str, date | None], today: date) -> tuple[Insight, ...]:
    """Return those to show, at most five and at most two of a kind, in the order given.

    decided: id → the day until which it is put off; None: it is done.
    """
    kinds: Counter[InsightKind] = Counter()
    chosen = []
    for insight in insights:
        if insight.id in decided and ((until := decided[insight.id]) is None or today < until):
            continue
        kinds[insight.kind] += 1
        if kinds[insight.kind] <= MOST_OF_A_KIND:
            chosen.append(insight)
    return tuple(chosen[:MOST])


def _rank(insight: Insight, today: date) -> tuple[int, Decimal, date, str]:
    day = insight.date or date.max
    if insight.kind in ("balance", "consent", "due") and day <= today + SOON:
        return 0, Decimal(0), day, insight.id
    if insight.kind in ("bill", "payment", "saving", "price", "solar") and insight.amount is not None:
        return 1, -insight.amount, day, insight.id
    return 2, Decimal(0), day, insight.id


def _insight(
    kind: InsightKind, page: InsightPage, text: Note, *cause: object, amount: Decimal | None, day: date | None
) -> Insight:
    """Make an insight; its id follows from its kind and cause, and names nobody."""
    digest = sha256("\n".join(map(str, cause)).encode()).hexdigest()[:8]
    return Insight(id=f"{kind}-{digest}", kind=kind, text=text, amount=amount, date=day, page=page)


def _balance(known: Known) -> Iterator[Insight]:
    low = known.cash_flow.low_point if known.cash_flow else None
    if low is None or low.p50 is None or low.p10 is None:  # without a range too little is known to alarm anybody
        return
    below = low.p50 if low.p50 < 0 else low.p10
    if below >= 0:
        return
    code, without = (
        ("insight_balance_low", "insight_balance_low_without")
        if low.p50 < 0
        else ("insight_balance_risk", "insight_balance_risk_without")
    )
    text = Note(code, amount=-below, day=low.date)
    if missing := _accounts_left_out(known):
        accounts = missing[0] if len(missing) == 1 else f"{len(missing)} accounts"
        text = Note(without, accounts=accounts, amount=-below, day=low.date)
    # The lowest day moves a little from day to day: one in the same month is the same cause.
    yield _insight("balance", "coming-up", text, f"{low.date:%Y-%m}", amount=-below, day=low.date)


def _accounts_left_out(known: Known) -> list[str]:
    """Return the names of the accounts that the cash flow leaves out because their balance is not known."""
    return [str(note.figures["account"]) for note in known.cash_flow.balances_missing] if known.cash_flow else []


def _missing_balances(known: Known) -> Iterator[Insight]:
    for account in _accounts_left_out(known):
        text = Note("insight_balance_missing", account=account)
        yield _insight("account", "accounts", text, account, amount=None, day=None)


def _consents(known: Known) -> Iterator[Insight]:
    for consent in known.consents:
        ends = consent.ends_at.date() if consent.ends_at else None
        name = consent.institution or "your bank or retailer"
        if consent.state == "active":
            if ends is None or not known.today <= ends <= known.today + CONSENT_NOTICE:
                continue
            text = Note("insight_consent_ends", institution=name, day=ends)
        elif consent.arrangement_id not in known.ended_consents or (ends and ends < known.today - CONSENT_PAST):
            continue
        elif ends is None or ends > known.today:  # withdrawn before its end, on a day that is not stored
            text = Note("insight_consent_over", institution=name)
            ends = None
        else:
            text = Note("insight_consent_ended", institution=name, day=ends)
        yield _insight("consent", "data", text, consent.arrangement_id, consent.ends_at, amount=None, day=ends)


def _bills(known: Known) -> Iterator[Insight]:
    """Yield each bill once: one that is to be paid and differs says both."""
    differing = dict(_differing(known))
    for bill, insight in _due(known):
        other = differing.pop(bill.id, None) if bill.id else None
        if other is None:
            yield insight
            continue
        side = "higher" if other.text.code == "insight_bill_higher" else "lower"
        text = Note(TO_PAY_AND_DIFFERS[insight.text.code], **insight.text.figures, apart=other.amount, side=side)
        yield replace(insight, text=text, also=other.id)
    yield from differing.values()


def _differing(known: Known) -> Iterator[tuple[str, Insight]]:
    """Yield the bills that differ from what use and prices give, by id; one without an id by its insight's."""
    for bill in known.bills:
        if bill.verdict != "differs" or bill.difference is None or bill.to < known.today - BILL_AGE:
            continue
        fuel = next((FUELS[known.fuels[point]] for point in bill.service_points if point in known.fuels), "energy")
        amount = abs(bill.difference)
        if amount < LEAST_DIFFERENCE:
            continue
        code = "insight_bill_higher" if bill.difference > 0 else "insight_bill_lower"
        text = Note(code, fuel=fuel, first=bill.from_, last=bill.to, amount=amount)
        cause = (bill.id, bill.invoice_number, bill.from_, bill.billed)
        insight = _insight("bill", "bills", text, *cause, amount=amount, day=bill.to)
        yield bill.id or insight.id, insight


def _due(known: Known) -> Iterator[tuple[BillToPay, Insight]]:
    """Yield the bills that are to be paid, and those that were paid in part or with more than they ask for."""
    for bill in known.to_pay:
        fuel = FUELS[bill.fuel] if bill.fuel else "energy"
        cause = (bill.fuel, bill.from_, bill.to, bill.amount)
        if bill.payments:
            # of much more a part is likely for another bill
            if bill.left >= LEAST_DIFFERENCE or LEAST_DIFFERENCE <= -bill.left <= bill.amount / 2:
                text = Note(
                    "insight_bill_paid_less" if bill.left > 0 else "insight_bill_paid_more",
                    retailer=bill.retailer or bill.payments[-1].description or "your retailer",
                    paid=bill.amount - bill.left,
                    fuel=fuel,
                    day=bill.due,
                    amount=bill.amount,
                    difference=abs(bill.left),
                )
                day = bill.payments[-1].date
                yield bill, _insight("payment", "bills", text, *cause, amount=abs(bill.left), day=day)
            continue
        text = Note("insight_bill_due", fuel=fuel, amount=bill.amount, day=bill.due)
        if bill.due < known.today:
            if bill.bank_from is None or bill.bank_to is None:  # it may be paid from an account that is not here
                continue
            if not bill.is_covered:
                text = Note(
                    "insight_bill_begun_later", fuel=fuel, amount=bill.amount, day=bill.due, first=bill.bank_from
                )
            else:
                code = "insight_bill_overdue" if bill.bank_to > bill.due else "insight_bill_not_seen"
                text = Note(code, fuel=fuel, amount=bill.amount, day=bill.due, last=bill.bank_to)
        yield bill, _insight("due", "bills", text, *cause, amount=bill.amount, day=bill.due)


def _savings(known: Known) -> Iterator[Insight]:
    for compared in known.comparisons:
        best = compared.headline
        if compared.open_networks and compared.yearly and compared.current is not None:
            text = Note("insight_saving_network", networks=", ".join(compared.open_networks))
            yield _insight("saving", "plans", text, compared.service_point_id, amount=None, day=None)
        saving = compared.named_saving
        if best is None or saving is None or not compared.yearly or saving < LEAST_SAVING:
            continue
        fuel, plan, retailer = FUELS[compared.fuel], best.name or best.plan_id, best.retailer or "its retailer"
        text = Note("insight_saving", fuel=fuel, plan=plan, retailer=retailer, amount=saving)
        if day := best.as_of or compared.as_of:
            text = Note("insight_saving_dated", fuel=fuel, plan=plan, retailer=retailer, amount=saving, day=day)
        today = compared.current.plan_id if compared.current else None
        cause = (compared.service_point_id, today, best.plan_id)
        yield _insight("saving", "plans", text, *cause, amount=saving, day=day)


def _prices(known: Known) -> Iterator[Insight]:
    for payment in known.recurring:
        if not payment.changes or payment.kind not in ("subscription", "bill", "payment", "loan"):
            continue
        last = payment.changes[-1]
        before, after = abs(last.before), abs(last.after)
        rise = (abs(payment.yearly) * (after - before) / after).quantize(Decimal("0.01")) if after else Decimal(0)
        if rise < LEAST_RISE or last.date < known.today - PRICE_AGE:
            continue
        name, day, paid = payment.name, last.date, last.paid_before
        text = Note("insight_price", name=name, before=before, after=after, day=day, amount=rise)
        if payment.cadence == "yearly":
            text = Note("insight_price_of_year", name=name, before=before, after=after, day=day, amount=rise, paid=paid)
        cause = (payment.account_id, payment.name, last.date)
        yield _insight("price", "coming-up", text, *cause, amount=rise, day=last.date)


def _solar(known: Known) -> Iterator[Insight]:
    for point in known.solar:
        failed = _latest_failure(point.days_to_check)
        if len(failed) < SOLAR_DAYS or failed[-1].date < known.today - SOLAR_AGE:
            continue
        values = [day.value for day in failed if day.value is not None]
        lost = sum(values, Decimal(0)) if values else None
        count, first, last = len(failed), failed[0].date, failed[-1].date
        if lost is None:
            text = Note("insight_solar", count=count, first=first, last=last)
        else:
            text = Note("insight_solar_value", count=count, first=first, last=last, amount=lost)
        yield _insight("solar", "solar", text, point.service_point_id, first, amount=lost, day=last)


def _latest_failure(days: Sequence[DayToCheck]) -> list[DayToCheck]:
    """Return the newest days on which the panels failed, back to the first gap of more than 30 days; oldest first."""
    failed: list[DayToCheck] = []
    for day in sorted(days, key=lambda each: each.date, reverse=True):
        if failed and failed[-1].date - day.date > SOLAR_GAP:
            break
        failed.append(day)
    return failed[::-1]


def _old_data(known: Known) -> Iterator[Insight]:
    for meter in known.old_meters:
        text = Note("insight_meter_data_old", fuel=FUELS[meter.fuel], day=meter.to)
        yield _insight("data", "data", text, meter.service_point_id, meter.to, amount=None, day=meter.to)
    if known.bank_data_to is not None and known.bank_data_to < known.today - BANK_DATA_AGE:
        text = Note("insight_bank_data_old", day=known.bank_data_to)
        yield _insight("data", "data", text, "bank", known.bank_data_to, amount=None, day=known.bank_data_to)
