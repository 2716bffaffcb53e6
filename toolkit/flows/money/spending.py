"""Spending by category, merchant or account."""

from __future__ import annotations

from datetime import date

import msgspec
import polars as pl

from toolkit.analytics.money import Question, spending_of_buckets, spending_of_rows
from toolkit.answers.money import By, Spending, SpendingRows
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money import rollups
from toolkit.flows.money.classified import (
    account_names,
    account_suggestions,
    classified,
    suggested_links,
    without_a_date,
)
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow


def spending(  # the command's options, each by name
    ctx: Context,
    *,
    by: By = "category",
    months: bool = False,
    pending: bool = False,
    from_: date | None = None,
    to: date | None = None,
) -> Spending:
    """Answer spending of the household by category, merchant or account (docs/commands.md); amounts in AUD.

    Refunds reduce their category and may make it negative; moves between own accounts are in no row. Days are local
    days of the household's zone, both ends inclusive.
    """
    question = Question(from_, to, by, months, pending)
    with open_home(ctx) as (store, household):
        answer = answered(store, household, question)
        if by != "account":
            return answer
        names = account_names(store, household.household_id)
    named = answer.rows.frame().with_columns(
        pl.col("account_id").replace_strict(names, default=None, return_dtype=pl.String).alias("account_name")
    )
    columns = [name for name in named.columns if name not in {"spent", "count"}]
    return msgspec.structs.replace(answer, rows=SpendingRows(named.select(*columns, "spent", "count")))


def answered(store: Store, household: HouseholdRow, question: Question) -> Spending:
    """Answer from the roll-ups where these hold it exactly, else from the rows."""
    if not rollups.can_answer(store, household, question):
        return from_rows(store, household, question)
    home = household.household_id
    warnings = tuple(problem for _, problem in account_suggestions(store, home))
    answer = spending_of_buckets(rollups.read(store, home, question), question)
    return msgspec.structs.replace(answer, problems=warnings)


def from_rows(store: Store, household: HouseholdRow, question: Question) -> Spending:
    """Answer from the transactions themselves."""
    money = classified(store, household)
    names = account_names(store, household.household_id)
    maybe = [(suggestion.account_ids, suggestion.reason) for suggestion in money.links.suggestions]
    problems = (*suggested_links(maybe, names), *without_a_date(money.rows))
    return msgspec.structs.replace(spending_of_rows(money.rows, question), problems=problems)
