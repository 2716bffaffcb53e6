"""The days that a comparison is for: the year up to the last read, and whole years before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

import polars as pl

from toolkit.analytics.energy.bills import Period
from toolkit.flows.household.billing_periods import BillingQuestion, asked_periods, days_read, reads_for, spans_read
from toolkit.flows.household.service_points import ServicePoint
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

YEAR = 365
LEAST_READ = 330
"""Days with reads, of 365: with fewer, the saving is not one of a year (docs/commands.md)."""

_MOST_YEARS = 20
_LAST_OF_YEAR = timedelta(YEAR - 1)


@dataclass(frozen=True, slots=True)
class YearOfReads:
    """question: with the days that are compared. whole: whether these are a year, and no days were asked for."""

    question: BillingQuestion
    whole: bool


def year_to_last_read(
    store: Store, household: HouseholdRow, point: ServicePoint, question: BillingQuestion, today: date
) -> YearOfReads:
    """Return the 365 days that end with the last read by `today`; from the first read on where fewer than 330 are read.

    Days that were asked for stay. Raises StoreError where there are no reads.
    """
    if question.from_ is not None or question.to is not None:
        return YearOfReads(question, whole=False)
    home = household.household_id
    first, last = days_read(store, home, point)
    last = min(last, today) if today >= first else last
    read = _read_days(store, home, point, last)
    whole = len(read) >= LEAST_READ
    return YearOfReads(replace(question, from_=last - _LAST_OF_YEAR if whole else min(read), to=last), whole)


def _read_days(store: Store, home: str, point: ServicePoint, last: date) -> set[date]:
    """Return the days with reads of the 365 that end with `last`."""
    first = last - _LAST_OF_YEAR
    days: set[date] = set()
    for begin, end in spans_read(store, home, point):
        start = max(begin, first)
        days.update(start + timedelta(n) for n in range((min(end, last) - start).days + 1))
    return days


def earlier_years(
    store: Store, household: HouseholdRow, point: ServicePoint, question: BillingQuestion, today: date
) -> Iterator[tuple[list[Period], pl.DataFrame]]:
    """Billing periods and reads of the whole years before the question's, newest first, each with 330 days read."""
    if question.from_ is None:
        return
    home = household.household_id
    earliest = days_read(store, home, point)[0]
    last = question.from_ - timedelta(1)
    for _ in range(_MOST_YEARS):
        if last < earliest:
            return
        if len(_read_days(store, home, point, last)) >= LEAST_READ:
            year = replace(question, from_=last - _LAST_OF_YEAR, to=last)
            periods, _ = asked_periods(store, household, point, year, today)
            yield periods, reads_for(store, home, point, periods, year=True)[0]
        last -= timedelta(YEAR)
