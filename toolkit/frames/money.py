"""Spending, from transactions and accounts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import polars as pl

from toolkit.analytics.money import Question, classify, spending_of_rows
from toolkit.answers.money import By, Spending
from toolkit.units import DEFAULT_ZONE

__all__ = ["classify", "spending"]


def spending(  # noqa: PLR0913 - the command's options
    transactions: pl.DataFrame,
    accounts: pl.DataFrame,
    *,
    zone: str = DEFAULT_ZONE,
    from_: date | None = None,
    to: date | None = None,
    by: By = "category",
    months: bool = False,
    pending: bool = False,
    overrides: pl.DataFrame | None = None,
    people: Sequence[str] = (),
) -> Spending:
    """Sum up spending by category, merchant or account, and by month where asked for.

    transactions, accounts: tables of one household. zone: IANA, whose local days count. from_, to: days, inclusive.
    pending: count pending rows. overrides: table `choices`, the household's decisions. people: names of its own people,
    whose transfers to each other are not spending. Amounts in AUD; `rows.frame()` is the table of the answer.
    """
    rows = classify(transactions, accounts, zone=zone, overrides=overrides, people=people).rows
    return spending_of_rows(rows, Question(from_, to, by, months=months, pending=pending))
