"""The last bill of a fuel, with the one before it and that of the same time last year."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import msgspec

from toolkit.analytics.energy.bills.against import Wanted, earlier_period
from toolkit.answers.base import Period
from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.invoice_list import Invoice
from toolkit.flows.household.context import Context
from toolkit.flows.invoices.edit import list_invoices


class BilledEnergy(msgspec.Struct, frozen=True):
    """A bill in short."""

    from_: date
    to: date
    """Last day, inclusive."""
    billed: Decimal
    """AUD."""
    used_a_day: float | None
    """kWh or MJ taken from the grid, divided by the days; None where the bill states no energy."""


class LastBills(msgspec.Struct, frozen=True):
    """The last bill of a fuel and earlier ones; None where they are not stored."""

    last: BilledEnergy
    before: BilledEnergy | None
    year_before: BilledEnergy | None


def last_bills(ctx: Context, fuel: Fuel) -> LastBills | None:
    """Return the last bill of a fuel with days and amount, and those it is compared with; None without one."""
    found = [_in_short(bill) for bill in list_invoices(ctx).invoices if bill.fuel == fuel]
    by_days = {Period(bill.from_, bill.to): bill for bill in found if bill is not None}
    if not by_days:
        return None
    in_order = sorted(by_days, key=lambda days: days.last)
    days = in_order[-1]

    def earlier(wanted: Wanted) -> BilledEnergy | None:
        return by_days.get(earlier_period(days, in_order, wanted))

    return LastBills(by_days[days], earlier("previous"), earlier("last-year"))


def _in_short(bill: Invoice) -> BilledEnergy | None:
    if bill.from_ is None or bill.to is None or bill.billed is None:
        return None
    used = [entry.quantity for entry in bill.energy if entry.register != "solar"]
    days = Period(bill.from_, bill.to).days
    return BilledEnergy(bill.from_, bill.to, bill.billed, sum(used) / days if used else None)
