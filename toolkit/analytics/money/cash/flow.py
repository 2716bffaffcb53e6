"""Project balances: today's, the payments that are known to come, and usual spending besides.

Everything besides the recurring series is drawn from the household's own past weeks, whole weeks at a time so that
weekdays keep their habits. Each of 1,000 futures first draws which past weeks are typical, then the weeks ahead from
these: with few weeks of history the range is wider. Amounts of series that vary are drawn from their recent payments,
and so are the days that transfers between own accounts take: on these their money is in no account.
Quantiles of the futures are the answer, widened by what is usual among households: pay rises, subscriptions that end
and a level of spending that drifts are in no past week. `backtest` gives by how much the range was too narrow or too
wide in the household's own past.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.money.account_summary import Balance
from toolkit.analytics.money.cash.own_moves import OnItsWay
from toolkit.analytics.money.cash.recurring import Series
from toolkit.analytics.money.cash.scheduled import Planned
from toolkit.answers.money import CashflowDay, CashflowItem, LowPoint, UntilPay
from toolkit.tables.money import amount
from toolkit.units import HOME_CURRENCY

WEEK = 7
LEAST_WEEKS, MOST_WEEKS = 8, 52
FUTURES = 1000
CHECKED = (7, 14, 30, 60, 89)
"""Days ahead at which projections from the past are compared with what came; each has a width of its own."""
_CAUSE_DAYS = 7
_USUAL_WIDTH_DAYS, _USUAL_WIDTHS = (30, 60), (1.15, 1.35)
"""Days ahead, and the factor with which the range was right 8 times in 10 on made-up families (docs/reliability.md)."""
_DEVIATES = 1.2816
"""Standard deviations between the median and the 90th percentile of a normal distribution."""

Week = NDArray[np.int64]
"""Cents by day, Monday first."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A payment, or income, that is expected on a day."""

    day: date
    name: str
    cents: int
    source: str
    account_id: str | None = None
    draws: tuple[int, ...] = ()
    """Amounts in cents that it may have, equally likely; empty where it is fixed."""
    overdue_since: date | None = None
    """Due day of a bill that was due before `day`."""


@dataclass(frozen=True, slots=True)
class Projection:
    """The balance at the end of each day, in cents: 0.1, 0.5 and 0.9 quantiles [3, day]."""

    days: tuple[date, ...]
    bands: NDArray[np.float64]
    weeks: int
    """Whole past weeks that spending was drawn from; below `LEAST_WEEKS` there is no range."""

    def since(self, day: date) -> Projection:
        """Return the projection from a day on."""
        number = self.days.index(day)
        return Projection(self.days[number:], self.bands[:, number:], self.weeks)

    @property
    def has_range(self) -> bool:
        """Whether the past is long enough for a range."""
        return self.weeks >= LEAST_WEEKS


def expected_payments(
    series: Iterable[Series], once: Iterable[Planned], first: date, last: date, *, bills: Iterable[Expected] = ()
) -> list[Expected]:
    """Return what is due from `first` to `last`, by day: of series that go on, single planned payments, and bills."""
    due = [
        Expected(day, entry.name, entry.usual, entry.source, entry.account_id, entry.recent)
        for entry in series
        if not entry.ended
        for day in entry.due
    ]
    due += [
        Expected(entry.next, entry.name, entry.amount_minor, entry.source, entry.account_id)
        for entry in once
        if entry.amount_minor is not None
    ]
    return sorted((entry for entry in (*due, *bills) if first <= entry.day <= last), key=lambda entry: entry.day)


def due_before(series: Iterable[Series], first: date) -> int:
    """Return the sum, in cents, of payments before `first` that are due on days no row of their account shows."""
    return sum(entry.usual for entry in series if not entry.ended for day in entry.due if day < first)


