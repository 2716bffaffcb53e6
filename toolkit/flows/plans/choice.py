"""Which plan is meant: by id in the store, by file, or the one in force for the household; and the plans as stored.

The rule of which plan was in force is `analytics.energy.plans.in_force`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from toolkit.analytics.energy.plans.in_force import (
    ChosenPlan,
    InForce,
    Version,
    Versions,
    named_in_force,
    with_unused_plan_noted,
)
from toolkit.answers.base import Note
from toolkit.errors import ChoiceRequiredError, NothingStoredError, PlanRequiredError, PricingError, UsageError
from toolkit.flows.household.context import Context, choose_household, named_plans, nothing_stored, periods_of
from toolkit.flows.household.service_points import ServicePoint, fuel_of
from toolkit.importers.plans import plan_objects
from toolkit.importers.source import each_source
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.store import Condition, Store, Where, open_store
from toolkit.tables.rows.plans import (
    Arrival,
    Fuel,
    Plan,
    PlanIds,
    latest_versions,
    read_plan,
    stored_plan,
    versions_in_order,
)
from toolkit.tables.schema.energy import PUBLISHED, AccountPlanRow, PlanRow
from toolkit.tables.schema.identity import HouseholdRow

MOST_CHOICES = 20
"""Plans that are named where one has to be chosen."""


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
    stored = stored_plans(store, household.household_id, {"plan_id": wanted})
    if stored:
        home = household.household_id
        account, subscribed = _account_on(store, home, wanted), is_subscribed(store, home, wanted)
        return ChosenPlan(stored[-1], own=False, account_id=account, subscribed=subscribed)
    if not wanted or not Path(wanted).exists():
        raise UsageError(Message(Remedy.NO_SUCH_PLAN.with_(plan=repr(wanted)), Remedy.LIST_PLANS, "."))
    plans, problems = plans_at(Path(wanted))
    return _only(latest(plans), fuel_of(point), wanted, problems)


def stored_plan_id(store: Store, home: str, wanted: str) -> str | None:
    """Return the id under which a plan is stored; None where none is called so.

    Case does not count, nor what follows `@` (the place that published it) where one of the two lacks it. Raises
    ChoiceRequiredError where several plans are called so.
    """
    owners: dict[str, Condition] = {"household_id": [PUBLISHED, home]}
    if store.tuples("plans", ("plan_id",), where={**owners, "plan_id": wanted}):
        return wanted
    ids = sorted({str(plan_id) for (plan_id,) in store.tuples("plans", ("plan_id",), where=owners)})
    name = wanted.casefold()
    stem, _, suffix = name.partition("@")
    same = [plan_id for plan_id in ids if plan_id.casefold() == name]
    same = same or [
        plan_id
        for plan_id in ids
        if plan_id.casefold() == stem or (not suffix and plan_id.casefold().partition("@")[0] == stem)
    ]
    if len(same) > 1:
        raise ChoiceRequiredError(f"{wanted!r} could be any of {len(same)} stored plans: name one whole.", same)
    return same[0] if same else None


def is_subscribed(store: Store, home: str, plan_id: str) -> bool:
    """Return whether the household is or was on the plan, by its settings or its energy accounts."""
    named = [plan.plan_id for row in store.load(HouseholdRow, home) for plan in named_plans(row)]
    return plan_id in named or _account_on(store, home, plan_id) is not None


def _account_on(store: Store, home: str, plan_id: str) -> str | None:
    """Return the household's account on the plan, for its feed-in."""
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


def plan_in_force(store: Store, household: HouseholdRow, point: ServicePoint, on: date) -> ChosenPlan:
    """Return the plan in force for the service point on that day.

    Raises StoreError where none is stored, ChoiceRequiredError where several could be meant.
    """
    return plans_in_force(store, household, point, (on, on))[0].chosen


def plans_in_force(
    store: Store,
    household: HouseholdRow,
    point: ServicePoint,
    span: tuple[date, date],
    versions: Versions | None = None,
) -> list[InForce]:
    """Return the span, cut where another plan comes into force. versions: of the service point, where they are known.

    Raises StoreError where no plan is known, ChoiceRequiredError where several could be meant.
    """
    stored = versions or versions_for(store, household.household_id, point)
    named = _named_by_person(store, household, point, span)
    if stored.versions:
        return with_unused_plan_noted(stored.in_force(*span), named[-1].chosen.plan if named else None)
    return named or [_only_stored(store, household, point, span)]


