"""From what was read of some days to a year."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.rates.model import DAYS_PER_YEAR, Clock
from toolkit.analytics.energy.whatif.prices import on_clock
from toolkit.analytics.energy.whatif.profile import Profile

FEWEST_DAYS = 28
"""Four whole weeks: every weekday as often as the others, and as much as the shortest month that a demand charge or a
bill goes by. Fewer days would be scaled up more than thirteenfold, single ones by their weather."""

_EPOCH = date(1970, 1, 1)


def days_read(profile: Profile, clock: Clock, zone: str, periods: Sequence[Period], expected: int) -> float:
    """How many of the periods' days were read by the interval, by the share of their time; all of them at most.

    clock: whose days the periods count. expected: minutes of the periods.
    """
    days, _ = on_clock(profile, clock, zone)
    first, last = ((day - _EPOCH).days for day in (periods[0].first, periods[-1].last))
    minutes = int(profile.minutes[profile.known & (days >= first) & (days <= last)].sum())
    return sum(period.days for period in periods) * min(1.0, minutes / expected)


def yearly(minor: int, days: float) -> int | None:
    """Of 365 days, from cents of so many days read; None from fewer than `FEWEST_DAYS`."""
    return None if round(days, 1) < FEWEST_DAYS else round(minor * DAYS_PER_YEAR / days)
