"""The household's accounts: `accounts list|link|unlink|set`. Each change is a decision that `undo` takes back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import combinations
from typing import Any

import polars as pl

from toolkit.analytics.money.account_evidence import COLUMNS, AccountRows, movements_of
from toolkit.analytics.money.account_settings import KINDS, kind_of, settings_of
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.moved_accounts import move_account
from toolkit.flows.money.account_balances import as_json, balances
from toolkit.flows.money.classified import account_suggestions, accounts_as_set, typed_cents, zone_of
from toolkit.flows.money.decisions import Decision, record
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

_NAMES = ("account_id", "nickname", "display_name", "product_name")


def list_accounts(ctx: Context) -> dict[str, Any]:
    """`accounts list`: every stored account with its balance, the days that it covers and what it is linked to.

    linked_to: ids of the accounts that count as one with it, the one that they count under first. transactions: rows
    stored of this account, also those that a linked account has too. Warnings name accounts that may be one.
    """
    with open_home(ctx) as (store, household):
        return _listed(store, household)


def link(ctx: Context, accounts: Sequence[str]) -> dict[str, Any]:
    """`accounts link`: two or more accounts (id or name) are one; a transaction that several brought counts once.

    Raises ChoiceRequiredError where one of them is not known, UsageError where fewer than two are named.
    """
    return _decide(ctx, "link", accounts)


def unlink(ctx: Context, accounts: Sequence[str]) -> dict[str, Any]:
    """`accounts unlink`: the accounts are not one. A single one leaves the accounts that it is linked to.

    Also the answer to a suggestion: it is not made again. Raises ChoiceRequiredError and UsageError as `link`.
    """
    return _decide(ctx, "unlink", accounts)


def set_account(
    ctx: Context,
    account: str,
    *,
    name: str | None = None,
    kind: str | None = None,
    balance: Decimal | str | None = None,
    at: date | None = None,
) -> dict[str, Any]:
    """`accounts set`: the household's own name for an account, its kind, or its balance [AUD] at the end of a day.

    Without `at` the balance is that of today. Where the household named by `ctx` has no such account, or nothing else
    is given, the account moves there from the household that has it (see `move_account`). Raises UsageError where
    nothing is set, or for an unknown kind.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"{kind!r} is not a kind of account. The kinds are {', '.join(KINDS)}.")
    if at is not None and balance is None:
        raise UsageError("--at is the day of a balance. Add --balance.")
    settings: dict[str, object] = {"name": name, "kind": kind}
    if balance is not None:
        settings |= {"balance_minor": typed_cents("--balance", balance), "at": str(at or ctx.today)}
    given = {key: value for key, value in settings.items() if value is not None}
    if not given and ctx.household is None:
        raise UsageError("Nothing is set. Add --name, --kind, --balance or --household.")
    with open_home(ctx) as (store, household), store.transaction():
        known = accounts_as_set(store, household.household_id)
        if ctx.household is not None and not (given and _called(known, account)):
            account = move_account(store, account, household.household_id)
            known = accounts_as_set(store, household.household_id)
        if not given:
            return _listed(store, household)
        record(store, household.household_id, Decision("account", _account(known, account), json.dumps(given)))
        return _listed(store, household)


def _decide(ctx: Context, kind: str, wanted: Sequence[str]) -> dict[str, Any]:
    """Record which accounts are one, or are not; the accounts as they are afterwards."""
    with open_home(ctx) as (store, household), store.transaction():
        home = household.household_id
        known = accounts_as_set(store, home)
        chosen = list(dict.fromkeys(_account(known, name) for name in wanted))
        pairs = _pairs(kind, chosen, _groups(known))
        if not pairs:
            raise UsageError("Name two accounts, or more." if kind == "link" else "That account is linked to no other.")
        record(store, home, Decision(kind, chosen[0], json.dumps(pairs)))
        return _listed(store, household)


def _pairs(kind: str, chosen: Sequence[str], groups: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """The pairs that are decided together, so that one undo takes them all back."""
    first, *others = chosen
    if kind == "link":
        return [(first, other) for other in others]
    if others:
        return list(combinations(chosen, 2))
    return [(first, other) for other in groups.get(first, ()) if other != first]


def _groups(accounts: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Account id → ids of all accounts that count as one with it, its own included, the one they count under first."""
    under = {row["account_id"]: row["linked_account_id"] or row["account_id"] for row in accounts}
    members: dict[str, list[str]] = {}
    for account, main in sorted(under.items(), key=lambda pair: (pair[0] != pair[1], pair[0])):
        members.setdefault(main, []).append(account)
    return {account: members[main] for account, main in under.items() if len(members[main]) > 1}


def _account(accounts: Sequence[Mapping[str, Any]], wanted: str) -> str:
    """The id of the only account with that id or name, whatever the case. Raises ChoiceRequiredError where there is
    none.
    """
    found = _called(accounts, wanted)
    if len(found) != 1:
        count = "No account" if not found else "More than one account"
        ids = {str(row["account_id"]) for row in accounts}
        raise ChoiceRequiredError(f"{count} is called {wanted!r}. Name one by its id.", sorted(ids))
    return found.pop()


def _called(accounts: Sequence[Mapping[str, Any]], wanted: str) -> set[str]:
    """Ids of the accounts with that id, else with that name, whatever the case."""
    if wanted in {str(row["account_id"]) for row in accounts}:
        return {wanted}
    said = " ".join(wanted.split()).casefold()
    return {str(row["account_id"]) for row in accounts if said in {str(row[name]).casefold() for name in _NAMES}}


def _listed(store: Store, household: HouseholdRow) -> dict[str, Any]:
    home, zone = household.household_id, zone_of(household)
    choices = store.read("choices", home)
    rows = store.read("transactions", home, columns=(*COLUMNS, "vanished_at")).filter(pl.col("vanished_at").is_null())
    movements = movements_of(rows, zone)
    counted = dict(rows.group_by("account_id").len().iter_rows())
    known = [row for row in accounts_as_set(store, home) if row["vanished_at"] is None or row["account_id"] in counted]
    groups, settings = _groups(known), settings_of(choices)
    found = balances(store, home, zone, choices, movements)
    institutions = {row["institution_id"]: row["name"] for row in store.rows("institutions")}
    listed = []
    for row in sorted(known, key=lambda row: str(row["account_id"])):
        account = row["account_id"]
        own = AccountRows(row, movements.get(account, ()))
        listed.append(
            {
                "id": account,
                "name": row["nickname"] or row["display_name"] or row["product_name"],
                "number": row["masked_number"],
                "institution": institutions.get(row["institution_id"]),
                "kind": kind_of(row, settings.get(account, {}).get("kind")),
                "source": row["source"],
                **as_json(found.get(account)),
                "linked_to": [other for other in groups.get(account, ()) if other != account],
                **_days(own),
                "transactions": counted.get(account, 0),
            }
        )
    problems = [problem.as_json() for _, problem in account_suggestions(store, home)]
    return {"accounts": listed, "problems": problems}


def _days(rows: AccountRows) -> dict[str, date | None]:
    return {"from": rows.first, "to": rows.last}
