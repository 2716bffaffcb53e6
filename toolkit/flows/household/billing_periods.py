"""Over which periods and how often a household is billed, how old its reads are, and its reads ready to be priced."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import median_low
from typing import Any, NamedTuple

import polars as pl

from toolkit.analytics.energy.bills import Options, Period, Usage, prepare
from toolkit.analytics.energy.forecast import CALENDAR_MONTH, Cycle, cycle_of_invoices, cycle_of_payments
from toolkit.analytics.energy.intervals.age import CURRENT_DAYS, ReadsAge
from toolkit.analytics.energy.intervals.prepare import holidays_named
from toolkit.analytics.energy.pricing.model import billing_periods, last_month_within
from toolkit.analytics.energy.rates import Rates
from toolkit.analytics.energy.rates.model import read_duration
from toolkit.answers.base import Note
from toolkit.answers.energy.bills import Blocks, Cut, Discounts
from toolkit.errors import ChoiceRequiredError, NothingStoredError, StoreError, UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.facts import BILLING
from toolkit.flows.household.service_points import (
    ServicePoint,
    all_reads,
    billed_point,
    bills_as_reads,
    counted_invoices,
    fuel_named,
    fuel_of,
)
from toolkit.flows.money.spending import classified
from toolkit.flows.plans.choice import plan_in_force
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.store import Store, Where
from toolkit.tables.reference.categories import ENERGY
from toolkit.tables.rows.plans import Fuel, Plan
from toolkit.tables.schema.energy import InvoiceRow
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import HOME_CURRENCY

LONGEST = timedelta(100 * 366)
"""No bill is that long; what is asked for beyond is a slip, and its periods would be many."""

_DAY = timedelta(1)
_YEAR = timedelta(365)


@dataclass(frozen=True, slots=True)
class BillingQuestion:
    """The days to price, and how: options that `bill` and `compare` share."""

    from_: date | None = None
    """First day in the plan's time zone; None is the command's default."""
    to: date | None = None
    """Last day, inclusive."""
    period: Cut | None = None
    """How the days are cut into billing periods; None: as the invoices are, by month where there are none."""
    blocks: Blocks = "pooled"
    """Whether daily blocks count over the billing period (pooled) or day by day."""
    discounts: Discounts = "guaranteed"
    plan: str | None = None
    """The home's plan, by its id or as a file; None is the one in force."""


DEFAULTS = BillingQuestion()


def asked_periods(
    store: Store, household: HouseholdRow, point: ServicePoint, question: BillingQuestion, today: date
) -> tuple[list[Period], list[Note]]:
    """Return the billing periods in question, and what was assumed about them.

    Default range: the last complete billing period (the latest invoice's, else the last whole calendar month of
    reads). Default cut: invoices where there are some, else months. Raises StoreError where there are no reads,
    UsageError where no read lies on the asked side of the one day that was given.
    """
    known = invoice_periods(store, household.household_id, point)
    first, last, notes = _range(store, household, point, question, known, today)
    if first > last:
        raise UsageError(_out_of_order(first, last, question))
    if last - first > LONGEST:
        raise UsageError(f"From {first} to {last} is longer than a hundred years: ask for fewer days.")
    return billing_periods(first, last, question.period or ("invoice" if known else "month"), known), notes


def _out_of_order(first: date, last: date, question: BillingQuestion) -> str:
    if question.to is None:
        return f"There are no reads from {first} on: they end on {last}."
    if question.from_ is None:
        return f"There are no reads up to {last}: they begin on {first}."
    return f"The first day {first} is after the last day {last}."


def _range(
    store: Store,
    household: HouseholdRow,
    point: ServicePoint,
    question: BillingQuestion,
    known: Sequence[Period],
    today: date,
) -> tuple[date, date, list[Note]]:
    if question.from_ is not None and question.to is not None:
        return question.from_, question.to, []
    read = days_read(store, household.household_id, point)
    if question.from_ is not None or question.to is not None:
        return question.from_ or read[0], question.to or read[1], []
    complete = [period for period in known if period.last < today]
    if complete:
        newest = max(complete, key=lambda period: (period.last, period.first))
        return newest.first, newest.last, []
    return _last_month(*read, today)


def _last_month(first: date, last: date, today: date) -> tuple[date, date, list[Note]]:
    month = last_month_within(first, min(last, today - _DAY)) or last_month_within(first, last)
    if month is not None:
        return month.first, month.last, []
    return first, last, [Note("no_whole_month", first=first, last=last)]


_METERED: Sequence[str] = ("import", "export", "reactive", "other")
"""Directions of a meter's registers: what panels generate is on no bill."""


