"""The plans a household could be on: of the store, of a path, or one by its id, and why the others are left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from toolkit.analytics.energy.plans.offered import (
    BARRIERS,
    Barrier,
    HomeFacts,
    PlanHeader,
    barriers,
    contradictions,
    lists_postcode,
    priced_for,
)
from toolkit.analytics.energy.rates import Rates
from toolkit.analytics.energy.rates.stored import Compiled, compile_for_store
from toolkit.errors import Problem
from toolkit.flows.plans.cache import CompiledPlans
from toolkit.flows.plans.plan_files import given_plans
from toolkit.store import Store
from toolkit.tables.plans import Fuel, read_plan

_COLUMNS = (
    *("plan_id", "version", "last_updated", "sequence", "fuel_type", "name", "retailer", "customer_type", "plan_type"),
    *("distributors", "included_postcodes", "excluded_postcodes", "effective_from", "effective_to"),
)
_AT_ONCE = 500
"""Plans in one statement: SQLite takes so many values in a list, and more would fill memory for nothing."""


RESTRICTIVE = {
    "EXISTING_CUST": "only for customers of the retailer",
    "EXISTING_POOL": "only for homes with a pool",
    "EXISTING_SOLAR": "only for homes with solar",
    "EXISTING_BATTERY": "only for homes with a battery",
    "SENIOR_CARD": "only for holders of a seniors card",
    "ORG_MEMBER": "only for members of an organisation",
    "SPORT_CLUB_MEMBER": "only for members of a sports club",
    "LOYALTY_MEMBER": "only for members of a loyalty programme",
    "GROUP_BUY_MEMBER": "only for members of a buying group",
    "THIRD_PARTY_ONLY": "only through a third party",
    "REQ_EQUIP_SUPPLIER": "only with equipment of a certain supplier",
    "MINIMUM_USAGE": "only from a certain use on",
    "SMALL_BUSINESS": "only for small businesses",
    "CONTINGENT_PLAN": "only together with another plan",
    "ELECTRIC_VEHICLE": "only for homes with an electric vehicle",
    "OTHER_CUSTOMER": "only for customers of another company",
}
"""Eligibility types of the Consumer Data Standards that not every home meets (the others are matters of form), and two
that plans state as text only.
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which plans are compared. home: plans that it cannot have are left out. has: eligibility types that it meets.

    eligibility: `open` also leaves out plans that are not for everyone, but for what the home has. green: least share
    of green energy, 0 to 1. ended: plans that have ended stay, marked.
    """

    fuel: Fuel
    home: HomeFacts
    eligibility: str = "all"
    has: frozenset[str] = frozenset()
    green: float | None = None
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """A plan, compiled. rates: of the day it is priced for. barriers: why the home cannot have it all the same.

    conditions: sentences about these, and the plan's own conditions that the home's data contradict.
    """

    header: PlanHeader
    compiled: Compiled
    rates: Rates
    barriers: tuple[Barrier, ...] = ()
    conditions: tuple[str, ...] = ()

    @property
    def plan_id(self) -> str:
        return self.header.plan_id

    @property
    def networks(self) -> tuple[str, ...]:
        """Of distributors; empty where the plan does not say."""
        return self.header.networks

    def restrictions(self, has: frozenset[str] = frozenset()) -> list[str]:
        """In words, those that a home does not meet."""
        terms = self.compiled.terms
        kinds = [kind for kind in (*terms.eligibility, *terms.asked) if kind not in has]
        return [RESTRICTIVE[kind] for kind in kinds if kind in RESTRICTIVE]


@dataclass(frozen=True, slots=True)
class Offers:
    """The plans left, in order of id. barred: how many cannot be had, by the first reason. left_out: by a filter.

    problems: entries that are no plan.
    """

    plans: tuple[Offer, ...]
    barred: Counter[Barrier] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Published plans of one fuel, latest versions, before any is left out. path: None for those of the store.

    unsure: versions of plans that may be of another fuel.
    """

    fuel: Fuel
    headers: tuple[PlanHeader, ...]
    compiled: Callable[[Iterable[PlanHeader]], Mapping[str, Compiled]]
    unsure: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()

    @property
    def networks(self) -> set[str]:
        return {name for header in self.headers for name in header.networks}

    def networks_at(self, code: str) -> set[str]:
        """Networks of the plans that name a postcode (four digits)."""
        return {name for h in self.headers if lists_postcode(code, h.included) for name in h.networks}


def open_catalogue(store: Store, path: str | None, fuel: Fuel) -> Catalogue:
    """The plans in the store, or those at a path. Raises ImportFailedError where that cannot be opened."""
    if path is None:
        rows = list(_newest(store, fuel))
        unsure = frozenset(str(row[1]) for row in rows if row[4] is None)
        headers = tuple(_stored_header(row) for row in rows)
        return Catalogue(fuel, headers, lambda wanted: _known(store, fuel, wanted), unsure)
    given = given_plans(Path(path), fuel)
    known = {plan.version: plan for plan in given.plans}
    return Catalogue(fuel, given.headers, lambda _wanted: known, problems=given.problems)


