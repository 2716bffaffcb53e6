"""Whether a series of payments keeps time, at what cadence, and how its amount moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import polars as pl

from toolkit.tables.cadences import (
    CADENCES,
    FOUR_WEEKLY,
    SATURDAY,
    YEARLY,
    Cadence,
    Treatment,
    in_month,
    on_business_day,
)

_RECENT = 8
_MOVED_DAYS = 5
"""Thursday before Easter to the Tuesday after it."""
_SAME_PRICE = 0.005
_PUNCTUAL, _EXPLAINED = 0.7, 0.9
_STEADY, _STEADY_WITH_HINT = 0.25, 0.6
_SAME_DATE, _NEARLY_SAME = 3, 0.15
_LARGEST_RISE = 0.3
"""Share of the larger price: yearly payments further apart may be of two things."""


class Payment(NamedTuple):
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


def keeping_time(rows: pl.DataFrame, by: Sequence[str], *, apart: float) -> pl.DataFrame:
    """Return the rows of groups that may hold a series; `habit_of` finds none in the others, nor in parts of these.

    rows: `day` and `amount_minor`. by: the columns that name a group. apart: ratio of neighbouring amounts beyond which
    a group falls into parts. Of a group, or of one of its parts, enough gaps must be a cadence long.
    """
    groups = rows.group_by(by).agg(pl.len()).filter(pl.col("len") > 1).select(by).with_row_index("group")
    needed = rows.select(*by, "day", cents=pl.col("amount_minor").abs())
    numbered = needed.join(groups, on=by, how="left", maintain_order="left").select("group", "day", "cents")
    many = numbered.drop_nulls("group")
    larger = pl.col("cents") > apart * pl.col("cents").shift()  # the first of a group begins a part by its number
    parts = many.sort("group", "cents").with_columns(part=larger.fill_null(value=False).cum_sum())
    found = pl.concat([_punctual(many, ["group"]), _punctual(parts, ["group", "part"])])
    return rows.filter(numbered["group"].is_in(found.implode()).fill_null(value=False))


def _punctual(rows: pl.DataFrame, by: list[str]) -> pl.Series:
    """Return column `group` of the groups with enough gaps of one cadence. rows: `day` and `by`."""
    same = pl.all_horizontal(pl.col(name) == pl.col(name).shift() for name in by)
    gap = pl.col("day").diff().dt.total_days()
    gaps = rows.sort(*by, "day").select(*by, gap=pl.when(same).then(gap)).filter(pl.col("gap") > 0)
    shares = gaps.group_by(by).agg(
        ((pl.col("gap") - cadence.mean_days).abs() <= cadence.tolerance).mean().alias(str(place))
        for place, cadence in enumerate(CADENCES)
    )
    return shares.filter(pl.max_horizontal(pl.exclude(by)) >= _PUNCTUAL)["group"]


def habit_of(payments: list[Payment], *, hint: bool, steady: bool = False) -> Habit | None:
    """Find the cadence of a series by the median of its gaps; None if it is irregular or its amounts vary too much.

    hint: other evidence shows that it is a bill, a direct debit, a loan or pay. Then amounts may vary more, and two
    payments half a year or a year apart are enough; so are two of nearly the same amount on the same date a year later.
    steady: only prices that stay count, as of what is bought when it is needed.
    """
    days = sorted({payment.day for payment in payments})
    gaps = [(later - day).days for day, later in pairwise(days)]
    # most payees are shops: their gaps show it before their amounts are looked at
    if not gaps or not _is_near_a_cadence(gaps) or spread(payments) > (_STEADY_WITH_HINT if hint else _STEADY):
        return None
    if steady and not hint and len(prices(payments)) == 1 and spread_at_all(payments) > _SAME_PRICE:
        return None
    if len(days) == 2 and abs(gaps[0] - YEARLY.mean_days) <= _SAME_DATE and spread_at_all(payments) <= _NEARLY_SAME:
        return Habit(YEARLY, 1.0)
    fitting = (cadence for cadence in CADENCES if _fits(cadence, gaps, hint=hint))
    best = min(fitting, key=lambda cadence: abs(median(gaps) - cadence.mean_days), default=None)
    return Habit(best, _share(best, gaps, 1)) if best else None


def _is_near_a_cadence(gaps: list[int]) -> bool:
    usual = median(gaps)
    return any(abs(usual - cadence.mean_days) <= cadence.tolerance for cadence in CADENCES)


def _fits(cadence: Cadence, gaps: list[int], *, hint: bool) -> bool:
    least = 2 if hint and cadence.months >= 6 else cadence.least
    # payments move by days, but their usual gap does not: every five days is not weekly
    usual = cadence.tolerance if cadence.months else cadence.tolerance // 2
    enough = len(gaps) + 1 >= least and abs(median(gaps) - cadence.mean_days) <= usual
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


def spread_at_all(payments: list[Payment]) -> float:
    """Return how far the largest amount is above the smallest, as a share of the largest."""
    amounts = [abs(payment.amount_minor) for payment in payments]
    return 1 - min(amounts) / max(amounts)


def prices(payments: list[Payment], cadence: Cadence | None = None) -> list[list[Payment]]:
    """Split the series where its price changed; one piece where the amount varies each time.

    cadence: of the series. A yearly bill has one price for each year: registration, insurance, membership.
    """
    levels: list[list[Payment]] = []
    for payment in payments:
        before = levels[-1][-1].amount_minor if levels else 0
        if levels and abs(before - payment.amount_minor) <= _SAME_PRICE * abs(before):
            levels[-1].append(payment)
        else:
            levels.append([payment])
    is_price = cadence is YEARLY and all(
        spread_at_all([old[-1], new[0]]) <= _LARGEST_RISE for old, new in pairwise(levels)
    )
    return levels if is_price or len(levels) - 1 <= len(payments) // 4 else [payments]


def due_days(days: Sequence[date], cadence: Cadence, until: date) -> Iterator[date]:
    """Yield the due days after the last payment up to `until`, as agreed: not moved off weekends and holidays."""
    steps = 1
    while (day := _due(days, cadence, steps)) <= until:
        yield day
        steps += 1


def treatment_of(days: Sequence[date], cadence: Cadence, holidays: Collection[date], *, paid: bool) -> Treatment:
    """Return where payments that are due on a weekend or holiday go, as the past shows.

    A series that ever paid on a weekend is not moved. One by days of the week shows it on holidays alone: what is paid
    then comes after, what comes in before.
    """
    if any(day.weekday() >= SATURDAY for day in days):
        return "on"
    if not cadence.months:
        return "after" if paid else "before"
    due = _due_day_of_month(days)
    moved: Counter[Treatment] = Counter()
    for day in days:
        for agreed in (in_month(day, months, due) for months in (-1, 0, 1)):
            if 0 < abs((day - agreed).days) <= _MOVED_DAYS:
                moved["after"] += on_business_day(agreed, "after", holidays) == day
                moved["before"] += on_business_day(agreed, "before", holidays) == day
    if not any(moved.values()):
        return "on"
    return "after" if moved["after"] >= moved["before"] else "before"


def _due(days: Sequence[date], cadence: Cadence, steps: int) -> date:
    """Return the due day nearest to `steps` cadences after the last payment, which may itself have been moved."""
    expected = cadence.after(days[-1], steps)
    if not cadence.months:
        phases = Counter(day.toordinal() % cadence.days for day in days[-_RECENT:])
        off = (max(phases, key=lambda phase: phases[phase]) - expected.toordinal()) % cadence.days
        return expected + timedelta(days=off if 2 * off <= cadence.days else off - cadence.days)
    due = _due_day_of_month(days)
    return min((in_month(expected, month, due) for month in (-1, 0, 1)), key=lambda day: abs(day - expected))


def _due_day_of_month(days: Sequence[date]) -> int:
    """Return the commonest day of the month, the earliest of equals as payments move forwards; 31 for month ends."""
    if all((day + timedelta(days=1)).day == 1 for day in days):
        return 31
    counted = Counter(day.day for day in days)
    return min(counted, key=lambda number: (-counted[number], number))
