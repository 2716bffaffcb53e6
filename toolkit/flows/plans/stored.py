"""Plans as they lie in the store or in files, read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from toolkit.errors import PricingError, Problem
from toolkit.flows.household.service_points import ServicePoint
from toolkit.importers.plans import plan_objects
from toolkit.importers.source import each_source
from toolkit.store import Store, Where
from toolkit.store.plan_repository import PUBLISHED, latest_versions
from toolkit.tables.plans import Fuel, Plan, read_plan
from toolkit.tables.schema.energy import PlanRow

MOST_CHOICES = 20
"""Plans that are named where one has to be chosen."""


def fuel_of(point: ServicePoint) -> Fuel:
    return "GAS" if point.fuel.upper() == "GAS" else "ELECTRICITY"


def stored_plans(store: Store, home: str, where: Where | None = None) -> list[Plan]:
    """Load published plans and those of the household: every version, the last updated or last arrived one last."""
    rows = store.load(PlanRow, where={"household_id": [PUBLISHED, home], **(where or {})})
    rows.sort(key=lambda row: (row.last_updated or "", row.sequence))
    return [read_plan(json.loads(row.raw), plan_id=row.plan_id) for row in rows]


def latest(plans: Iterable[Plan]) -> list[Plan]:
    """Return the latest version of each plan, in order of first appearance. plans: in order of arrival."""
    return list(latest_versions(plans, lambda plan: (plan.plan_id, plan.last_updated)).values())


def plans_at(path: Path) -> tuple[list[Plan], list[Problem]]:
    """Return every plan in a file or folder, and problems for what is not a plan.

    Raises ImportFailedError where it cannot be opened.
    """
    plans: list[Plan] = []
    problems: list[Problem] = []
    for given in (plan for source in each_source(path) for plan in plan_objects(source)):
        try:
            plans.append(read_plan(given.value, plan_id=given.file_stem))
        except PricingError as error:
            problems.append(Problem(given.where, error.reason))
    return plans, problems
