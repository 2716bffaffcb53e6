"""Start and end dates of what stands beside the tariff periods: controlled loads, feed-in tariffs, discounts.

They are honoured as seasons are (contract section 4, rules 5 and 8).
"""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.analytics.energy.rates.bands import Reading, Written
from toolkit.analytics.energy.rates.findings import Findings
from toolkit.analytics.energy.rates.model import Span
from toolkit.analytics.energy.rates.seasons import Order, likely_orders, span_of, with_leap_day

IN_WORDS: dict[Order, str] = {"MM-DD": "month-day", "DD-MM": "day-month"}


def spans_in_force(named: Sequence[tuple[str, Written]], kind: str, reading: Reading) -> list[Span]:
    """The days on which each of (label, entry) holds; all days, noted, where its dates are unreadable.

    Dates are read in the contract's order; in the other one, where only that reads them.
    """
    orders = likely_orders([written for _, written in named], reading.order)
    read = [_read(written, orders) for _, written in named]
    note_order(kind, [(order, span) for order, span in read if span is not None], reading)
    for (label, written), (_, span) in zip(named, read, strict=True):
        if span is None:
            _note_unreadable(label, written, reading.findings)
    return with_leap_day([span or Span() for _, span in read])


def _read(written: Written, orders: Sequence[Order]) -> tuple[Order, Span | None]:
    """The first of the orders in which the dates can be read, and their days."""
    found = ((order, span_of(written, order)) for order in orders)
    return next(((order, span) for order, span in found if span is not None), (orders[0], None))


def note_order(kind: str, read: Sequence[tuple[Order, Span]], reading: Reading) -> None:
    """Says where dates without a year are not read as the standard writes them, or not as the contract's others are."""
    for order in dict.fromkeys(order for order, span in read if span.recurs and not span.always):
        if "DD-MM" in (order, reading.order):
            reading.findings.note(f"{kind} dates are read as {IN_WORDS[order]}.")


def _note_unreadable(label: str, written: Written, findings: Findings) -> None:
    dates = f"{written.get('start_date')!r} to {written.get('end_date')!r}"
    findings.note(f"{label}: dates {dates} are unreadable and taken as always.")
