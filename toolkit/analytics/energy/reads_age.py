"""How old reads may be before nothing of today is said by them (docs/commands.md)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import sqrt

__all__ = ["CURRENT_DAYS", "LONGEST_DAYS", "ReadsAge"]

CURRENT_DAYS = 45
"""Beyond it a figure shows the last day of its reads."""

LONGEST_DAYS = 100
"""Beyond it no bill is forecast, however long the billing period."""

_LONGEST_MONTH = 31


@dataclass(frozen=True, slots=True)
class ReadsAge:
    """The reads of a service point, seen from one day.

    last_read: last day with reads. today: the day that is asked about. billing_days: length of one billing period.
    """

    last_read: date
    today: date
    billing_days: int

    @property
    def days(self) -> int:
        """Days since the last read; 0 where reads reach today or beyond."""
        return max((self.today - self.last_read).days, 0)

    @property
    def limit(self) -> int:
        """Greatest age in days at which a next bill and yearly savings are shown.

        45 days; where bills are longer than a month one billing period, between 45 and 100 days.
        """
        if self.billing_days <= _LONGEST_MONTH:
            return CURRENT_DAYS
        return min(max(self.billing_days, CURRENT_DAYS), LONGEST_DAYS)

    @property
    def is_old(self) -> bool:
        """Whether every energy figure shows its last day."""
        return self.days > CURRENT_DAYS

    @property
    def is_past_limit(self) -> bool:
        """Whether there is neither a next bill nor a saving a year."""
        return self.days > self.limit

    @property
    def spread_factor(self) -> float:
        """By how much the range of a next bill widens: errors of a level that drifts grow with the root of time."""
        return sqrt(self.days / CURRENT_DAYS) if self.is_old else 1.0
