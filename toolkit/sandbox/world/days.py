"""Calendar arithmetic."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta

DAY = timedelta(days=1)


def history_start(today: date, years: int) -> date:
    """Return the first day of the data: the first of today's month, `years` ago."""
    return date(today.year - years, today.month, 1)


def add_months(day: date, months: int) -> date:
    """Return the same day `months` later, or that month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def month_end(day: date) -> date:
    """Return the last day of the month."""
    return day.replace(day=monthrange(day.year, day.month)[1])


def each_day(first: date, last: date) -> Iterator[date]:
    """Yield every day, both ends included."""
    return (first + timedelta(days=n) for n in range((last - first).days + 1))


def every(first: date, last: date, *, days: int = 0, months: int = 0) -> Iterator[date]:
    """Yield `first` and the days that follow at that distance, up to `last`."""
    step = 0
    while (day := add_months(first, months * step) + timedelta(days=days * step)) <= last:
        yield day
        step += 1


def next_weekday(day: date, weekday: int) -> date:
    """Return `day` or the first one after it that falls on `weekday` (Monday is 0)."""
    return day + timedelta(days=(weekday - day.weekday()) % 7)


def business_day(day: date) -> date:
    """Return `day`, or the Monday after if it falls on a weekend."""
    return day + timedelta(days=max(0, 7 - day.weekday())) if day.weekday() >= 5 else day
