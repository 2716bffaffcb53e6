"""Households as they are listed: each with its facts, people, plans and concessions."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

import msgspec

from toolkit.answers.households import HomeConcession, Household, Households, Shape
from toolkit.flows.household.context import Context, create_household, in_order, named_plans, refuse_other_spelling
from toolkit.flows.household.facts import Fact, arrays_of
from toolkit.store import Store, open_store
from toolkit.store.connection import is_stored
from toolkit.tables.schema.identity import HouseholdRow, PersonRow
from toolkit.tables.schema.typed import TypedConcessionRow


def homes(ctx: Context) -> Households:
    """List every household with its facts, by name (`household list`); none without a database."""
    if not is_stored(ctx.db):
        return Households(households=())
    with open_store(ctx.db) as store:
        return listed_homes(store)


def several_homes(ctx: Context) -> bool:
    """Return whether the database has more than one household."""
    if not is_stored(ctx.db):
        return False
    with open_store(ctx.db) as store:
        return store.count("households") > 1


def add_home(ctx: Context, name: str, **facts: Fact) -> Households:
    """Create a household (`household add`) and list all. Raises UsageError if the name is taken."""
    with open_store(ctx.db) as store, store.transaction():
        refuse_other_spelling(store, name, None)
        create_household(store, name, **facts)
        return listed_homes(store)


def listed_homes(store: Store) -> Households:
    """List every household by name, with its facts and people."""
    persons: dict[str, list[str]] = defaultdict(list)
    concessions: dict[str, list[HomeConcession]] = defaultdict(list)
    for row in store.load(TypedConcessionRow):
        concessions[row.household_id].append(home_concession(row))
    for person in store.load(PersonRow):
        persons[person.household_id].append(person.name)
    return Households(
        households=tuple(
            Household(
                id=row.household_id,
                name=row.name,
                postcode=row.postcode,
                state=row.state,
                network=row.network,
                timezone=row.timezone,
                customer_type=row.customer_type,
                panels_kw=row.panels_kw,
                arrays=arrays_of(row),
                inverter_kw=row.inverter_kw,
                battery_kwh=row.battery_kwh,
                plan_id=row.plan_id,
                plan_since=row.plan_since,
                other_plans=tuple(in_order(named_plans(row)[bool(row.plan_id) :])),
                billing=row.billing,
                embedded_network=row.embedded_network,
                note=row.note,
                follow_up=row.follow_up,
                purpose=row.purpose,
                archived_on=row.archived_on,
                persons=tuple(persons[row.household_id]),
                concessions=tuple(concessions[row.household_id]),
            )
            for row in sorted(store.load(HouseholdRow), key=lambda row: row.name)
        )
    )


def home_concession(row: TypedConcessionRow) -> HomeConcession:
    """Return a stored concession as it is listed."""
    return HomeConcession(
        id=row.id,
        name=row.name,
        fuel="GAS" if row.fuel == "GAS" else "ELECTRICITY",
        shape=msgspec.convert(row.shape, Shape),
        amount=None if row.amount_minor is None else Decimal(row.amount_minor).scaleb(-2),
        percent=None if row.percent is None else Decimal(row.percent),
        from_=row.first_day,
        to=row.last_day,
        listed=row.listed_id,
    )
