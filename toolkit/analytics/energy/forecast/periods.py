"""Which bill is next: billing cycles, from invoices or from payments to an energy retailer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from statistics import median_low

from toolkit.analytics.energy.bills import Period
from toolkit.answers.energy.forecast import CycleSource
from toolkit.tables.cadences import in_month

__all__ = ["CALENDAR_MONTH", "Cycle", "cycle_of_invoices", "cycle_of_payments", "months_between"]

_DAY = timedelta(1)
_DAYS_PER_MONTH = 30.44

_DAYS_OF_MONTHS = {1: range(24, 39), 2: range(50, 73), 3: range(78, 107)}
"""Days between payments of bills of so many months: people pay some days early or late."""

_FEWEST_GAPS = 2
_MOSTLY = 2 / 3

_END_TO_PAYMENT = timedelta(21)
"""A bill is issued some days after its last day, and may not be due before 13 business days after that (National
Energy Retail Rules, rule 26)."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """How a household is billed.

    months: calendar months of a bill; None where it is `days` days long. first: first day of one bill; None where no
    bill's days are known, so that bills begin with the calendar year.
    """

    source: CycleSource
    months: int | None
    days: int = 0
    first: date | None = None

    def period_with(self, day: date) -> Period:
        """Return the billing period that holds the day."""
        start = self.first or date(day.year, 1, 1)
        number = int((day - start).days // (self.months * _DAYS_PER_MONTH if self.months else self.days))
        while self._period(start, number).first > day:
            number -= 1
        while self._period(start, number).last < day:
            number += 1
        return self._period(start, number)

    def _period(self, start: date, number: int) -> Period:
        if self.months is None:
            return Period(start + timedelta(self.days * number), start + timedelta(self.days * (number + 1) - 1))
        return Period(in_month(start, self.months * number), in_month(start, self.months * (number + 1)) - _DAY)

    def past_periods(self, before: Period, first_day: date) -> list[Period]:
        """Return periods as long as the bill `before`, one a month before it, from `first_day` on, in order."""
        months = 12 * (before.first.year - first_day.year) + before.first.month - first_day.month
        starts = [in_month(before.first, -back) for back in range(months, 0, -1)]
        return [self._long_from(start, before.days) for start in starts if start >= first_day]

    def _long_from(self, start: date, days: int) -> Period:
        last = start + timedelta(days - 1) if self.months is None else in_month(start, self.months) - _DAY
        return Period(start, last)


CALENDAR_MONTH = Cycle("calendar month", 1)


def cycle_of_invoices(invoiced: Sequence[Period]) -> Cycle | None:
    """Return the periods that follow the last invoice in their usual length; None without invoices.

    Whole months where invoices are 1, 2, 3, 6 or 12 months long, else their middle number of days.
    """
    if not invoiced:
        return None
    last = max(invoiced, key=lambda period: period.last)
    days = median_low(period.days for period in invoiced)
    return Cycle("invoices", _usual_months(invoiced), days, last.last + _DAY)


def _usual_months(invoiced: Sequence[Period]) -> int | None:
    """Months an invoice covers: to the day for most of them, else where the middle one is about so many months long."""
    for months in (1, 2, 3, 6, 12):
        exact = sum(in_month(period.first, months) == period.last + _DAY for period in invoiced)
        if 2 * exact > len(invoiced):
            return months
    days = median_low(period.days for period in invoiced)
    near = (m for m in (1, 2, 3, 6, 12) if abs(days - m * _DAYS_PER_MONTH) <= 0.5 + 1.5 * m**0.5)
    return next(near, None)


def cycle_of_payments(payments: Sequence[tuple[date, int]]) -> Cycle | None:
    """Find the billing cycle from payments (day, cents) to one retailer; None where they do not show it.

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
    days_between = [(after - before).days for before, after in pairwise(unequal)]
    gaps = [next((months for months, near in _DAYS_OF_MONTHS.items() if days in near), None) for days in days_between]
    months, count = Counter(gaps).most_common(1)[0]
    if months is None or count < _MOSTLY * len(gaps):
        return None
    return Cycle("payments", months, first=unequal[-1] - _END_TO_PAYMENT + timedelta(1))


def months_between(first: date, last: date) -> list[Period]:
    """Return the calendar months that lie wholly between two days, both inclusive, in order."""
    month = CALENDAR_MONTH.period_with(first)
    if month.first < first:
        month = CALENDAR_MONTH.period_with(month.last + _DAY)
    months = []
    while month.last <= last:
        months.append(month)
        month = CALENDAR_MONTH.period_with(month.last + _DAY)
    return months
