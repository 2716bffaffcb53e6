"""The stored invoices, the meters that each bills, and the bank payments that settled them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, timedelta

import polars as pl

from toolkit.analytics.energy.pricing.model import aud
from toolkit.analytics.energy.reconcile import (
    BankRow,
    BilledInvoice,
    PayableInvoice,
    PaymentMatch,
    match_payments,
    read_invoice,
    typed_invoice,
    unsettled,
)
from toolkit.analytics.energy.reconcile.billed_meters import Supply, without_period
from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.invoices import BankPayment, LinkedPayment, SuggestedPayment
from toolkit.errors import NothingStoredError
from toolkit.flows.household.service_points import NO_METER, ServicePoint, counted_invoices, fuel_named, service_points
from toolkit.flows.money.summary import zone_of
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.store import Condition, Store
from toolkit.tables.schema.energy import AccountPlanRow, BillingRow, InvoiceRow
from toolkit.tables.schema.identity import HouseholdRow, InstitutionRow
from toolkit.tables.schema.typed import TypedInvoiceRow
from toolkit.tables.transaction_days import DATE_TIMES, may_be_dated, with_days
from toolkit.units import HOME_CURRENCY

NO_INVOICES = Message("No energy bill is stored: ", Remedy.GET_INVOICES, ".")
_BEFORE_LAST = timedelta(364)

Payment = LinkedPayment | SuggestedPayment


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One invoice and the service points that it bills. reason: why these are not known, where they are not."""

    invoice: BilledInvoice
    points: tuple[ServicePoint, ...]
    institution_id: str | None = None
    reason: str | None = None
    retailer: str | None = None
    """Name, where it was typed."""
    carried_minor: int = 0
    """Cents to be paid with it from earlier bills, less payments received since; negative for a credit."""

    fuel: Fuel | None = None
    """Of a typed bill."""

    def is_of_same_supply(self, other: Entry) -> bool:
        """Return whether both bill the same meters or, where these are not known, the same fuel."""
        if self.points or other.points:
            return [point.id for point in self.points] == [point.id for point in other.points]
        return self.fuel == other.fuel and self.invoice.account_id == other.invoice.account_id

    @property
    def span(self) -> tuple[tuple[ServicePoint, ...], date, date]:
        """Its service points and the days of reads: its own, and the year's up to its last, which charges may go by."""
        period = self.invoice.period
        return self.points, min(period.first, period.last - _BEFORE_LAST), period.last


@dataclass(frozen=True, slots=True)
class Invoices:
    """The stored invoices of a household."""

    entries: Sequence[Entry]
    """Those with a period, in its order."""
    concerned: Sequence[Entry]
    """Those that bill, or may bill, the service point in question."""
    undated: Sequence[Problem]
    """A problem for each of these without a period."""


def stored_invoices(store: Store, household: HouseholdRow, wanted: str | None) -> Invoices:
    """Load the household's invoices. wanted: the service point in question (None: any).

    Raises StoreError where no invoice is stored, ChoiceRequiredError where no service point is called `wanted`.
    """
    home = household.household_id
    rows, typed = store.load(InvoiceRow, home, where={"vanished_at": None}), counted_invoices(store, home)
    if not rows and not typed:
        raise NothingStoredError(NO_INVOICES, "invoice")
    asked = {point.id for point in service_points(store, household, wanted)}
    points = {point.id: point for point in service_points(store, household)}
    supply = Supply.of({point.id: point.ids for point in points.values()}, store.load(AccountPlanRow, home))
    lines = _lines_by_invoice(store, home)
    entries, concerned, undated = [], [], []
    for row in sorted(rows, key=lambda row: (row.period_start or date.min, str(row.invoice_number))):
        meters = supply.billed_by(row)
        mine = wanted is None or meters.may_be(asked)
        invoice = read_invoice(row, lines.get((row.account_id, row.invoice_number), ()))
        if invoice is not None:
            reason = supply.unclear(meters) if points else NO_METER
            entry = Entry(invoice, tuple(points[name] for name in meters.points), row.institution_id, reason)
            entries.append(entry)
            concerned += [entry] if mine else []
        elif mine:
            undated.append(without_period(row))
    of_hand = [_typed_entry(row, list(points.values())) for row in typed]
    concerned += [each for each in of_hand if wanted is None or {point.id for point in each.points} <= asked]
    return Invoices(sorted([*entries, *of_hand], key=_first_day), sorted(concerned, key=_first_day), undated)


def _first_day(entry: Entry) -> date:
    return entry.invoice.period.first


def _typed_entry(row: TypedInvoiceRow, points: Sequence[ServicePoint]) -> Entry:
    """Return a typed bill with the meter that it names, else the home's only one of its fuel."""
    of_fuel = [point for point in points if fuel_named(point.fuel) == row.fuel]
    named = [point for point in of_fuel if row.service_point_id is not None and point.is_called(row.service_point_id)]
    mine = named if row.service_point_id is not None else of_fuel
    reason = None
    if len(mine) > 1:
        reason = f"this home has several {row.fuel.lower()} meters; choose the one that the bill is for."
    elif not mine:
        reason = (
            f"there is no meter data of its {row.fuel.lower()} meter. Add the energy on the bill, or import meter data."
        )
    return Entry(
        typed_invoice(row),
        tuple(mine[:1] if reason is None else ()),
        None,
        reason,
        row.retailer,
        _carried(row),
        fuel_named(row.fuel),
    )


