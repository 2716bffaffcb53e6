"""Moves to and from own accounts as rows that `find_recurring` counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl

from toolkit.analytics.money.cash.recurring import Series
from toolkit.analytics.money.categorise import BY_PERSON
from toolkit.tables.reference.categories import LOANS, OWN_ACCOUNT

DEBTS = ("RESIDENTIAL_MORTGAGES", "PERS_LOANS", "BUSINESS_LOANS", "LEASES", "MARGIN_LOANS")
"""Product categories of accounts that are paid off: money into them is a loan payment."""


def own_transfers(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the transfers between own accounts as rows that `find_recurring` counts, one payee for each direction."""
    moved = named_by_partner(rows).filter(pl.col("kind") == "transfer")
    return moved.with_columns(kind=pl.lit("expense"), repays=pl.lit(None, pl.String))


def named_by_partner(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows; column `merchant` of a transfer between own accounts is the other account, as in its series."""
    other = pl.coalesce("repays", _partners_account(rows), "merchant")
    return rows.with_columns(merchant=pl.when(pl.col("kind") == "transfer").then(other).otherwise("merchant"))


@dataclass(frozen=True, slots=True)
class OnItsWay:
    """A transfer between own accounts that is expected: until it arrives its money is in none of them."""

    day: date
    """On which it leaves."""
    cents: int
    """Positive."""
    lags: tuple[int, ...]
    """Days that such transfers took, equally likely."""


def on_their_way(rows: pl.DataFrame, transfers: Iterable[Series]) -> Iterator[OnItsWay]:
    """Yield the transfers to come between accounts where some took days: other banks, weekends.

    rows: classified, of accounts whose balances are added up. transfers: the series of `own_transfers` of these.
    """
    arrived = rows.filter(pl.col("amount_minor") > 0).select(partner="id", to="account", arrives="day")
    legs = rows.filter(pl.col("kind") == "transfer", pl.col("amount_minor") < 0).join(arrived, on="partner")
    took = legs.select("account", "to", lag=(pl.col("arrives") - pl.col("day")).dt.total_days())
    lags: dict[tuple[str, str], list[int]] = {}
    for account, to, lag in took.filter(pl.col("lag") >= 0).iter_rows():
        lags.setdefault((account, to.lower()), []).append(lag)
    for entry in transfers:
        known = lags.get((entry.account_id or "", entry.merchants[0]), [])
        if entry.usual < 0 and not entry.ended and any(known):
            yield from (OnItsWay(day, -entry.usual, tuple(known)) for day in entry.due)


def _partners_account(rows: pl.DataFrame) -> pl.Expr:
    """Return the account of the other leg of a transfer; null where only one leg is among `rows`."""
    legs = rows.filter(pl.col("id").is_in(rows["partner"].drop_nulls().implode())).select("id", "account")
    return pl.col("partner").replace_strict(dict(legs.iter_rows()), default=None, return_dtype=pl.String)


def debt_payments(rows: pl.DataFrame, debts: Sequence[str]) -> pl.DataFrame:
    """Turn transfers into one of the accounts `debts` into loan payments: kind `expense`, category `LOAN_PAYMENTS`."""
    to = pl.coalesce("repays", _partners_account(rows))
    paid = (pl.col("amount_minor") < 0) & to.is_in(list(debts)).fill_null(False)
    return rows.with_columns(
        kind=pl.when(paid).then(pl.lit("expense")).otherwise("kind"),
        primary_category=pl.when(paid).then(pl.lit(LOANS)).otherwise("primary_category"),
    )


def moves_elsewhere(rows: pl.DataFrame) -> pl.DataFrame:
    """Turn moves to and from own accounts elsewhere into payments: kind `expense`, category `OWN_ACCOUNT`.

    Money leaves (or reaches) the accounts that are known, on days that recur as those of bills do.
    """
    alone = (pl.col("kind") == "transfer") & pl.col("partner").is_null() & pl.col("repays").is_null()
    elsewhere = alone & pl.col("category_source").is_in(BY_PERSON).fill_null(value=False)
    return rows.with_columns(
        kind=pl.when(elsewhere).then(pl.lit("expense")).otherwise("kind"),
        primary_category=pl.when(elsewhere).then(pl.lit(OWN_ACCOUNT)).otherwise("primary_category"),
    )
