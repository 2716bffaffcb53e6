"""Recurring payments, and how long the money will last: `recurring` and `cashflow`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

import polars as pl

from toolkit.analytics.money.account_evidence import COLUMNS, movements_of
from toolkit.analytics.money.account_summary import (
    LOCKED,
    Balance,
    known_balances,
    latest_by_account,
    merged_accounts,
)
from toolkit.analytics.money.accounts import settings_of
from toolkit.analytics.money.cash.flow import cash_flow
from toolkit.analytics.money.cash.recurring import DEBTS, Series, debt_payments, find_recurring
from toolkit.analytics.money.cash.scheduled import Planned, planned_payments
from toolkit.analytics.money.classify import Classified
from toolkit.answers.money import Cashflow, Recurring
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.classified import accounts_as_set, classified, zone_of
from toolkit.store import Store
from toolkit.tables.schema.banking import BalanceRow, DirectDebitRow, ScheduledPaymentRow
from toolkit.tables.schema.identity import HouseholdRow

DAYS, MOST_DAYS = 60, 366


def recurring(ctx: Context) -> Recurring:
    """List payments and income that recur, dearest first (docs/commands.md); amounts in AUD, money out negative."""
    with open_home(ctx) as (store, household):
        series, _ = _expected(store, household, classified(store, household), ctx.today)
    return Recurring(recurring=tuple(entry.as_answer() for entry in series))


def cashflow(ctx: Context, *, days: int = DAYS) -> Cashflow:
    """Project the balance of everyday, savings and card accounts together, by day from today (docs/commands.md).

    Transfers between these cancel out; loan payments leave. Amounts in AUD, money out negative. Raises UsageError where
    `days` is not between 1 and 366.
    """
    if not 1 <= days <= MOST_DAYS:
        raise UsageError(f"{days} days cannot be projected. Choose between 1 and {MOST_DAYS}.")
    with open_home(ctx) as (store, household):
        money = classified(store, household)
        accounts = merged_accounts(accounts_as_set(store, household.household_id), money.links.main)
        locked = [account.account_id for account in accounts if account.product_category in LOCKED]
        rows = debt_payments(money.rows, locked)
        series, planned = _expected(store, household, replace(money, rows=rows), ctx.today)
        known = latest_by_account(balances_of(store, household, money.links.main))
    return cash_flow(
        rows.filter(~pl.col("account_id").is_in(locked)),
        [entry for entry in series if entry.account_id not in locked],
        balances=[balance for balance in known.values() if balance.account_id not in locked],
        days=[ctx.today + timedelta(days=number) for number in range(days)],
        once=[entry for entry in planned if entry.cadence is None],
    )


def _expected(
    store: Store, household: HouseholdRow, money: Classified, today: date
) -> tuple[list[Series], list[Planned]]:
    """Return the household's recurring series, and the payments that its banks say will be made."""
    home, main = household.household_id, money.links.main
    accounts = merged_accounts(accounts_as_set(store, home), main)
    debts = {account.account_id for account in accounts if account.product_category in DEBTS}
    own = {account.account_id for account in accounts} - debts
    planned = planned_payments(store.load(ScheduledPaymentRow, home), accounts, own, main)
    debits: dict[str, list[str]] = {}
    for debit in store.load(DirectDebitRow, home, where={"vanished_at": None}):
        if debit.account_id and debit.description:
            debits.setdefault(main.get(debit.account_id, debit.account_id), []).append(debit.description)
    rows = debt_payments(money.rows, sorted(debts))
    return find_recurring(rows, today=today, planned=planned, debits=debits), planned


def balances_of(store: Store, household: HouseholdRow, main: Mapping[str, str]) -> list[Balance]:
    """Return the known balances in AUD, oldest first, by the account that counts. main: `AccountLinks.main`."""
    home, zone = household.household_id, zone_of(household)
    stored = store.read("transactions", home, where={"vanished_at": None}, columns=COLUMNS)
    settings = settings_of(store.read("choices", home))
    known = known_balances(store.load(BalanceRow, home), settings, movements_of(stored, zone), zone=zone)
    return [replace(balance, account_id=main.get(balance.account_id, balance.account_id)) for balance in known]
