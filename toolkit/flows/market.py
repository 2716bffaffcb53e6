"""The plans a household could be on: of the store or of a path, filtered by where and whom they are for."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.errors import Problem
from toolkit.flows.plans import latest, plans_at
from toolkit.tables import places
from toolkit.tables.plans import Fuel, Plan, read_plan

if TYPE_CHECKING:
    from toolkit.flows.service_points import ServicePoint
    from toolkit.store import Store

_HEADER = ("plan_id", "version", "last_updated", "sequence", "fuel_type", "raw")
_RANGE = re.compile(r"(\d{3,4})\s*-\s*(\d{3,4})")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters; None lets all pass. network: as retailers write it. customer: residential or business."""

    fuel: Fuel
    network: str | None = None
    postcode: str | None = None
    customer: str | None = None


@dataclass(frozen=True, slots=True)
class Offers:
    """The plans left, in order of id, and how many each filter took out. problems: entries that are no plan."""

    plans: tuple[Plan, ...]
    left_out: Counter[str] = field(default_factory=Counter)
    problems: tuple[Problem, ...] = ()


def offers(store: Store, path: str | None, wanted: Wanted) -> Offers:
    """Published plans of the fuel, latest versions: those in the store, or those at a path."""
    found, problems = _candidates(store, path, wanted.fuel)
    kept, left_out = [], Counter[str]()
    for plan in sorted(found, key=lambda plan: plan.plan_id):
        reason = _left_out(plan, wanted)
        if reason is None:
            kept.append(plan)
        else:
            left_out[reason] += 1
    return Offers(tuple(kept), left_out, tuple(problems))


def _candidates(store: Store, path: str | None, fuel: Fuel) -> tuple[list[Plan], list[Problem]]:
    if path is None:
        return list(_stored(store, fuel)), []
    found, problems = plans_at(Path(path))
    return [plan for plan in latest(found) if fuel in plan.fuels], problems


def _stored(store: Store, fuel: Fuel) -> Iterator[Plan]:
    rows = store.tuples("plans", _HEADER, where={"household_id": "", "vanished_at": None})
    newest: dict[str, tuple[Any, ...]] = {}
    for row in sorted(rows, key=lambda row: (row[2] or "", row[3])):
        newest[row[0]] = row
    for plan_id, version, _, _, kind, raw in newest.values():
        if kind in (fuel, "DUAL", None):
            plan = read_plan(json.loads(raw), plan_id=plan_id, version=version)
            if fuel in plan.fuels:
                yield plan


def _left_out(plan: Plan, wanted: Wanted) -> str | None:
    """Which filter takes the plan out; None where it stays. What a plan does not say takes it out of nothing."""
    if wanted.network and plan.distributors and not any(same_network(wanted.network, d) for d in plan.distributors):
        return "network"
    if wanted.postcode and not _offered_in(plan, wanted.postcode):
        return "postcode"
    if wanted.customer and plan.customer_type and plan.customer_type.casefold() != wanted.customer.casefold():
        return "customer"
    return None


def same_network(one: str, other: str) -> bool:
    """Whether two spellings mean one network: `Essential Energy` and `Essential Energy Standard` do."""
    first, second = (re.findall(r"\w+", name.casefold()) for name in (one, other))
    shorter = min(len(first), len(second))
    return shorter > 0 and first[:shorter] == second[:shorter]


def _offered_in(plan: Plan, postcode: str) -> bool:
    code = places.postcode_text(postcode) or postcode
    included = not plan.included_postcodes or _listed(code, plan.included_postcodes)
    return included and not _listed(code, plan.excluded_postcodes)


def _listed(code: str, postcodes: Iterable[str]) -> bool:
    """Postcodes come one by one or as ranges, `3000-3999`."""
    for entry in postcodes:
        match = _RANGE.fullmatch(entry.strip())
        if match and match[1].zfill(4) <= code <= match[2].zfill(4):
            return True
        if places.postcode_text(entry) == code:
            return True
    return False


def home_network(household: Mapping[str, Any], point: ServicePoint) -> tuple[str | None, list[str]]:
    """The home's distribution network and how it is known: as said, as the service gives it, else by meter number."""
    if point.fuel.upper() == "GAS":
        return None, ["Gas networks are not known here: plans of all gas networks are compared."]
    known = household["network"] or point.row.get("network")
    if known:
        return str(known), []
    guess = places.network_of_nmi(point.row.get("national_metering_id") or point.id)
    if guess:
        return guess, [f"The network {guess} is taken from the meter number; set another with --network."]
    unknown = (
        "The home's distribution network is not known, so plans of all networks are listed, each with its networks"
    )
    return None, [f"{unknown}: name yours with --network, or `toolkit household set --network NAME`."]