def offers(catalogue: Catalogue, wanted: Wanted) -> Offers:
    """The plans that the home can have. Of the store's only those that may be are compiled, and only once."""
    first = {h.version: [kind for kind, _ in barriers(h, None, wanted.home)] for h in catalogue.headers}
    needed = [
        h for h in catalogue.headers if h.version in catalogue.unsure or first[h.version] in ([], ["other_networks"])
    ]
    known = catalogue.compiled(needed if not wanted.ended else catalogue.headers)
    kept, found = [], Offers((), problems=catalogue.problems)
    for header in catalogue.headers:
        compiled = known.get(header.version)
        if compiled is not None and not compiled.offered:
            continue
        offer = _offer(header, compiled, wanted, found)
        if offer is not None:
            kept.append(offer)
    return Offers(tuple(sorted(kept, key=lambda o: o.plan_id)), found.barred, found.left_out, found.problems)


def _offer(header: PlanHeader, compiled: Compiled | None, wanted: Wanted, found: Offers) -> Offer | None:
    """The plan as the home can have it; None where it cannot, which is counted in `found`."""
    reasons = list(barriers(header, compiled.terms if compiled else None, wanted.home))
    closed = [kind for kind, _ in reasons if not (wanted.ended and kind == "expired")]
    if closed:
        found.barred[min(closed, key=BARRIERS.index)] += 1
    if closed or compiled is None:
        return None
    offer = offer_of(header, compiled, compiled.rates_on(priced_for(header.effective_to, wanted.home.today)), wanted)
    if reason := _filtered_by(offer, wanted):
        found.left_out[reason] += 1
        return None
    return offer


def offer_of(header: PlanHeader, compiled: Compiled, rates: Rates, wanted: Wanted) -> Offer:
    """The plan, whether or not the home can have it, with what speaks against it."""
    reasons = list(barriers(header, compiled.terms, wanted.home))
    conditions = [text for _, text in reasons] + contradictions(compiled.terms, wanted.home)
    return Offer(header, compiled, rates, tuple(dict.fromkeys(kind for kind, _ in reasons)), tuple(conditions))


def _filtered_by(offer: Offer, wanted: Wanted) -> str | None:
    """Which filter takes the plan out; one that does not say how green it is counts as not green."""
    if wanted.eligibility == "open" and offer.restrictions(wanted.has):
        return "eligibility"
    if wanted.green is not None and (offer.compiled.green_share or 0) < wanted.green:
        return "green share"
    return None


def keep_compiled(store: Store) -> None:
    """Compile what was not yet: after plans arrived, so that the next comparison need not."""
    for fuel in get_args(Fuel):
        _known(store, fuel, [_stored_header(row) for row in _newest(store, fuel)])


def _known(store: Store, fuel: Fuel, headers: Iterable[PlanHeader]) -> dict[str, Compiled]:
    """Compiled plans by version: those of the headers, and whatever else is kept."""
    cache = CompiledPlans.of(fuel)
    known = cache.load()
    fresh = _compiled_now(store, fuel, [header for header in headers if header.version not in known])
    if fresh:
        known |= fresh
        cache.save(known.values())
    return known


def _newest(store: Store, fuel: Fuel) -> Iterator[tuple[Any, ...]]:
    """Header rows of the latest version of each plan that may be of the fuel and is still offered."""
    newest: dict[str, tuple[Any, ...]] = {}
    rows = store.tuples("plans", _COLUMNS, where={"household_id": "", "vanished_at": None})
    for row in sorted(rows, key=lambda row: (row[2] or "", row[3])):
        newest[row[0]] = row
    return (row for row in newest.values() if row[4] in (fuel, "DUAL", None))


def _stored_header(row: tuple[Any, ...]) -> PlanHeader:
    plan_id, version, last_updated, _, _, name, retailer, customer_type, plan_type, *rest = row
    networks, included, excluded = (tuple(json.loads(entries or "[]")) for entries in rest[:3])
    effective_from, effective_to = rest[3:]
    known = plan_id, version, name, retailer, customer_type, plan_type
    return PlanHeader(*known, networks, included, excluded, effective_from, effective_to, last_updated)


def _compiled_now(store: Store, fuel: Fuel, headers: Sequence[PlanHeader]) -> dict[str, Compiled]:
    found: dict[str, Compiled] = {}
    for start in range(0, len(headers), _AT_ONCE):
        some = headers[start : start + _AT_ONCE]
        where = {"household_id": "", "plan_id": [h.plan_id for h in some], "version": [h.version for h in some]}
        for plan_id, version, raw in store.tuples("plans", ("plan_id", "version", "raw"), where=where):
            found[version] = compile_for_store(read_plan(json.loads(raw), plan_id=plan_id, version=version), fuel)
    return found
