"""Over which periods a household is billed, and its reads ready to be priced."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple

import polars as pl

from toolkit.analytics.energy.bills import Options, Period, Usage, prepare
from toolkit.analytics.energy.intervals.prepare import names_holidays, public_holidays
from toolkit.analytics.energy.pricing.model import billing_periods, last_month_within
from toolkit.analytics.energy.rates import Rates
from toolkit.answers.energy.bills import Blocks, Cut, Discounts
from toolkit.answers.notes import Note
from toolkit.errors import NothingStoredError, Problem, StoreError, UsageError
from toolkit.flows.household.bills_as_reads import bills_as_reads
from toolkit.flows.household.service_points import ServicePoint, all_reads
from toolkit.flows.household.typed_invoices import counted_invoices, fuel_named
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.schema.energy import InvoiceRow
from toolkit.tables.schema.identity import HouseholdRow

LONGEST = timedelta(100 * 366)
"""No bill is that long; what is asked for beyond is a slip, and its periods would be many."""

_DAY = timedelta(1)
_YEAR = timedelta(365)
_DAYS_OF_A_YEAR = timedelta(364)


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


def of_a_year(
    store: Store, household: HouseholdRow, point: ServicePoint, question: BillingQuestion, today: date
) -> BillingQuestion:
    """Return the question.

    Where it names no days, over the last year of reads up to the last complete billing period.
    """
    if question.from_ is not None or question.to is not None:
        return question
    latest, _ = asked_periods(store, household, point, question, today)
    last = latest[-1].last
    first = max(last - _DAYS_OF_A_YEAR, min(days_read(store, household.household_id, point)[0], last))
    begun = [p for p in invoice_periods(store, household.household_id, point) if first <= p.first <= last]
    return replace(question, from_=min((p.first for p in begun), default=first), to=last)


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


def days_read(store: Store, home: str, point: ServicePoint) -> tuple[date, date]:
    """Return the first and the last meter day with reads. Raises StoreError where there are none."""
    spans = spans_read(store, home, point)
    if not spans:
        raise NothingStoredError(Message(f"Service point {point.id} has no reads yet: ", Remedy.ADD_READS, "."), "read")
    return min(first for first, _ in spans), max(last for _, last in spans)


def spans_read(store: Store, home: str, point: ServicePoint) -> set[tuple[date, date]]:
    """First and last day of each read: one meter day of interval reads, more of an accumulation read or a bill."""
    one = {"service_point_id": point.id}
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
    """Reads of the periods and of a day on either side, since a local day reaches into two meter days.

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
    years = range(periods[0].first.year, periods[-1].last.year + 1)
    holidays = public_holidays(point.state, years) if any(map(names_holidays, plans)) else frozenset[date]()
    return Options(question.blocks, question.discounts, holidays)
