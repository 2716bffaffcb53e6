"""Problems of plans, which a page names as people know them instead of by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from toolkit.errors import StoreError
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import plan_names
from toolkit.pages import widgets
from toolkit.pages.answers import ask
from toolkit.problems import Problem


def show(ctx: Context, rows: Sequence[Problem], *, key: str, names: Mapping[str, str] = MappingProxyType({})) -> None:
    """List problems with the names of their plans. names: of plans that are not stored, by id."""
    ids = sorted({_plan_id(problem) for problem in rows})
    try:
        stored = ask(plan_names, ctx, tuple(ids)) if ids else {}
    except StoreError:
        stored = {}
    widgets.problems([named(problem, {**names, **stored}) for problem in rows], key=key)


def _plan_id(problem: Problem) -> str:
    """Return the plan id that a problem begins with, if it is one of a plan."""
    return str(problem.where).partition(": ")[0].partition(".")[0]


def named(problem: Problem, names: Mapping[str, str]) -> Problem:
    """Return the problem with the plan's name in place of its id, and the part of the plan in words."""
    plan_id = _plan_id(problem)
    name = names.get(plan_id)
    if name is None:
        return problem
    part = str(problem.where).removeprefix(plan_id).lstrip(":. ").replace("_", " ").replace(".", ", ")
    reason = problem.reason.replace(plan_id, name) if plan_id in problem.reason else problem.reason
    return Problem(f"{name}: {part}" if part else name, reason, problem.severity)
