"""How often things come: the cadences people and banks use, and their dates."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

_DURATION = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?")


@dataclass(frozen=True, slots=True)
class Cadence:
    """A step of whole months, or of days where `months` is 0.

    tolerance: days by which weekends, holidays and month ends move a payment. least: occurrences that make a habit.
    """

    name: str
    months: int
    days: int
    tolerance: int
    least: int
    per_year: int

    @property
    def mean_days(self) -> float:
        """Return the days between two occurrences, on average."""
        return self.months * 365.25 / 12 if self.months else float(self.days)

    def after(self, day: date, steps: int = 1) -> date:
        """Return the day `steps` cadences after `day`; the month's last where a month is too short."""
        if not self.months:
            return day + timedelta(days=self.days * steps)
        return in_month(day, self.months * steps)


SATURDAY = 5
Treatment = Literal["after", "before", "on"]
"""What happens to a payment that is due on a day on which banks are closed: the next business day, the one before, or
none of these."""


def on_business_day(day: date, treatment: Treatment, holidays: Collection[date]) -> date:
    """Return the day on which a payment due on `day` is made; weekends and `holidays` are no business days."""
    step = {"after": 1, "before": -1, "on": 0}[treatment]
    while step and (day.weekday() >= SATURDAY or day in holidays):
        day += timedelta(days=step)
    return day


WEEKLY = Cadence("weekly", 0, 7, 2, 4, 52)
FORTNIGHTLY = Cadence("fortnightly", 0, 14, 3, 3, 26)
FOUR_WEEKLY = Cadence("monthly", 0, 28, 1, 4, 13)
"""Every 28 days: near enough to a month to be called one, not near enough to be counted as one."""
MONTHLY = Cadence("monthly", 1, 0, 5, 3, 12)
QUARTERLY = Cadence("quarterly", 3, 0, 12, 3, 4)
HALF_YEARLY = Cadence("half-yearly", 6, 0, 18, 3, 2)
YEARLY = Cadence("yearly", 12, 0, 25, 3, 1)

CADENCES = (WEEKLY, FORTNIGHTLY, FOUR_WEEKLY, MONTHLY, QUARTERLY, HALF_YEARLY, YEARLY)


def in_month(day: date, months: int, due: int | None = None) -> date:
    """Return the day `due` (None: the same day) of the month `months` after that of `day`, or that month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(due or day.day, monthrange(year, month + 1)[1]))


def of_duration(text: str | None) -> Cadence | None:
    """Return the cadence of an ISO 8601 duration such as P1M, P2W or P14D; None where it is none of them."""
    found = _DURATION.fullmatch(text or "")
    if not found:
        return None
    years, months, weeks, days = (int(part or 0) for part in found.groups())
    wanted = (years * 12 + months, weeks * 7 + days)
    return next((cadence for cadence in CADENCES if (cadence.months, cadence.days) == wanted), None)
