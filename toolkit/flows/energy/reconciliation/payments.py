"""The bank's side of invoices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from toolkit.analytics.energy.bills.model import aud
from toolkit.analytics.energy.reconcile import BilledInvoice, PayableInvoice, PaymentMatch, match_payments
from toolkit.analytics.money.classify import NEEDED
from toolkit.flows.money.classified import zone_of
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.transaction_days import with_days


@dataclass(frozen=True, slots=True)
class Billed:
    """An invoice and what it asks for, in cents with GST; None where that is not known."""

    invoice: BilledInvoice
    minor: int | None
    institution_id: str | None


def payments_of(store: Store, household: HouseholdRow, invoices: Sequence[Billed]) -> list[dict[str, Any] | None]:
    """Of each invoice what settled it (`linked`), or what may have (`suggested`); None where there is nothing.

    Posted money out in AUD. `payments` are its parts, `invoices` the numbers of all that they settle; `date` is the day
    of the last part, `amount` their sum.
    """
    names = {row["institution_id"]: row["name"] for row in store.rows("institutions") if row["name"]}
    payable = [
        PayableInvoice.of(
            each.invoice, each.minor or 0, each.institution_id, filter(None, [names.get(each.institution_id or "")])
        )
        for each in invoices
    ]
    most = max((invoice.minor for invoice in payable), default=0)
    rows = _paid(store, household, sum(invoice.minor for invoice in payable if invoice.minor > 0)) if most > 0 else []
    return [_match_row(match, invoices) if match else None for match in match_payments(payable, rows)]


def _paid(store: Store, household: HouseholdRow, most: int) -> list[dict[str, Any]]:
    """Payments that can be the whole or a part of the invoices, or of some of them together."""
    rows = store.read("transactions", household.household_id, columns=NEEDED)
    wanted = rows.filter(
        pl.col("amount_minor").is_between(-most, -1)
        & (pl.col("currency") == "AUD")
        & (pl.col("status") == "POSTED")
        & pl.col("vanished_at").is_null()
    )
    return with_days(wanted.lazy(), zone_of(household)).sort("day", "id").collect().to_dicts()


def _match_row(match: PaymentMatch, invoices: Sequence[Billed]) -> dict[str, Any]:
    payments = [_payment(row) for row in match.payments]
    if not match.certain:
        return {"state": "suggested", "candidates": payments}
    whole = {**payments[-1], "amount": sum(payment["amount"] for payment in payments)}
    return {
        "state": "linked",
        **whole,
        "payments": payments,
        "invoices": [invoices[number].invoice.number for number in match.invoices],
    }


def _payment(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "transaction_id": row["id"],
        "account_id": row["account_id"],
        "date": row["day"],
        "amount": aud(row["amount_minor"]),
        "description": row["biller_name"] or row["merchant_name"] or row["description"],
    }
