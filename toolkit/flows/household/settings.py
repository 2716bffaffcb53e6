"""Store facts about a home: `household set` and the home card of the app."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path

from toolkit.answers.households import Household, Households
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.energy.concessions import set_concessions
from toolkit.flows.household.context import (
    UNNAMED,
    Context,
    Fuels,
    choose_household,
    create_household,
    free_name,
    refuse_other_spelling,
    with_earlier_plan,
    with_plan,
)
from toolkit.flows.household.facts import Fact, arrays_of, as_stored, checked_facts, in_words
from toolkit.flows.household.listed import listed_homes
from toolkit.flows.household.service_points import checked_network, fuel_of, service_points
from toolkit.flows.imports.load import load
from toolkit.flows.money.spending import refresh
from toolkit.flows.plans.choice import plans_at, stored_plan_id, stored_plans
from toolkit.flows.plans.my_plan import MyPlan, plans_by_fuel
from toolkit.flows.wording import refuse_changed
from toolkit.remedies import Message
from toolkit.store import Store, open_store
from toolkit.tables.reference import places
from toolkit.tables.rows.plans import Fuel
from toolkit.tables.schema import Row
from toolkit.tables.schema.identity import HouseholdRow

_CHANGED = "This was {} after the page was opened. Enter it again to replace that."
MOST_CHOICES = 20


def set_home(
    ctx: Context,
    *,
    name: str | None = None,
    persons: Sequence[str] = (),
    concessions: Sequence[str] = (),
    plans_shown: Mapping[Fuel, MyPlan] | None = None,
    **facts: Fact,
) -> Households:
    """Store facts of a household (`household set`); None is not given and stays, an empty text deletes one.

    persons: names to add to those of the household's people; an empty one deletes all added before. concessions: as
    `set_concessions` reads them.
    plan_id: the id of a stored plan. plans_shown: the plans of the home as a page showed them. Raises UsageError if the
    plan is not stored, no meter of the home measures its fuel, or the home's plans have changed since they were shown,
    ChoiceRequiredError for an unknown network.
    """
    return _set_facts(ctx, facts, name=name, persons=persons, concessions=concessions, plans_shown=plans_shown)


def _set_facts(  # noqa: PLR0913  # what is set, and what was shown, each by name
    ctx: Context,
    facts: Mapping[str, Fact],
    *,
    name: str | None = None,
    persons: Sequence[str] = (),
    concessions: Sequence[str] = (),
    shown: Household | None = None,
    plans_shown: Mapping[Fuel, MyPlan] | None = None,
) -> Households:
    if plan := facts.get("plan_id"):
        facts = {**facts, "plan_id": _stored_plan(ctx, str(plan))}
    with open_store(ctx.db) as store, store.transaction():
        household = choose_household(store, ctx) if store.count("households") else create_household(store, UNNAMED)
        _check_plans(store, household, plans_shown or {})
        values = checked_facts(facts)
        if name is not None:
            refuse_other_spelling(store, name, household.household_id)
            values["name"] = free_name(store, name, household.household_id)
        if shown is not None:
            persons = _changed_persons(store, household, persons, shown)
            values = _changed_facts(values, household, shown)
        if network := values.get("network"):
            lists = store.tuples("plans", ("distributors",), where={"household_id": ""}) if store.count("plans") else []
            published = {name for (names,) in set(lists) for name in json.loads(names or "[]")}
            values["network"] = checked_network(str(network), {*published, *places.networks()})
        if plan_id := values.get("plan_id"):
            _check_fits(store, household, str(plan_id))
            since = values.get("plan_since")
            values |= with_plan(
                household, str(plan_id), since if isinstance(since, date) else None, _fuels(store, household)
            )
        elif "plan_id" in values:
            values["other_plans"] = None
        if values:
            store.update("households", values, {"household_id": household.household_id})
        _add_persons(store, household.household_id, persons)
        set_concessions(store, household.household_id, concessions)
        if store.count("transactions", household.household_id):
            refresh(store, household.household_id)  # days follow the time zone, transfers the people's names
        return listed_homes(store)


def set_home_by_field(
    ctx: Context, *, shown: Household | None = None, name: str, persons: Sequence[str], **facts: Fact
) -> dict[str, str]:
    """Store each of the facts that is valid, as `set_home` does; return fact → reason for those refused.

    shown: the household as the form showed it. A fact that is as shown stays as it is stored by now. One that somebody
    else has changed since is refused, with the value that it has now.
    """
    changes: dict[str, Callable[[], Households]] = {
        "name": partial(_set_facts, ctx, {}, name=name, shown=shown),
        **{fact: partial(_set_facts, ctx, {fact: value}, shown=shown) for fact, value in facts.items()},
        "persons": partial(_set_facts, ctx, {}, persons=persons, shown=shown),
    }
    refused: dict[str, str] = {}
    for fact, change in changes.items():
        try:
            change()
        except UsageError as error:
            refused[fact] = Message(error)
    return refused


def _changed_facts(values: Row, now: HouseholdRow, shown: Household) -> Row:
    """Return the values that differ from those shown. Raises UsageError where the stored one does too."""
    before = {fact: _as_stored(shown, fact) for fact in values}
    changed = {fact: value for fact, value in values.items() if value != before[fact]}
    if changed.get("embedded_network") is False and not shown.embedded_network:  # the box is empty where none is stored
        del changed["embedded_network"]
    for fact, value in changed.items():
        stored = getattr(now, fact)
        if stored not in (before[fact], value):
            named = "; ".join(map(in_words, arrays_of(now))) if fact == "arrays" else stored
            raise UsageError(_CHANGED.format("deleted" if stored is None else f"changed to {named}"))
    return changed


def _as_stored(shown: Household, fact: str) -> object:
    return as_stored(shown.arrays) if fact == "arrays" else getattr(shown, fact)


def _changed_persons(store: Store, now: HouseholdRow, names: Sequence[str], shown: Household) -> Sequence[str]:
    """Return the names if they differ from those shown. Raises UsageError where the stored ones do too."""
    entered = {" ".join(name.split()) for name in names} - {""}
    if not names or entered == set(shown.persons):
        return ()
    stored = {name for (name,) in store.tuples("persons", ("name",), now.household_id)}
    if stored not in (set(shown.persons), entered):
        raise UsageError(_CHANGED.format(f"changed to {'; '.join(sorted(stored)) or 'nobody'}"))
    return names


def _add_persons(store: Store, household_id: str, names: Sequence[str]) -> None:
    written = [" ".join(name.split()) for name in names]
    if "" in written:
        store.delete("persons", {"household_id": household_id})
    for name in filter(None, written):
        if not any(letter.isalpha() for letter in name):
            raise UsageError(f"{name!r} is not a person's name. Write it as the bank does, for example K Nguyen.")
        store.upsert("persons", [{"household_id": household_id, "name": name}])


def _stored_plan(ctx: Context, wanted: str) -> str:
    """Return the id of a stored plan. Raises UsageError where none is called so."""
    if stored := _id_if_stored(ctx, wanted):
        return stored
    raise UsageError(
        f"No plan with the plan ID {wanted!r} is stored. Choose one from the list, or type yours from a bill."
    )


def _id_if_stored(ctx: Context, wanted: str) -> str | None:
    with open_store(ctx.db) as store:
        home = choose_household(store, ctx).household_id if store.count("households") else ""
        return stored_plan_id(store, home, wanted)


def plan_named(ctx: Context, wanted: str) -> str:
    """Return the id of a stored plan, or of the plan in a file, which is imported (`household set --plan`).

    Raises UsageError where it is neither, ChoiceRequiredError for a file with several plans.
    """
    if stored := _id_if_stored(ctx, wanted):
        return stored
    if not Path(wanted).exists():
        raise UsageError(f"{wanted!r} is neither the id of a stored plan nor a file: import the plan first.")
    ids = sorted({plan.plan_id for plan in plans_at(Path(wanted))[0]})
    if len(ids) != 1:
        raise ChoiceRequiredError(
            f"{wanted} holds {len(ids)} plans: import it, then name one by its id.", ids[:MOST_CHOICES]
        )
    load(ctx, [Path(wanted)], kind="plans")
    return ids[0]


def _check_fits(store: Store, household: HouseholdRow, plan_id: str) -> None:
    metered = {fuel_of(point) for point in service_points(store, household)}
    fuels = _fuels(store, household)(plan_id)
    if metered and not metered & set(fuels):
        priced = " and ".join(fuel.lower() for fuel in fuels)
        names = [name for (name,) in store.tuples("plans", ("name",), where={"plan_id": plan_id}) if name]
        called = f"The plan {names[-1]}" if names else "This plan"
        raise UsageError(f"{called} prices {priced}, which no meter of this home measures.")


def archive(ctx: Context, *, archived: bool) -> Households:
    """Archive a household, or take it back: an archived one is kept, but neither pulled nor on the desk."""
    with open_store(ctx.db) as store, store.transaction():
        household = choose_household(store, ctx)
        since = (household.archived_on or ctx.today) if archived else None
        store.update("households", {"archived_on": since}, {"household_id": household.household_id})
        return listed_homes(store)


def _check_plans(store: Store, household: HouseholdRow, shown: Mapping[Fuel, MyPlan]) -> None:
    """Raise UsageError where a plan of the home, or the one before it, is not that which a page showed."""
    if shown:
        now = plans_by_fuel(store, household)
        before, after = (
            {fuel.capitalize(): _in_words(plans[fuel]) for fuel in shown if fuel in plans} for plans in (shown, now)
        )
        refuse_changed("plan", before, after)


def _in_words(mine: MyPlan) -> str:
    since = f", since {mine.today.since}" if mine.today and mine.today.since else ""
    before = f", before it {mine.before.plan_id}" if mine.before else ""
    return f"{mine.name or 'not chosen'}{since}{before}"


def _fuels(store: Store, household: HouseholdRow) -> Fuels:
    """Return a function that gives the fuels of a stored plan; none where it is not stored."""

    def fuels(plan_id: str) -> tuple[Fuel, ...]:
        stored = stored_plans(store, household.household_id, {"plan_id": plan_id})
        return stored[-1].fuels if stored else ()

    return fuels


def set_earlier_plan(
    ctx: Context, wanted: str, *, fuel: Fuel | None = None, shown: Mapping[Fuel, MyPlan] | None = None
) -> Households:
    """Store the plan that the home was on before today's of that fuel; an empty id takes it away.

    fuel: that of the earlier plan which an empty id takes away; without it, the main plan's. shown: the plans as a page
    showed them. Raises UsageError where it is not stored, since when the home is on today's plan is not known, or the
    plans have changed since they were shown.
    """
    plan_id = _stored_plan(ctx, wanted) if wanted else ""
    with open_store(ctx.db) as store, store.transaction():
        household = choose_household(store, ctx)
        _check_plans(store, household, shown or {})
        values = with_earlier_plan(household, plan_id, _fuels(store, household), fuel)
        store.update("households", values, {"household_id": household.household_id})
        return listed_homes(store)
