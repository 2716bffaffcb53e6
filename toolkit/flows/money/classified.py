"""What the money questions share: the household's rows, understood."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from shlex import quote
from typing import Any

import polars as pl

from toolkit.analytics.money import Classified, classify
from toolkit.analytics.money.account_settings import with_settings
from toolkit.analytics.money.basis import basis
from toolkit.errors import Problem, UsageError
from toolkit.store import Store
from toolkit.tables.money import minor_units, written_amount
from toolkit.tables.reference import places
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import DEFAULT_ZONE

NEEDED = (
    *("id", "source", "account_id", "status", "amount_minor", "currency", "type"),
    *("execution_date_time", "posting_date_time", "value_date_time"),
    *("description", "reference", "extended_description", "merchant_name", "merchant_category_code"),
    *("primary_category", "secondary_category", "category_confidence"),
    *("biller_name", "biller_code", "payer", "payee", "end_to_end_id", "balance_minor", "vanished_at"),
)
"""The columns that classifying reads."""


def typed_cents(option: str, given: Decimal | str | float) -> int:
    """Cents of an amount as a person types it: `1250.4`, `$1,250.40`. Raises UsageError where it is none."""
    text = str(given).strip()
    amount = written_amount(text)
    if amount is None:
        raise UsageError(f"{option}: {text!r} is no amount of money. Write it as 1250.40 or $1,250.40.")
    try:
        return minor_units(f"{amount:f}")
    except ValueError as error:
        raise UsageError(f"{option}: {error}.") from None


def zone_of(household: HouseholdRow) -> str:
    """The household's time zone: as set, else of its state or postcode, else Sydney's."""
    return household.timezone or places.zone(household.state, household.postcode) or DEFAULT_ZONE


def household_zone(store: Store, household_id: str) -> str:
    """The time zone of the household with this id; Sydney's for records that belong to none."""
    household = store.first(HouseholdRow, household_id)
    return zone_of(household) if household else DEFAULT_ZONE


def classified(store: Store, household: HouseholdRow) -> Classified:
    """The household's transactions with day, merchant, category and kind."""
    home = household.household_id
    transactions = store.read("transactions", home, columns=NEEDED)
    accounts, choices = store.read("accounts", home), store.read("choices", home)
    people = own_people(store, home)
    return classify(transactions, accounts, zone=zone_of(household), choices=choices, people=people)


def own_people(store: Store, household_id: str) -> list[str]:
    """Names of the household's end users, and of the people added to it by name."""
    named = [name for table in ("end_users", "persons") for (name,) in store.tuples(table, ("name",), household_id)]
    return sorted({name for name in named if name})


def basis_of(store: Store, household: HouseholdRow) -> str:
    """What `classified` rests on besides the rows, as a hash."""
    home = household.household_id
    accounts, choices = store.read("accounts", home), store.read("choices", home)
    return basis(accounts, choices, zone=zone_of(household), people=own_people(store, home))


def without_a_date(rows: pl.DataFrame) -> list[Problem]:
    """One problem for each row whose day is unknown."""
    reason = "no readable execution, posting or value date-time: in no month, left out of every range"
    return [Problem(where, reason, "warning") for where in rows.filter(pl.col("day").is_null())["id"].sort()]


def account_names(store: Store, household_id: str) -> dict[str, str]:
    """What to call each account: the name a person set, else their name for it at the bank, else the bank's."""
    rows = accounts_as_set(store, household_id)
    named = {row["account_id"]: row["nickname"] or row["display_name"] or row["product_name"] for row in rows}
    return {account: name for account, name in named.items() if name}


def accounts_as_set(store: Store, household_id: str) -> list[dict[str, Any]]:
    """Rows of table `accounts`, with the names and kinds that people set."""
    accounts, choices = store.read("accounts", household_id), store.read("choices", household_id)
    return with_settings(accounts, choices).to_dicts()


def one_row_an_account(accounts: list[dict[str, Any]], main: Mapping[str, str]) -> list[dict[str, Any]]:
    """Accounts that count, under their own id; what one of them lacks comes from those linked to it.

    main: account id → the id it counts under (see `AccountLinks`).
    """
    found: dict[str, dict[str, Any]] = {}
    for row in sorted(accounts, key=lambda row: (row["account_id"] in main.keys() - main.values(), row["id"])):
        account = main.get(row["account_id"], row["account_id"])
        known = found.setdefault(account, {**row, "account_id": account})
        known.update({name: value for name, value in row.items() if known[name] is None})
    return list(found.values())


def suggested_links(suggestions: Iterable[tuple[Sequence[str], str]], names: Mapping[str, str]) -> list[Problem]:
    """A warning for each group of accounts that may be one; suggestions: account ids, and why."""
    return [Problem(accounts[0], _may_be_one(accounts, reason, names), "warning") for accounts, reason in suggestions]


def _may_be_one(accounts: Sequence[str], reason: str, names: Mapping[str, str]) -> str:
    called = [_called(account, names.get(account)) for account in accounts]
    listed = f"{', '.join(called[:-1])} and {called[-1]}"
    ids = " ".join(quote(account) for account in accounts)
    return (
        f"{listed} may be one account: {reason}. Each of them counts until you decide. "
        f"Run `toolkit accounts link {ids}` if they are one account, `toolkit accounts unlink {ids}` if not."
    )


def _called(account: str, name: str | None) -> str:
    return repr(account) if name in (None, account) else f"{name!r} ({account})"


def account_suggestions(store: Store, household_id: str) -> list[tuple[list[str], Problem]]:
    """The stored suggestions: ids of accounts that may be one, and the warning about them."""
    rows = store.tuples("account_suggestions", ("account_ids", "reason"), household_id)
    stored = [(json.loads(accounts), reason) for accounts, reason in rows]
    problems = suggested_links(stored, account_names(store, household_id) if stored else {})
    return [(accounts, problem) for (accounts, _), problem in zip(stored, problems, strict=True)]


def with_masked_numbers(rows: pl.DataFrame, store: Store, household_id: str) -> pl.DataFrame:
    """Rows whose texts show of the household's own account numbers only the last three digits."""
    found = {row["account_number"] or "" for row in store.rows("accounts", household_id)}
    numbers = sorted((number for number in found if len(number) >= 6), key=len, reverse=True)
    if not numbers:
        return rows
    hidden = [f"{'x' * (len(number) - 3)}{number[-3:]}" for number in numbers]
    return rows.with_columns(pl.col("description", "merchant").str.replace_many(numbers, hidden))
