"""Which bill is next: after the invoices' own rhythm, else by calendar month."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from datetime import date, timedelta
from statistics import median_low

from toolkit.analytics.energy.bills import Period

__all__ = ["month_of", "months_between", "next_period", "past_periods"]


def next_period(invoiced: Sequence[Period], first_unmetered: date) -> tuple[Period, str]:
    """The billing period that holds the first unmetered day, and where it comes from: `invoices` or `calendar month`.

    With invoices, periods follow the last one in their usual length: whole months where invoices are 1, 2, 3, 6 or 12
    months long, else their middle number of days.
    """
    if not invoiced:
        return month_of(first_unmetered), "calendar month"
    last = max(invoiced, key=lambda period: period.last)
    months, days = _usual_months(invoiced), median_low(period.days for period in invoiced)
    start = last.last + timedelta(1)
    number = 1
    period = _following(start, months, days, number)
    while period.last < first_unmetered:
        number += 1
        period = _following(start, months, days, number)
    return period, "invoices"


def past_periods(invoiced: Sequence[Period], first_day: date, before: Period) -> list[Period]:
    """Billing periods from `first_day` on that end before `before`, in order.

    Without invoices calendar months. With invoices theirs, and before the first one more of the usual length.
    """
    if not invoiced:
        return months_between(first_day, before.first - timedelta(1))
    months, days = _usual_months(invoiced), median_low(period.days for period in invoiced)
    start = min(period.first for period in invoiced)
    earlier: list[Period] = []
    while (period := _following(start, months, days, -len(earlier))).first >= first_day:
        earlier.append(period)
    return [*reversed(earlier), *sorted(set(invoiced), key=lambda period: period.first)]


def _following(start: date, months: int | None, days: int, number: int) -> Period:
    if months is None:
        return Period(start + timedelta(days * (number - 1)), start + timedelta(days * number - 1))
    return Period(_months_on(start, months * (number - 1)), _months_on(start, months * number) - timedelta(1))


def _usual_months(invoiced: Sequence[Period]) -> int | None:
    """Months an invoice covers: to the day for most of them, else where the middle one is about so many months long."""
    for months in (1, 2, 3, 6, 12):
        exact = sum(_months_on(period.first, months) == period.last + timedelta(1) for period in invoiced)
        if 2 * exact > len(invoiced):
            return months
    days = median_low(period.days for period in invoiced)
    return next((months for months in (1, 2, 3, 6, 12) if abs(days - months * 30.44) <= 0.5 + 1.5 * months**0.5), None)


def _months_on(day: date, months: int) -> date:
    """The same day of a later month; its last day where the month is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def month_of(day: date) -> Period:
    return Period(day.replace(day=1), day.replace(day=calendar.monthrange(day.year, day.month)[1]))


def months_between(first: date, last: date) -> list[Period]:
    """The calendar months that lie wholly between two days, both inclusive, in order."""
    found, month = [], month_of(first if first.day == 1 else month_of(first).last + timedelta(1))
    while month.last <= last:
        found.append(month)
        month = month_of(month.last + timedelta(1))
    return found
