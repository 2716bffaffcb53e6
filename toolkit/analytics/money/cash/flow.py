"""Project the balance: today's, the payments that are known to come, and usual spending besides.

Everything besides the recurring series is drawn from the household's own past weeks, whole weeks at a time so that
weekdays keep their habits, and laid 1,000 times over the days ahead; quantiles of these futures are the answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.money.account_summary import Balance
from toolkit.analytics.money.cash.recurring import Series
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.answers.money import Cashflow, CashflowDay, CashflowItem, LowPoint
from toolkit.answers.notes import Note
from toolkit.tables.money import amount

WEEK = 7
LEAST_WEEKS, MOST_WEEKS = 8, 52
FUTURES = 1000

Week = NDArray[np.int64]
"""Cents by day, Monday first."""


def cash_flow(
    rows: pl.DataFrame,
    series: Sequence[Series],
    *,
    balances: Collection[Balance],
    days: Sequence[date],
    once: Sequence[Planned] = (),
    seed: int = 1,
) -> Cashflow:
    """Project the balance at the end of each of `days`, the first of which is today.

    rows: classified rows of the accounts whose balances are projected. series: see `recurring`. once: single planned
    payments. balances: latest known balance of each account; where there is none, only known payments are listed.
    """
    items = [tuple(_items(day, series, once)) for day in days]
    weeks = _other_weeks(rows, series, before=days[0])
    notes = tuple(_notes(balances, weeks, days[0]))
    if not balances:
        empty = tuple(CashflowDay(day, None, None, None, due) for day, due in zip(days, items, strict=True))
        return Cashflow(from_=days[0], to=days[-1], days=empty, low_point=None, notes=notes)
    certain = np.cumsum([sum(int(item.amount * 100) for item in due) for due in items]) + _spendable(balances, rows)
    # [3 quantiles, day], in cents
    bands = _bands(weeks, days[0], len(days), seed) + certain
    known = len(weeks) >= LEAST_WEEKS
    projected = []
    for day, band, due in zip(days, bands.T.tolist(), items, strict=True):
        p10, p50, p90 = (amount(round(cents)) for cents in band)
        projected.append(CashflowDay(day, p10 if known else None, p50, p90 if known else None, due))
    low = min(projected, key=lambda day: min(cents for cents in (day.p10, day.p50) if cents is not None))
    low_point = LowPoint(low.date, low.p10, low.p50)
    return Cashflow(from_=days[0], to=days[-1], days=tuple(projected), low_point=low_point, notes=notes)


def _spendable(balances: Collection[Balance], rows: pl.DataFrame) -> int:
    """Return the sum of the balances in cents, with rows of later days and pending rows."""
    days = {balance.account_id: balance.at for balance in balances}
    at = pl.col("account_id").replace_strict(days, default=None, return_dtype=pl.Date)
    known = rows.filter(pl.col("currency") == "AUD", at.is_not_null())
    since = known.filter((pl.col("status") == "PENDING") | (pl.col("day") > at))
    return sum(balance.minor for balance in balances) + int(since["amount_minor"].sum())


def _items(day: date, series: Sequence[Series], once: Sequence[Planned]) -> Iterator[CashflowItem]:
    """Yield the payments that are due on a day."""
    for entry in series:
        if _is_due(entry, day):
            yield CashflowItem(entry.name, amount(entry.usual), entry.source)
    for planned in once:
        if planned.next == day and planned.amount_minor is not None:
            yield CashflowItem(planned.name, amount(planned.amount_minor), planned.source)


def _is_due(entry: Series, day: date) -> bool:
    if entry.until is not None and day > entry.until:
        return False
    steps = 0
    while (due := entry.cadence.after(entry.next, steps)) < day:
        steps += 1
    return due == day


def _other_weeks(rows: pl.DataFrame, series: Sequence[Series], *, before: date) -> list[Week]:
    """Sum whole past weeks without the series by day; newest weeks first."""
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


def _is_of(entry: Series) -> pl.Expr:
    """Whether a past row belongs to the series: by merchant, sign and an amount between half and 1.5 times its own."""
    least, most = sorted((abs(entry.low), abs(entry.high)))
    near = pl.col("amount_minor").abs().is_between(least // 2, most * 3 // 2)
    same = pl.col("merchant").str.to_lowercase().is_in(entry.merchants).fill_null(False)
    return same & near & (pl.col("amount_minor").sign() == (1 if entry.usual > 0 else -1))


def _bands(weeks: list[Week], first: date, count: int, seed: int) -> NDArray[np.float64]:
    """Return quantiles 0.1, 0.5 and 0.9 of the cumulative sum of drawn weeks: [3, count], in cents."""
    if not weeks:
        return np.zeros((3, count))
    skipped = first.weekday()  # drawn weeks begin on a Monday, the projection on `first`
    length = -(-(count + skipped) // WEEK)
    drawn = np.random.default_rng(seed).integers(0, len(weeks), (FUTURES, length))
    # [week, day of week] → [future, drawn week, day of week] → [future, day]
    futures = np.stack(weeks)[drawn].reshape(FUTURES, -1)[:, skipped : skipped + count]
    return np.quantile(np.cumsum(futures, axis=1), [0.1, 0.5, 0.9], axis=0)


def _notes(balances: Collection[Balance], weeks: list[Week], today: date) -> Iterator[Note]:
    if balances:
        read = min(balance.at for balance in balances)
        later = read > today
        yield Note("balances_read_later", day=read, today=today) if later else Note("balances_read", day=read)
    else:
        yield Note("no_balance")
    if len(weeks) < LEAST_WEEKS:
        yield Note("few_weeks_of_spending", needed=LEAST_WEEKS)
    else:
        yield Note("weeks_of_spending", weeks=len(weeks))
