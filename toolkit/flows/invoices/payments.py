"""Payments to energy retailers in the bank rows, offered as amounts of bills."""

from __future__ import annotations

import polars as pl

from toolkit.analytics.energy.pricing.model import aud
from toolkit.answers.energy.invoices import BankPayment
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.spending import classified
from toolkit.tables.reference.categories import ENERGY

MOST_PAYMENTS = 24


def retailer_payments(ctx: Context) -> tuple[BankPayment, ...]:
    """Return the latest posted payments in AUD for gas and electricity, newest first. Raises as `open_home`."""
    with open_home(ctx) as (store, household):
        if not store.count("transactions", household.household_id):
            return ()
        rows = classified(store, household).rows
    paid = rows.filter(
        (pl.col("secondary_category") == ENERGY)
        & (pl.col("amount_minor") < 0)
        & (pl.col("currency") == "AUD")
        & (pl.col("status") == "POSTED")
        & pl.col("day").is_not_null()
    )
    newest = paid.sort("day", "id", descending=[True, False]).head(MOST_PAYMENTS)
    return tuple(
        BankPayment(row["id"], row["account_id"], row["day"], aud(row["amount_minor"]), row["merchant"])
        for row in newest.iter_rows(named=True)
    )
