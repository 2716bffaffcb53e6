"""What the bank shows as paid to the energy retailer, beside what the home's plan gives for the same days."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

import polars as pl

from toolkit.analytics.energy.pricing.model import aud
from toolkit.answers.base import Note, Period
from toolkit.answers.energy.invoice_list import Invoice
from toolkit.answers.energy.invoices import PaidToRetailer
from toolkit.errors import StoreError
from toolkit.flows.energy.bill import concessions_of
from toolkit.flows.household.billing_periods import billing_cycle
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import ServicePoint, billed_point, fuel_of, service_points
from toolkit.flows.invoices.edit import list_invoices
from toolkit.flows.money.series import smoothed_energy
from toolkit.flows.money.spending import classified
from toolkit.flows.plans.choice import plans_in_force
from toolkit.flows.plans.my_plan import retailer_in
from toolkit.store import Store
from toolkit.tables.reference.categories import ENERGY
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import HOME_CURRENCY

_ALIKE = Decimal("0.03")
"""Share of the plan's total up to which the two are about the same."""
_FEWER = 0.9
"""Share of the days from which on payments count as those of all bills of the days."""
_MONTH = 365 / 12
_EVERY = {1: "month", 2: "two months", 3: "three months"}


def paid_to_retailer(ctx: Context, first: date, last: date, total: Decimal) -> PaidToRetailer | None:
    """Return what was paid to the retailer of the home's plan from `first` to `last`, and why it is not `total`.

    total: what the plan gives for these days, AUD. Refunds are taken off. Where no payee is that retailer, all payments
    for gas and electricity count. None where the bank shows none. Raises as `open_home`.
    """
    bills = list_invoices(ctx).invoices
    with open_home(ctx) as (store, household):
        if not store.count("transactions", household.household_id):
            return None
        point = billed_point(store, household, ctx.service_point)
        rows = classified(store, household).rows.filter(pl.col("day").is_not_null(), pl.col("status") == "POSTED")
        paid = _paid(rows, _retailer(store, household, point, last), Period(first, last))
        if paid.is_empty():
            return None
        banked = rows.filter(pl.col("account_id").is_in(paid["account_id"].unique().to_list()))["day"]
        shown = PaidToRetailer(
            from_=first,
            to=last,
            amount=aud(-int(paid["amount_minor"].sum())),
            payments=int((paid["amount_minor"] < 0).sum()),
            payees=tuple(sorted(paid["merchant"].drop_nulls().unique().to_list())),
            notes=(),
        )
        by = total - shown.amount
        if abs(by) <= _ALIKE * total:
            code, reasons = "paid_as_plan", []
        else:
            code = "paid_less_than_plan" if by > 0 else "paid_more_than_plan"
            reasons = list(_reasons(store, household, point, shown, (min(banked), max(banked)), bills))
    payees = " and ".join(shown.payees) or "energy retailers"
    about = Note(code, first=first, last=last, amount=shown.amount, payees=payees, payments=shown.payments, by=abs(by))
    return PaidToRetailer(
        shown.from_, shown.to, shown.amount, shown.payments, shown.payees, notes=(about, *dict.fromkeys(reasons))
    )


def _retailer(store: Store, household: HouseholdRow, point: ServicePoint, on: date) -> str | None:
    try:
        return plans_in_force(store, household, point, (on, on))[-1].chosen.plan.retailer
    except StoreError:
        return None


def _paid(rows: pl.DataFrame, retailer: str | None, days: Period) -> pl.DataFrame:
    """Return the payments for energy of these days and what came back, of the plan's retailer where it is a payee."""
    of_days = rows.filter(
        pl.col("day").is_between(days.first, days.last),
        pl.col("currency") == HOME_CURRENCY,
        pl.col("amount_minor") != 0,
    )
    payees = of_days["merchant"].unique().drop_nulls().to_list()
    own = [payee for payee in payees if retailer and retailer_in(payee, [retailer])]
    energy = of_days.filter((pl.col("secondary_category") == ENERGY) & (pl.col("amount_minor") < 0))
    if not own:
        own = energy["merchant"].unique().drop_nulls().to_list()
    paid = of_days.filter(pl.col("merchant").is_in(own))
    return paid if (paid["amount_minor"] < 0).any() else paid.clear()


def _reasons(
    store: Store,
    household: HouseholdRow,
    point: ServicePoint,
    paid: PaidToRetailer,
    banked: tuple[date, date],
    bills: Sequence[Invoice],
) -> Iterator[Note]:
    """Yield why payments and the plan's total differ, of this home.

    banked: first and last day of the bank's rows. bills: the retailer's, as far as they are stored.
    """
    if banked[0] > paid.from_:
        yield Note("paid_bank_begins", first=banked[0])
    if banked[1] < paid.to:
        yield Note("paid_bank_ends", last=banked[1])
    evenly = any(series.name in paid.payees for series in smoothed_energy(store, household, banked[1]))
    if evenly:
        yield Note("paid_evenly")
    elif paid.from_ >= banked[0]:
        yield from _fewer_bills(store, household, point, paid)
    if len({fuel_of(each) for each in service_points(store, household)}) > 1:
        yield Note("paid_both_fuels")
    yield from _of_plan(store, household, point, paid, bills)
    if not evenly:
        yield Note("paid_later")


def _fewer_bills(store: Store, household: HouseholdRow, point: ServicePoint, paid: PaidToRetailer) -> Iterator[Note]:
    """Yield how many months the payments are for, where these are fewer than the days have."""
    months = billing_cycle(store, household, point, None, paid.to).cycle.months
    days = (paid.to - paid.from_).days + 1
    if months in _EVERY and paid.payments * months * _MONTH < _FEWER * days:
        yield Note(
            "paid_fewer_bills",
            payments=paid.payments,
            every=_EVERY[months],
            months=paid.payments * months,
            of=round(days / _MONTH),
        )


def _of_plan(
    store: Store, household: HouseholdRow, point: ServicePoint, paid: PaidToRetailer, bills: Sequence[Invoice]
) -> Iterator[Note]:
    """Yield what the total leaves out: prices of before, and concessions of the energy account."""
    try:
        in_force = plans_in_force(store, household, point, (paid.from_, paid.to))
    except StoreError:
        return
    if len(in_force) > 1:
        yield Note("paid_prices_then", day=in_force[-1].first)
    concessions = concessions_of(store, household.household_id, in_force[-1].chosen, fuel_of(point))
    if any(not each.typed for each in concessions):
        yield Note("paid_with_concessions")
    elif not concessions and (taken_off := sum((_concession(bill, paid) for bill in bills), start=aud(0))):
        yield Note("paid_with_billed_concessions", amount=taken_off)


def _concession(bill: Invoice, paid: PaidToRetailer) -> Decimal:
    """Return the concession of a bill that ended in these days, AUD."""
    return bill.concession or aud(0) if bill.to and paid.from_ <= bill.to <= paid.to else aud(0)
