"""Load a household's transactions and accounts from the store, classified and as people of the household set them."""

from __future__ import annotations

from decimal import Decimal

from toolkit.analytics.money.account_summary import name_of
from toolkit.analytics.money.accounts import account_rows, with_settings
from toolkit.analytics.money.classify import NEEDED, Classified, basis, classify
from toolkit.errors import UsageError
from toolkit.remedies import Message, field_of
from toolkit.store import Store
from toolkit.tables.money import minor_units, written_amount
from toolkit.tables.reference import places
from toolkit.tables.schema.banking import AccountRow
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import DEFAULT_ZONE


def zone_of(household: HouseholdRow) -> str:
    """Return the household's time zone: as set, else of its state or postcode, else Sydney's."""
    return household.timezone or places.zone(household.state, household.postcode) or DEFAULT_ZONE


def household_zone(store: Store, household_id: str) -> str:
    """Return the time zone of the household with this id; Sydney's for records that belong to none."""
    household = store.first(HouseholdRow, household_id)
    return zone_of(household) if household else DEFAULT_ZONE


def classified(store: Store, household: HouseholdRow) -> Classified:
    """Return the household's transactions with day, merchant, category and kind."""
    home = household.household_id
    transactions = store.read("transactions", home, columns=NEEDED)
    accounts, overrides = store.read("accounts", home), store.read("choices", home)
    people = own_people(store, home)
    return classify(transactions, accounts, zone=zone_of(household), overrides=overrides, people=people)


def basis_of(store: Store, household: HouseholdRow) -> str:
    """Return a hash of everything but the rows that `classified` depends on."""
    home = household.household_id
    accounts, overrides = store.read("accounts", home), store.read("choices", home)
    return basis(accounts, overrides, zone=zone_of(household), people=own_people(store, home))


def own_people(store: Store, household_id: str) -> list[str]:
    """Return the names of the household's end users, and of the people added to it by name."""
    named = [name for table in ("end_users", "persons") for (name,) in store.tuples(table, ("name",), household_id)]
    return sorted({name for name in named if name})


def accounts_as_set(store: Store, household_id: str) -> list[AccountRow]:
    """Return the household's accounts, with the names and kinds that people set."""
    return account_rows(with_settings(store.read("accounts", household_id), store.read("choices", household_id)))


def account_names(store: Store, household_id: str) -> dict[str, str]:
    """Return account id → the name a person set, else the bank's; accounts without a name are left out."""
    return {row.account_id: name for row in accounts_as_set(store, household_id) if (name := name_of(row))}


def account_numbers(store: Store, household_id: str) -> set[str]:
    """Return the account numbers of the household, as far as they are known in full, to be masked."""
    return {number for (number,) in store.tuples("accounts", ("account_number",), household_id) if number}


def typed_cents(option: str, given: Decimal | str | float) -> int:
    """Parse an amount as a person types it, `1250.4` or `$1,250.40`, to cents. Raises UsageError if it is invalid."""
    text = str(given).strip()
    amount = written_amount(text)
    if amount is None:
        raise UsageError(
            Message(field_of(option), f": {text!r} is not an amount of money. Write it as 1250.40 or $1,250.40.")
        )
    try:
        return minor_units(f"{amount:f}")
    except ValueError as error:
        raise UsageError(Message(field_of(option), f": {error}.")) from None
