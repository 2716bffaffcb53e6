"""The transactions behind the sums: `transactions`."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import polars as pl
import polars.selectors as cs

from toolkit.analytics.money.categorise import TEXTS, searchable
from toolkit.analytics.money.classify import problems_without_date
from toolkit.analytics.money.edits.settings import own_names
from toolkit.analytics.money.sums.months import Question
from toolkit.analytics.money.sums.rows import found_of_rows, within
from toolkit.analytics.money.transactions import (
    CATEGORIES,
    LISTED,
    SEARCHED,
    of_account,
    of_category,
    transactions_of,
    with_masked_numbers,
    with_words,
)
from toolkit.answers.money import Transactions
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.spending import account_numbers, accounts_as_set, classified
from toolkit.store import Store

_TEXTS = ("description", SEARCHED)
_FEW = 1_000
"""A list of at most so many rows takes their texts from the records instead of reading those of all."""


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
    few = limit is not None and limit <= _FEW
    columns = [name for name in LISTED if not few or name not in _TEXTS or (name == SEARCHED and search)]
    with open_home(ctx) as (store, household):
        home = household.household_id
        money = classified(store, household, columns, enums=few)
        accounts = accounts_as_set(store, home)
        numbers = account_numbers(store, home)
        overrides = store.read("choices", home)
        rows = within(money.rows.filter(with_words(money.rows, search or "")), Question(from_, to))
        if account is not None:
            money = replace(money, rows=_comparable(money.rows, "account_id"))
            rows = _comparable(rows, "account_id").filter(of_account(money, accounts, account))
        if category is not None:
            rows = _comparable(rows, *CATEGORIES)
            rows = rows.filter(of_category(money.rows, category, own_names(overrides)))
        if payee is not None:
            who = pl.col("merchant").cast(pl.String).str.to_lowercase()
            rows = rows.filter(who == payee.lower() if payee else who.is_null())
        if tag is not None:
            is_tag = pl.col("tag").cast(pl.String) == tag
            rows = rows.filter(is_tag if tag else pl.col("tag").is_null())
        if kind is not None:
            rows = rows.filter(pl.col("kind").cast(pl.String) == kind)
        listed = rows.head(rows.height if limit is None else limit)
        listed = listed.cast({cs.categorical() | cs.enum(): pl.String})
        complete = listed if set(LISTED) <= set(listed.columns) else _with_texts(store, home, listed)
    shown = with_masked_numbers(complete, numbers)
    return Transactions(
        transactions=transactions_of(shown, money.suggestions, overrides),
        found=found_of_rows(rows),
        category_names=own_names(overrides),
        problems=problems_without_date(shown),
    )


def _comparable(rows: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Return rows with columns that can be compared with any text."""
    return rows.with_columns(pl.col(name).cast(pl.Categorical) for name in names if rows[name].dtype == pl.Enum)


def _with_texts(store: Store, household_id: str, listed: pl.DataFrame) -> pl.DataFrame:
    """Add the texts of a list of few rows from the records."""
    ids = listed["id"].to_list()
    # parts of split transactions, `ID#1`, have the texts of the whole
    wholes = {*ids, *(id_.rpartition("#")[0] for id_ in ids if "#" in id_)}
    known = store.read("transactions", household_id, columns=("id", *TEXTS), where={"id": sorted(wholes)})
    texts = known.select("description", searchable().alias(SEARCHED), whole="id")
    direct = set(known["id"])
    whole = pl.Series("whole", [id_ if id_ in direct else id_.rpartition("#")[0] for id_ in ids], pl.String)
    rest = [name for name in _TEXTS if name not in listed.columns]
    return listed.with_columns(whole).join(texts.select("whole", *rest), on="whole", how="left", maintain_order="left")
