"""Read dates of a contract: seasons (pricing rule 5), and how long a dated component is on offer (rule 8)."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

from toolkit.analytics.energy.rates.contract import Order, PlanMessages, Reading
from toolkit.analytics.energy.rates.model import MonthDay, Span
from toolkit.tables.plans import JsonObject

ORDERS: tuple[Order, ...] = ("MM-DD", "DD-MM")
"""That of the standard first: it counts where nothing speaks for the other."""

_PAIR = re.compile(r"(?:--)?(\d{1,2})[-/](\d{1,2})")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ].*)?")
_YEAR = [date(2024, 1, 1) + timedelta(n) for n in range(366)]
_LEAP_DAY: MonthDay = (2, 29)


def span_of(written: JsonObject, order: Order) -> Span | None:
    """Read the span from `start_date` to `end_date`; None where one of them is unreadable in this order."""
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


def day_order(seasons: Sequence[Sequence[JsonObject]], others: Sequence[Sequence[JsonObject]]) -> Order:
    """Return the order in which most dates are readable and the lists of periods tile the year, first lists first.

    seasons: the energy periods, and those that lie over them. others: lists of what else is dated; where the seasons
    fit both orders, these decide in the same way.
    """
    return max(ORDERS, key=lambda order: (_merit(seasons, order), _merit(others, order)))


def _merit(lists: Sequence[Sequence[JsonObject]], order: Order) -> tuple[int, list[bool]]:
    spans = [[span_of(written, order) for written in entries] for entries in lists]
    return sum(span is not None for entries in spans for span in entries), [tiles(entries) for entries in spans]


def likely_orders(entries: Sequence[JsonObject], usual: Order) -> list[Order]:
    """Return both orders, first the one that reads more of the entries' dates, `usual` where both read as many."""

    def merit(order: Order) -> tuple[int, bool]:
        return sum(span_of(written, order) is not None for written in entries), order == usual

    return sorted(ORDERS, key=merit, reverse=True)


@lru_cache(maxsize=1024)
def coverage(spans: tuple[Span, ...]) -> tuple[int, ...]:
    """Count the spans on each day of a leap year; 29 February goes with 28 February where left out."""
    whole = with_leap_day(spans)
    return tuple(sum(span.covers(day) for span in whole) for day in _YEAR)


def tiles(spans: Sequence[Span | None]) -> bool:
    """Return whether every day of the year is in exactly one span."""
    return bool(spans) and all(n == 1 for n in coverage(tuple(span for span in spans if span is not None)))


def in_common(spans: Sequence[Span]) -> bool:
    """Return whether some day of the year is in all of the spans."""
    return any(all(span.covers(day) for span in spans) for day in _YEAR)


def with_leap_day(spans: Sequence[Span]) -> list[Span]:
    """Return the spans, those that end on 28 February extended to the 29th unless another begins there."""
    if any(span.first == _LEAP_DAY for span in spans):
        return list(spans)
    return [replace(span, last=_LEAP_DAY) if span.last == (2, 28) else span for span in spans]


def span_text(span: Span) -> str:
    """Word a span: `1 Dec to 31 Mar`."""

    def end(value: MonthDay | date | None) -> str:
        if value is None:
            return "…"
        return value.isoformat() if isinstance(value, date) else f"{value[1]} {calendar.month_abbr[value[0]]}"

    if span.always:
        return ""
    inside = span_text(span.within) if span.within else ""
    return f"{end(span.first)} to {end(span.last)}{inside and ' within '}{inside}"


DATED = ("controlled_load", "solar_feed_in_tariff", "discounts")
"""Keys of a contract whose entries can carry dates, beside the tariff periods."""

IN_WORDS: dict[Order, str] = {"MM-DD": "month-day", "DD-MM": "day-month"}

_LASTING = timedelta(365)
"""Dates that make at least this long are those of a price list, not of an offer that ends."""


def spans_in_force(named: Sequence[tuple[str, JsonObject]], kind: str, reading: Reading) -> list[Span | None]:
    """Return the days on which each of (label, entry) applies; all days, noted, where its dates are unreadable.

    Dates are read in the contract's order; in the other one, where only that reads them. On any plan but the
    household's own (`reading.on`), an entry dated with a year applies on all days or, as None, not at all.
    """
    orders = likely_orders([written for _, written in named], reading.order)
    read = [_read(written, orders) for _, written in named]
    note_order(kind, [(order, span) for order, span in read if span is not None], reading)
    for (label, written), (_, span) in zip(named, read, strict=True):
        if span is None:
            first, last = repr(written.get("start_date")), repr(written.get("end_date"))
            reading.messages.note("dates_unreadable", label=label, first=first, last=last)
    spans = with_leap_day([span or Span() for _, span in read])
    if reading.on is None:
        return list(spans)
    offered = on_offer(spans, reading.on)
    for (label, _), span, found in zip(named, spans, offered, strict=True):
        if span.dated:
            _note_offer(label, span, found, reading.messages)
    return offered


def on_offer(spans: Sequence[Span], day: date) -> list[Span | None]:
    """Return each component's days on a plan priced for `day`; dated ones become every day, or None: not on offer.

    Of several components with such dates those that contain the day apply, else those that end last; a single one
    also applies where its dates make at least 365 days (pricing rule 8).
    """
    dated = [span for span in spans if span.dated]
    chosen = {span for span in dated if span.covers(day)}
    if dated and not chosen:
        latest = max(_last(span) for span in dated)
        chosen = {span for span in dated if _last(span) == latest and (len(dated) > 1 or _lasts(span))}
    return [(Span() if span in chosen else None) if span.dated else span for span in spans]


def change_days(entries: Sequence[JsonObject]) -> list[date]:
    """Return the days, in order, from which other entries may be on offer: first days, and days after last ones."""
    return sorted({day for written in entries for day in _ends(written)})


def _ends(written: JsonObject) -> Iterator[date]:
    span = span_of(written, "MM-DD")
    if span is None or not span.dated:
        return
    if isinstance(span.first, date):
        yield span.first
    if isinstance(span.last, date) and span.last < date.max:
        yield span.last + timedelta(1)


def _last(span: Span) -> date:
    return span.last if isinstance(span.last, date) else date.max


def _lasts(span: Span) -> bool:
    """Return whether the dates make at least 365 days; an open end has no limit."""
    if not isinstance(span.first, date) or not isinstance(span.last, date):
        return True
    return span.last - span.first >= _LASTING - timedelta(1)


def _note_offer(label: str, span: Span, found: Span | None, messages: PlanMessages) -> None:
    """Note a dated component. span: with dates that have a year, so that its ends are dates or open."""
    first, last = (end if isinstance(end, date) else None for end in (span.first, span.last))
    messages.note("not_on_offer" if found is None else "on_offer", label=label, first=first, last=last)


def _read(written: JsonObject, orders: Sequence[Order]) -> tuple[Order, Span | None]:
    """Return the first of the orders in which the dates can be read, and their days."""
    spans = ((order, span_of(written, order)) for order in orders)
    return next(((order, span) for order, span in spans if span is not None), (orders[0], None))


def note_order(kind: str, read: Sequence[tuple[Order, Span]], reading: Reading) -> None:
    """Note where dates without a year are not read in the standard's order, or not in that of the contract."""
    for order in dict.fromkeys(order for order, span in read if span.recurs and not span.always):
        if "DD-MM" in (order, reading.order):
            reading.messages.note("date_order", kind=kind, order=IN_WORDS[order])
