"""How long a plan is on offer, and the day it is priced for (contract section 4, rule 8)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

_AEST = timedelta(hours=10)
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
        return (over.astimezone(UTC).replace(tzinfo=None) + _AEST - _INSTANT).date()
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