def versions_for(store: Store, home: str, point: ServicePoint, account_id: str | None = None) -> Versions:
    """Load the versions of the plans that supply a service point; of one account only, where that supplies it."""
    rows = []
    for row in store.load(AccountPlanRow, home):
        supplied = json.loads(row.service_point_ids or "[]")
        if not supplied or not point.ids.isdisjoint(supplied):
            rows.append(row)
    rows = [row for row in rows if row.account_id == account_id] or rows
    read = [version for row in rows for version in _read(store, home, row)]
    return Versions.of([version for version in read if fuel_of(point) in version.plan.fuels])


def _read(store: Store, home: str, row: AccountPlanRow) -> list[Version]:
    where: Where = {"household_id": home, "plan_id": row.plan_id, "version": row.version}
    seen = [int(sequence) for (sequence,) in store.tuples("plans", ("sequence",), where=where)]
    first_seen = datetime.fromtimestamp(min(seen, default=0), UTC).date()
    return [
        Version(plan, row.account_id, row.start_date or date.min, row.end_date, row.is_current, first_seen)
        for plan in stored_plans(store, home, where)
    ]


def _named_by_person(
    store: Store, household: HouseholdRow, point: ServicePoint, span: tuple[date, date]
) -> list[InForce]:
    """Return the plans that the person named, cut where another one, or another version, begins; empty without one."""
    named = named_plans(household)
    if not named:
        return []
    ids = [plan.plan_id for plan in named]
    versions: dict[str, list[Plan]] = {}
    for plan in stored_plans(store, household.household_id, {"plan_id": ids}):
        if fuel_of(point) in plan.fuels:
            versions.setdefault(plan.plan_id, []).append(plan)
    days = periods_of([plan for plan in named if plan.plan_id in versions], span)
    return [
        part
        for plan, part_of_span in days
        for part in named_in_force(versions[plan.plan_id][-1], versions[plan.plan_id], plan.since, part_of_span)
    ]


def _only_stored(store: Store, household: HouseholdRow, point: ServicePoint, span: tuple[date, date]) -> InForce:
    home, fuel = household.household_id, fuel_of(point)
    known = store.tuples("plans", ("plan_id", "fuel_type"), where={"household_id": ["", home]})
    ids = sorted({str(plan_id) for plan_id, kind in known if kind in (fuel, "DUAL", None)})
    if len(ids) == 1:
        note = Note("only_stored_plan", fuel=fuel.lower())
        plan = stored_plans(store, home, {"plan_id": ids[0]})[-1]
        why = Note("plan_not_named", plan=ids[0])
        return InForce(ChosenPlan(plan, own=True, notes=(note,)), *span, why, plan.first_day)
    if not ids:
        raise NothingStoredError(Message(f"No {fuel.lower()} plan is stored: ", Remedy.ADD_PLAN, "."), "plan")
    question = Message(f"Which of {len(ids)} stored plans is this home on? ", Remedy.CHOOSE_PLAN, ".")
    raise PlanRequiredError(question, ids[:MOST_CHOICES])


def stored_plans(store: Store, home: str, where: Where | None = None) -> list[Plan]:
    """Load published plans and those of the household: every version, the latest of each plan last."""
    rows = store.load(PlanRow, where={"household_id": [PUBLISHED, home], **(where or {})})
    rows = versions_in_order(rows, lambda row: Arrival(row.plan_id, row.last_updated, row.sequence, row.source))
    return [stored_plan(row.raw, row.plan_id) for row in rows]


def latest(plans: Iterable[Plan]) -> list[Plan]:
    """Return the latest version of each plan of a file, in order of first appearance. plans: in order of arrival."""
    return list(latest_versions(plans, lambda plan: (plan.plan_id, plan.last_updated)).values())


def plans_at(path: Path) -> tuple[list[Plan], list[Problem]]:
    """Return every plan in a file or folder, and problems for what is not a plan.

    Raises ImportFailedError where it cannot be opened.
    """
    plans: list[Plan] = []
    problems: list[Problem] = []
    ids = PlanIds()
    for given in (plan for source in each_source(path) for plan in plan_objects(source)):
        try:
            plan = read_plan(given.value, plan_id=given.file_stem)
        except PricingError as error:
            problems.append(Problem(given.where, error.reason))
            continue
        plan_id = ids.id_of(plan.plan_id, plan.retailer)
        if warning := ids.warning(plan.plan_id, plan.retailer):
            problems.append(Problem(given.where, f"{plan_id}: {warning}", "warning"))
        plans.append(replace(plan, plan_id=plan_id))
    return plans, problems


@contextmanager
def open_plans(ctx: Context) -> Iterator[tuple[Store, str]]:
    """Open the store with the household; its own plans count as well as the published ones.

    Empty where none is stored.
    """
    if not ctx.db.exists():
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    with open_store(ctx.db) as store:
        homed = ctx.household is not None or store.count("households") > 0
        yield store, choose_household(store, ctx).household_id if homed else ""