def _carried(row: TypedInvoiceRow) -> int:
    """Return the cents that a typed bill asks for beside its own charges: the previous balance less what was paid.

    Payments settle the previous balance. Where none is stated (some bills print what is left of it, $0.00) they are
    those of the bill before, and not a credit on this one.
    """
    before = row.balance_brought_forward_minor or 0
    return before - (row.payments_minor or 0) if before else 0


def _lines_by_invoice(store: Store, home: str) -> Mapping[tuple[str, str | None], list[BillingRow]]:
    """Return the lines by account and number of the invoice."""
    lines: dict[tuple[str, str | None], list[BillingRow]] = defaultdict(list)
    for row in store.load(BillingRow, home, where={"vanished_at": None}):
        if row.invoice_number:
            lines[row.account_id, row.invoice_number].append(row)
    return lines


@dataclass(frozen=True, slots=True)
class Billed:
    """An invoice and its amount in cents with GST; None where that is not known."""

    entry: Entry
    minor: int | None


def payments_of(store: Store, household: HouseholdRow, invoices: Sequence[Billed]) -> list[Payment | None]:
    """Return for each invoice the bank payment that settled it, or those that may have; None where there is none.

    Posted money out in AUD counts.
    """
    names = {row.institution_id: row.name for row in store.load(InstitutionRow) if row.name}
    payable = [payable_invoice(each, names) for each in invoices]
    most = max((invoice.minor for invoice in payable), default=0)
    rows = _paid(store, household, [invoice for invoice in payable if invoice.minor > 0]) if most > 0 else []
    return [_payment(match, invoices) if match else None for match in match_payments(payable, rows)]


def payable_invoice(billed: Billed, names: Mapping[str, str]) -> PayableInvoice:
    """Return what is to be paid: with what earlier bills left, where a person typed it. names: of institutions."""
    entry = billed.entry
    retailer = entry.institution_id or entry.retailer
    known = filter(None, [names.get(entry.institution_id or ""), entry.retailer])
    due = 0 if billed.minor is None else billed.minor + entry.carried_minor
    return PayableInvoice.of(entry.invoice, due, retailer, known)


def _paid(store: Store, household: HouseholdRow, payable: Sequence[PayableInvoice]) -> list[BankRow]:
    """Return payments that can be the whole or a part of the invoices, or of some of them together, in time.

    Only of invoices that no payment settles alone are others looked at: those of their days.
    """
    span = (min(invoice.first for invoice in payable), max(invoice.last for invoice in payable))
    alone = money_out(store, household, [span], [-invoice.minor for invoice in payable])
    left = unsettled(payable, alone)
    if not left:
        return alone
    up_to = ("between", -sum(invoice.minor for invoice in left), -1)
    parts = money_out(store, household, [(invoice.first, invoice.last) for invoice in left], up_to)
    return sorted({row.id: row for row in (*alone, *parts)}.values(), key=lambda row: (row.day, row.id))


def money_out(
    store: Store,
    household: HouseholdRow,
    spans: Sequence[tuple[date, date]],
    amounts: Condition,
    *,
    pending: bool = False,
) -> list[BankRow]:
    """Return the posted AUD rows with such amounts in minor units, by day and id. spans: first and last days.

    pending: whether pending rows are among them.
    """
    statuses = ["POSTED", "PENDING"] if pending else ["POSTED"]
    names = [field.name for field in fields(BankRow)]
    found = store.read(
        "transactions",
        household.household_id,
        where={"amount_minor": amounts, "currency": HOME_CURRENCY, "status": statuses, "vanished_at": None},
        any_of=may_be_dated(spans),
        columns=[*(name for name in names if name != "day"), *DATE_TIMES],
    )
    dated = with_days(found.lazy(), zone_of(household)).filter(pl.col("day").is_not_null())
    return [BankRow(*row) for row in dated.sort("day", "id").select(names).collect().iter_rows()]


def _payment(match: PaymentMatch, invoices: Sequence[Billed]) -> Payment:
    payments = tuple(
        BankPayment(
            transaction_id=row.id,
            account_id=row.account_id,
            date=row.day,
            amount=aud(row.amount_minor),
            description=row.biller_name or row.merchant_name or row.description,
        )
        for row in match.payments
    )
    if not match.certain:
        return SuggestedPayment(payments)
    last = payments[-1]
    return LinkedPayment(
        last.transaction_id,
        last.account_id,
        last.date,
        aud(sum(row.amount_minor for row in match.payments)),
        last.description,
        payments=payments,
        invoices=tuple(invoices[number].entry.invoice.number for number in match.invoices),
    )
