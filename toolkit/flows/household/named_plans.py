"""The plans that a person named for a home: one for each fuel, and those before it, each with the day since when.

The household's `plan_id` and `plan_since` are the plan of today, electricity's where it has both fuels; its column
`other_plans` has the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from datetime import date, timedelta
from itertools import pairwise

import msgspec

from toolkit.answers.households import NamedPlan
from toolkit.errors import UsageError
from toolkit.tables.schema import Row
from toolkit.tables.schema.identity import HouseholdRow

Fuels = Callable[[str], Collection[str]]
"""Returns the fuels of a stored plan; none where it is not stored."""


def named_plans(household: HouseholdRow) -> tuple[NamedPlan, ...]:
    """Return the plans named for a home, that of `plan_id` first."""
    others = msgspec.json.decode(household.other_plans or "[]", type=tuple[NamedPlan, ...])
    main = (NamedPlan(household.plan_id, household.plan_since),) if household.plan_id else ()
    return main + others


def in_order(plans: Iterable[NamedPlan]) -> list[NamedPlan]:
    """Return plans in the order in which the home was on them; one without a day is the earliest."""
    return sorted(plans, key=lambda plan: plan.since or date.min)


def with_plan(household: HouseholdRow, plan_id: str, since: date | None, fuels: Fuels) -> Row:
    """Return the columns of a home that is on a plan since a day; None keeps the day that is stored for it.

    The plan before it stays as such where it began earlier; one without a day, or with a later one, was a mistake.
    Plans of the other fuel stay.
    """
    own = set(fuels(plan_id))
    same = in_order(plan for plan in named_plans(household) if own & set(fuels(plan.plan_id)))
    before, current = same[:-1], same[-1:]
    if since is None and (not household.plan_id or (current and current[0].plan_id == plan_id)):
        since = current[0].since if current else household.plan_since
    if current and current[0].since is not None and since is not None and current[0].plan_id != plan_id:
        before += current
    earlier = [plan for plan in before if since is not None and (plan.since or date.min) < since]
    rest = [plan for plan in named_plans(household) if not own & set(fuels(plan.plan_id))]
    return _columns([*rest, *earlier, NamedPlan(plan_id, since)], fuels)


def with_earlier_plan(household: HouseholdRow, plan_id: str, fuels: Fuels) -> Row:
    """Return the columns of a home that was on a plan before today's plan of that fuel; an empty id takes it away.

    Raises UsageError where today's plan, or the day since when, is not known.
    """
    named = named_plans(household)
    own = set(fuels(plan_id)) if plan_id else set(fuels(household.plan_id or ""))
    same = in_order(plan for plan in named if own & set(fuels(plan.plan_id)))
    if not same or same[-1].since is None:
        raise UsageError("Enter the plan you are on now first, with the day since when.")
    rest = [plan for plan in named if plan not in same]
    earlier = [NamedPlan(plan_id, None)] if plan_id and plan_id != same[-1].plan_id else []
    return _columns([*rest, *earlier, same[-1]], fuels)


def without_plan(household: HouseholdRow, plan_id: str) -> Row:
    """Return the columns of a home without a plan that is no longer stored."""
    main, *others = named_plans(household) if household.plan_id else (None, *named_plans(household))
    kept = [plan for plan in others if plan and plan.plan_id != plan_id]
    return _row(main if main and main.plan_id != plan_id else None, kept)


def _columns(plans: Iterable[NamedPlan], fuels: Fuels) -> Row:
    """Return the columns; today's plan of electricity, else of gas, is the main one."""
    ordered = in_order(plans)
    electric = [plan for plan in ordered if "ELECTRICITY" in fuels(plan.plan_id)]
    main = (electric or ordered)[-1]
    return _row(main, [plan for plan in ordered if plan is not main])


def _row(main: NamedPlan | None, others: list[NamedPlan]) -> Row:
    return {
        "plan_id": main.plan_id if main else None,
        "plan_since": main.since if main else None,
        "other_plans": json.dumps(msgspec.to_builtins(others)) if others else None,
    }


def periods_of(plans: Iterable[NamedPlan], span: tuple[date, date]) -> list[tuple[NamedPlan, tuple[date, date]]]:
    """Return each plan with its days of the span: from its own first day, the earliest one from the span's."""
    ordered = in_order(plans)
    starts = [date.min, *(plan.since or date.min for plan in ordered[1:]), date.max]
    days = [
        (plan, (max(first, span[0]), min(after - timedelta(1), span[1])))
        for plan, (first, after) in zip(ordered, pairwise(starts), strict=True)
    ]
    return [(plan, part) for plan, part in days if part[0] <= part[1]]
