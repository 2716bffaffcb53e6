"""The stored bills that no bank payment of their amount is known of, due lately or soon."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

from toolkit.analytics.energy.pricing.model import aud
from toolkit.analytics.energy.reconcile import LATE, PayableInvoice, of_another_amount
from toolkit.analytics.insights import Known, insights_of
from toolkit.answers.base import Note
from toolkit.answers.energy.invoices import BankPayment, BillToPay, LinkedPayment
from toolkit.errors import NothingStoredError
from toolkit.flows.energy.invoices import (
    Billed,
    Entry,
    Payment,
    money_out,
    payable_invoice,
    payments_of,
    stored_invoices,
)
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import fuel_of
from toolkit.flows.money.summary import zone_of
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow, InstitutionRow
from toolkit.tables.transaction_days import DATE_TIMES, with_days

AHEAD, BACK = timedelta(14), timedelta(60)
"""How far ahead and back of today due days are looked at."""


def bills_to_pay(ctx: Context) -> tuple[BillToPay, ...]:
    """Return the bills due in the next 14 days, or in the last 60, that no payment of their amount is known of.

    Of each a payment of another amount to its retailer is named, where there is one about that time. Earliest first.
    """
    with open_home(ctx) as (store, household):
        try:
            entries = stored_invoices(store, household, None).entries
        except NothingStoredError:
            return ()
        near = [entry for entry in entries if _is_near(entry, ctx.today)]
        if not near:
            return ()
        billed = [Billed(entry, entry.invoice.minor) for entry in entries]
        payments = payments_of(store, household, billed)
        open_ = [each for each, payment in zip(billed, payments, strict=True) if payment is None and each.entry in near]
        used = set(_used(payments))
        bank_to = _bank_to(store, household, ctx.today)
        found = [_to_pay(store, household, each, used, bank_to) for each in open_]
    return tuple(sorted((each for each in found if each.amount > 0), key=lambda each: each.due))


def _is_near(entry: Entry, today: date) -> bool:
    due = entry.invoice.due
    return due is not None and today - BACK <= due <= today + AHEAD and entry.invoice.paid != "PAID"


def _used(payments: Iterable[Payment | None]) -> Iterable[str]:
    """Yield the ids of transactions that settle a bill, or may."""
    for payment in payments:
        if payment is not None:
            each_one = payment.payments if isinstance(payment, LinkedPayment) else payment.candidates
            yield from (each.transaction_id for each in each_one)


def _to_pay(store: Store, household: HouseholdRow, billed: Billed, used: set[str], bank_to: date | None) -> BillToPay:
    names = {row.institution_id: row.name for row in store.load(InstitutionRow) if row.name}
    entry, payable = billed.entry, payable_invoice(billed, names)
    period = entry.invoice.period
    assert entry.invoice.due is not None
    # half a period later the payment is more likely that of the next bill
    last = entry.invoice.due + min(LATE, timedelta(period.days // 2))
    payable = replace(payable, last=last if bank_to is None else min(last, bank_to))
    return BillToPay(
        fuel=fuel_of(entry.points[0]) if entry.points else entry.fuel,
        retailer=next(iter(payable.names), None),
        from_=period.first,
        to=period.last,
        amount=aud(payable.minor),
        due=entry.invoice.due,
        paid=_other_payment(store, household, payable, used),
        bank_to=bank_to,
    )


def _other_payment(
    store: Store, household: HouseholdRow, payable: PayableInvoice, used: set[str]
) -> BankPayment | None:
    rows = money_out(store, household, [(payable.first, payable.last)], ("between", -2 * payable.minor, -1))
    row = of_another_amount(payable, [each for each in rows if each.id not in used])
    if row is None:
        return None
    return BankPayment(
        transaction_id=row.id,
        account_id=row.account_id,
        date=row.day,
        amount=aud(row.amount_minor),
        description=row.biller_name or row.merchant_name or row.description,
    )


def _bank_to(store: Store, household: HouseholdRow, today: date) -> date | None:
    """Return the last day with a transaction, at most today: banks date some of the next business day."""
    rows = store.read("transactions", household.household_id, where={"vanished_at": None}, columns=DATE_TIMES)
    newest = with_days(rows.lazy(), zone_of(household)).collect()["day"].max()
    return min(newest, today) if isinstance(newest, date) else None


def notes_on_past_bills(ctx: Context) -> tuple[Note, ...]:
    """Return a note on each bill that is past its day and not known to be paid, or was paid with another amount."""
    found = insights_of(Known(today=ctx.today, to_pay=bills_to_pay(ctx)))
    return tuple(insight.text for insight in found if insight.date and insight.date < ctx.today)
