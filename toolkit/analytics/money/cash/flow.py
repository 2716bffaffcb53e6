"""How the money will last: today's balance, what is known to come, and what usually happens besides.

Everything besides the series is drawn from the household's own past weeks, whole weeks at a time so that weekdays keep
their habits, and laid many times over the days ahead; the middle and the tenths of these futures are the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.money.cash.recurring import Recurring
from toolkit.analytics.money.cash.scheduled import Planned

WEEK = 7
LEAST_WEEKS, MOST_WEEKS = 8, 52
FUTURES = 1000

Week = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Item:
    """Something known to happen. amount_minor: cents, money out negative."""

    name: str
    amount_minor: int
    source: str


@dataclass(frozen=True, slots=True)
class Day:
    """The balance at the end of a day in cents; null where it cannot be known."""

    date: date
    p10: int | None
    p50: int | None
    p90: int | None
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class CashFlow:
    days: list[Day]
    low_point: Day | None
    notes: list[str] = field(default_factory=list)


def cash_flow(
    rows: pl.DataFrame,
    series: Sequence[Recurring],
    *,
    balance_minor: int | None,
    days: Sequence[date],
    once: Sequence[Planned] = (),
    seed: int = 1,
) -> CashFlow:
    """Balances at the end of each of `days`, the first of which is today.

    rows: classified rows of the accounts that the balance is of. series: see `recurring`; once: single planned
    payments. balance_minor: what is in these accounts now, pending rows taken off; None where it is not known.
    """
    items = {day: tuple(_items(day, series, once)) for day in days}
    weeks = _other_weeks(rows, series, before=days[0])
    notes = list(_notes(balance_minor, weeks))
    if balance_minor is None:
        return CashFlow([Day(day, None, None, None, items[day]) for day in days], None, notes)
    certain = np.cumsum([sum(item.amount_minor for item in items[day]) for day in days]) + balance_minor
    bands = _bands(weeks, days[0], len(days), seed) + certain
    known = len(weeks) >= LEAST_WEEKS
    made = [_day(day, band, items[day], known=known) for day, band in zip(days, bands.T.tolist(), strict=True)]
    return CashFlow(made, min(made, key=_lowest), notes)


def _day(day: date, band: list[float], items: tuple[Item, ...], *, known: bool) -> Day:
    p10, p50, p90 = (round(value) for value in band)
    return Day(day, p10 if known else None, p50, p90 if known else None, items)


def _lowest(day: Day) -> int:
    low = day.p10 if day.p10 is not None else day.p50
    assert low is not None
    return low


def _items(day: date, series: Sequence[Recurring], once: Sequence[Planned]) -> Iterator[Item]:
    for entry in series:
        if day in _dates(entry, day):
            yield Item(entry.name, entry.usual, entry.source)
    for planned in once:
        if planned.next == day and planned.amount_minor is not None:
            yield Item(planned.name, planned.amount_minor, planned.source)


def _dates(entry: Recurring, until: date) -> set[date]:
    found, steps = set[date](), 0
    last = min(until, entry.until or until)
    while (day := entry.cadence.after(entry.next, steps)) <= last:
        found.add(day)
        steps += 1
    return found


def _other_weeks(rows: pl.DataFrame, series: Sequence[Recurring], *, before: date) -> list[Week]:
    """Sums by day, Monday first, of whole past weeks without the series; newest weeks first."""
    monday = before - timedelta(days=before.weekday())
    other = rows.filter(
        pl.col("status") != "PENDING",
        pl.col("currency") == "AUD",
        pl.col("kind") != "transfer",
        pl.col("day") < monday,
        ~pl.any_horizontal(pl.lit(False), *(_is_of(entry) for entry in series)),
    )
    daily = dict(other.group_by("day").agg(pl.col("amount_minor").sum()).iter_rows())
    first = rows.select(pl.col("day").min()).item() or monday
    count = min(MOST_WEEKS, max(0, (monday - first).days // WEEK))
    starts = [monday - timedelta(days=WEEK * back) for back in range(1, count + 1)]
    return [np.array([daily.get(start + timedelta(days=d), 0) for d in range(WEEK)], np.int64) for start in starts]


def _is_of(entry: Recurring) -> pl.Expr:
    """A past row of the series: its merchant, and an amount not far from what the series took."""
    least, most = sorted((abs(entry.low), abs(entry.high)))
    near = pl.col("amount_minor").abs().is_between(least // 2, most * 3 // 2)
    same = pl.col("merchant").str.to_lowercase().is_in(entry.merchants).fill_null(False)
    return same & near & (pl.col("amount_minor").sign() == (1 if entry.usual > 0 else -1))


def _bands(weeks: list[Week], first: date, count: int, seed: int) -> NDArray[np.float64]:
    """Tenth, half and nine tenths of the running sum of drawn weeks, by day."""
    if not weeks:
        return np.zeros((3, count))
    skipped = first.weekday()
    length = -(-(count + skipped) // WEEK)
    drawn = np.random.default_rng(seed).integers(0, len(weeks), (FUTURES, length))
    futures = np.stack(weeks)[drawn].reshape(FUTURES, -1)[:, skipped : skipped + count]
    return np.quantile(np.cumsum(futures, axis=1), [0.1, 0.5, 0.9], axis=0)


def _notes(balance: int | None, weeks: list[Week]) -> Iterator[str]:
    if balance is None:
        yield "No balance of an everyday or card account is stored, so only what is known to come is listed."
    if len(weeks) < LEAST_WEEKS:
        yield f"Fewer than {LEAST_WEEKS} whole weeks of other spending are stored: the range p10 to p90 is not known."
    else:
        yield f"Other spending is drawn from the last {len(weeks)} weeks."
