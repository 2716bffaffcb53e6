"""Payments to energy retailers in the bank rows, offered as amounts of bills."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from toolkit.analytics.energy.pricing.model import aud
from toolkit.answers.energy.invoices import BankPayment
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.spending import classified
from toolkit.tables.reference.categories import ENERGY
from toolkit.tables.schema.energy import PUBLISHED
from toolkit.units import HOME_CURRENCY

MOST_PAYMENTS = 24
_SHORTEST_NAME = 4
"""Letters: a shorter name is part of too many others."""


def retailer_payments(ctx: Context) -> tuple[BankPayment, ...]:
    """Return the latest posted payments in AUD for gas and electricity, newest first. Raises as `open_home`.

    For energy is what has that category, or names a retailer of the stored plans or kept bills.
    """
    with open_home(ctx) as (store, household):
        home = household.household_id
        if not store.count("transactions", home):
            return ()
        rows = classified(store, household).rows
        known = store.tuples("plans", ("retailer",), where={"household_id": [PUBLISHED, home]})
        known += store.tuples("typed_invoices", ("retailer",), home)
    names = sorted({str(name) for (name,) in known if name})
    payees = [payee for payee in rows["merchant"].unique().drop_nulls() if _names_one_of(payee, names)]
    paid = rows.filter(
        ((pl.col("secondary_category") == ENERGY) | pl.col("merchant").is_in(payees))
        & (pl.col("amount_minor") < 0)
        & (pl.col("currency") == HOME_CURRENCY)
        & (pl.col("status") == "POSTED")
        & pl.col("day").is_not_null()
    )
    newest = paid.sort("day", "id", descending=[True, False]).head(MOST_PAYMENTS)
    return tuple(
        BankPayment(row["id"], row["account_id"], row["day"], aud(row["amount_minor"]), row["merchant"])
        for row in newest.iter_rows(named=True)
    )


def _names_one_of(payee: str, retailers: Sequence[str]) -> bool:
    """Return whether a payee has the whole name of a retailer in it, apart from case, spaces and signs."""
    letters = _letters(payee)
    return any(len(name) > _SHORTEST_NAME and name in letters for name in map(_letters, retailers))


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.casefold())
