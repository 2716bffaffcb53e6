"""Whether a series of payments keeps time, at what cadence, and how its amount moved."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from statistics import median

from toolkit.tables.cadences import CADENCES, FOUR_WEEKLY, Cadence, in_month

SATURDAY = 5
_SAME_PRICE = 0.005
_PUNCTUAL, _EXPLAINED = 0.7, 0.9
_STEADY, _STEADY_WITH_HINT = 0.25, 0.6


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment of a series."""

    day: date
    amount_minor: int
    """Cents, money out negative."""


@dataclass(frozen=True, slots=True)
class Habit:
    """The cadence of a series."""

    cadence: Cadence
    punctual: float
    """Share of the gaps between payments that are one cadence long, 0 to 1."""


def habit_of(payments: list[Payment], *, hint: bool) -> Habit | None:
    """Find the cadence of a series by the median of its gaps; None if it is irregular or its amounts vary too much.

    hint: other evidence shows that it is a bill, a direct debit, a loan or pay. Then amounts may vary more, and two
    payments half a year or a year apart are enough.
    """
    days = sorted({payment.day for payment in payments})
    gaps = [(later - day).days for day, later in pairwise(days)]
    if not gaps or spread(payments) > (_STEADY_WITH_HINT if hint else _STEADY):
        return None
    fitting = (cadence for cadence in CADENCES if _fits(cadence, gaps, hint=hint))
    best = min(fitting, key=lambda cadence: abs(median(gaps) - cadence.mean_days), default=None)
    return Habit(best, _share(best, gaps, 1)) if best else None


def _fits(cadence: Cadence, gaps: list[int], *, hint: bool) -> bool:
    least = 2 if hint and cadence.months >= 6 else cadence.least
    enough = len(gaps) + 1 >= least and abs(median(gaps) - cadence.mean_days) <= cadence.tolerance
    if cadence is FOUR_WEEKLY:
        return enough and _share(cadence, gaps, 1) == 1
    return enough and _share(cadence, gaps, 1) >= _PUNCTUAL and _share(cadence, gaps, 3) >= _EXPLAINED


def _share(cadence: Cadence, gaps: list[int], skipped: int) -> float:
    """Return the share of gaps that are 1 to `skipped` cadences long, within the tolerance."""
    steps = [cadence.mean_days * step for step in range(1, skipped + 1)]
    return sum(any(abs(gap - step) <= cadence.tolerance for step in steps) for gap in gaps) / len(gaps)


def spread(payments: list[Payment]) -> float:
    """Return the median absolute deviation of the amounts as a share of their median."""
    amounts = [abs(payment.amount_minor) for payment in payments]
    middle = median(amounts)
    return float(median(abs(amount - middle) for amount in amounts) / middle) if middle else 1.0


def prices(payments: list[Payment]) -> list[list[Payment]]:
    """Split the series where its price changed; one piece where the amount varies each time."""
    levels: list[list[Payment]] = []
    for payment in payments:
        before = levels[-1][-1].amount_minor if levels else 0
        if levels and abs(before - payment.amount_minor) <= _SAME_PRICE * abs(before):
            levels[-1].append(payment)
        else:
            levels.append([payment])
    return levels if len(levels) - 1 <= len(payments) // 4 else [payments]


def next_due(days: list[date], cadence: Cadence, today: date) -> date:
    """Return the first due day from `today` on; moved off a weekend where the series' past payments were."""
    due = _due_day_of_month(days)
    moves = _avoids_weekends(days, due)
    steps = 1
    while (day := _due(days[-1], cadence, steps, due)) < today or (moves and _monday_for(day) < today):
        steps += 1
    return _monday_for(day) if moves else day


def _due(last: date, cadence: Cadence, steps: int, due: int) -> date:
    """Return the due day nearest to `steps` cadences after the last payment, which may itself have been moved."""
    expected = cadence.after(last, steps)
    if not cadence.months:
        return expected
    return min((in_month(expected, month, due) for month in (-1, 0, 1)), key=lambda day: abs(day - expected))


def _due_day_of_month(days: list[date]) -> int:
    """Return the commonest day of the month, the earliest of equals as payments move forwards; 31 for month ends."""
    if all((day + timedelta(days=1)).day == 1 for day in days):
        return 31
    counted = Counter(day.day for day in days)
    return min(counted, key=lambda number: (-counted[number], number))


def _avoids_weekends(days: list[date], due: int) -> bool:
    """Whether no payment was on a weekend, and one came on the Monday after a due day that was."""
    moved = [day for day in days if 0 < (day - in_month(day, 0, due)).days <= 2 and day.weekday() == 0]
    return bool(moved) and all(day.weekday() < SATURDAY for day in days)


def _monday_for(day: date) -> date:
    return day + timedelta(days=7 - day.weekday()) if day.weekday() >= SATURDAY else day
