"""Net worth by month: `networth`."""

from __future__ import annotations

from datetime import date

from toolkit.analytics.money.net_worth import courses
from toolkit.analytics.money.net_worth import net_worth as by_month
from toolkit.answers.money import NetWorth
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.cashflow import balances_of
from toolkit.flows.money.spending import accounts_as_set, classified


def net_worth(ctx: Context, *, from_: date | None = None, to: date | None = None) -> NetWorth:
    """Answer what the household has less what it owes, at each month's end and today; amounts in AUD.

    Balances come from the service, from files (running or ledger balances) and from what people typed.
    """
    with open_home(ctx) as (store, household):
        money = classified(store, household)
        known = [balance for balance in balances_of(store, household, money.links.main) if balance.at <= ctx.today]
        accounts = accounts_as_set(store, household.household_id)
    counting = {money.links.main.get(row.account_id, row.account_id) for row in accounts if row.vanished_at is None}
    without = sorted(counting - {balance.account_id for balance in known})
    return by_month(courses(known, money.rows), without, from_=from_, to=to, today=ctx.today)
