"""The rhythm of payments to an energy retailer, where they pay whole bills."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise

from toolkit.analytics.energy.forecast.periods import Cycle

__all__ = ["cycle_of_payments"]

_DAYS_OF_MONTHS = {1: range(24, 39), 2: range(50, 73), 3: range(78, 107)}
"""Days between payments of bills of so many months: people pay some days early or late."""

_FEWEST_GAPS = 2
_MOSTLY = 2 / 3

_END_TO_PAYMENT = timedelta(21)
"""A bill is issued some days after its last day, and may not be due before 13 business days after that (National
Energy Retail Rules, rule 26)."""


def cycle_of_payments(payments: Sequence[tuple[date, int]]) -> Cycle | None:
    """The billing cycle that payments (day, cents) to one retailer tell; None where they do not.

    Payments of whole dollars or of one amount again and again are bill smoothing, as are those less than three weeks
    apart: where more than a third are of that kind, or fewer than three are not, the payments say nothing.
    """
    by_day: Counter[date] = Counter()
    for day, cents in payments:
        by_day[day] += abs(cents)
    amounts = Counter(by_day.values())
    unequal = sorted(day for day, cents in by_day.items() if cents % 100 and amounts[cents] == 1)
    if len(unequal) <= _FEWEST_GAPS or len(unequal) < _MOSTLY * len(by_day):
        return None
    gaps = [_months((after - before).days) for before, after in pairwise(unequal)]
    months, count = Counter(gaps).most_common(1)[0]
    if months is None or count < _MOSTLY * len(gaps):
        return None
    return Cycle("payments", months, first=unequal[-1] - _END_TO_PAYMENT + timedelta(1))


def _months(days: int) -> int | None:
    return next((months for months, near in _DAYS_OF_MONTHS.items() if days in near), None)
