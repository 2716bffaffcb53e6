"""Sums of classified transactions by category, merchant, account, tag or person, to the cent; money out is positive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

import polars as pl
import polars.selectors as cs

from toolkit.analytics.money.edits.settings import EXCLUDED
from toolkit.answers.base import Note
from toolkit.answers.money import By, OtherCurrency, Spending, SpendingRows
from toolkit.tables.money import amount, aud
from toolkit.tables.reference.categories import CARD_PAYMENT, LOANS
from toolkit.units import HOME_CURRENCY

SUMMED = (
    *("day", "month", "account", "kind", "primary_category", "secondary_category", "merchant"),
    *("account_id", "tag", "currency", "status", "amount_minor"),
)
"""The columns that `buckets` needs."""
COLUMNS: dict[str, tuple[str, ...]] = {
    "category": ("primary_category", "secondary_category"),
    "merchant": ("merchant",),
    "account": ("account_id",),
    "tag": ("tag",),
    "person": ("person",),
}
ROLLUP_KEY = ("month", "account_id", "kind", "primary_category", "secondary_category", "currency", "pending")


@dataclass(frozen=True, slots=True)
class Question:
    """What spending is asked for."""

    from_: date | None = None
    """First day; None: from the first transaction on."""
    to: date | None = None
    """Last day, inclusive; None: up to the last transaction."""
    by: By = "category"
    """What a row of the answer groups."""
    months: bool = False
    """One row a month."""
    pending: bool = False
    """Whether pending transactions count."""

    @property
    def columns(self) -> list[str]:
        """Columns that a row of the answer is identified by."""
        return [*(["month"] if self.months else []), *COLUMNS[self.by]]


def buckets(rows: pl.DataFrame, keys: tuple[str, ...] = ROLLUP_KEY) -> pl.DataFrame:
    """Sum classified rows by `keys`.

    The sums are `amount_minor` (signed), `out_minor` (of negative amounts alone), `count`, `first_day` and `last_day`.
    """
    amount = pl.col("amount_minor")
    grouped = rows.lazy().with_columns(pending=pl.col("status") == "PENDING", account_id="account").group_by(keys)
    summed = grouped.agg(
        amount.sum(),
        out_minor=amount.filter(amount < 0).sum(),
        count=pl.len().cast(pl.Int64),
        first_day=pl.col("day").min(),
        last_day=pl.col("day").max(),
    )
    return summed.collect().cast({cs.categorical(): pl.String})


def within(rows: pl.DataFrame, question: Question) -> pl.DataFrame:
    """Select the rows of the question's days; rows without a day are in no range."""
    bounds = []
    if question.from_ is not None:
        bounds.append(pl.col("day") >= question.from_)
    if question.to is not None:
        bounds.append(pl.col("day") <= question.to)
    return rows.filter(*bounds) if bounds else rows


def spending_of_rows(rows: pl.DataFrame, question: Question) -> Spending:
    """Answer from classified rows."""
    keys = (*ROLLUP_KEY, *(name for name in COLUMNS[question.by] if name not in ROLLUP_KEY))
    return spending_of_buckets(buckets(within(rows, question), keys), question)


def with_person(rows: pl.DataFrame, owners: Mapping[str, str]) -> pl.DataFrame:
    """Add `person`, the owner of the account; null where nobody is known. owners: account id → name."""
    return rows.with_columns(
        person=pl.col("account_id").replace_strict(dict(owners), default=None, return_dtype=pl.String)
    )


def spending_of_buckets(summed: pl.DataFrame, question: Question) -> Spending:
    """Answer from sums that are no coarser than the question (see `buckets`); by person from sums with `person`."""
    home = summed.filter(pl.col("currency") == HOME_CURRENCY)
    included = home.filter(_expense(posted_only=not question.pending))
    rows = _rows(included, question)
    totals = home.select(**_sums(posted_only=True)).row(0, named=True)
    days = summed.select(pl.col("first_day").min(), pl.col("last_day").max()).row(0, named=True)
    return Spending(
        from_=question.from_ or days["first_day"],
        to=question.to or days["last_day"],
        by=question.by,
        rows=SpendingRows(rows.select(*question.columns, aud(pl.col("spent_minor")).alias("spent"), "count")),
        spent=amount(int(rows["spent_minor"].sum())),
        income=amount(totals["income_minor"]),
        transfers=amount(totals["transfers_minor"]),
        excluded=amount(totals["excluded_minor"]),
        pending=amount(totals["pending_minor"]),
        other_currencies=_other_currencies(summed.filter(pl.col("currency") != HOME_CURRENCY), question),
        notes=tuple(_notes(included)),
    )


def _notes(included: pl.DataFrame) -> Iterator[Note]:
    """Yield that repayments of loans hold principal, where some count as spending."""
    repaid = (pl.col("primary_category") == LOANS) & (pl.col("secondary_category") != CARD_PAYMENT).fill_null(
        value=True
    )
    if spent := -int(included.filter(repaid)["amount_minor"].sum()):
        yield Note("repayments_hold_principal", spent=amount(spent))


def _expense(*, posted_only: bool) -> pl.Expr:
    expense = pl.col("kind") == "expense"
    return expense & ~pl.col("pending") if posted_only else expense


def _rows(included: pl.DataFrame, question: Question) -> pl.DataFrame:
    if question.by == "merchant":
        # one spelling for names that differ in case only, the same whatever the order of the rows
        included = included.with_columns(pl.col("merchant").max().over(pl.col("merchant").str.to_lowercase()))
    grouped = included.group_by(question.columns).agg(
        spent_minor=-pl.col("amount_minor").sum(), count=pl.col("count").sum()
    )
    most_first = [*(["month"] if question.months else []), "spent_minor", *COLUMNS[question.by]]
    return grouped.sort(most_first, descending=[name == "spent_minor" for name in most_first], nulls_last=True)


def _sums(*, posted_only: bool) -> dict[str, pl.Expr]:
    amount, posted = pl.col("amount_minor"), ~pl.col("pending")
    return {
        "spent_minor": -amount.filter(_expense(posted_only=posted_only)).sum(),
        "income_minor": amount.filter(posted & (pl.col("kind") == "income")).sum(),
        "transfers_minor": -pl.col("out_minor").filter(posted & (pl.col("kind") == "transfer")).sum(),
        "excluded_minor": -amount.filter(posted & (pl.col("kind") == EXCLUDED)).sum(),
        "pending_minor": -amount.filter(pl.col("pending") & (pl.col("kind") == "expense")).sum(),
    }


def _other_currencies(summed: pl.DataFrame, question: Question) -> tuple[OtherCurrency, ...]:
    sums = _sums(posted_only=not question.pending)
    table = summed.group_by("currency").agg(**sums, count=pl.col("count").sum()).sort("currency")
    return tuple(
        OtherCurrency(
            currency=currency,
            spent=amount(row["spent_minor"], currency),
            income=amount(row["income_minor"], currency),
            transfers=amount(row["transfers_minor"], currency),
            pending=amount(row["pending_minor"], currency),
            count=row["count"],
        )
        for row in table.iter_rows(named=True)
        for currency in (row["currency"],)
    )
