"""What comes again: `recurring`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolkit.flows.context import Context, open_home
from toolkit.flows.money import classified

if TYPE_CHECKING:
    from datetime import date

    import polars as pl

    from toolkit.analytics.cash import Recurring
    from toolkit.store import Store
    from toolkit.tables.planned import Planned

DEBTS = ("RESIDENTIAL_MORTGAGES", "PERS_LOANS", "BUSINESS_LOANS", "LEASES", "MARGIN_LOANS")


def recurring(ctx: Context) -> dict[str, Any]:
    """Payments and income that come again, dearest first, as in the contract.

    Amounts in AUD with the bank's sign: money out is negative.
    """
    with open_home(ctx) as (store, household):
        rows = classified(store, household).rows
        found = series_of(store, household["household_id"], rows, ctx.today)
    return {"recurring": [_as_json(entry) for entry in found]}


def series_of(store: Store, household_id: str, rows: pl.DataFrame, today: date) -> list[Recurring]:
    """The household's series, from its rows and from what its banks say will be paid."""
    from toolkit.analytics.cash.recurring import debt_payments, find_recurring

    accounts = store.rows("accounts", household_id)
    debts = [account["account_id"] for account in accounts if account["product_category"] in DEBTS]
    debits: dict[str, list[str]] = {}
    for debit in store.rows("direct_debits", household_id, where={"vanished_at": None}):
        if debit["account_id"] and debit["description"]:
            debits.setdefault(debit["account_id"], []).append(debit["description"])
    known = planned(store, household_id)
    return find_recurring(debt_payments(rows, debts), today=today, planned=known, debits=debits)


def planned(store: Store, household_id: str) -> list[Planned]:
    """Scheduled payments, and instalments of loans that no scheduled payment of the same amount pays.

    Scheduled moves to another own account are none, unless that one is a loan.
    """
    from toolkit.tables.planned import loan_instalment, scheduled_payment

    accounts = store.rows("accounts", household_id)
    own = {account["account_id"] for account in accounts if account["product_category"] not in DEBTS}
    scheduled = [scheduled_payment(row) for row in store.rows("scheduled_payments", household_id)]
    kept = [entry for entry in scheduled if entry and entry.to_account not in own]
    paid = {entry.amount_minor for entry in kept}
    loans = [loan_instalment(row) for row in accounts]
    return [*kept, *(loan for loan in loans if loan and loan.amount_minor not in paid)]


def _as_json(entry: Recurring) -> dict[str, Any]:
    from toolkit.tables.currencies import amount

    return {
        "name": entry.name,
        "account_id": entry.account_id,
        "cadence": entry.cadence.name,
        "amount": {"low": amount(entry.low), "usual": amount(entry.usual), "high": amount(entry.high)},
        "last": entry.last,
        "next": entry.next,
        "yearly": amount(entry.yearly),
        "confidence": entry.confidence,
        "source": entry.source,
        "changes": [
            {"date": day, "before": amount(before), "after": amount(after)} for day, before, after in entry.changes
        ],
    }
