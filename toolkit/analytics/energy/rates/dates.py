"""Read the dates of a published contract: seasons, and the days that its parts are on offer (pricing rules 5 and 8)."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

from toolkit.analytics.energy.rates.contract import Order, Reading
from toolkit.analytics.energy.rates.model import MonthDay, Span
from toolkit.tables.rows.contracts import Contract, ControlledLoad, Dated, FeedIn, WrittenDiscount

ORDERS: tuple[Order, ...] = ("MM-DD", "DD-MM")
"""That of the Consumer Data Standards first: it counts where no date shows the other."""

_PAIR = re.compile(r"(?:--)?(\d{1,2})[-/](\d{1,2})")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ].*)?")
_YEAR = [date(2024, 1, 1) + timedelta(n) for n in range(366)]
_LEAP_DAY: MonthDay = (2, 29)


def span_of(written: Dated, order: Order) -> Span | None:
    """Read the span from `start_date` to `end_date`; None where one of them is unreadable in this order."""
    ends = [_end(written.get(key), order) for key in ("start_date", "end_date")]
    if any(end is False for end in ends):
        return None
    return Span(ends[0] or None, ends[1] or None)


def _end(value: object, order: Order) -> MonthDay | date | Literal[False] | None:
    """Read one end of a span; None where absent, False where unreadable in this order (pricing rule 5)."""
    if value is None or value == "":
        return None
    return _end_text(value.strip(), order) if isinstance(value, str) else False


@lru_cache(maxsize=4096)
def _end_text(text: str, order: Order) -> MonthDay | date | Literal[False]:
    """Read one end of a span; thousands of plans have the same few dates."""
    try:
        if match := _DATE.fullmatch(text):
            return date.fromisoformat(match[1])
        if (match := _PAIR.fullmatch(text)) is None:
            return False
        first, second = int(match[1]), int(match[2])
        month, day = (first, second) if order == "MM-DD" else (second, first)
        in_leap_year = date(2024, month, day)  # 29 February is a date, too
    except ValueError:
        return False
    return in_leap_year.month, in_leap_year.day


def day_order(seasons: Sequence[Sequence[Dated]], others: Sequence[Sequence[Dated]]) -> Order:
    """Return the order in which most dates are readable and the lists of periods tile the year, first lists first.

    seasons: the energy periods, and those that lie over them. others: lists of what else is dated; where the seasons
    fit both orders, these decide in the same way.
    """
    return max(ORDERS, key=lambda order: (_merit(seasons, order), _merit(others, order)))


def _merit(lists: Sequence[Sequence[Dated]], order: Order) -> tuple[int, list[bool]]:
    """Return how many dates the order reads, then which of the lists it makes cover the year exactly once."""
    spans = [[span_of(written, order) for written in entries] for entries in lists]
    return sum(span is not None for entries in spans for span in entries), [tiles(entries) for entries in spans]


def likely_orders(entries: Sequence[Dated], usual: Order) -> list[Order]:
    """Return both orders, first the one that reads more of the entries' dates, `usual` where both read as many."""
    read = {order: sum(span_of(written, order) is not None for written in entries) for order in ORDERS}
    return sorted(ORDERS, key=lambda order: (read[order], order == usual), reverse=True)


@lru_cache(maxsize=1024)
def coverage(spans: tuple[Span, ...]) -> tuple[int, ...]:
    """Count the spans on each day of a leap year; 29 February goes with 28 February where left out."""
    whole = with_leap_day(spans)
    return tuple(sum(span.covers(day) for span in whole) for day in _YEAR)


def tiles(spans: Sequence[Span | None]) -> bool:
    """Return whether every day of the year is in exactly one span."""
    return bool(spans) and coverage(tuple(span for span in spans if span is not None)).count(1) == len(_YEAR)


def in_common(spans: Sequence[Span]) -> bool:
    """Return whether some day of the year is in all of the spans."""
    return any(all(span.covers(day) for span in spans) for day in _YEAR)


