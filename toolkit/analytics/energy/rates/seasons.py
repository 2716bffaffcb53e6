"""Season dates: which of the two spellings, and whether the periods tile the year (contract section 4, rule 5)."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Literal

from toolkit.analytics.energy.rates.model import MonthDay, Span

Order = Literal["MM-DD", "DD-MM"]

_PAIR = re.compile(r"(?:--)?(\d{1,2})[-/](\d{1,2})")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ].*)?")
_YEAR = [date(2024, 1, 1) + timedelta(n) for n in range(366)]
_LEAP_DAY: MonthDay = (2, 29)


def span_of(written: dict[str, Any], order: Order = "MM-DD") -> Span | None:
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


def day_order(energy: Sequence[dict[str, Any]], overlays: Sequence[dict[str, Any]]) -> Order:
    """The order in which all dates are readable and the energy periods (then the overlays) tile the year."""
    orders: tuple[Order, ...] = ("MM-DD", "DD-MM")

    def merit(order: Order) -> tuple[int, bool, bool]:
        spans = [[span_of(period, order) for period in group] for group in (energy, overlays)]
        return sum(s is not None for group in spans for s in group), tiles(spans[0]), tiles(spans[1])

    return max(orders, key=merit)


@lru_cache(maxsize=1024)
def coverage(spans: tuple[Span, ...]) -> tuple[int, ...]:
    """How many of the spans cover each day of a leap year, 29 February with 28 February where left out."""
    whole = with_leap_day(spans)
    return tuple(sum(span.covers(day) for span in whole) for day in _YEAR)


def tiles(spans: Sequence[Span | None]) -> bool:
    """Whether every day of the year is in exactly one span."""
    return bool(spans) and all(n == 1 for n in coverage(tuple(span for span in spans if span is not None)))


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

    return "" if span.always else f"{end(span.first)} to {end(span.last)}"
