"""What comes again: `recurring`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from toolkit.analytics.money import Classified
from toolkit.analytics.money.cash import Recurring
from toolkit.analytics.money.cash.recurring import debt_payments, find_recurring
from toolkit.analytics.money.cash.scheduled import Planned, loan_instalment, scheduled_payment
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.classified import accounts_as_set, classified, one_row_an_account
from toolkit.store import Store
from toolkit.tables.money import amount

DEBTS = ("RESIDENTIAL_MORTGAGES", "PERS_LOANS", "BUSINESS_LOANS", "LEASES", "MARGIN_LOANS")


def recurring(ctx: Context) -> dict[str, Any]:
    """Payments and income that come again, dearest first (docs/commands.md).

    Amounts in AUD with the bank's sign: money out is negative.
    """
    with open_home(ctx) as (store, household):
        found = series_of(store, household.household_id, classified(store, household), ctx.today)
    return {"recurring": [_as_json(entry) for entry in found]}


def series_of(store: Store, household_id: str, money: Classified, today: date) -> list[Recurring]:
    """The household's series, from its rows and from what its banks say will be paid."""
    main = money.links.main
    accounts = one_row_an_account(accounts_as_set(store, household_id), main)
    debts = [account["account_id"] for account in accounts if account["product_category"] in DEBTS]
    debits: dict[str, list[str]] = {}
    for debit in store.rows("direct_debits", household_id, where={"vanished_at": None}):
        if debit["account_id"] and debit["description"]:
            account = main.get(debit["account_id"], debit["account_id"])
            debits.setdefault(account, []).append(debit["description"])
    known = planned(store, household_id, main)
    return find_recurring(debt_payments(money.rows, debts), today=today, planned=known, debits=debits)


def planned(store: Store, household_id: str, main: Mapping[str, str]) -> list[Planned]:
    """Scheduled payments, and instalments of loans that no scheduled payment of the same amount pays.

    Scheduled moves to another own account are none, unless that one is a loan. main: see `AccountLinks`.
    """
    accounts = one_row_an_account(accounts_as_set(store, household_id), main)
    own = {account["account_id"] for account in accounts if account["product_category"] not in DEBTS}
    scheduled = [scheduled_payment(row) for row in store.rows("scheduled_payments", household_id)]
    kept = [entry for entry in scheduled if entry and main.get(entry.to_account or "", entry.to_account) not in own]
    paid = {entry.amount_minor for entry in kept}
    loans = [loan_instalment(row) for row in accounts]
    known = [*kept, *(loan for loan in loans if loan and loan.amount_minor not in paid)]
    return [replace(entry, account_id=main.get(entry.account_id or "", entry.account_id)) for entry in known]


def _as_json(entry: Recurring) -> dict[str, Any]:
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
