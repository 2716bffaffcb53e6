"""Which plan is meant: by id in the store, by file, or the one in force for the household."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from toolkit.analytics.energy.plans.in_force import ChosenPlan
from toolkit.answers.energy.plans import ListedPlan, PlanList
from toolkit.errors import ChoiceRequiredError, NothingStoredError, PricingError, Problem, UsageError
from toolkit.flows.household.context import Context, choose_household, nothing_stored
from toolkit.flows.household.service_points import ServicePoint
from toolkit.flows.plans.in_force import plan_in_force
from toolkit.flows.plans.stored import MOST_CHOICES, fuel_of, latest, plans_at, stored_plans
from toolkit.store import Condition, Store, open_store
from toolkit.store.plan_repository import PUBLISHED, latest_rows
from toolkit.tables.plans import Fuel, Plan
from toolkit.tables.schema.identity import HouseholdRow

_LISTED = (
    *("plan_id", "name", "retailer", "fuel_type", "customer_type", "plan_type", "last_updated"),
    *("distributors", "vanished_at"),
)


def resolve_plan(
    store: Store, household: HouseholdRow, point: ServicePoint, wanted: str | None, on: date
) -> ChosenPlan:
    """Return the plan called `wanted`, or the one in force on that day for the service point.

    wanted: a plan id in the store, or the path of a JSON file, a folder, or NDJSON (also gzipped) with one plan of
    the service point's fuel. Raises ChoiceRequiredError where several plans could be meant or none is known.
    """
    if wanted is None:
        return plan_in_force(store, household, point, on)
    wanted = stored_plan_id(store, household.household_id, wanted) or wanted
    stored = latest(stored_plans(store, household.household_id, {"plan_id": wanted}))
    if stored:
        home = household.household_id
        account, subscribed = _account_on(store, home, wanted), is_subscribed(store, home, wanted)
        return ChosenPlan(stored[0], own=False, account_id=account, subscribed=subscribed)
    if not wanted or not Path(wanted).exists():
        raise UsageError(
            f"{wanted!r} is neither the id of a stored plan nor a file. `toolkit plans list` shows the ids."
        )
    plans, problems = plans_at(Path(wanted))
    return _only(latest(plans), fuel_of(point), wanted, problems)


def stored_plan_id(store: Store, home: str, wanted: str) -> str | None:
    """Return the id under which a plan is stored, ignoring case, and what follows `@` where only one matches."""
    owners: dict[str, Condition] = {"household_id": [PUBLISHED, home]}
    if store.tuples("plans", ("plan_id",), where={**owners, "plan_id": wanted}):
        return wanted
    ids = {str(plan_id) for (plan_id,) in store.tuples("plans", ("plan_id",), where=owners)}
    name = wanted.casefold()
    same = [plan_id for plan_id in ids if plan_id.casefold() == name]
    same = same or [plan_id for plan_id in ids if plan_id.casefold().partition("@")[0] == name]
    return same[0] if len(same) == 1 else None


def is_subscribed(store: Store, home: str, plan_id: str) -> bool:
    """Return whether the household is or was on the plan, by its settings or its energy accounts."""
    named = store.tuples("households", ("plan_id",), where={"household_id": home})
    return (plan_id,) in named or _account_on(store, home, plan_id) is not None


def _account_on(store: Store, home: str, plan_id: str) -> str | None:
    """Return the household's account on the plan, whose feed-in applies."""
    rows = store.tuples("account_plans", ("account_id",), home, where={"plan_id": plan_id})
    return next((str(account) for (account,) in rows), None)


def _only(plans: Sequence[Plan], fuel: Fuel, wanted: str, problems: Sequence[Problem]) -> ChosenPlan:
    fitting = [plan for plan in plans if fuel in plan.fuels]
    if len(fitting) == 1:
        return ChosenPlan(fitting[0], own=False, problems=tuple(problems))
    if not fitting:
        reasons = list(dict.fromkeys(problem.reason for problem in problems))
        reason = "; ".join(reasons[:3]) or f"it holds no {fuel.lower()} plan"
        raise PricingError(wanted, reason)
    choices = [plan.plan_id for plan in fitting[:MOST_CHOICES]]
    raise ChoiceRequiredError(
        f"{wanted} holds {len(fitting)} {fuel.lower()} plans: import it, then name one by its id.", choices
    )


@contextmanager
def open_plans(ctx: Context) -> Iterator[tuple[Store, str]]:
    """Open the store with the household, whose own plans count as well as the published ones.

    Empty where none is stored.
    """
    if not ctx.db.exists():
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    with open_store(ctx.db) as store:
        homed = ctx.household is not None or store.count("households") > 0
        yield store, choose_household(store, ctx).household_id if homed else ""


def plan_list(ctx: Context) -> PlanList:
    """Return the stored plans in order of id, the latest version of each."""
    with open_plans(ctx) as (store, home):
        rows = latest_rows(store, _LISTED, {"household_id": [PUBLISHED, home]})
    plans = []
    for plan_id, name, retailer, fuel, customer, kind, updated, networks, vanished_at in rows:
        known = (plan_id, name, retailer, fuel, customer, kind, updated)
        plans.append(ListedPlan(*known, tuple(json.loads(networks or "[]")), vanished_at is None))
    return PlanList(plans=tuple(plans))
