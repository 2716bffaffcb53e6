"""What was spent this month so far, and on the same days of the month before and of last year."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import polars as pl

from toolkit.analytics.money.cash.reach import QUIET
from toolkit.analytics.money.sums.months import Question
from toolkit.analytics.money.sums.rows import spending_of_rows, summed_columns
from toolkit.answers.base import Period
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.spending import classified
from toolkit.tables.cadences import in_month


@dataclass(frozen=True, slots=True)
class MonthSoFar:
    """Money out less refunds in the first days of a month. AUD; None for days that begin before the transactions."""

    days: Period
    """The month of the newest transaction, up to it: the days after it are not known, here and on Spending."""
    before_days: Period
    spent: Decimal
    before: Decimal | None
    """In the same days of the month before; None where an account of this month was not known yet."""
    last_year: Decimal | None
    is_recent: bool
    """Whether the newest transaction is of this month and at most three days old."""


def month_so_far(ctx: Context) -> MonthSoFar | None:
    """Return what was spent in the month of the newest transaction, up to it.

    Days without data are not taken for days without spending. None without any transaction that has a day.
    Raises as `open_home`.
    """
    with open_home(ctx) as (store, household):
        columns = dict.fromkeys((*summed_columns(Question()), "account_id"))
        rows = classified(store, household, tuple(columns)).rows
    past = rows.filter(pl.col("day") <= ctx.today)
    newest = past["day"].max()
    if not isinstance(newest, date):
        return None
    is_recent = newest >= max(ctx.today - QUIET, ctx.today.replace(day=1))
    spans = [Period(in_month(newest.replace(day=1), -back), in_month(newest, -back)) for back in (0, 1, 12)]
    spent = [spending_of_rows(rows, Question(span.first, span.last)).spent for span in spans]
    begun = _all_begun(past, spans[0])
    before, last_year = (
        amount if begun <= span.first + QUIET else None for span, amount in zip(spans[1:], spent[1:], strict=True)
    )
    return MonthSoFar(spans[0], spans[1], spent[0], before, last_year, is_recent)


def _all_begun(rows: pl.DataFrame, span: Period) -> date:
    """Return the day from which every account with rows in a span is known. rows: at least one of them.

    A card's file that begins later would else make the months since look dearer than those before.
    """
    here = rows.filter(pl.col("day").is_between(span.first, span.last))["account_id"].unique().implode()
    used = rows.filter(pl.col("account_id").is_in(here))
    begun: list[date] = used.group_by("account_id").agg(pl.col("day").min())["day"].to_list()
    return max(begun, default=span.first)
