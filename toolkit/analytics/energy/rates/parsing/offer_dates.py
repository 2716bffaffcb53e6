"""Start and end dates of what stands beside the tariff periods: controlled loads, feed-in tariffs, discounts.

Without a year they are seasons; with one they say how long the component is on offer (pricing rule 8).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from toolkit.analytics.energy.rates.bands import Reading, Written
from toolkit.analytics.energy.rates.messages import PlanMessages
from toolkit.analytics.energy.rates.model import Span
from toolkit.analytics.energy.rates.parsing.seasons import Order, likely_orders, span_of, with_leap_day

DATED = ("controlled_load", "solar_feed_in_tariff", "discounts")
"""Keys of a contract whose entries can carry dates, beside the tariff periods."""

IN_WORDS: dict[Order, str] = {"MM-DD": "month-day", "DD-MM": "day-month"}

_LASTING = timedelta(365)
"""Dates that make at least this long are those of a price list, not of an offer that ends."""


def spans_in_force(named: Sequence[tuple[str, Written]], kind: str, reading: Reading) -> list[Span | None]:
    """The days on which each of (label, entry) applies; all days, noted, where its dates are unreadable.

    Dates are read in the contract's order; in the other one, where only that reads them. On any plan but the
    household's own (`reading.on`), an entry dated with a year applies on all days or, as None, not at all.
    """
    orders = likely_orders([written for _, written in named], reading.order)
    read = [_read(written, orders) for _, written in named]
    note_order(kind, [(order, span) for order, span in read if span is not None], reading)
    for (label, written), (_, span) in zip(named, read, strict=True):
        if span is None:
            _note_unreadable(label, written, reading.messages)
    spans = with_leap_day([span or Span() for _, span in read])
    if reading.on is None:
        return list(spans)
    offered = on_offer(spans, reading.on)
    for (label, _), span, found in zip(named, spans, offered, strict=True):
        if span.dated:
            _note_offer(label, span, found, reading.messages)
    return offered


def on_offer(spans: Sequence[Span], day: date) -> list[Span | None]:
    """Each component's days on a plan priced for `day`; dates with a year become every day, or None: not on offer.

    Of several components with such dates those that contain the day apply, else those that end last; a single one
    also applies where its dates make at least 365 days (pricing rule 8).
    """
    dated = [span for span in spans if span.dated]
    chosen = {span for span in dated if span.covers(day)}
    if dated and not chosen:
        latest = max(_last(span) for span in dated)
        chosen = {span for span in dated if _last(span) == latest and (len(dated) > 1 or _lasts(span))}
    return [(Span() if span in chosen else None) if span.dated else span for span in spans]


def change_days(entries: Sequence[Written]) -> list[date]:
    """The days, in order, from which others of the entries may be on offer: first days, and days after last ones."""
    return sorted({day for written in entries for day in _ends(written)})


def _ends(written: Written) -> Iterator[date]:
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
    """Whether the dates make at least 365 days; an open end has no limit."""
    if not isinstance(span.first, date) or not isinstance(span.last, date):
        return True
    return span.last - span.first >= _LASTING - timedelta(1)


def _note_offer(label: str, span: Span, found: Span | None, messages: PlanMessages) -> None:
    """Note a dated component. span: with dates that have a year, so that its ends are dates or open."""
    first, last = (end if isinstance(end, date) else None for end in (span.first, span.last))
    messages.note("not_on_offer" if found is None else "on_offer", label=label, first=first, last=last)


def _read(written: Written, orders: Sequence[Order]) -> tuple[Order, Span | None]:
    """The first of the orders in which the dates can be read, and their days."""
    found = ((order, span_of(written, order)) for order in orders)
    return next(((order, span) for order, span in found if span is not None), (orders[0], None))


def note_order(kind: str, read: Sequence[tuple[Order, Span]], reading: Reading) -> None:
    """Says where dates without a year are not read as the standard writes them, or not as the contract's others are."""
    for order in dict.fromkeys(order for order, span in read if span.recurs and not span.always):
        if "DD-MM" in (order, reading.order):
            reading.messages.note("date_order", kind=kind, order=IN_WORDS[order])


def _note_unreadable(label: str, written: Written, messages: PlanMessages) -> None:
    first, last = repr(written.get("start_date")), repr(written.get("end_date"))
    messages.note("dates_unreadable", label=label, first=first, last=last)
