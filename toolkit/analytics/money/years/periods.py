"""Periods that are compared: the one before, and the same a year before; months from a chosen day; financial years."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import pairwise

from toolkit.answers.base import Note, Period
from toolkit.answers.money import (
    COMPARED_BEFORE_ITS_END,
    COMPARED_WITH_A_PART,
    COMPARED_WITH_NOTHING,
    Against,
)
from toolkit.tables.cadences import in_month

_DAY = timedelta(days=1)
_SAME_PAY = timedelta(days=5)


def compared_with(period: Period, against: Against, known_to: date | None = None) -> Period:
    """Return the period to compare with: as many whole months before where it is whole months, else as many days.

    Whole months begin on any day of the month: 15 March to 14 April is one. known_to: the last day with a transaction;
    of a period that goes on after it, the same days of the other one are compared.
    """
    other, back = _whole_other(period, against)
    if known_to is None or not period.first <= known_to < period.last:
        return other
    last = in_month(known_to, -back) if back else other.first + (known_to - period.first)
    return Period(other.first, min(last, other.last))


def _whole_other(period: Period, against: Against) -> tuple[Period, int]:
    """Return the whole period to compare with, and by how many months it lies back; 0 where days are counted."""
    end = period.last + _DAY
    whole = (end.year - period.first.year) * 12 + end.month - period.first.month
    months = whole if whole > 0 and in_month(period.first, whole) == end else 0
    back = 12 if against == "last-year" else months
    if not back:
        return Period(period.first - period.days * _DAY, period.first - _DAY), 0
    first = in_month(period.first, -back)
    last = in_month(period.last + _DAY, -back) - _DAY if months else in_month(period.last, -back)
    return Period(first, last), back


def compared_notes(period: Period, other: Period, stored: Period) -> Iterator[Note]:
    """Yield what a comparison lacks. stored: the first and last day with a transaction."""
    if stored.first > other.last:
        yield Note(COMPARED_WITH_NOTHING, first=stored.first)
        return
    if stored.first > other.first:
        yield Note(COMPARED_WITH_A_PART, first=stored.first)
    if period.first <= stored.last < period.last:
        yield Note(COMPARED_BEFORE_ITS_END, last=stored.last)


def financial_year(year: int) -> Period:
    """Return the financial year that ends in June of `year`."""
    return Period(date(year - 1, 7, 1), date(year, 6, 30))


def month_with(day: date, start: int = 1) -> Period:
    """Return the month that holds a day, from day `start` of the calendar month (1 to 28) on."""
    first = day.replace(day=start) if day.day >= start else in_month(day.replace(day=1), -1, start)
    return Period(first, in_month(first, 1) - _DAY)


def months(covered: Period, start: int = 1) -> tuple[Period, ...]:
    """Return the months with days in a period, the newest first. start: day on which they begin (1 to 28)."""
    found = [month_with(covered.last, start)]
    while found[-1].first > covered.first:
        found.append(month_with(found[-1].first - _DAY, start))
    return tuple(found)


def quarters(covered: Period) -> tuple[Period, ...]:
    """Return the calendar quarters with days in a period, the newest first."""
    first = date(covered.last.year, covered.last.month - (covered.last.month - 1) % 3, 1)
    found = [Period(first, in_month(first, 3) - _DAY)]
    while found[-1].first > covered.first:
        found.append(Period(in_month(found[-1].first, -3), found[-1].first - _DAY))
    return tuple(found)


def financial_years(covered: Period) -> tuple[Period, ...]:
    """Return the financial years (July to June) with days in a period, the newest first."""
    ends = range(_year_ending(covered.last), _year_ending(covered.first) - 1, -1)
    return tuple(financial_year(year) for year in ends)


def pay_cycles(paid: Iterable[date], following: date | None, covered: Period) -> tuple[Period, ...]:
    """Return the periods from one pay to the day before the next, the newest first.

    paid: days of the pay; payments less than `_SAME_PAY` apart are one. following: the next pay day, where known, else
    the newest cycle ends with the last day of `covered`.
    """
    starts: list[date] = []
    for day in sorted(set(paid)):
        if not starts or day - starts[-1] >= _SAME_PAY:
            starts.append(day)
    if not starts:
        return ()
    end = following if following is not None and following > starts[-1] else covered.last + _DAY
    return tuple(Period(first, later - _DAY) for first, later in pairwise([*starts, max(end, starts[-1] + _DAY)]))[::-1]


def _year_ending(day: date) -> int:
    return day.year + (day.month > 6)
