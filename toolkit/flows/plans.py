"""Which plan is meant: by id in the store, by file, or the one in force for the household."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.errors import CannotPrice, ChoiceNeeded, Problem, StoreError, WrongUsage
from toolkit.flows.context import Context, choose_household, nothing_stored
from toolkit.tables.plans import Fuel, Plan, read_plan

if TYPE_CHECKING:
    from toolkit.flows.service_points import ServicePoint
    from toolkit.store import Store

MOST_CHOICES = 20
_TOLD = ("plan_id", "name", "retailer", "fuel_type", "customer_type", "plan_type", "last_updated")
_LISTED = (*_TOLD, "distributors", "sequence", "vanished_at")


@dataclass(frozen=True, slots=True)
class ChosenPlan:
    """A plan and how it was chosen. own: it is the household's own, so its account's concessions apply.

    account_id: the energy account it came with. problems: entries of its file that are no plan.
    """

    plan: Plan
    own: bool
    account_id: str | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def resolve_plan(
    store: Store, household: Mapping[str, Any], point: ServicePoint, wanted: str | None, on: date
) -> ChosenPlan:
    """The plan called `wanted`, or the one in force on that day for the service point.

    wanted: a plan id in the store, or the path of a JSON file, a folder, or NDJSON (also gzipped) with one plan of
    the service point's fuel. Raises ChoiceNeeded where several plans could be meant or none is known.
    """
    if wanted is None:
        return plan_in_force(store, household, point, on)
    stored = latest(stored_plans(store, household["household_id"], {"plan_id": wanted}))
    if stored:
        return ChosenPlan(stored[0], own=False)
    if not Path(wanted).exists():
        raise WrongUsage(
            f"{wanted!r} is neither the id of a stored plan nor a file. `toolkit plans list` shows the ids."
        )
    plans, problems = plans_at(Path(wanted))
    return _only(latest(plans), fuel_of(point), wanted, problems)


def _only(plans: Sequence[Plan], fuel: Fuel, wanted: str, problems: Sequence[Problem]) -> ChosenPlan:
    fitting = [plan for plan in plans if fuel in plan.fuels]
    if len(fitting) == 1:
        return ChosenPlan(fitting[0], own=False, problems=tuple(problems))
    if not fitting:
        reason = "; ".join(problem.reason for problem in problems[:3]) or f"it holds no {fuel.lower()} plan"
        raise CannotPrice(wanted, reason)
    choices = [plan.plan_id for plan in fitting[:MOST_CHOICES]]
    raise ChoiceNeeded(
        f"{wanted} holds {len(fitting)} {fuel.lower()} plans: import it, then name one by its id.", choices
    )


def fuel_of(point: ServicePoint) -> Fuel:
    return "GAS" if point.fuel.upper() == "GAS" else "ELECTRICITY"


def plan_in_force(store: Store, household: Mapping[str, Any], point: ServicePoint, on: date) -> ChosenPlan:
    """The account's plan for the service point on that day; else the one the person named; else the only one stored.

    Raises StoreError where none is stored, ChoiceNeeded where several are.
    """
    home, fuel = str(household["household_id"]), fuel_of(point)
    of_account = _account_plan(store, home, point, on)
    if of_account is not None:
        return of_account
    if household["plan_id"]:
        named = [p for p in stored_plans(store, home, {"plan_id": household["plan_id"]}) if fuel in p.fuels]
        if named:
            return ChosenPlan(latest(named)[0], own=True, notes=_since(household, on))
    return _only_stored(store, home, fuel)


def _since(household: Mapping[str, Any], on: date) -> tuple[str, ...]:
    since = household["plan_since"]
    if since is None or since <= on:
        return ()
    return (f"The plan of this home is known from {since}; it is used for the time before, too.",)


def _only_stored(store: Store, home: str, fuel: Fuel) -> ChosenPlan:
    known = store.tuples("plans", ("plan_id", "fuel_type"), where={"household_id": ["", home]})
    ids = sorted({str(plan_id) for plan_id, kind in known if kind in (fuel, "DUAL", None)})
    if len(ids) == 1:
        note = f"Which plan this home is on was not said: the only stored {fuel.lower()} plan is used."
        return ChosenPlan(latest(stored_plans(store, home, {"plan_id": ids[0]}))[0], own=True, notes=(note,))
    if not ids:
        raise StoreError(
            f"No {fuel.lower()} plan is stored: import one (`toolkit import PLAN.json`), name a file with --plan, "
            "or connect the energy account."
        )
    question = f"Which of {len(ids)} stored plans is this home on? Use --plan, or `toolkit household set --plan ID`."
    raise ChoiceNeeded(question, ids[:MOST_CHOICES])


def _account_plan(store: Store, home: str, point: ServicePoint, on: date) -> ChosenPlan | None:
    """The latest plan of an account that supplies the point and has begun by that day, current versions first."""
    rows = [row for row in store.rows("account_plans", home) if supplies(row, point)]
    begun = [row for row in rows if _begun(row, on)] or rows
    for row in sorted(begun, key=lambda row: _rank(row, on), reverse=True):
        where = {"household_id": home, "plan_id": row["plan_id"], "version": row["version"]}
        for plan in stored_plans(store, home, where):
            if fuel_of(point) in plan.fuels:
                notes = () if _holds(row, on) else (f"No plan of the account holds on {on}; the nearest is used.",)
                return ChosenPlan(plan, own=True, account_id=row["account_id"], notes=notes)
    return None


def _rank(row: Mapping[str, Any], on: date) -> tuple[bool, bool, date]:
    return _holds(row, on), bool(row["is_current"]), row["start_date"] or date.min


def supplies(row: Mapping[str, Any], point: ServicePoint) -> bool:
    supplied = json.loads(row["service_point_ids"] or "[]")
    return not supplied or point.id in supplied or point.row.get("national_metering_id") in supplied


def _begun(row: Mapping[str, Any], on: date) -> bool:
    return row["start_date"] is None or bool(row["start_date"] <= on)


def _holds(row: Mapping[str, Any], on: date) -> bool:
    return _begun(row, on) and (row["end_date"] is None or bool(on <= row["end_date"]))


def stored_plans(store: Store, home: str, where: Mapping[str, Any] | None = None) -> list[Plan]:
    """Plans of the public and of the household, every version, in the order of arrival."""
    rows = store.rows("plans", where={"household_id": ["", home], **(where or {})})
    return [read_plan(json.loads(row["raw"]), plan_id=row["plan_id"]) for row in sorted(rows, key=_arrival)]


def _arrival(row: Mapping[str, Any]) -> tuple[str, int]:
    return str(row["last_updated"] or ""), int(row["sequence"])


def latest(plans: Iterable[Plan]) -> list[Plan]:
    """Of each plan id the latest `last_updated`, else the last read; in order of first appearance."""
    chosen: dict[str, Plan] = {}
    for plan in plans:
        held = chosen.get(plan.plan_id)
        if held is None or (plan.last_updated or "") >= (held.last_updated or ""):
            chosen[plan.plan_id] = plan
    return list(chosen.values())


def plans_at(path: Path) -> tuple[list[Plan], list[Problem]]:
    """Every plan in a file or folder, and what in it is none. Raises ImportFailed where it cannot be opened."""
    plans: list[Plan] = []
    problems: list[Problem] = []
    for where, stem, given in _objects(path):
        try:
            plans.append(read_plan(given, plan_id=stem))
        except CannotPrice as error:
            problems.append(Problem(where, error.reason))
    return plans, problems


def _objects(path: Path) -> Iterator[tuple[str, str | None, object]]:
    from toolkit.importers import each_source
    from toolkit.importers.plans import plan_objects

    for source in each_source(path):
        for where, given in plan_objects(source):
            stem = source.name.rpartition("/")[2].partition(".")[0] if where == source.name else None
            yield where, stem, given


@contextmanager
def open_plans(ctx: Context) -> Iterator[tuple[Store, str]]:
    """The store, and the household whose own plans count beside the published ones; empty where none is stored yet."""
    from toolkit.store import open_store

    if not ctx.db.exists():
        raise StoreError(nothing_stored(ctx.db))
    with open_store(ctx.db) as store:
        homed = ctx.household is not None or store.count("households") > 0
        yield store, str(choose_household(store, ctx)["household_id"]) if homed else ""


def plan_list(ctx: Context) -> dict[str, Any]:
    """`plans list`: the stored plans, one row each, in order of id; the latest version of each.

    offered: false for a published plan that the register no longer lists.
    """
    with open_plans(ctx) as (store, home):
        found = store.tuples("plans", _LISTED, where={"household_id": ["", home]})
    rows = [dict(zip(_LISTED, row, strict=True)) for row in found]
    newest = {row["plan_id"]: row for row in sorted(rows, key=_arrival)}
    return {"plans": [_listed(newest[plan_id]) for plan_id in sorted(newest)]}


def _listed(row: Mapping[str, Any]) -> dict[str, Any]:
    distributors = json.loads(row["distributors"] or "[]")
    return {**{name: row[name] for name in _TOLD}, "distributors": distributors, "offered": row["vanished_at"] is None}
