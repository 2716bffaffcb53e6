"""Sums of classified transactions by category, merchant, account, tag or person, to the cent; money out is positive."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
import polars.selectors as cs

from toolkit.analytics.money.sums.months import COLUMNS, Question, Totalled, Waiting, none_waiting, totalled
from toolkit.answers.money import Found, Spending, SpendingRows
from toolkit.tables.money import aud
from toolkit.tables.reference.categories import CARD_PAYMENT, CASH, LOANS, TRANSFERS
from toolkit.units import HOME_CURRENCY

_COUNTED = ("currency", "kind", "status", "primary_category", "secondary_category")
"""The columns by which a row counts in the totals."""
FOUND = (*_COUNTED, "amount_minor")
"""The columns that `found_of_rows` needs."""


def within(rows: pl.DataFrame, question: Question) -> pl.DataFrame:
    """Select the rows of the question's days; rows without a day are in no range."""
    bounds = []
    if question.from_ is not None:
        bounds.append(pl.col("day") >= question.from_)
    if question.to is not None:
        bounds.append(pl.col("day") <= question.to)
    return rows.filter(*bounds) if bounds else rows


def with_person(rows: pl.DataFrame, owners: Mapping[str, str]) -> pl.DataFrame:
    """Add `person`, the owner of the account; null where nobody is known. owners: account id → name."""
    return rows.with_columns(
        person=pl.col("account_id").replace_strict(dict(owners), default=None, return_dtype=pl.String)
    )


def summed_columns(question: Question) -> list[str]:
    """Return the columns of classified rows that `spending_of_rows` needs; by person with `person` in place of it."""
    own = [name for name in question.columns if name != "person"]
    return list(dict.fromkeys(("day", *own, *_COUNTED, "amount_minor")))


WAITING = ("id", "day", *_COUNTED, "amount_minor")
"""The columns that `waiting_in` needs."""


def waiting_in(rows: pl.DataFrame, suggestions: pl.DataFrame, question: Question) -> int:
    """Return the money that came in without a category [cents] of rows that are legs of likely transfers.

    rows and suggestions: as `Classified` has them.
    """
    legs = within(rows, question).filter(
        pl.col("id").is_in(suggestions["in_id"].unique().implode()),
        pl.col("primary_category").is_null(),
        pl.col("kind") == "expense",
        pl.col("currency") == HOME_CURRENCY,
        pl.lit(question.pending) | (pl.col("status") != "PENDING"),
    )
    return int(legs["amount_minor"].sum())


def spending_of_rows(rows: pl.DataFrame, question: Question, waiting: Waiting = none_waiting) -> Spending:
    """Answer from classified rows; by person from rows with `person`. Texts may be Categorical or Enum."""
    keys = list(dict.fromkeys((*question.columns, *_COUNTED)))
    minor = pl.col("amount_minor")
    grouped = (
        within(rows, question)
        .lazy()
        .group_by(keys)
        .agg(
            minor.sum(),
            out_minor=minor.filter(minor < 0).sum(),
            count=pl.len().cast(pl.Int64),
            first_day=pl.col("day").min(),
            last_day=pl.col("day").max(),
        )
    )
    texts = cs.categorical() | cs.enum()
    summed = grouped.collect().cast({texts: pl.String}).with_columns(pending=pl.col("status") == "PENDING")
    expense = (pl.col("kind") == "expense") & (pl.col("currency") == HOME_CURRENCY)
    included = summed.filter(expense if question.pending else expense & ~pl.col("pending"))
    first, last = summed.select(pl.col("first_day").min(), pl.col("last_day").max()).row(0)
    return totalled(_alike(summed), _rows(included, question), question, first, last, waiting=waiting)


def found_of_rows(rows: pl.DataFrame) -> Found:
    """Sum classified rows, whatever their day."""
    minor = pl.col("amount_minor")
    columns = ("currency", "kind", "primary_category", "secondary_category")
    summed = rows.group_by(*columns, pending=pl.col("status") == "PENDING").agg(
        minor.sum(), out_minor=minor.filter(minor < 0).sum(), count=pl.len().cast(pl.Int64)
    )
    whole = totalled(_alike(summed), SpendingRows.of((), []), Question(), None, None)
    return Found(count=rows.height, spent=whole.spent, income=whole.income, transfers=whole.transfers)


def _alike(summed: pl.DataFrame) -> list[Totalled]:
    """Add up sums that count alike in the totals."""
    primary, secondary = pl.col("primary_category"), pl.col("secondary_category")
    repays_loan = ((primary == LOANS) & secondary.ne_missing(CARD_PAYMENT)).fill_null(value=False)
    moved = (primary.is_in(TRANSFERS) & ~secondary.is_in(CASH).fill_null(value=False)).fill_null(value=False)
    unnamed = primary.is_null()
    alike = summed.group_by("currency", "kind", "pending", repays_loan=repays_loan, moved=moved, unnamed=unnamed)
    grouped = alike.agg(pl.col("amount_minor", "out_minor").sum(), transactions=pl.col("count").sum())
    return [Totalled(*row) for row in grouped.select(Totalled._fields).iter_rows()]


def _rows(included: pl.DataFrame, question: Question) -> SpendingRows:
    if question.by == "merchant":
        # one spelling for names that differ in case only, the same whatever the order of the rows
        included = included.with_columns(pl.col("merchant").max().over(pl.col("merchant").str.to_lowercase()))
    grouped = included.group_by(question.columns).agg(
        spent_minor=-pl.col("amount_minor").sum(), count=pl.col("count").sum()
    )
    most_first = [*(["month"] if question.months else []), "spent_minor", *COLUMNS[question.by]]
    rows = grouped.sort(most_first, descending=[name == "spent_minor" for name in most_first], nulls_last=True)
    return SpendingRows(rows.select(*question.columns, aud(pl.col("spent_minor")).alias("spent"), "count"))
