"""How long a plan is on offer, and the day it is priced for (pricing rule 8)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from toolkit.analytics.energy.plans.terms import Equipment
from toolkit.analytics.energy.rates import Rates, Tariff
from toolkit.units import AEST_OFFSET

_INSTANT = timedelta(microseconds=1)


def last_day(effective_to: str | None) -> date | None:
    """The last day of a plan, from its `effectiveTo`: a date (inclusive) or the instant from which it is over.

    An instant is read in AEST, whose midnight retailers write as `T14:00:00Z` (or `T13:00:00Z` in summer time).
    None where the plan names no end, or none that is readable.
    """
    if not effective_to:
        return None
    try:
        if len(effective_to) == len("YYYY-MM-DD"):
            return date.fromisoformat(effective_to)
        over = datetime.fromisoformat(effective_to)
        over = over if over.tzinfo else over.replace(tzinfo=UTC)
        return (over.astimezone(UTC).replace(tzinfo=None) + AEST_OFFSET - _INSTANT).date()
    except (ValueError, OverflowError):
        return None


def has_ended(effective_to: str | None, today: date) -> bool:
    """Whether the plan's last day was before `today`."""
    last = last_day(effective_to)
    return last is not None and last < today


def priced_for(effective_to: str | None, today: date) -> date:
    """The day that a plan is priced for: `today`, or its last day where it has ended."""
    last = last_day(effective_to)
    return today if last is None else min(last, today)


def unpriced_equipment(
    rates: Rates, equipment: frozenset[Equipment], first: date, last: date
) -> Iterator[tuple[Equipment, date]]:
    """Yield what of the home's equipment the plan prices on some days only, with the first day without a price.

    Controlled load or feed-in whose dates with a year leave out a day from `first` to `last` (inclusive): those days
    cost more on this plan than they did or will, so no saving may rest on them.
    """
    groups: tuple[tuple[Equipment, tuple[Tariff, ...]], ...] = (
        ("controlled_load", rates.controlled_loads),
        ("solar", rates.feed_ins),
    )
    for name, tariffs in groups:
        if name not in equipment or not any(tariff.span.dated for tariff in tariffs):
            continue
        days = (first + timedelta(number) for number in range((last - first).days + 1))
        uncovered = next((day for day in days if not any(tariff.span.covers(day) for tariff in tariffs)), None)
        if uncovered is not None:
            yield name, uncovered