def days_read(store: Store, home: str, point: ServicePoint) -> tuple[date, date]:
    """Return the first and the last meter day with reads. Raises StoreError where there are none."""
    spans = spans_read(store, home, point)
    if not spans:
        raise NothingStoredError(Message(f"Service point {point.id} has no reads yet: ", Remedy.ADD_READS, "."), "read")
    return min(first for first, _ in spans), max(last for _, last in spans)


def spans_read(store: Store, home: str, point: ServicePoint) -> set[tuple[date, date]]:
    """Return first and last day of each read: a meter day of interval reads, more of an accumulation read or a bill."""
    one: Where = {"service_point_id": point.id, "direction": _METERED}
    days = [(day, day) for (day,) in store.tuples("register_days", ("date",), home, where=one)]
    spans = {*days, *store.tuples("meter_reads", ("start_date", "end_date"), home, where=one)}
    read = {(date.fromisoformat(first), date.fromisoformat(last)) for first, last in spans}
    return read or {(bill.period_start, bill.period_end) for bill in bills_as_reads(store, home, point.id)}


def where_reads_lie(store: Store, home: str, point: ServicePoint) -> list[Note]:
    """For whoever asked about days without reads: on which days there are some; nothing where there are none."""
    try:
        first, last = days_read(store, home, point)
    except StoreError:
        return []
    return [Note("reads_elsewhere", service_point=point.id, first=first, last=last)]


def invoice_periods(store: Store, home: str, point: ServicePoint) -> list[Period]:
    """Return the periods of the invoices that cover the service point, in order, each once."""
    spans = {(row.first, row.last) for row in invoice_dates(store, home, point)}
    return [Period(first, last) for first, last in sorted(spans) if first <= last]


class InvoiceDates(NamedTuple):
    """First and last day of an invoice, and its due day where that is known."""

    first: date
    last: date
    due: date | None


def invoice_dates(store: Store, home: str, point: ServicePoint) -> list[InvoiceDates]:
    """Return the dates of typed bills of the service point's fuel, and of invoices that name the point or name none.

    Those without a period are left out.
    """
    rows = store.load(InvoiceRow, home, where={"vanished_at": None})
    named = [set(json.loads(row.service_points or "[]")) for row in rows]
    of_service = [
        InvoiceDates(row.period_start, row.period_end, row.due_date)
        for row, names in zip(rows, named, strict=True)
        if (not names or names & point.ids) and row.period_start and row.period_end
    ]
    typed = [
        InvoiceDates(row.period_start, row.period_end, row.due_date)
        for row in counted_invoices(store, home)
        if fuel_named(row.fuel) == fuel_named(point.fuel)
        and (row.service_point_id is None or point.is_called(row.service_point_id))
    ]
    return [*of_service, *typed]


def reads_for(
    store: Store, home: str, point: ServicePoint, periods: Sequence[Period], *, year: bool = False
) -> tuple[pl.DataFrame, list[Problem]]:
    """Return the reads of the periods and of a day on either side, since a local day reaches into two meter days.

    year: also those of the year before the last day, which banded supply charges go by.
    """
    first, last = min(p.first for p in periods) - _DAY, max(p.last for p in periods) + _DAY
    if year:
        first = min(first, last - _YEAR - _DAY)
    return all_reads(store, home, point, from_=first, to=last)


def prepared(reads: pl.DataFrame, point: ServicePoint, rates: Rates) -> Usage:
    """Prepare reads for pricing in the service point's time zone and the rates' unit."""
    return prepare(reads, zone=point.zone, unit=rates.unit)


def options_of(
    question: BillingQuestion, plans: Iterable[Rates], point: ServicePoint, periods: Sequence[Period]
) -> Options:
    """Return the chosen options, with the state's public holidays where a plan's windows name them."""
    return Options(question.blocks, question.discounts, holidays_named(plans, point.state, periods))


_MONTHS = dict(zip(BILLING, (1, 2, 3), strict=True))

_NAMES = {1: "monthly", 2: "two-monthly", 3: "quarterly", 6: "half-yearly", 12: "yearly"}


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
        (pl.col("secondary_category") == ENERGY)
        & (pl.col("amount_minor") < 0)
        & (pl.col("currency") == HOME_CURRENCY)
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
    where: Where = {"service_point_id": point.id, "direction": _METERED}
    rows = store.tuples("register_days", ("date", "present"), home, where=where)
    known = [date.fromisoformat(day) for day, present in rows if present]
    known += [date.fromisoformat(end) for (end,) in store.tuples("meter_reads", ("end_date",), home, where=where)]
    return max(known) if known else days_read(store, home, point)[1]
