"""Dates without a year: which of the two spellings, and whether they tile the year (pricing rule 5)."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Literal

from toolkit.analytics.energy.rates.model import MonthDay, Span

Written = dict[str, Any]
Order = Literal["MM-DD", "DD-MM"]

ORDERS: tuple[Order, ...] = ("MM-DD", "DD-MM")
"""That of the standard first: it counts where nothing speaks for the other."""

_PAIR = re.compile(r"(?:--)?(\d{1,2})[-/](\d{1,2})")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ].*)?")
_YEAR = [date(2024, 1, 1) + timedelta(n) for n in range(366)]
_LEAP_DAY: MonthDay = (2, 29)


def span_of(written: Written, order: Order) -> Span | None:
    """The span between `start_date` and `end_date`; None where one of them is unreadable in this order."""
    ends = [_end(written.get(key), order) for key in ("start_date", "end_date")]
    if any(end is False for end in ends):
        return None
    return Span(ends[0] or None, ends[1] or None)


def _end(value: object, order: Order) -> MonthDay | date | Literal[False] | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        return False
    if match := _DATE.fullmatch(value.strip()):
        return _calendar_date(match[1])
    match = _PAIR.fullmatch(value.strip())
    if match is None:
        return False
    first, second = int(match[1]), int(match[2])
    return _month_day(first, second) if order == "MM-DD" else _month_day(second, first)


def _calendar_date(text: str) -> date | Literal[False]:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return False


def _month_day(month: int, day: int) -> MonthDay | Literal[False]:
    try:
        return (month, day) if date(2024, month, day) else False
    except ValueError:
        return False


def day_order(seasons: Sequence[Sequence[Written]], others: Sequence[Sequence[Written]]) -> Order:
    """The order in which all dates are readable and the lists of periods tile the year, the first list above the next.

    seasons: the energy periods, and those that lie over them. others: lists of what else is dated; where the seasons
    fit both orders, these decide in the same way.
    """
    return max(ORDERS, key=lambda order: (_merit(seasons, order), _merit(others, order)))


def _merit(lists: Sequence[Sequence[Written]], order: Order) -> tuple[int, list[bool]]:
    spans = [[span_of(written, order) for written in entries] for entries in lists]
    return sum(span is not None for entries in spans for span in entries), [tiles(entries) for entries in spans]


def likely_orders(entries: Sequence[Written], usual: Order) -> list[Order]:
    """Both orders, first that which reads more of the entries' dates, `usual` where both read as many."""

    def merit(order: Order) -> tuple[int, bool]:
        return sum(span_of(written, order) is not None for written in entries), order == usual

    return sorted(ORDERS, key=merit, reverse=True)


@lru_cache(maxsize=1024)
def coverage(spans: tuple[Span, ...]) -> tuple[int, ...]:
    """How many of the spans cover each day of a leap year, 29 February with 28 February where left out."""
    whole = with_leap_day(spans)
    return tuple(sum(span.covers(day) for span in whole) for day in _YEAR)


def tiles(spans: Sequence[Span | None]) -> bool:
    """Whether every day of the year is in exactly one span."""
    return bool(spans) and all(n == 1 for n in coverage(tuple(span for span in spans if span is not None)))


def in_common(spans: Sequence[Span]) -> bool:
    """Whether some day of the year is in all of the spans."""
    return any(all(span.covers(day) for span in spans) for day in _YEAR)


def with_leap_day(spans: Sequence[Span]) -> list[Span]:
    """The spans, those that end on 28 February drawn out to the 29th unless another begins there."""
    if any(span.first == _LEAP_DAY for span in spans):
        return list(spans)
    return [replace(span, last=_LEAP_DAY) if span.last == (2, 28) else span for span in spans]


def says(span: Span) -> str:
    """Words for a span: `1 Dec to 31 Mar`."""

    def end(value: MonthDay | date | None) -> str:
        if value is None:
            return "…"
        return value.isoformat() if isinstance(value, date) else f"{value[1]} {calendar.month_abbr[value[0]]}"

    if span.always:
        return ""
    inside = says(span.within) if span.within else ""
    return f"{end(span.first)} to {end(span.last)}{inside and ' within '}{inside}"
