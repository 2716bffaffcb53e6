"""How the money will last: `cashflow`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import polars as pl

from toolkit.analytics.money.account_evidence import COLUMNS, movements_of
from toolkit.analytics.money.cash import cash_flow
from toolkit.analytics.money.cash.flow import Day
from toolkit.analytics.money.cash.recurring import debt_payments
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.account_balances import Balance, balances, latest_by_main
from toolkit.flows.money.classified import accounts_as_set, classified, one_row_an_account, zone_of
from toolkit.flows.money.recurring import planned, series_of
from toolkit.store import Store
from toolkit.tables.money import amount
from toolkit.tables.schema.identity import HouseholdRow

DAYS, MOST_DAYS = 60, 366
LOCKED = ("RESIDENTIAL_MORTGAGES", "PERS_LOANS", "BUSINESS_LOANS", "LEASES", "MARGIN_LOANS", "TERM_DEPOSITS")
"""Accounts whose balance is not there to be spent."""


def cashflow(ctx: Context, *, days: int = DAYS) -> dict[str, Any]:
    """Balance of everyday, savings and card accounts together, at the end of each day from today (docs/commands.md).

    Moves between these cancel out; what pays a loan leaves. Amounts in AUD, money out negative.
    """
    if not 1 <= days <= MOST_DAYS:
        raise UsageError(f"{days} days: between 1 and {MOST_DAYS} can be looked ahead.")
    ahead = [ctx.today + timedelta(days=number) for number in range(days)]
    with open_home(ctx) as (store, household):
        home = household.household_id
        money = classified(store, household)
        locked = _locked(store, home, money.links.main)
        rows = debt_payments(money.rows, locked)
        series = series_of(store, home, replace(money, rows=rows), ctx.today)
        once = planned(store, home, money.links.main)
        found = _balances(store, household, money.links.main, locked)
    balance, said = _spendable(found, rows), list(_read_when(list(found.values()), ctx.today))
    spendable = rows.filter(~rows["account_id"].is_in(locked))
    inside = [entry for entry in series if entry.account_id not in locked]
    single = [entry for entry in once if entry.cadence is None]
    made = cash_flow(spendable, inside, balance_minor=balance, days=ahead, once=single)
    low = made.low_point and _as_json(made.low_point)
    return {
        "from": ahead[0],
        "to": ahead[-1],
        "days": [_as_json(day) for day in made.days],
        "low_point": low and {name: low[name] for name in ("date", "p10", "p50")},
        "notes": [*said, *made.notes],
    }


def _locked(store: Store, household_id: str, main: Mapping[str, str]) -> list[str]:
    rows = one_row_an_account(accounts_as_set(store, household_id), main)
    return [row["account_id"] for row in rows if row["product_category"] in LOCKED]


def _balances(store: Store, household: HouseholdRow, main: Mapping[str, str], locked: list[str]) -> dict[str, Balance]:
    """The known AUD balances that are there to be spent, by the account that they count under."""
    home, zone = household.household_id, zone_of(household)
    stored = store.read("transactions", home, where={"vanished_at": None}, columns=COLUMNS)
    found = balances(store, home, zone, store.read("choices", home), movements_of(stored, zone))
    known = latest_by_main(found.values(), main)
    return {account: balance for account, balance in known.items() if account not in locked}


def _spendable(balances: Mapping[str, Balance], rows: pl.DataFrame) -> int | None:
    """The sum of the balances in cents, later rows added and pending ones taken off; None where none is known."""
    if not balances:
        return None
    days = {account: balance.at for account, balance in balances.items()}
    at = pl.col("account_id").replace_strict(days, default=None, return_dtype=pl.Date)
    known = rows.filter(pl.col("currency") == "AUD", at.is_not_null())
    moved = known.filter((pl.col("status") == "PENDING") | (pl.col("day") > at))
    return sum(balance.minor for balance in balances.values()) + int(moved["amount_minor"].sum())


def _read_when(balances: list[Balance], today: date) -> Iterator[str]:
    """From when the balances are: it is they that are taken for those of `today`."""
    if not balances:
        return
    read = min(balance.at for balance in balances)
    later = f", after {today}: what there was then is not stored" if read > today else ""
    yield f"The balances are those read on {read}{later}."


def _as_json(day: Day) -> dict[str, Any]:
    figures = {name: getattr(day, name) for name in ("p10", "p50", "p90")}
    return {
        "date": day.date,
        **{name: None if cents is None else amount(cents) for name, cents in figures.items()},
        "items": [
            {"name": item.name, "amount": amount(item.amount_minor), "source": item.source} for item in day.items
        ],
    }
