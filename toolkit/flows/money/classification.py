"""Classified transactions as stored: made when rows or decisions change, read a column at a time by questions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import polars as pl
import polars.selectors as cs

from toolkit.analytics.money.accounts import AccountLinks, Suggestion
from toolkit.analytics.money.classify import Classified
from toolkit.analytics.money.transfers import PAIRS
from toolkit.store import Store
from toolkit.store.frame_columns import keep_columns, keep_frame, kept_frame

ROWS, POSSIBLE_TRANSFERS, COPIES, MAIN = "transactions", "possible_transfers", "copies", "main"
"""Names of the frames that are kept of a household."""


def keep_classified(store: Store, household_id: str, money: Classified) -> None:
    """Keep what was classified, in place of what was kept before; account suggestions are kept elsewhere."""
    keep_frame(store, household_id, ROWS, money.rows)
    keep_frame(store, household_id, POSSIBLE_TRANSFERS, money.suggestions)
    for name, links in ((COPIES, money.links.copies), (MAIN, money.links.main)):
        keep_frame(store, household_id, name, _pairs(links.items()))


def replace_classified(store: Store, household_id: str, rows: pl.DataFrame, suggestions: pl.DataFrame) -> None:
    """Keep columns of the transactions, in the order in which they are kept, and the possible transfers."""
    keep_columns(store, household_id, ROWS, rows)
    keep_frame(store, household_id, POSSIBLE_TRANSFERS, suggestions)


def kept_columns(
    store: Store, household_id: str, columns: Sequence[str], *, enums: bool = False
) -> pl.DataFrame | None:
    """Return columns of the transactions as kept, newest first; None where they were not.

    Texts with values that repeat are Categorical, or Enum (see `kept_frame`).
    """
    return kept_frame(store, household_id, ROWS, columns, enums=enums)


def kept_classified(
    store: Store, household_id: str, columns: Sequence[str], *, enums: bool = False
) -> Classified | None:
    """Return what was kept, with these columns of the transactions; None where it was not.

    Texts of the transactions with values that repeat are Categorical, or Enum (see `kept_columns`).
    """
    rows = kept_columns(store, household_id, columns, enums=enums)
    pairs = kept_frame(store, household_id, POSSIBLE_TRANSFERS, list(PAIRS))
    links = kept_links(store, household_id)
    if rows is None or pairs is None or links is None:
        return None
    return Classified(rows, pairs.cast({cs.categorical(): pl.String}), links)


def kept_links(store: Store, household_id: str) -> AccountLinks | None:
    """Return which accounts count as one, as kept; None where it was not."""
    copies, main = (kept_frame(store, household_id, name, list(_LINKS)) for name in (COPIES, MAIN))
    if copies is None or main is None:
        return None
    stored = store.tuples("account_suggestions", ("account_ids", "reason"), household_id)
    suggestions = tuple(Suggestion(tuple(json.loads(ids)), reason) for ids, reason in stored)
    return AccountLinks(dict(main.iter_rows()), dict(copies.iter_rows()), suggestions)


_LINKS = {"id": pl.String, "counts_as": pl.String}


def _pairs(links: Iterable[tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(list(links), schema=_LINKS, orient="row")
