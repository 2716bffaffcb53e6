"""The plans a household could be on: of the store or of a path, filtered by where and whom they are for."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from toolkit.analytics.energy.plans.validity import priced_for
from toolkit.errors import Problem
from toolkit.flows.compiled import CompiledPlans
from toolkit.flows.market_files import Given, Header, given_plans
from toolkit.tables import places
from toolkit.tables.plans import Fuel, read_plan

if TYPE_CHECKING:
    from datetime import date

    from toolkit.analytics.energy.rates import Rates
    from toolkit.analytics.energy.rates.stored import Compiled
    from toolkit.flows.service_points import ServicePoint
    from toolkit.store import Store

_COLUMNS = (
    *("plan_id", "version", "last_updated", "sequence", "fuel_type", "name", "retailer", "customer_type"),
    *("distributors", "included_postcodes", "excluded_postcodes", "effective_to"),
)
_AT_ONCE = 500
"""Plans in one statement: SQLite takes so many values in a list, and more would fill memory for nothing."""

_RANGE = re.compile(r"(\d{3,4})\s*-\s*(\d{3,4})")


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
}
"""Eligibility types of the Consumer Data Standards that not every home meets; the others are matters of form."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters; None lets all pass. today: the day that plans are priced for. network: as retailers write it.
    customer: residential or business.

    eligibility: `open` leaves out plans that are not for everyone, but for what the home has. has: types it meets.
    green: least share of green energy, 0 to 1.
    """

    fuel: Fuel
    today: date
    network: str | None = None
    postcode: str | None = None
    customer: str | None = None
    eligibility: str = "all"
    has: frozenset[str] = frozenset()
    green: float | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """A published plan, compiled. networks: of distributors; empty where the plan does not say.

    rates: of the day it is priced for.
    """

    plan_id: str
    name: str | None
    retailer: str | None
    customer_type: str | None
    networks: tuple[str, ...]
    compiled: Compiled
    rates: Rates

    def restrictions(self, has: frozenset[str] = frozenset()) -> list[str]:
        """In words, those that a home does not meet."""
        kinds = [kind for kind in self.compiled.eligibility if kind not in has]
        return [RESTRICTIVE[kind] for kind in kinds if kind in RESTRICTIVE]


@dataclass(frozen=True, slots=True)
class Offers:
    """The plans left, in order of id, and how many each filter took out. problems: entries that are no plan."""

    plans: tuple[Offer, ...]
    left_out: Counter[str] = field(default_factory=Counter)
    problems: tuple[Problem, ...] = ()


def offers(store: Store, path: str | None, wanted: Wanted) -> Offers:
    """Published plans of the fuel, latest versions: those in the store, or those at a path."""
    problems: Sequence[Problem] = ()
    if path is None:
        found = _stored(store, wanted)
    else:
        given = given_plans(Path(path), wanted.fuel)
        found, problems = _given(given, wanted), given.problems
    kept, left_out = found
    return Offers(tuple(sorted(kept, key=lambda offer: offer.plan_id)), left_out, tuple(problems))


def _given(given: Given, wanted: Wanted) -> tuple[list[Offer], Counter[str]]:
    return _filtered(given.headers, wanted, {plan.version: plan for plan in given.plans}.__getitem__)


def _stored(store: Store, wanted: Wanted) -> tuple[list[Offer], Counter[str]]:
    """Only plans that pass the filters are read, and only those that were never compiled."""
    headers = [_stored_header(row) for row in _newest(store, wanted.fuel)]
    known = _known(store, wanted.fuel, [header for header in headers if _left_out(header, wanted) is None])
    offered = [header for header in headers if header.version not in known or known[header.version].offered]
    return _filtered(offered, wanted, known.__getitem__)


def keep_compiled(store: Store) -> None:
    """Compile what was not yet: after plans arrived, so that the next comparison need not."""
    for fuel in get_args(Fuel):
        _known(store, fuel, [_stored_header(row) for row in _newest(store, fuel)])


def _known(store: Store, fuel: Fuel, headers: Sequence[Header]) -> dict[str, Compiled]:
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


def _stored_header(row: tuple[Any, ...]) -> Header:
    plan_id, version, _, _, _, name, retailer, customer_type, *lists, effective_to = row
    networks, included, excluded = (tuple(json.loads(entries or "[]")) for entries in lists)
    return Header(plan_id, version, name, retailer, customer_type, networks, included, excluded, effective_to)


def _compiled_now(store: Store, fuel: Fuel, headers: Sequence[Header]) -> dict[str, Compiled]:
    from toolkit.analytics.energy.rates.stored import compiled

    found: dict[str, Compiled] = {}
    for start in range(0, len(headers), _AT_ONCE):
        some = headers[start : start + _AT_ONCE]
        where = {"household_id": "", "plan_id": [h.plan_id for h in some], "version": [h.version for h in some]}
        for plan_id, version, raw in store.tuples("plans", ("plan_id", "version", "raw"), where=where):
            found[version] = compiled(read_plan(json.loads(raw), plan_id=plan_id, version=version), fuel)
    return found


def _filtered(
    headers: Sequence[Header], wanted: Wanted, compiled: Callable[[str], Compiled]
) -> tuple[list[Offer], Counter[str]]:
    kept, left_out = [], Counter[str]()
    for header in headers:
        reason = _left_out(header, wanted)
        offer = None if reason else _offer(header, compiled(header.version), wanted.today)
        reason = reason or (_left_out_by_terms(offer, wanted) if offer else None)
        if offer is not None and reason is None:
            kept.append(offer)
        elif reason is not None:
            left_out[reason] += 1
    return kept, left_out


def _offer(header: Header, compiled: Compiled, today: date) -> Offer:
    rates = compiled.rates_on(priced_for(header.effective_to, today))
    return Offer(header.plan_id, header.name, header.retailer, header.customer_type, header.networks, compiled, rates)


def _left_out(plan: Header, wanted: Wanted) -> str | None:
    """Which filter takes the plan out; None where it stays. What a plan does not say takes it out of nothing."""
    if wanted.network and plan.networks and not any(same_network(wanted.network, d) for d in plan.networks):
        return "network"
    if wanted.postcode and not _offered_in(plan, wanted.postcode):
        return "postcode"
    if wanted.customer and plan.customer_type and plan.customer_type.casefold() != wanted.customer.casefold():
        return "customer"
    return None


def _left_out_by_terms(offer: Offer, wanted: Wanted) -> str | None:
    """A plan that does not say how green it is counts as not green."""
    if wanted.eligibility == "open" and offer.restrictions(wanted.has):
        return "eligibility"
    if wanted.green is not None and (offer.compiled.green_share or 0) < wanted.green:
        return "green share"
    return None


def same_network(one: str, other: str) -> bool:
    """Whether two spellings mean one network: `Essential Energy` and `Essential Energy Standard` do."""
    first, second = (re.findall(r"\w+", name.casefold()) for name in (one, other))
    shorter = min(len(first), len(second))
    return shorter > 0 and first[:shorter] == second[:shorter]


def _offered_in(plan: Header, postcode: str) -> bool:
    code = places.postcode_text(postcode) or postcode
    included = not plan.included or _listed(code, plan.included)
    return included and not _listed(code, plan.excluded)


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
