"""How old the reads of a service point are, and what is no longer shown of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import sqrt

CURRENT_DAYS = 45
"""Beyond it a figure shows the last day of its reads."""

LONGEST_DAYS = 100
"""Beyond it no bill is forecast, however long the billing period."""

_LONGEST_MONTH = 31


@dataclass(frozen=True, slots=True)
class ReadsAge:
    """How old the reads of a service point are."""

    last_read: date
    """Last day with reads."""
    today: date
    """The day that the question is about."""
    billing_days: int
    """Length of one billing period."""

    @property
    def days(self) -> int:
        """Return the days since the last read; 0 where reads reach today or beyond."""
        return max((self.today - self.last_read).days, 0)

    @property
    def limit(self) -> int:
        """Return the greatest age in days at which a next bill and yearly savings are shown.

        45 days; where bills are longer than a month one billing period, between 45 and 100 days.
        """
        if self.billing_days <= _LONGEST_MONTH:
            return CURRENT_DAYS
        return min(max(self.billing_days, CURRENT_DAYS), LONGEST_DAYS)

    @property
    def is_old(self) -> bool:
        """Return whether every energy figure shows its last day."""
        return self.days > CURRENT_DAYS

    @property
    def is_past_limit(self) -> bool:
        """Return whether neither a next bill nor a yearly saving is shown."""
        return self.days > self.limit

    @property
    def spread_factor(self) -> float:
        """Return how much the range of a next bill widens: errors of a drifting level grow with the root of time."""
        return sqrt(self.days / CURRENT_DAYS) if self.is_old else 1.0
