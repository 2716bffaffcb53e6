"""The stored bills that are not seen as paid: what is still to pay of each, as far as the accounts show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from toolkit.analytics.energy.pricing.model import aud
from toolkit.analytics.energy.reconcile import (
    LATE,
    BankRow,
    PaidSoFar,
    PayableInvoice,
    is_paid_evenly,
    paid_so_far,
)
from toolkit.analytics.insights import Known, insights_of
from toolkit.analytics.money.cash.energy_bill import IssuedBill
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.answers.base import Note
from toolkit.answers.energy.bills import FUELS, Fuel
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
LEAST = 100
"""Cents: less than a dollar that is left of a bill was rounded."""
_EVEN_DAYS = timedelta(250)
"""Days in which even payments are looked for: six monthly ones, and some."""


@dataclass(frozen=True, slots=True)
class OpenBill:
    """A stored bill that no payment of its amount is known of."""

    entry: Entry
    payable: PayableInvoice
    """first, last: days in which payments are looked for."""
    due: date
    paid: PaidSoFar
    is_even: bool
    """Whether even payments to its retailer go on."""
    bank: tuple[date, date] | None
    """First and last day with a bank transaction; None without any."""

    @property
    def left_minor(self) -> int:
        """Return the cents that are still to be paid; negative where more was paid."""
        return self.payable.minor - self.paid.minor

    @property
    def is_covered(self) -> bool:
        """Whether the accounts have transactions since it came."""
        return self.bank is not None and self.bank[0] <= self.payable.first

    @property
    def fuel(self) -> Fuel | None:
        return fuel_of(self.entry.points[0]) if self.entry.points else self.entry.fuel

    @property
    def fuel_name(self) -> str:
        return FUELS[self.fuel] if self.fuel else "energy"

    @property
    def retailer(self) -> str | None:
        return next(iter(self.payable.names), None)


def bills_to_pay(ctx: Context) -> tuple[BillToPay, ...]:
    """Return the bills due in the next 14 days, or in the last 60, that no payment of their amount is known of.

    Of each what was paid to its retailer since it came; those that even payments pay are left out. Earliest first.
    """
    with open_home(ctx) as (store, household):
        found = open_bills(store, household, ctx.today, ahead=AHEAD)
    return tuple(
        BillToPay(
            id=bill.entry.invoice.id,
            fuel=bill.fuel,
            retailer=bill.retailer,
            from_=bill.entry.invoice.period.first,
            to=bill.entry.invoice.period.last,
            amount=aud(bill.payable.minor),
            due=bill.due,
            payments=tuple(map(_payment, bill.paid.payments)),
            left=aud(bill.left_minor),
            is_covered=bill.is_covered,
            bank_from=bill.bank[0] if bill.bank else None,
            bank_to=bill.bank[1] if bill.bank else None,
        )
        for bill in found
        if not bill.is_even
    )


def issued_bills(
    store: Store, household: HouseholdRow, today: date, planned: Sequence[Planned]
) -> tuple[list[IssuedBill], list[Note]]:
    """Return the stored bills of which something is still to pay, overdue ones of the last 60 days too.

    And notes on overdue ones of whose days the accounts have no transactions: whether these are paid is not known.
    planned: payments that the banks say will be made; a bill among these is left out.
    """
    found = [bill for bill in open_bills(store, household, today) if bill.left_minor >= LEAST]
    left = [bill for bill in found if not _issued(bill).is_among(planned, today)]
    unseen = [bill for bill in left if bill.due < today and not bill.is_covered]
    notes = [
        Note("energy_bill_not_seen", fuel=bill.fuel_name, bill=aud(bill.left_minor), due=bill.due) for bill in unseen
    ]
    return [_issued(bill) for bill in left if bill not in unseen], notes


def _issued(bill: OpenBill) -> IssuedBill:
    points = tuple(point.id for point in bill.entry.points)
    return IssuedBill(
        cents=bill.left_minor,
        due=bill.due,
        period=bill.entry.invoice.period,
        points=points,
        asked=bill.payable.minor,
        fuel=bill.fuel,
        retailer=bill.retailer,
        supply=" ".join(points) or f"{bill.fuel} {bill.entry.invoice.account_id}",
    )


def open_bills(store: Store, household: HouseholdRow, today: date, *, ahead: timedelta | None = None) -> list[OpenBill]:
    """Return the stored bills due in the last 60 days, or from today on, that no payment of their amount is known of.

    By due day. A bill is not open where a later one of the same supply states the previous balance: what is left of it
    is in that one. ahead: how far ahead due days are looked at; None: as far as they go.
    """
    try:
        entries = stored_invoices(store, household, None).entries
    except NothingStoredError:
        return []
    last = date.max if ahead is None else today + ahead
    near = [entry for entry in entries if _is_due(entry, today - BACK, last) and not _is_in_a_later(entry, entries)]
    if not near:
        return []
    billed = [Billed(entry, entry.invoice.minor) for entry in entries]
    payments = payments_of(store, household, billed)
    names = {row.institution_id: row.name for row in store.load(InstitutionRow) if row.name}
    bank = _bank_days(store, household, today)
    found = [
        _looked_at(entry, payable, bank)
        for each, payment in zip(billed, payments, strict=True)
        if payment is None and (entry := each.entry) in near and (payable := payable_invoice(each, names)).minor > 0
    ]
    found.sort(key=lambda bill: bill.due)
    return _with_payments(store, household, found, set(_used(payments)), today)


def _is_due(entry: Entry, first: date, last: date) -> bool:
    due = entry.invoice.due
    return due is not None and first <= due <= last and entry.invoice.paid != "PAID"


def _is_in_a_later(entry: Entry, entries: Iterable[Entry]) -> bool:
    return any(
        other.invoice.carried_minor is not None
        and other.invoice.period.first > entry.invoice.period.first
        and other.is_of_same_supply(entry)
        for other in entries
    )


def _used(payments: Iterable[Payment | None]) -> Iterator[str]:
    """Yield the ids of transactions that settle a bill, or may."""
    for payment in payments:
        if payment is not None:
            each_one = payment.payments if isinstance(payment, LinkedPayment) else payment.candidates
            yield from (each.transaction_id for each in each_one)


def _looked_at(entry: Entry, payable: PayableInvoice, bank: tuple[date, date] | None) -> OpenBill:
    invoice = entry.invoice
    assert invoice.due is not None
    # half a period later the payment is more likely that of the next bill
    last = invoice.due + min(LATE, timedelta(invoice.period.days // 2))
    in_time = replace(payable, first=invoice.issued or invoice.period.last, last=last)
    return OpenBill(entry, in_time, invoice.due, PaidSoFar(), False, bank)


def _with_payments(
    store: Store, household: HouseholdRow, bills: Sequence[OpenBill], used: set[str], today: date
) -> list[OpenBill]:
    """Add what was paid of the bills; pending payments count. Where the accounts do not cover the days, nothing is."""
    if not bills or bills[0].bank is None:
        return list(bills)
    to = bills[0].bank[1]
    spans = [(min(bill.payable.first for bill in bills) - _EVEN_DAYS, today)]
    most = 2 * sum(bill.payable.minor for bill in bills)
    rows = money_out(store, household, spans, ("between", -most, -1), pending=True)
    free = [row for row in _once(store, household, rows) if row.id not in used]
    covered = [bill for bill in bills if bill.is_covered]
    paid = dict(zip(map(id, covered), paid_so_far([bill.payable for bill in covered], free), strict=True))
    return [
        replace(
            bill,
            paid=paid.get(id(bill), bill.paid),
            is_even=is_paid_evenly(bill.payable, bill.entry.invoice.period.days, free, to),
        )
        for bill in bills
    ]


def _once(store: Store, household: HouseholdRow, rows: Iterable[BankRow]) -> Iterator[BankRow]:
    """Yield each payment once, where accounts that count as one both have it."""
    linked = store.tuples("accounts", ("account_id", "linked_account_id"), household.household_id)
    main = {account: other or account for account, other in linked}
    seen: dict[tuple[str, date, int, int], str] = {}
    number: Counter[tuple[str, date, int]] = Counter()
    for row in rows:
        number[row.account_id, row.day, row.amount_minor] += 1
        key = (main.get(row.account_id, row.account_id), row.day, row.amount_minor)
        if seen.setdefault((*key, number[row.account_id, row.day, row.amount_minor]), row.account_id) == row.account_id:
            yield row


def _payment(row: BankRow) -> BankPayment:
    return BankPayment(
        transaction_id=row.id,
        account_id=row.account_id,
        date=row.day,
        amount=aud(row.amount_minor),
        description=row.biller_name or row.merchant_name or row.description,
    )


def _bank_days(store: Store, household: HouseholdRow, today: date) -> tuple[date, date] | None:
    """Return the first and last day with a transaction, at most today: banks date some of the next business day."""
    rows = store.read("transactions", household.household_id, where={"vanished_at": None}, columns=DATE_TIMES)
    days = with_days(rows.lazy(), zone_of(household)).collect()["day"]
    first, last = days.min(), days.max()
    return (first, min(last, today)) if isinstance(first, date) and isinstance(last, date) else None


def notes_on_past_bills(ctx: Context) -> tuple[Note, ...]:
    """Return a note on each bill that is past its day and not known to be paid, or is paid in part."""
    found = insights_of(Known(today=ctx.today, to_pay=bills_to_pay(ctx)))
    return tuple(insight.text for insight in found if insight.date and insight.date < ctx.today)
