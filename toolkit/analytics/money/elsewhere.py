"""Debts that are paid each month and are not among the accounts: what is owed on them is in no figure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from toolkit.tables.reference.categories import CARD_PAYMENT, LOANS
from toolkit.units import HOME_CURRENCY

_LOOKED_AT = timedelta(100)
_MONTHS = 3
"""Calendar months with a payment among these days: less may be a card or loan that was paid off."""


@dataclass(frozen=True, slots=True)
class DebtsElsewhere:
    """Payees of repayments that reach none of the household's accounts, by name."""

    cards: tuple[str, ...] = ()
    loans: tuple[str, ...] = ()


def debts_elsewhere(rows: pl.DataFrame, to: date) -> DebtsElsewhere:
    """Return the cards and loans that were paid in each of the last three months, of which no account is stored.

    rows: classified, transfers between own accounts paired. to: the last day that they show.
    """
    paid = rows.filter(
        pl.col("day").is_between(to - _LOOKED_AT, to, closed="right"),
        pl.col("amount_minor") < 0,
        pl.col("currency") == HOME_CURRENCY,
        pl.col("status") != "PENDING",
        pl.col("primary_category") == LOANS,
        pl.col("partner").is_null() & pl.col("repays").is_null(),
        pl.col("merchant").is_not_null(),
    )
    months = paid.group_by("merchant", is_card=(pl.col("secondary_category") == CARD_PAYMENT).fill_null(value=False))
    regular = months.agg(pl.col("day").dt.strftime("%Y-%m").n_unique().alias("months")).filter(
        pl.col("months") >= _MONTHS
    )
    names = regular.sort("merchant").select("merchant", "is_card").rows()
    return DebtsElsewhere(
        cards=tuple(name for name, is_card in names if is_card),
        loans=tuple(name for name, is_card in names if not is_card),
    )
