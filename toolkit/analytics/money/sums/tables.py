"""Spending from the tables of a household, without a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from toolkit.analytics.money.accounts import owners_of
from toolkit.analytics.money.classify import classify
from toolkit.analytics.money.sums.months import Question
from toolkit.analytics.money.sums.rows import spending_of_rows, with_person
from toolkit.answers.money import Spending
from toolkit.units import DEFAULT_ZONE


def spending(
    transactions: pl.DataFrame,
    accounts: pl.DataFrame,
    *,
    zone: str = DEFAULT_ZONE,
    overrides: pl.DataFrame | None = None,
    people: Sequence[str] = (),
    **question: Any,
) -> Spending:
    """Sum spending of tables `transactions` and `accounts` of one household; needs no database.

    zone: time zone of the household, for local days. overrides: table `choices`, the household's own decisions.
    people: names of the household's own people: transfers between them are not spending. The rest are the fields
    of `Question`: from_, to (days, inclusive), by (category, merchant, account, tag, person), months, pending. Amounts
    in AUD; `rows.frame()` is the table of the answer.
    """
    rows = classify(transactions, accounts, zone=zone, overrides=overrides, people=people).rows
    rows = with_person(rows, owners_of(overrides))
    return spending_of_rows(rows, Question(**question))
