"""Budgets: what may be spent in a category a month, week or year, what was, and whether the pace keeps to it.

Unusual spending: a month of a category far above the household's own median, with the payee that made the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from statistics import median

import msgspec
import polars as pl

from toolkit.analytics.money.categorise import in_force
from toolkit.analytics.money.years.periods import month_with
from toolkit.answers.base import Period
from toolkit.answers.money import Budget, IncomeSource, Per, UnusualSpending
from toolkit.tables.cadences import in_month
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import shown_as_one
from toolkit.units import HOME_CURRENCY

KIND = "budget"
"""The kind of override that sets a budget; its subject is a category's code."""
_FEWEST_MONTHS, _MOST_MONTHS = 4, 12
_TIMES, _LEAST_CENTS = 1.5, 10_000
_MAD = 3.0


class BudgetSetting(msgspec.Struct, frozen=True):
    """A budget as it was set. amount_minor: cents of AUD; 0 removes it."""

    amount_minor: int
    per: Per = "month"


def budgets_of(overrides: pl.DataFrame | None) -> dict[str, BudgetSetting]:
    """Return category code → its budget in force. overrides: table `choices`."""
    latest = {override.subject: override.value for override in in_force(overrides, KIND)}
    parsed = {code: msgspec.json.decode(value, type=BudgetSetting) for code, value in sorted(latest.items())}
    return {code: setting for code, setting in parsed.items() if setting.amount_minor}


def period_of(per: Per, today: date) -> Period:
    """Return the week (from Monday), month or calendar year that holds a day."""
    if per == "week":
        monday = today - timedelta(days=today.weekday())
        return Period(monday, monday + timedelta(days=6))
    if per == "year":
        return Period(date(today.year, 1, 1), date(today.year, 12, 31))
    return month_with(today)


def budgets(rows: pl.DataFrame, settings: Mapping[str, BudgetSetting], today: date) -> tuple[Budget, ...]:
    """Return each budget with what was spent so far. rows: classified; a primary category holds its parts."""
    made = []
    for code, setting in settings.items():
        period = period_of(setting.per, today)
        codes = shown_as_one(code)
        of_category = pl.any_horizontal(pl.col("primary_category", "secondary_category").is_in(codes))
        until_today = pl.col("day").is_between(period.first, today)
        spent = -int(_spending(rows).filter(of_category, until_today)["amount_minor"].sum())
        passed = ((today - period.first).days + 1) / period.days
        made.append(
            Budget(
                category=code,
                per=setting.per,
                budget=amount(setting.amount_minor),
                from_=period.first,
                to=period.last,
                spent=amount(spent),
                left=amount(setting.amount_minor - spent),
                pace=amount(round(setting.amount_minor * passed)),
                state="over"
                if spent > setting.amount_minor
                else "fast"
                if spent > setting.amount_minor * passed
                else "ok",
            )
        )
    return tuple(made)


def unusual_spending(rows: pl.DataFrame, period: Period) -> tuple[UnusualSpending, ...]:
    """Return the categories with far more spending in a period, of at most a month or so, than in earlier months.

    Far above is 1.5 times the median of at least four of the twelve months before, three times their usual deviation
    from it, and $100 more. The most unusual come first.
    """
    spent = _spending(rows).filter(pl.col("primary_category").is_not_null())
    first = rows.select(pl.col("day").min()).item() or period.first
    before = [
        Period(in_month(period.first, -back), in_month(period.first, 1 - back) - timedelta(days=1))
        for back in range(1, _MOST_MONTHS + 1)
        if in_month(period.first, -back) >= first
    ]
    if len(before) < _FEWEST_MONTHS:
        return ()
    found = []
    now = _by_category(spent, period)
    earlier = [_by_category(spent, month) for month in before]
    for code, cents in now.items():
        usual = [month.get(code, 0) for month in earlier]
        middle = median(usual)
        spread = median(abs(value - middle) for value in usual)
        if cents - middle >= max(_LEAST_CENTS, (_TIMES - 1) * middle, _MAD * spread):
            mine = spent.filter(pl.col("primary_category").is_in(shown_as_one(code)))
            name, change = _reason(mine, period, before)
            found.append(
                UnusualSpending(
                    category=code,
                    spent=amount(cents),
                    usual=amount(round(middle)),
                    merchant=name,
                    merchant_more=amount(change),
                )
            )
    return tuple(sorted(found, key=lambda entry: entry.usual - entry.spent))


def income_sources(rows: pl.DataFrame, period: Period) -> tuple[IncomeSource, ...]:
    """Return who paid income in a period, most first."""
    paid = rows.filter(
        pl.col("kind") == "income",
        pl.col("status") != "PENDING",
        pl.col("currency") == HOME_CURRENCY,
        pl.col("day").is_between(period.first, period.last),
    )
    sums = paid.group_by("merchant").agg(pl.col("amount_minor").sum(), count=pl.len())
    ordered = sums.sort("amount_minor", "merchant", descending=[True, False])
    return tuple(IncomeSource(name, amount(cents), count) for name, cents, count in ordered.iter_rows())


def _spending(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("kind") == "expense", pl.col("status") != "PENDING", pl.col("currency") == HOME_CURRENCY)


def _within(rows: pl.DataFrame, period: Period) -> pl.DataFrame:
    return rows.filter(pl.col("day").is_between(period.first, period.last))


def _by_category(rows: pl.DataFrame, period: Period) -> dict[str, int]:
    """Return primary category → cents spent; of codes that are shown as one, under the first."""
    sums = _within(rows, period).group_by("primary_category").agg(-pl.col("amount_minor").sum()).sort(pl.all())
    spent: dict[str, int] = {}
    for code, cents in sums.iter_rows():
        first = shown_as_one(code)[0]
        spent[first] = spent.get(first, 0) + cents
    return spent


def _reason(rows: pl.DataFrame, period: Period, before: Iterable[Period]) -> tuple[str | None, int]:
    """Return the payee with the largest rise of spending above its usual, and by how many cents."""

    def by_payee(of: Period) -> dict[str | None, int]:
        return dict(_within(rows, of).group_by("merchant").agg(-pl.col("amount_minor").sum()).iter_rows())

    earlier = [by_payee(month) for month in before]
    rises = {name: cents - median(month.get(name, 0) for month in earlier) for name, cents in by_payee(period).items()}
    name = max(rises, key=lambda name: (rises[name], name or ""))
    return name, round(rises[name])
