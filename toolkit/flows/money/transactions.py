"""The transactions behind the sums: `transactions`."""

from __future__ import annotations

from datetime import date

import polars as pl
import polars.selectors as cs

from toolkit.analytics.money.classify import problems_without_date
from toolkit.analytics.money.edits.settings import own_names
from toolkit.analytics.money.sums.months import Question
from toolkit.analytics.money.sums.rows import found_of_rows, within
from toolkit.analytics.money.transactions import (
    LISTED,
    of_account,
    of_category,
    transactions_of,
    with_masked_numbers,
    with_words,
)
from toolkit.answers.money import Transactions
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.spending import account_numbers, accounts_as_set, classified


def transactions(  # noqa: PLR0913  # the command's options, each by name
    ctx: Context,
    *,
    from_: date | None = None,
    to: date | None = None,
    account: str | None = None,
    category: str | None = None,
    payee: str | None = None,
    tag: str | None = None,
    kind: str | None = None,
    search: str | None = None,
    limit: int | None = None,
) -> Transactions:
    """List transactions, newest first (docs/commands.md); those without a date come last and are in no range.

    account: id or name. category: primary or secondary, as a code or in words, whatever the case; `no category` for
    rows without. payee: its whole name, whatever the case; empty for rows that name nobody. tag: empty for rows without
    one. kind: `expense`, `income`, `transfer` or `excluded`. search: every word occurs in the row's texts. limit: at
    most so many. Raises ChoiceRequiredError where the household has no such account, or nobody such a category.
    """
    with open_home(ctx) as (store, household):
        money = classified(store, household, LISTED)
        accounts = accounts_as_set(store, household.household_id)
        numbers = account_numbers(store, household.household_id)
        overrides = store.read("choices", household.household_id)
    rows = within(money.rows, Question(from_, to)).filter(*with_words(search or ""))
    if account is not None:
        rows = rows.filter(of_account(money, accounts, account))
    if category is not None:
        rows = rows.filter(of_category(money.rows, category, own_names(overrides)))
    if payee is not None:
        who = pl.col("merchant").cast(pl.String).str.to_lowercase()
        rows = rows.filter(who == payee.lower() if payee else who.is_null())
    if tag is not None:
        rows = rows.filter(pl.col("tag") == tag if tag else pl.col("tag").is_null())
    if kind is not None:
        rows = rows.filter(pl.col("kind") == kind)
    listed = rows.head(rows.height if limit is None else limit).cast({cs.categorical(): pl.String})
    shown = with_masked_numbers(listed, numbers)
    return Transactions(
        transactions=transactions_of(shown, money.suggestions, overrides),
        found=found_of_rows(rows),
        category_names=own_names(overrides),
        problems=problems_without_date(shown),
    )
