"""Fees and interest by account and financial year."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from toolkit.answers.money import AccountFees
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import INTEREST_CHARGE, INTEREST_EARNED
from toolkit.units import HOME_CURRENCY

FEES = "BANK_FEES"


class Rates(NamedTuple):
    """Yearly rates of an account as shares (0.05 is 5 %): its own, and that published for its product."""

    own: float | None = None
    published: float | None = None


def fees_by_year(rows: pl.DataFrame, names: Mapping[str, str], rates: Mapping[str, Rates]) -> tuple[AccountFees, ...]:
    """Return fees and interest of each account in each financial year that has any, the newest year first.

    rows: classified; posted ones in AUD with a day count. names, rates: by account id.
    """
    code = pl.coalesce("secondary_category", "primary_category")
    charge, earned = (code == INTEREST_CHARGE).fill_null(value=False), (code == INTEREST_EARNED).fill_null(value=False)
    fee = code.str.starts_with(FEES).fill_null(value=False) & ~charge
    cents = pl.col("amount_minor")
    counted = rows.filter(
        pl.col("kind").is_in(["expense", "income"]),
        pl.col("currency") == HOME_CURRENCY,
        pl.col("status") != "PENDING",
        pl.col("day").is_not_null(),
    ).with_columns(year=pl.col("day").dt.year() + (pl.col("day").dt.month() > 6).cast(pl.Int32))
    sums = counted.group_by("year", "account_id").agg(
        fees=-cents.filter(fee).sum(),
        charged=-cents.filter(charge).sum(),
        earned=cents.filter(earned).sum(),
        count=(fee | charge | earned).sum(),
    )
    some = sums.filter(pl.col("count") > 0).sort("year", "account_id", descending=[True, False])
    return tuple(
        AccountFees(
            year=row["year"],
            account_id=row["account_id"],
            account_name=names.get(row["account_id"]),
            fees=amount(row["fees"]),
            interest_charged=amount(row["charged"]),
            interest_earned=amount(row["earned"]),
            count=row["count"],
            own_rate=rates.get(row["account_id"], Rates()).own,
            published_rate=rates.get(row["account_id"], Rates()).published,
        )
        for row in some.iter_rows(named=True)
    )
