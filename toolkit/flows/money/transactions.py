"""The rows behind the sums: `transactions`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import polars as pl

from toolkit.analytics.money import Classified, Question
from toolkit.analytics.money.categorise import searchable
from toolkit.analytics.money.summary import within
from toolkit.errors import ChoiceRequiredError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.classified import (
    account_names,
    accounts_as_set,
    classified,
    with_masked_numbers,
    without_a_date,
)
from toolkit.flows.money.rules import category_code
from toolkit.store import Store
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import codes
from toolkit.tables.reference.category_names import category_name, code_named
from toolkit.tables.schema.identity import HouseholdRow

_SHOWN = (
    *("id", "day", "account_id", "amount_minor", "currency", "status", "description", "merchant"),
    *("primary_category", "secondary_category", "category_source", "category_confidence", "kind", "partner"),
)

_NAMES_OF_AN_ACCOUNT = ("id", "account_id", "display_name", "nickname")
NO_CATEGORY = "NO_CATEGORY"


def transactions(  # noqa: PLR0913  # the command's options, each by name
    ctx: Context,
    *,
    from_: date | None = None,
    to: date | None = None,
    account: str | None = None,
    category: str | None = None,
    search: str | None = None,
    limit: int | None = None,
) -> dict[str, Any]:
    """Transactions, newest first (docs/commands.md); those without a date come last and are in no range.

    account: id or name. category: primary or secondary, as a code or in words, whatever the case; `no category` for
    rows without. search: every word stands somewhere in the row's texts. limit: at most so many. Raises
    ChoiceRequiredError where the household has no such account, or nobody such a category.
    """
    with open_home(ctx) as (store, household):
        found = classified(store, household)
        wanted = [*_of_account(store, household, found, account), *_of_category(found.rows, category)]
        rows = within(found.rows, Question(from_, to)).filter(*wanted, *_with_words(search))
        newest = rows.sort("day", "id", descending=[True, False], nulls_last=True)
        shown = newest if limit is None else newest.head(limit)
        shown = with_masked_numbers(shown, store, household.household_id)
    problems = [problem.as_json() for problem in without_a_date(shown)]
    return {"transactions": [_row(row) for row in _with_suggestions(shown, found)], "problems": problems}


def _of_account(store: Store, household: HouseholdRow, money: Classified, wanted: str | None) -> Iterator[pl.Expr]:
    """Rows of the account of that id or name; of a linked account all rows of those that count as one with it."""
    if wanted is None:
        return
    known = accounts_as_set(store, household.household_id)
    called = {row["account_id"] for row in known if wanted in {row[name] for name in _NAMES_OF_AN_ACCOUNT}}
    ids = {money.links.main.get(account, account) for account in (wanted, *called)}
    of_it = pl.col("account_id").is_in(sorted(ids))
    if not called and money.rows.filter(of_it).is_empty():
        names = account_names(store, household.household_id)
        choices = {names.get(account, account) for account in (*names, *money.rows["account_id"].drop_nulls())}
        raise ChoiceRequiredError(f"No account is called {wanted!r}.", sorted(choices))
    yield of_it


def _of_category(rows: pl.DataFrame, wanted: str | None) -> Iterator[pl.Expr]:
    if wanted is None:
        return
    code = category_code(wanted)
    columns = ("primary_category", "secondary_category")
    stored = {value for name in columns for value in rows[name] if value and value.strip()}
    shown = category_name(code_named(wanted) or code)
    meant = [value for value in stored if category_code(value) == code or category_name(value) == shown]
    if code == NO_CATEGORY:
        yield pl.all_horizontal(pl.col(name).is_null() for name in columns)
    elif meant or code in codes() or code_named(wanted):
        yield pl.any_horizontal(pl.col(name).is_in(meant).fill_null(False) for name in columns)
    else:
        raise ChoiceRequiredError(f"No category is called {wanted!r}.", sorted(stored))


def _with_words(search: str | None) -> list[pl.Expr]:
    """Every word stands somewhere in the row's texts."""
    return [searchable().str.contains(word, literal=True) for word in (search or "").lower().split()]


def _with_suggestions(rows: pl.DataFrame, found: Classified) -> list[dict[str, Any]]:
    """Rows with `maybe`: ids of rows that may be the other leg of a transfer."""
    maybe: dict[str, list[str]] = {}
    for out_id, in_id in found.suggestions.select("out_id", "in_id").iter_rows():
        maybe.setdefault(out_id, []).append(in_id)
        maybe.setdefault(in_id, []).append(out_id)
    return [{**row, "maybe": maybe.get(row["id"], [])} for row in rows.select(_SHOWN).iter_rows(named=True)]


def _row(row: dict[str, Any]) -> dict[str, Any]:
    kept = ("description", "merchant", "primary_category", "secondary_category", "category_source", "kind")
    return {
        "id": row["id"],
        "date": row["day"],
        "account_id": row["account_id"],
        "amount": amount(row["amount_minor"], row["currency"]),
        "currency": row["currency"],
        "status": row["status"],
        **{name: row[name] for name in kept},
        "category_confidence": row["category_confidence"] if row["category_source"] == "provider" else None,
        "transfer_partner": row["partner"],
        "possible_partners": row["maybe"],
    }
