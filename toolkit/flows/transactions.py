"""The rows behind the sums: `transactions`."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from toolkit.flows.context import Context, open_home
from toolkit.flows.money import classified, with_masked_numbers, without_a_date

if TYPE_CHECKING:
    import polars as pl

    from toolkit.analytics.spending import Classified
    from toolkit.store import Store

_SHOWN = (
    *("id", "day", "account_id", "amount_minor", "currency", "status", "description", "merchant"),
    *("primary_category", "secondary_category", "category_source", "category_confidence", "kind", "partner"),
)


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
    """Transactions, newest first, as in the contract; those without a date come last and are in no range.

    account: id or name. category: a code, primary or secondary, whatever the case. search: every word stands somewhere
    in the row's texts. limit: at most so many.
    """
    from toolkit.analytics.spending import Question
    from toolkit.analytics.spending.summary import within

    with open_home(ctx) as (store, household):
        found = classified(store, household)
        accounts = _accounts_called(store, household["household_id"], account)
        rows = within(found.rows, Question(from_, to)).filter(*_wanted(accounts, category, search))
        newest = rows.sort("day", "id", descending=[True, False], nulls_last=True)
        shown = newest if limit is None else newest.head(limit)
        shown = with_masked_numbers(shown, store, household["household_id"])
    problems = [problem.as_json() for problem in without_a_date(shown)]
    return {"transactions": [_row(row) for row in _with_suggestions(shown, found)], "problems": problems}


def _accounts_called(store: Store, household_id: str, wanted: str | None) -> list[str] | None:
    if wanted is None:
        return None
    names = ("id", "account_id", "linked_account_id", "display_name", "nickname")
    rows = store.rows("accounts", household_id)
    return [wanted, *(row["account_id"] for row in rows if wanted in {row[name] for name in names})]


def _wanted(accounts: list[str] | None, category: str | None, search: str | None) -> list[pl.Expr]:
    import polars as pl

    from toolkit.analytics.spending.categorise import searchable

    wanted = [searchable().str.contains(word, literal=True) for word in (search or "").lower().split()]
    if accounts is not None:
        wanted.append(pl.col("account_id").is_in(accounts) | pl.col("account").is_in(accounts))
    if category is not None:
        codes = [
            pl.col(name).str.to_uppercase() == category.upper() for name in ("primary_category", "secondary_category")
        ]
        wanted.append(pl.any_horizontal(code.fill_null(False) for code in codes))
    return wanted


def _with_suggestions(rows: pl.DataFrame, found: Classified) -> list[dict[str, Any]]:
    """Rows with `maybe`: ids of rows that may be the other leg of a transfer."""
    maybe: dict[str, list[str]] = {}
    for out_id, in_id in found.suggestions.select("out_id", "in_id").iter_rows():
        maybe.setdefault(out_id, []).append(in_id)
        maybe.setdefault(in_id, []).append(out_id)
    return [{**row, "maybe": maybe.get(row["id"], [])} for row in rows.select(_SHOWN).iter_rows(named=True)]


def _row(row: dict[str, Any]) -> dict[str, Any]:
    from toolkit.tables.currencies import amount

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
