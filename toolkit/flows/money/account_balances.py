"""What is in each account, and on which day: as the service read it, as a person typed it, or as a file's rows end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from toolkit.analytics.money.account_evidence import AccountRows, Movement, opening_and_closing
from toolkit.analytics.money.account_settings import settings_of
from toolkit.store import Store
from toolkit.tables.money import amount

HOME = "AUD"


@dataclass(frozen=True, slots=True)
class Balance:
    """account_id: as stored. minor: cents of AUD, negative is owed. at: the day at whose end it was so."""

    account_id: str
    minor: int
    at: date


def balances(
    store: Store, household_id: str, zone: str, choices: pl.DataFrame, movements: Mapping[str, Sequence[Movement]]
) -> dict[str, Balance]:
    """The latest known balance of each stored account that has one.

    movements: the account's own transactions. A balance typed for a day outranks others of that day.
    """
    known = [*_of_files(movements), *_of_the_service(store, household_id, ZoneInfo(zone)), *_typed(choices)]
    return {balance.account_id: balance for balance in sorted(known, key=lambda balance: balance.at)}


def latest_by_main(found: Iterable[Balance], main: Mapping[str, str]) -> dict[str, Balance]:
    """Of accounts that are one the latest balance, by the id that they count under."""
    ordered = sorted(found, key=lambda balance: balance.at)
    return {main.get(balance.account_id, balance.account_id): balance for balance in ordered}


def _of_the_service(store: Store, household_id: str, clock: ZoneInfo) -> Iterable[Balance]:
    for row in store.rows("balances", household_id):
        if row["currency"] == HOME and row["current_balance_minor"] is not None:
            yield Balance(row["account_id"], int(row["current_balance_minor"]), row["as_of"].astimezone(clock).date())


def _typed(choices: pl.DataFrame) -> Iterable[Balance]:
    for account, said in settings_of(choices).items():
        if "balance_minor" in said:
            yield Balance(account, int(said["balance_minor"]), date.fromisoformat(said["at"]))


def _of_files(movements: Mapping[str, Sequence[Movement]]) -> Iterable[Balance]:
    """The balance after the last row; 0.00 throughout is what banks write of cards whose balance they do not give."""
    for account, rows in movements.items():
        in_aud = all(row.currency == HOME for row in rows)
        given = AccountRows({"account_id": account}, tuple(rows))
        closing = opening_and_closing(given)[1] if in_aud and any(row.balance_minor for row in rows) else None
        if closing is not None and given.last is not None:
            yield Balance(account, closing, given.last)


def as_json(balance: Balance | None) -> dict[str, Any]:
    if balance is None:
        return {"balance": None, "balance_at": None}
    return {"balance": amount(balance.minor), "balance_at": balance.at}
