"""Read the plans that were in force on some days from the store; the rule is `analytics.energy.plans.in_force`."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

from toolkit.analytics.energy.plans.in_force import (
    ChosenPlan,
    InForce,
    Version,
    Versions,
    named_in_force,
    with_unused_plan_noted,
)
from toolkit.answers.notes import Note
from toolkit.errors import ChoiceRequiredError, NothingStoredError
from toolkit.flows.household.service_points import ServicePoint
from toolkit.flows.plans.stored import MOST_CHOICES, fuel_of, latest, stored_plans
from toolkit.store import Store, Where
from toolkit.tables.schema.energy import AccountPlanRow
from toolkit.tables.schema.identity import HouseholdRow


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
    if stored.versions:
        return with_unused_plan_noted(stored.in_force(*span), household.plan_id)
    return _named_by_person(store, household, point, span) or [_only_stored(store, household, point, span)]


def versions_for(store: Store, home: str, point: ServicePoint, account_id: str | None = None) -> Versions:
    """Load the versions of the plans that supply a service point; of one account only, where that supplies it."""
    rows = [row for row in store.load(AccountPlanRow, home) if _supplies(row, point)]
    rows = [row for row in rows if row.account_id == account_id] or rows
    read = [version for row in rows for version in _read(store, home, row)]
    return Versions.of([version for version in read if fuel_of(point) in version.plan.fuels])


def _supplies(row: AccountPlanRow, point: ServicePoint) -> bool:
    supplied = json.loads(row.service_point_ids or "[]")
    return not supplied or not point.ids.isdisjoint(supplied)


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
    """Return the plan that the person named, cut where another version begins; empty where none is named and stored."""
    if not household.plan_id:
        return []
    home = household.household_id
    named = [plan for plan in stored_plans(store, home, {"plan_id": household.plan_id}) if fuel_of(point) in plan.fuels]
    if not named:
        return []
    (newest,) = latest(named)
    return named_in_force(newest, named, household.plan_since, span)


def _only_stored(store: Store, household: HouseholdRow, point: ServicePoint, span: tuple[date, date]) -> InForce:
    home, fuel = household.household_id, fuel_of(point)
    known = store.tuples("plans", ("plan_id", "fuel_type"), where={"household_id": ["", home]})
    ids = sorted({str(plan_id) for plan_id, kind in known if kind in (fuel, "DUAL", None)})
    if len(ids) == 1:
        note = Note("only_stored_plan", fuel=fuel.lower())
        plan = latest(stored_plans(store, home, {"plan_id": ids[0]}))[0]
        why = f"We do not know which plan this home was on: `toolkit household set --plan {ids[0]} --since DATE`."
        return InForce(ChosenPlan(plan, own=True, notes=(note,)), *span, why, plan.first_day)
    if not ids:
        raise NothingStoredError(
            f"No {fuel.lower()} plan is stored: import one (`toolkit import PLAN.json`), name a file with --plan, "
            "or connect the energy account.",
            "plan",
        )
    question = f"Which of {len(ids)} stored plans is this home on? Use --plan, or `toolkit household set --plan ID`."
    raise ChoiceRequiredError(question, ids[:MOST_CHOICES])
