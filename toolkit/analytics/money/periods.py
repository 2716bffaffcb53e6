"""Periods that are compared: the one before, and the same a year before; months from a chosen day; financial years."""

from __future__ import annotations

from datetime import date, timedelta

from toolkit.answers.base import Period
from toolkit.answers.money import Against
from toolkit.tables.cadences import in_month

_DAY = timedelta(days=1)


def compared_with(period: Period, against: Against) -> Period:
    """Return the period to compare with: as many whole months before where it is whole months, else as many days.

    Whole months begin on any day of the month: 15 March to 14 April is one.
    """
    end = period.last + _DAY
    whole = (end.year - period.first.year) * 12 + end.month - period.first.month
    months = whole if whole > 0 and in_month(period.first, whole) == end else 0
    back = 12 if against == "last-year" else months
    if not back:
        return Period(period.first - period.days * _DAY, period.first - _DAY)
    first = in_month(period.first, -back)
    last = in_month(period.last + _DAY, -back) - _DAY if months else in_month(period.last, -back)
    return Period(first, last)


def financial_year(year: int) -> Period:
    """Return the financial year that ends in June of `year`."""
    return Period(date(year - 1, 7, 1), date(year, 6, 30))


def month_with(day: date, start: int = 1) -> Period:
    """Return the month that holds a day, from day `start` of the calendar month (1 to 28) on."""
    first = day.replace(day=start) if day.day >= start else in_month(day.replace(day=1), -1, start)
    return Period(first, in_month(first, 1) - _DAY)
