"""How the money will last: `cashflow`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from toolkit.errors import WrongUsage
from toolkit.flows.context import Context, open_home
from toolkit.flows.money import classified, zone_of
from toolkit.flows.recurring import planned, series_of

if TYPE_CHECKING:
    import polars as pl

    from toolkit.analytics.cash.flow import Day
    from toolkit.store import Store

DAYS, MOST_DAYS = 60, 366
LOCKED = ("RESIDENTIAL_MORTGAGES", "PERS_LOANS", "BUSINESS_LOANS", "LEASES", "MARGIN_LOANS", "TERM_DEPOSITS")
"""Accounts whose balance is not there to be spent."""


def cashflow(ctx: Context, *, days: int = DAYS) -> dict[str, Any]:
    """Balance of everyday, savings and card accounts together, at the end of each day from today, as in the contract.

    Moves between these cancel out; what pays a loan leaves. Amounts in AUD, money out negative.
    """
    from toolkit.analytics.cash import cash_flow
    from toolkit.analytics.cash.recurring import debt_payments

    if not 1 <= days <= MOST_DAYS:
        raise WrongUsage(f"{days} days: between 1 and {MOST_DAYS} can be looked ahead.")
    ahead = [ctx.today + timedelta(days=number) for number in range(days)]
    with open_home(ctx) as (store, household):
        home = household["household_id"]
        locked = _locked(store, home)
        rows = debt_payments(classified(store, household).rows, locked)
        series, once = series_of(store, home, rows, ctx.today), planned(store, home)
        found = _balances(store, home, locked)
        balance, said = _spendable(found, locked, rows), list(_read_when(found, zone_of(household), ctx.today))
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


def _locked(store: Store, household_id: str) -> list[str]:
    rows = store.rows("accounts", household_id)
    return [row["account_id"] for row in rows if row["product_category"] in LOCKED]


def _balances(store: Store, household_id: str, locked: list[str]) -> list[dict[str, Any]]:
    """The known AUD balances that are there to be spent."""
    return [
        row
        for row in store.rows("balances", household_id)
        if row["account_id"] not in locked and row["currency"] == "AUD" and row["current_balance_minor"] is not None
    ]


def _spendable(balances: list[dict[str, Any]], locked: list[str], rows: pl.DataFrame) -> int | None:
    """The sum of the balances in cents, pending rows taken off; None where none is known."""
    import polars as pl

    if not balances:
        return None
    waiting = rows.filter(
        pl.col("status") == "PENDING", pl.col("currency") == "AUD", ~pl.col("account_id").is_in(locked)
    )
    return sum(int(row["current_balance_minor"]) for row in balances) + int(waiting["amount_minor"].sum())


def _read_when(balances: list[dict[str, Any]], zone: str, today: date) -> Iterator[str]:
    """From when the balances are: it is they that are taken for those of `today`."""
    from zoneinfo import ZoneInfo

    if not balances:
        return
    read = min(row["as_of"] for row in balances).astimezone(ZoneInfo(zone)).date()
    later = f", after {today}: what there was then is not stored" if read > today else ""
    yield f"The balances are those read on {read}{later}."


def _as_json(day: Day) -> dict[str, Any]:
    from toolkit.tables.currencies import amount

    figures = {name: getattr(day, name) for name in ("p10", "p50", "p90")}
    return {
        "date": day.date,
        **{name: None if cents is None else amount(cents) for name, cents in figures.items()},
        "items": [
            {"name": item.name, "amount": amount(item.amount_minor), "source": item.source} for item in day.items
        ],
    }
