"""For how many days the payments of a line stand: over part of a pay cycle, the days of the statement are too few."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from itertools import pairwise

CYCLES = (Fraction(7), Fraction(14), Fraction(28), Fraction(365, 12), Fraction(365, 4))
"""Days of a week, a fortnight, four weeks, a month and a quarter."""
FEWEST = 3
"""Two payments are one gap, which shows no cycle, unless they are pay or Centrelink."""
_SHIFT = Fraction(1, 4)
"""By this part of a cycle a payment comes earlier or later: weekends, holidays, and months of 28 to 31 days."""
_INCOME_SHIFT = 1
"""Days by which two pays may miss a cycle: a public holiday."""


def days_covered(paid_on: Sequence[date], days: int, *, is_regular_income: bool = False) -> Fraction:
    """Return the days that regular payments cover: a cycle each; for all others, the days of the statement.

    paid_on: the days of payments, each once, in order. is_regular_income: they are pay or Centrelink, which come on
    fixed days: two of these, just a cycle apart, are enough, as a month has no more pays of a fortnight. In 35 days
    there can be two or three pays of a fortnight: they cover 28 or 42 days. Payments that began, ended or paused within
    the statement cover all of its days.
    """
    gaps = [(after - before).days for before, after in pairwise(paid_on)]
    is_pair = is_regular_income and len(paid_on) == FEWEST - 1
    if len(paid_on) < FEWEST and not is_pair:
        return Fraction(days)
    mean = Fraction(sum(gaps), len(gaps))
    cycle = min(CYCLES, key=lambda each: abs(each - mean))
    shift = _INCOME_SHIFT if is_pair else cycle * _SHIFT
    is_regular = all(abs(gap - cycle) <= shift for gap in gaps)
    covered = cycle * len(paid_on)
    return covered if is_regular and abs(covered - days) < cycle else Fraction(days)
