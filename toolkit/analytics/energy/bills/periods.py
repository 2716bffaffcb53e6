"""Billing periods: what a range of days is billed in (pricing rule 2)."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Literal

from toolkit.analytics.energy.bills.model import Period

Cut = Literal["whole", "month", "invoice"]

_DAY = timedelta(1)


def billing_periods(first: date, last: date, cut: Cut, invoices: Sequence[Period] = ()) -> list[Period]:
    """The periods from first to last, both inclusive, without gap or overlap.

    whole: one. month: cut at calendar months. invoice: the invoices' periods, months where there are none.
    """
    if cut == "whole":
        return [Period(first, last)]
    known = sorted(invoices, key=lambda p: (p.first, p.last)) if cut == "invoice" else []
    periods = []
    while first <= last:
        end = min(_end_of_period(first, known), last)
        periods.append(Period(first, end))
        first = end + _DAY
    return periods


def _end_of_period(first: date, invoices: Sequence[Period]) -> date:
    """The last day of the invoice that holds the day; else of its month, or the day before the next invoice."""
    inside = [invoice.last for invoice in invoices if invoice.first <= first <= invoice.last]
    if inside:
        return inside[0]
    later = [invoice.first - _DAY for invoice in invoices if invoice.first > first]
    return min([month_end(first), *later])


def month_end(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def last_month_within(first: date, last: date) -> Period | None:
    """The last calendar month that lies wholly between the days; None where none does."""
    end = last if last == month_end(last) else last.replace(day=1) - _DAY
    start = end.replace(day=1)
    return Period(start, end) if start >= first else None
