"""The household's recurring series, and the payments that its banks say will be made."""

from __future__ import annotations

from datetime import date

import polars as pl

from toolkit.analytics.energy.intervals.prepare import public_holidays
from toolkit.analytics.money.account_summary import merged_accounts
from toolkit.analytics.money.cash.coming_up import with_account_names
from toolkit.analytics.money.cash.energy_bill import is_smoothed
from toolkit.analytics.money.cash.own_moves import DEBTS, debt_payments
from toolkit.analytics.money.cash.reach import Reach
from toolkit.analytics.money.cash.recurring import Series, find_recurring
from toolkit.analytics.money.cash.scheduled import Planned, planned_payments
from toolkit.analytics.money.classify import Classified
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.spending import accounts_as_set, classified
from toolkit.store import Store
from toolkit.tables.reference import places
from toolkit.tables.reference.categories import ENERGY
from toolkit.tables.schema.banking import DirectDebitRow, ScheduledPaymentRow
from toolkit.tables.schema.identity import HouseholdRow


def expected_series(
    store: Store, household: HouseholdRow, money: Classified, today: date, *, category: str | None = None
) -> tuple[list[Series], list[Planned]]:
    """Return the household's recurring series, and the payments that its banks say will be made.

    category: looks for series among payees with a row of that category only; None among all.
    """
    home, main = household.household_id, money.links.main
    accounts = merged_accounts(accounts_as_set(store, home), main)
    owing = money.links.owing  # a loan's file of a kind that nobody has set
    debts = {
        account.account_id
        for account in accounts
        if (account.product_category or owing.get(account.account_id)) in DEBTS
    }
    own = {account.account_id for account in accounts} - debts
    planned = planned_payments(store.load(ScheduledPaymentRow, home), accounts, own, main)
    debits: dict[str, list[str]] = {}
    for debit in store.load(DirectDebitRow, home, where={"vanished_at": None}):
        if debit.account_id and debit.description:
            debits.setdefault(main.get(debit.account_id, debit.account_id), []).append(debit.description)
    holidays = bank_holidays(household, today)
    rows, reach = debt_payments(money.rows, sorted(debts)), Reach.of_rows(money.rows, today)
    if category is not None:
        payee = pl.col("merchant").str.to_lowercase()
        of_it = pl.col("primary_category").eq_missing(category) | pl.col("secondary_category").eq_missing(category)
        its_payees = rows.filter(of_it).select(payee)["merchant"].unique().implode()
        rows = rows.filter(payee.is_in(its_payees) | pl.col("repays").is_not_null())  # what is repaid is left out
    series = find_recurring(rows, today=today, planned=planned, debits=debits, holidays=holidays, reach=reach)
    return with_account_names(series, accounts), planned


def main_pay(ctx: Context) -> Series | None:
    """Return the regular income that brings most a year; None without any."""
    with open_home(ctx) as (store, household):
        series, _ = expected_series(store, household, classified(store, household), ctx.today)
    pays = [entry for entry in series if entry.kind == "pay" and not entry.ended]
    return max(pays, key=lambda entry: entry.yearly, default=None)


def smoothed_energy(store: Store, household: HouseholdRow, today: date) -> list[Series]:
    """Return the even payments to energy retailers that go on: bill smoothing and payment plans."""
    if not store.count("transactions", household.household_id):
        return []
    series, _ = expected_series(store, household, classified(store, household), today, category=ENERGY)
    going_on = [each for each in series if each.category == ENERGY and each.usual < 0 and not each.ended]
    return [each for each in going_on if is_smoothed(each)]


def bank_holidays(household: HouseholdRow, today: date) -> frozenset[date]:
    """Return the public holidays of the household's state, national ones where it is not known, around a day."""
    state = household.state or places.state(household.postcode)
    return public_holidays(state, range(today.year - 3, today.year + 2))
