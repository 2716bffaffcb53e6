"""The transactions behind the sums: `transactions`."""

from __future__ import annotations

from datetime import date

import polars as pl
import polars.selectors as cs

from toolkit.analytics.money.categorise import TEXTS, searchable
from toolkit.analytics.money.classify import problems_without_date
from toolkit.analytics.money.edits.settings import own_names
from toolkit.analytics.money.sums.months import Question
from toolkit.analytics.money.sums.rows import FOUND, found_of_rows, with_person, within
from toolkit.analytics.money.transactions import (
    LISTED,
    SEARCHED,
    of_account,
    of_category,
    transactions_of,
    with_masked_numbers,
    with_text,
    with_words,
)
from toolkit.answers.money import Transactions
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.spending import account_numbers, account_owners, accounts_as_set, classified, kept_columns
from toolkit.store import Store

_TEXTS = ("description", SEARCHED)
PENDING = "PENDING"
_ROW = "row"
"""The number of a row among those kept."""
_FEW = 1_000
"""Of a list of at most so many rows, the columns that only the list shows are read for these rows alone."""


def transactions(  # noqa: PLR0913  # the command's options, each by name
    ctx: Context,
    *,
    from_: date | None = None,
    to: date | None = None,
    account: str | None = None,
    category: str | None = None,
    payee: str | None = None,
    tag: str | None = None,
    person: str | None = None,
    kind: str | None = None,
    pending: bool = False,
    search: str | None = None,
    limit: int | None = None,
) -> Transactions:
    """List transactions, newest first (docs/commands.md); those without a date come last and are in no range.

    account: id or name. category: primary or secondary, as a code or in words, whatever the case; `no category` for
    rows without. payee: its whole name, whatever the case; empty for rows that name nobody. tag: empty for rows without
    one. person: owner of the account; empty where nobody is known. kind: `expense`, `income`, `transfer` or `excluded`.
    pending: only rows that the bank has not processed. search: every word occurs in the row's texts. limit: at most so
    many. Raises ChoiceRequiredError where the household has no such account, or nobody such a category.
    """
    few = limit is not None and limit <= _FEW
    asked = {
        "day": from_ or to,
        "account_id": account if person is None else person,
        "merchant": payee,
        "tag": tag,
        SEARCHED: search,
    }
    found_by = [*FOUND, *(name for name, given in asked.items() if given is not None)]
    with open_home(ctx) as (store, household), store.snapshot():
        home = household.household_id
        money = classified(store, household, found_by if few else LISTED, enums=few)
        accounts = accounts_as_set(store, home)
        numbers = account_numbers(store, home)
        overrides = store.read("choices", home)
        rows = money.rows.with_row_index(_ROW)
        rows = within(rows.filter(with_words(rows, search or "")), Question(from_, to))
        if account is not None:
            rows = rows.filter(of_account(money, accounts, account))
        if category is not None:
            rows = rows.filter(of_category(money.rows, category, own_names(overrides)))
        if payee is not None:
            is_payee = pl.col("merchant").cast(pl.String).str.to_lowercase() == payee.lower()
            rows = rows.filter(with_text(rows, "merchant", is_payee) if payee else pl.col("merchant").is_null())
        if tag is not None:
            is_tag = pl.col("tag").cast(pl.String) == tag
            rows = rows.filter(with_text(rows, "tag", is_tag) if tag else pl.col("tag").is_null())
        if person is not None:
            owner = with_person(rows.select(pl.col("account_id").cast(pl.String)), account_owners(store, home))[
                "person"
            ]
            rows = rows.filter(owner == person if person else owner.is_null())
        if kind is not None:
            rows = rows.filter(with_text(rows, "kind", pl.col("kind").cast(pl.String) == kind))
        if pending:
            rows = rows.filter(with_text(rows, "status", pl.col("status").cast(pl.String) == PENDING))
        listed = rows.head(rows.height if limit is None else limit)
        complete = _completed(store, home, listed)
    shown = with_masked_numbers(complete, numbers)
    return Transactions(
        transactions=transactions_of(shown, money.suggestions, overrides),
        found=found_of_rows(rows),
        category_names=own_names(overrides),
        problems=problems_without_date(shown),
    )


def _completed(store: Store, household_id: str, listed: pl.DataFrame) -> pl.DataFrame:
    """Add the columns that a list lacks: classified ones as kept, texts from the records; texts are String."""
    missing = [name for name in LISTED if name not in (*listed.columns, *_TEXTS)]
    if missing:
        kept = kept_columns(store, household_id, missing, enums=True, rows=listed[_ROW].to_list())
        assert kept is not None  # as those of `listed` were
        listed = pl.concat([listed, kept], how="horizontal")
    texts = listed.cast({cs.categorical() | cs.enum(): pl.String})
    return texts if set(_TEXTS) <= set(listed.columns) else _with_texts(store, household_id, texts)


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
