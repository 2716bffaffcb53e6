"""The plans a household could be on, and why the others are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

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
from toolkit.analytics.energy.rates.stored import Compiled
from toolkit.errors import Problem
from toolkit.tables.plans import Fuel

USUAL_CUSTOMER = "residential"
"""Where the household does not say."""

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


def eligibility_met(home: HomeFacts, *, battery: bool) -> frozenset[str]:
    """Return the eligibility types that a home meets. battery: whether one is registered at its service point."""
    met = {
        "EXISTING_SOLAR": "solar" in home.equipment,
        "EXISTING_BATTERY": battery,
        "SMALL_BUSINESS": (home.customer or USUAL_CUSTOMER).casefold() == "business",
    }
    return frozenset(kind for kind, holds in met.items() if holds)


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
    """Published plans of one fuel, latest versions, before any is left out."""

    fuel: Fuel
    headers: tuple[PlanHeader, ...]
    compiled: Callable[[Iterable[PlanHeader]], Mapping[str, Compiled]]
    """Compiles plans of these headers; returns them, and perhaps others, by version."""
    unsure: frozenset[str] = frozenset()
    """Versions of plans that may be of another fuel."""
    problems: tuple[Problem, ...] = ()

    @property
    def networks(self) -> set[str]:
        return {name for header in self.headers for name in header.networks}

    def networks_at(self, code: str) -> set[str]:
        """Networks of the plans that name a postcode (four digits)."""
        return {name for h in self.headers if lists_postcode(code, h.included) for name in h.networks}


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