def bill_draws(p10: int, p50: int, p90: int) -> tuple[int, ...]:
    """Return amounts in cents of a bill that has these quantiles: of a normal distribution on each side of p50."""
    steps = np.array([-1.645, -1.036, -0.674, -0.385, -0.126, 0.126, 0.385, 0.674, 1.036, 1.645]) / _DEVIATES
    sides = np.where(steps < 0, p50 - p10, p90 - p50)
    return tuple(int(cents) for cents in np.rint(p50 + steps * sides))


def other_weeks(rows: pl.DataFrame, series: Sequence[Series], *, before: date) -> list[Week]:
    """Sum whole past weeks without the series by day; newest weeks first. rows: those that count."""
    monday = before - timedelta(days=before.weekday())
    counted = rows.filter(pl.col("status") != "PENDING", pl.col("currency") == HOME_CURRENCY, pl.col("day") < monday)
    other = counted.filter(~pl.any_horizontal(pl.lit(value=False), *(is_of(entry) for entry in series)))
    daily = dict(other.group_by("day").agg(pl.col("amount_minor").sum()).iter_rows())
    first = rows.select(pl.col("day").min()).item() or monday
    count = min(MOST_WEEKS, max(0, (monday - first).days // WEEK))
    starts = [monday - timedelta(days=WEEK * back) for back in range(1, count + 1)]
    return [np.array([daily.get(start + timedelta(days=d), 0) for d in range(WEEK)], np.int64) for start in starts]


def is_of(entry: Series) -> pl.Expr:
    """Whether a past row belongs to the series: by merchant, sign and an amount between half and 1.5 times its own."""
    least, most = sorted((abs(entry.low), abs(entry.high)))
    least = min([least, *(abs(change.before) for change in entry.changes)])
    near = pl.col("amount_minor").abs().is_between(least // 2, most * 3 // 2)
    same = pl.col("merchant").str.to_lowercase().is_in(entry.merchants).fill_null(value=False)
    return same & near & (pl.col("amount_minor").sign() == (1 if entry.usual > 0 else -1))


def project(  # noqa: PLR0913  what moves the balance, each by name
    start: int,
    due: Sequence[Expected],
    weeks: Sequence[Week],
    days: Sequence[date],
    *,
    moves_between: Sequence[OnItsWay] = (),
    widths: Sequence[float] = (),
    first_day_counted: bool = False,
) -> Projection:
    """Project a balance. start: cents at the beginning of `days[0]`.

    moves_between: transfers between the accounts of which it is the balance.

    widths: factor of the range about its middle at each number of days ahead of `CHECKED`, as far as they go; between
    these it changes evenly. 1 without any.
    first_day_counted: `start` holds what was spent on `days[0]` already; what is still due on it is not in `start`.
    """
    place = {day: number for number, day in enumerate(days)}
    fixed = np.zeros(len(days))
    chance = np.random.default_rng(1)
    moves = _drawn_weeks(weeks, days[0], len(days), chance)
    if first_day_counted:
        moves[:, 0] = 0
    for entry in due:
        if entry.draws and len(set(entry.draws)) > 1:
            moves[:, place[entry.day]] += chance.choice(np.array(entry.draws, float), FUTURES)
        else:
            fixed[place[entry.day]] += entry.cents
    for move in moves_between:
        _take_their_time(moves, move, days[0], chance)
    # [future, day] → [3 quantiles, day]
    quantiles = np.quantile(np.cumsum(moves, axis=1), [0.1, 0.5, 0.9], axis=0)
    middle = quantiles[1]
    usual = np.interp(np.arange(len(days)), _USUAL_WIDTH_DAYS, _USUAL_WIDTHS)
    own = np.interp(np.arange(len(days)), CHECKED[: len(widths)], widths) if widths else np.ones(len(days))
    bands = middle + (quantiles - middle) * usual * own + np.cumsum(fixed) + start
    return Projection(tuple(days), bands, len(weeks))


def _take_their_time(moves: NDArray[np.float64], move: OnItsWay, first: date, chance: np.random.Generator) -> None:
    """Take a transfer out of each future on its day, and put it back when it arrives. moves: changed in place."""
    left = (move.day - first).days
    if not 0 <= left < moves.shape[1]:
        return
    arrives = left + chance.choice(np.array(move.lags), FUTURES)
    seen = np.flatnonzero(arrives < moves.shape[1])
    moves[:, left] -= move.cents
    moves[seen, arrives[seen]] += move.cents


def _drawn_weeks(weeks: Sequence[Week], first: date, count: int, chance: np.random.Generator) -> NDArray[np.float64]:
    """Return spending besides the series by [future, day], in cents."""
    if not weeks:
        return np.zeros((FUTURES, count))
    skipped = first.weekday()  # drawn weeks begin on a Monday, the projection on `first`
    length = -(-(count + skipped) // WEEK)
    known = len(weeks)
    typical = chance.integers(0, known, (FUTURES, known))
    drawn = np.take_along_axis(typical, chance.integers(0, known, (FUTURES, length)), axis=1)
    # [week, day of week] → [future, drawn week, day of week] → [future, day]
    return np.stack(weeks)[drawn].reshape(FUTURES, -1)[:, skipped : skipped + count].astype(float)


def spendable(balances: Collection[Balance], rows: pl.DataFrame) -> int:
    """Return the sum of the balances in cents, with rows of later days and pending rows."""
    days = {balance.account_id: balance.at for balance in balances}
    at = pl.col("account_id").replace_strict(days, default=None, return_dtype=pl.Date)
    known = rows.filter(pl.col("currency") == HOME_CURRENCY, at.is_not_null())
    since = known.filter((pl.col("status") == "PENDING") | (pl.col("day") > at))
    return sum(balance.minor for balance in balances) + int(since["amount_minor"].sum())


def answer_days(
    projection: Projection | None, due: Sequence[Expected], days: Sequence[date]
) -> tuple[CashflowDay, ...]:
    """Return the days of an answer; without a projection (no balance) only what is due."""
    items: dict[date, list[CashflowItem]] = {}
    for entry in due:
        items.setdefault(entry.day, []).append(
            CashflowItem(entry.name, amount(entry.cents), entry.source, entry.overdue_since)
        )
    if projection is None:
        return tuple(CashflowDay(day, None, None, None, tuple(items.get(day, ()))) for day in days)
    shown = []
    for day, band in zip(days, projection.bands.T.tolist(), strict=True):
        p10, p50, p90 = (amount(round(cents)) for cents in band)
        known = projection.has_range
        shown.append(CashflowDay(day, p10 if known else None, p50, p90 if known else None, tuple(items.get(day, ()))))
    return tuple(shown)


def low_point_of(days: Sequence[CashflowDay]) -> LowPoint | None:
    """Return the first day with the lowest middle balance, and the largest payments of the week that led to it."""
    known = [(day.p50, number) for number, day in enumerate(days) if day.p50 is not None]
    if not known:
        return None
    number = min(known)[1]
    low = days[number]
    before = days[max(0, number - _CAUSE_DAYS + 1) : number + 1]
    paid = [item for day in before for item in day.items if item.amount < 0]
    cause = tuple(sorted(paid, key=lambda item: item.amount)[:3])
    return LowPoint(low.date, low.p10, low.p50, low.p90, cause)


def until_pay(series: Iterable[Series], start: int, due: Sequence[Expected], projection: Projection) -> UntilPay | None:
    """Return what is left before the next pay of the series that pays most a year; None without one in these days."""
    today = projection.days[0]
    main = max(
        (entry for entry in series if entry.kind == "pay" and not entry.ended),
        key=lambda entry: entry.yearly,
        default=None,
    )
    day = next((day for day in main.due if day > today), None) if main else None
    if main is None or day is None or day > projection.days[-1]:
        return None
    p10, p50, p90 = (amount(round(cents)) for cents in projection.bands[:, (day - today).days - 1].tolist())
    known = projection.has_range
    return UntilPay(
        date=day,
        name=main.name,
        amount=amount(main.usual),
        left=amount(start + sum(entry.cents for entry in due if entry.day < day)),
        p10=p10 if known else None,
        p50=p50,
        p90=p90 if known else None,
    )
