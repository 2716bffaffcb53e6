"""How projections of the balance fared on the household's own past, and how wide the range must be.

From a past day on, with what was known then, the balance is projected and compared with the real one: today's balance
less what has moved since. The errors say how much wider or narrower the range has to be to hold eight times in ten, for
each number of days ahead: of n errors the one in place ⌈0.8 (n + 1)⌉ is exceeded by the next one in two cases of ten at
most, where the next is like them (split conformal prediction, Lei et al. 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil

import numpy as np
import polars as pl

from toolkit.analytics.money.cash.flow import CHECKED, Projection
from toolkit.answers.money import CashflowBacktest
from toolkit.tables.money import amount
from toolkit.units import HOME_CURRENCY

APART_DAYS = 28
MOST_ORIGINS = 12
FEWEST_ORIGINS = 3
_COVERAGE = 0.8
_AS_GOOD_AS = 6
"""Origins that the width 1 counts as: few origins move the width little."""
_WIDTHS = (0.7, 3.0)


@dataclass(frozen=True, slots=True)
class Check:
    """A projected day with a balance known by now, in cents."""

    p10: float
    p50: float
    p90: float
    real: float

    @property
    def needed(self) -> float:
        """By how much the range would have to be wider to just hold the real balance."""
        side = self.p90 - self.p50 if self.real > self.p50 else self.p50 - self.p10
        return abs(self.real - self.p50) / max(side, 100.0)

    def holds(self, width: float) -> bool:
        """Whether the range of that width contains the real balance; to within a dollar."""
        return abs(self.real - self.p50) <= 100 or self.needed <= width


def past_days(rows: pl.DataFrame, today: date, ahead: int) -> list[date]:
    """Return past days to project from, newest first: with eight weeks of rows before them and `ahead` days after."""
    first = rows.select(pl.col("day").min()).item()
    if first is None:
        return []
    newest = today - timedelta(days=min(ahead, CHECKED[-1]))
    days = [newest - timedelta(days=APART_DAYS * number) for number in range(MOST_ORIGINS)]
    return [day for day in days if (day - first).days >= 70]


def checks_of(
    rows: pl.DataFrame,
    origins: Sequence[date],
    projected: Callable[[date, int], Projection],
    *,
    start: int,
    today: date,
    ahead: int,
) -> list[list[Check]]:
    """Return the checks of each origin. rows: those that move the balance. start: cents at the beginning of `today`.

    projected: the projection from a day on, given the cents at its beginning, from what was known then.
    """
    posted = rows.filter(
        pl.col("status") != "PENDING", pl.col("currency") == HOME_CURRENCY, pl.col("day").is_not_null()
    )
    daily = dict(posted.filter(pl.col("day") < today).group_by("day").agg(pl.col("amount_minor").sum()).iter_rows())
    found: list[list[Check]] = []
    for origin in origins:
        days = [origin + timedelta(days=number) for number in range((today - origin).days)]
        moved = np.cumsum([daily.get(day, 0) for day in days])
        began = start - int(moved[-1])
        projection = projected(origin, began)
        numbers = [number for number in CHECKED if number < min(ahead, len(days))]
        found.append([])
        for number in numbers:
            p10, p50, p90 = projection.bands[:, number].tolist()
            found[-1].append(Check(p10, p50, p90, began + float(moved[number])))
    return [checks for checks in found if checks]


def widths_of(checks: Sequence[Sequence[Check]]) -> tuple[float, ...]:
    """Return the factor for the range at each number of days ahead that was checked; none with too few origins.

    It is enough for eight times in ten, drawn towards 1 where the past is short.
    """
    if len(checks) < FEWEST_ORIGINS:
        return ()
    return tuple(_width([check.needed for check in at_once]) for at_once in zip(*checks, strict=False))


def _width(needed: Sequence[float]) -> float:
    count = len(needed)
    enough = sorted(needed)[min(ceil(_COVERAGE * (count + 1)), count) - 1]
    drawn = (count * enough + _AS_GOOD_AS) / (count + _AS_GOOD_AS)
    return min(max(drawn, _WIDTHS[0]), _WIDTHS[1])


def backtest_of(checks: Sequence[Sequence[Check]]) -> CashflowBacktest | None:
    """Return how the ranges fared, each with the width that the other origins give; None with too few origins."""
    if len(checks) < FEWEST_ORIGINS:
        return None
    inside, errors = [], []
    for number, origin in enumerate(checks):
        widths = widths_of([*checks[:number], *checks[number + 1 :]]) or (1.0,) * len(origin)
        inside += [check.holds(width) for check, width in zip(origin, widths, strict=False)]
        errors += [abs(check.real - check.p50) for check in origin]
    return CashflowBacktest(
        origins=len(checks),
        checks=len(inside),
        coverage=round(sum(inside) / len(inside), 4),
        mae=amount(round(sum(errors) / len(errors))),
    )