def with_leap_day(spans: Sequence[Span]) -> list[Span]:
    """Return the spans, those that end on 28 February extended to the 29th unless another begins there."""
    # Retailers write summer as `12-01` to `02-28`, which would leave 29 February without a price (pricing rule 5).
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


def dated_parts(contract: Contract) -> tuple[list[ControlledLoad], list[FeedIn], list[WrittenDiscount]]:
    """Return the lists of a contract with entries that can carry dates, besides the tariff periods."""
    return contract["controlled_load"], contract["solar_feed_in_tariff"], contract["discounts"]


IN_WORDS: dict[Order, str] = {"MM-DD": "month-day", "DD-MM": "day-month"}

_LASTING = timedelta(365)
"""Dates that make at least this long are those of a price list, not of an offer that ends."""


def spans_in_force(named: Sequence[tuple[str, Dated]], kind: str, reading: Reading) -> list[Span | None]:
    """Return the days on which each of (label, entry) applies; all days, noted, where its dates are unreadable.

    Dates are read in the contract's order; in the other one, where only that reads them. On any plan but the
    household's own (`reading.on`), an entry dated with a year applies on all days or, as None, not at all.
    """
    orders = likely_orders([written for _, written in named], reading.order)
    read = [_first_readable(written, orders) for _, written in named]
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
        if span.dated:  # its ends are then dates or open
            first_day, last_day = (end if isinstance(end, date) else None for end in (span.first, span.last))
            code = "not_on_offer" if found is None else "on_offer"
            reading.messages.note(code, label=label, first=first_day, last=last_day)
    return offered


def on_offer(spans: Sequence[Span], day: date) -> list[Span | None]:
    """Return each component's days on a plan priced for `day`; dated ones become every day, or None: not on offer.

    Of several components with such dates those that contain the day apply, else those that end last; a single one
    also applies where its dates make at least 365 days (pricing rule 8).
    """
    # Those that contain the day; where none does, the one that ends last, a lone one only with 365 days (rule 8).
    dated = [span for span in spans if span.dated]
    chosen = {span for span in dated if span.covers(day)}
    if dated and not chosen:
        latest = max(_last(span) for span in dated)
        chosen = {span for span in dated if _last(span) == latest and (len(dated) > 1 or _lasts(span))}
    return [(Span() if span in chosen else None) if span.dated else span for span in spans]


def change_days(entries: Sequence[Dated]) -> list[date]:
    """Return the days, in order, from which other entries may be on offer: first days, and days after last ones."""
    return sorted({day for written in entries for day in _ends(written)})


def _ends(written: Dated) -> Iterator[date]:
    """Yield the days from which an entry with dates may be on offer, or no longer is."""
    # Only dates with a year matter here, and those read alike in both orders.
    span = span_of(written, "MM-DD")
    if span is None or not span.dated:
        return
    if isinstance(span.first, date):
        yield span.first
    if isinstance(span.last, date) and span.last < date.max:
        yield span.last + timedelta(1)


def _last(span: Span) -> date:
    """Return the last day; the last day of all where the end is open."""
    return span.last if isinstance(span.last, date) else date.max


def _lasts(span: Span) -> bool:
    """Return whether the dates make at least 365 days; an open end has no limit."""
    if not isinstance(span.first, date) or not isinstance(span.last, date):
        return True
    return span.last - span.first >= _LASTING - timedelta(1)


def _first_readable(written: Dated, orders: Sequence[Order]) -> tuple[Order, Span | None]:
    """Return the first of the orders in which the dates can be read, and their days."""
    spans = ((order, span_of(written, order)) for order in orders)
    return next(((order, span) for order, span in spans if span is not None), (orders[0], None))


def note_order(kind: str, read: Sequence[tuple[Order, Span]], reading: Reading) -> None:
    """Note where dates without a year are not read in the standard's order, or not in that of the contract."""
    for order in dict.fromkeys(order for order, span in read if span.recurs and not span.always):
        if "DD-MM" in (order, reading.order):
            reading.messages.note("date_order", kind=kind, order=IN_WORDS[order])
