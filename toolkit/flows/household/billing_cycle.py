"""How often a household is billed for a service point, by docs/commands.md, and how old its reads are by that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import median_low
from typing import Any

import polars as pl

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.forecast import CALENDAR_MONTH, Cycle, cycle_of_invoices, cycle_of_payments
from toolkit.analytics.energy.intervals.matrix import CURRENT_DAYS, ReadsAge
from toolkit.analytics.energy.rates.model import read_duration
from toolkit.answers.notes import Note
from toolkit.errors import ChoiceRequiredError, StoreError
from toolkit.flows.household.billing_periods import days_read, invoice_dates, invoice_periods
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.homes import BILLING
from toolkit.flows.household.service_points import ServicePoint, billed_point, fuel_of
from toolkit.flows.money.classified import classified
from toolkit.flows.plans.choice import plan_in_force
from toolkit.store import Store
from toolkit.tables.plans import Fuel, Plan
from toolkit.tables.schema.identity import HouseholdRow

_MONTHS = dict(zip(BILLING, (1, 2, 3), strict=True))

_NAMES = {1: "monthly", 2: "two-monthly", 3: "quarterly", 6: "half-yearly", 12: "yearly"}
ENERGY_CATEGORY = "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY"
"""The category of payments to energy retailers."""


@dataclass(frozen=True, slots=True)
class BillingCycle:
    """cycle: how bills follow each other. notes: what was assumed about their days."""

    cycle: Cycle
    notes: tuple[Note, ...] = ()


def billing_cycle(
    store: Store, household: HouseholdRow, point: ServicePoint, plan: Plan | None, today: date
) -> BillingCycle:
    """Find the billing cycle from invoices up to `today`, else setting, plan or payments, else monthly."""
    home = household.household_id
    invoiced = [period for period in invoice_periods(store, home, point) if period.last <= today]
    if months_apart := cycle_of_invoices(invoiced):
        return BillingCycle(months_apart)
    if household.billing in _MONTHS:
        months = _MONTHS[household.billing]
        return BillingCycle(Cycle("household", months), (Note("billing_as_set", every=_NAMES[months]),))
    if frequency := _months_of_plan(plan, fuel_of(point)):
        return BillingCycle(Cycle("plan", frequency), (Note("billing_of_plan", every=_NAMES[frequency]),))
    if paid := _cycle_of_payments(store, household, plan, today):
        return BillingCycle(paid, (Note("billing_of_payments", every=_NAMES[paid.months or 1]),))
    return BillingCycle(CALENDAR_MONTH)


def _months_of_plan(plan: Plan | None, fuel: Fuel) -> int | None:
    """Months of a bill on the plan; None where it offers several frequencies, or another than whole months."""
    contract = plan.contract(fuel) if plan else None
    given = (contract or {}).get("bill_frequency")
    named = {str(one) for one in (given if isinstance(given, list) else [given])}
    duration = read_duration(named.pop()) if len(named) == 1 else None
    if duration is None or duration.unit != "month" or int(duration.count) not in _NAMES:
        return None
    return int(duration.count)


def _cycle_of_payments(store: Store, household: HouseholdRow, plan: Plan | None, today: date) -> Cycle | None:
    """By the payments to the plan's retailer, else to the only energy retailer that is paid."""
    if not store.count("transactions", household.household_id):
        return None
    rows = classified(store, household).rows.filter(
        (pl.col("secondary_category") == ENERGY_CATEGORY)
        & (pl.col("amount_minor") < 0)
        & (pl.col("currency") == "AUD")
        & (pl.col("status") == "POSTED")
        & (pl.col("day") <= today)
    )
    paid = {name: list(own["day", "amount_minor"].iter_rows()) for (name,), own in rows.group_by("merchant")}
    own = _retailers_own(paid, plan)
    return cycle_of_payments(paid[own]) if own is not None else None


def _retailers_own(paid: Mapping[Any, Sequence[object]], plan: Plan | None) -> Any:
    """Return the payee that is the plan's retailer, else the only one; None where that is not clear."""
    retailer = (plan.retailer if plan else None) or ""
    words = retailer.casefold().split()[:1]
    named = [name for name in paid if words and words[0] in str(name).casefold().split()]
    return named[0] if len(named) == 1 else next(iter(paid)) if len(paid) == 1 else None


def usual_delay(store: Store, home: str, point: ServicePoint, today: date) -> int | None:
    """Return the median number of days from a bill's last day to its due day; None if no bill has both."""
    invoiced = invoice_dates(store, home, point)
    delays = [(row.due - row.last).days for row in invoiced if row.due is not None and row.last <= today]
    return median_low(delays) if delays else None


def reads_age(store: Store, household: HouseholdRow, point: ServicePoint, today: date) -> ReadsAge:
    """Return the age of the point's reads on `today`, with the length of the billing period that follows them.

    Raises StoreError where the point has no reads.
    """
    last = min(_last_read(store, household.household_id, point), today)
    try:
        plan = plan_in_force(store, household, point, last).plan
    except (ChoiceRequiredError, StoreError):  # without a plan the cycle follows from bills, settings or payments
        plan = None
    period: Period = billing_cycle(store, household, point, plan, today).cycle.period_with(last + timedelta(1))
    return ReadsAge(last, today, period.days)


def are_reads_past_limit(store: Store, household: HouseholdRow, point: ServicePoint, today: date) -> bool:
    """Return whether the point's reads are too old on `today` for a yearly figure. Raises as `reads_age`."""
    # Looking up the billing period takes longest, and it matters only for reads older than the shortest limit.
    last = _last_read(store, household.household_id, point)
    return (today - last).days > CURRENT_DAYS and reads_age(store, household, point, today).is_past_limit


def data_age(ctx: Context) -> ReadsAge:
    """Return how old the reads of the service point in question are, for pages that show figures of them.

    Raises StoreError where there is no meter or no read.
    """
    with open_home(ctx) as (store, household):
        return reads_age(store, household, billed_point(store, household, ctx.service_point), ctx.today)


def _last_read(store: Store, home: str, point: ServicePoint) -> date:
    """Return the last meter day with a value.

    Days of which every value is missing are not counted where others are known.
    """
    where = {"service_point_id": point.id}
    rows = store.tuples("register_days", ("date", "present"), home, where=where)
    known = [date.fromisoformat(day) for day, present in rows if present]
    known += [date.fromisoformat(end) for (end,) in store.tuples("meter_reads", ("end_date",), home, where=where)]
    return max(known) if known else days_read(store, home, point)[1]
