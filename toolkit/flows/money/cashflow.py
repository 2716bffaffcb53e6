"""How the money will last: `cashflow`; and net worth by month: `networth`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

import polars as pl
import polars.selectors as cs

from toolkit.analytics.money.account_evidence import COLUMNS, Activity, activity_of, activity_of_dated
from toolkit.analytics.money.account_summary import (
    Balance,
    known_balances,
    merged_accounts,
)
from toolkit.analytics.money.accounts import settings_of
from toolkit.analytics.money.cash.cashflow import Money, cash_flow, locked_accounts
from toolkit.analytics.money.cash.own_moves import debt_payments, moves_elsewhere
from toolkit.analytics.money.cash.reach import Reach
from toolkit.analytics.money.classify import Classified
from toolkit.analytics.money.elsewhere import debts_elsewhere
from toolkit.analytics.money.net_worth import courses
from toolkit.analytics.money.net_worth import net_worth as by_month
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.money import Cashflow, NetWorth
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import service_points
from toolkit.flows.invoices.to_pay import issued_bills
from toolkit.flows.money.energy_ahead import next_bills
from toolkit.flows.money.series import bank_holidays, expected_series
from toolkit.flows.money.spending import accounts_as_set, classified
from toolkit.flows.money.summary import zone_of
from toolkit.store import Store
from toolkit.tables.schema.banking import BalanceRow
from toolkit.tables.schema.identity import HouseholdRow

DAYS, MOST_DAYS = 90, 366
_COLUMNS = (
    *COLUMNS,
    *("day", "account", "kind", "partner", "repays", "merchant", "type", "biller_name", "biller_code"),
    *("primary_category", "secondary_category", "category_source"),
)
"""What is looked at of the transactions."""


def cashflow(ctx: Context, *, days: int = DAYS, forecasts: Mapping[str, Forecast] | None = None) -> Cashflow:
    """Project the balance of everyday, savings and card accounts, together and each, by day from today.

    Transfers among these cancel out in the balance of all; loan payments leave. What is left to pay of stored energy
    bills, and those forecast, are added on their due dates, overdue ones today, unless equal payments to the retailer
    spread them. Amounts in AUD, money out
    negative. forecasts: service point → the answer of `forecast`, where the caller has it already. Raises UsageError
    where `days` is not between 1 and 366.
    """
    if not 1 <= days <= MOST_DAYS:
        raise UsageError(f"{days} days cannot be projected. Choose between 1 and {MOST_DAYS}.")
    with open_home(ctx) as (store, household):
        known = _known(store, household, ctx.today)
        points = [point.id for point in service_points(store, household)]
        issued, unseen = issued_bills(store, household, ctx.today, known.planned)
    return cash_flow(known, next_bills(ctx, points, issued, forecasts), days=days, unseen=unseen)


def _known(store: Store, household: HouseholdRow, today: date) -> Money:
    """Load what is known up to today; rows of accounts with money that cannot be spent are left out."""
    money = classified(store, household, _COLUMNS)
    money = replace(money, rows=money.rows.select(_COLUMNS).cast({cs.categorical(): pl.String}))
    main = money.links.main
    accounts = merged_accounts(accounts_as_set(store, household.household_id), main)
    activity = _activity(store, household, money)
    stored = balances_of(store, household, main, activity)
    locked, unnamed = locked_accounts(accounts, stored, activity, main)
    rows = moves_elsewhere(debt_payments(money.rows, locked))
    series, planned = expected_series(store, household, replace(money, rows=rows), today)
    holidays = bank_holidays(household, today)
    return Money.of(
        *(rows, accounts, stored, series, planned),
        holidays=holidays,
        reach=(reach := Reach.of_rows(money.rows, today)),
        cards_elsewhere=debts_elsewhere(money.rows, reach.to).cards,
        locked=locked,
        unnamed=unnamed,
    )


def _activity(store: Store, household: HouseholdRow, money: Classified) -> dict[str, Activity]:
    """Return `activity_in` from the classified rows, where these are the stored ones.

    They are not where accounts count as one, or where a transaction is split: its parts have ids such as `ID#1`.
    """
    linked = money.links.copies or any(account != main for account, main in money.links.main.items())
    if linked or money.rows["id"].str.contains("#", literal=True).any():
        return activity_in(store, household)
    return activity_of_dated(money.rows.select(*COLUMNS, "day"), zone_of(household))


def activity_in(store: Store, household: HouseholdRow) -> dict[str, Activity]:
    """Return account id → the days and the latest running balances of its transactions."""
    stored = store.read("transactions", household.household_id, where={"vanished_at": None}, columns=COLUMNS)
    return activity_of(stored, zone_of(household))


def balances_of(
    store: Store, household: HouseholdRow, main: Mapping[str, str], activity: Mapping[str, Activity]
) -> list[Balance]:
    """Return the known balances in AUD, oldest first, by the account that counts. main: `AccountLinks.main`."""
    home, zone = household.household_id, zone_of(household)
    settings = settings_of(store.read("choices", home))
    known = known_balances(store.load(BalanceRow, home), settings, activity, zone=zone)
    return [replace(balance, account_id=main.get(balance.account_id, balance.account_id)) for balance in known]


def net_worth(ctx: Context, *, from_: date | None = None, to: date | None = None) -> NetWorth:
    """Answer what the household has less what it owes, at each month's end and today; amounts in AUD.

    Balances come from the service, from files (running or ledger balances) and from what people typed.
    """
    with open_home(ctx) as (store, household):
        money = classified(store, household)
        # Banks date what happens on a weekend on the next business day: balances of files may be of days to come.
        known = balances_of(store, household, money.links.main, _activity(store, household, money))
        accounts = accounts_as_set(store, household.household_id)
    counting = {money.links.main.get(row.account_id, row.account_id) for row in accounts if row.vanished_at is None}
    without = sorted(counting - {balance.account_id for balance in known})
    reach = Reach.of_rows(money.rows, ctx.today)
    elsewhere = debts_elsewhere(money.rows, reach.to)
    return by_month(courses(known, money.rows), without, from_=from_, to=to, today=ctx.today, elsewhere=elsewhere)
