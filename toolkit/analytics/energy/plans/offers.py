"""The published plans that a household can have, how long they are on offer, and why the others are left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Literal

import msgspec
import polars as pl

from toolkit.analytics.energy.plans.networks import same_network
from toolkit.analytics.energy.plans.terms import Equipment, PlanTerms
from toolkit.analytics.energy.rates import Rates, Tariff
from toolkit.analytics.energy.rates.compile import Compiled
from toolkit.errors import Problem
from toolkit.tables.plans import Fuel, Plan
from toolkit.tables.reference import places
from toolkit.units import AEST_OFFSET

Barrier = Literal["expired", "not_here", "other_networks"]
"""Why a plan cannot be had; a plan with several counts under the first of them, in this order."""

BARRIERS: tuple[Barrier, ...] = ("expired", "not_here", "other_networks")

_RANGE = re.compile(r"(\d{3,4})\s*-\s*(\d{3,4})")
_EQUIPMENT: dict[Equipment, str] = {"solar": "solar panels", "controlled_load": "a controlled load"}


class PlanHeader(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is known of a plan without its prices. Postcodes are as written; dates and types likewise."""

    plan_id: str
    version: str
    name: str | None
    retailer: str | None
    customer_type: str | None
    plan_type: str | None
    networks: tuple[str, ...]
    included: tuple[str, ...]
    excluded: tuple[str, ...]
    effective_from: str | None
    effective_to: str | None
    last_updated: str | None

    @classmethod
    def of(cls, plan: Plan) -> PlanHeader:
        """Return the header of a plan."""
        return cls(
            *(plan.plan_id, plan.version, plan.name, plan.retailer, plan.customer_type, plan.plan_type),
            *(plan.distributors, plan.included_postcodes, plan.excluded_postcodes),
            *(plan.effective_from, plan.effective_to, plan.last_updated),
        )

    @property
    def as_of(self) -> date | None:
        """Return the date of its prices: when they were last updated, else since when they are in force."""
        for text in (self.last_updated, self.effective_from):
            try:
                return date.fromisoformat((text or "")[:10])
            except ValueError:
                continue
        return None


@dataclass(frozen=True, slots=True)
class HomeFacts:
    """What is known of a household; None where it is not known."""

    today: date
    postcode: str | None = None
    network: str | None = None
    """The electricity distributor; None for gas."""
    customer: str | None = None
    """Residential or business."""
    equipment: frozenset[Equipment] = frozenset()
    """What the home has, by its settings or its reads."""


def barriers(plan: PlanHeader, terms: PlanTerms | None, home: HomeFacts) -> Iterator[tuple[Barrier, str]]:
    """Yield why the household cannot have the plan, a sentence each, in the order of `BARRIERS`; nothing where it can.

    A condition that a plan leaves open bars nobody. terms: None leaves out what only they state.
    """
    last = last_day(plan.effective_to)
    if last is not None and last < home.today:
        yield "expired", f"This plan ended on {last}."
    if home.postcode and not is_offered_at(plan, home.postcode):
        yield "not_here", f"This plan is not offered at postcode {home.postcode}."
    if home.customer and plan.customer_type and plan.customer_type.casefold() != home.customer.casefold():
        yield "not_here", f"This plan is for {plan.customer_type.lower()} customers."
    for needed in terms.demands if terms else ():
        if needed not in home.equipment:
            yield "not_here", f"This plan needs {_EQUIPMENT[needed]}, which this home does not have."
    if home.network and plan.networks and not any(same_network(home.network, name) for name in plan.networks):
        yield "other_networks", f"This plan is for the network {', '.join(plan.networks)}, not {home.network}."


def equipment_of(reads: pl.DataFrame, *panels_kw: float | None) -> frozenset[Equipment]:
    """Return what a home has, by its frame `reads` and its panels [kW] as stored and as registered."""
    equipment: set[Equipment] = set()
    if any(panels_kw) or bool((reads["direction"] == "export").any()):
        equipment.add("solar")
    if bool(reads["controlled_load"].any()):
        equipment.add("controlled_load")
    return frozenset(equipment)


def is_offered_at(plan: PlanHeader, postcode: str) -> bool:
    """Return whether the plan is offered at the postcode."""
    code = places.postcode_text(postcode) or postcode
    # Plans list postcodes with and without leading zeros; a plan without a list is offered in all of its network.
    included = not plan.included or lists_postcode(code, plan.included)
    return included and not lists_postcode(code, plan.excluded)


def lists_postcode(code: str, postcodes: Iterable[str]) -> bool:
    """Return whether a postcode (four digits) is among entries given one by one or as ranges, `3000-3999`."""
    for entry in postcodes:
        match = _RANGE.fullmatch(entry.strip())
        if match and match[1].zfill(4) <= code <= match[2].zfill(4):  # `800-899` is the Northern Territory's 0800
            return True
        if places.postcode_text(entry) == code:
            return True
    return False


_INSTANT = timedelta(microseconds=1)


def last_day(effective_to: str | None) -> date | None:
    """Return the last day of a plan from its `effectiveTo`: a date (inclusive), or the instant from which it is over.

    An instant is read in AEST: retailers write its midnight as `T14:00:00Z` (or `T13:00:00Z` in summer time).
    None where the plan names no end, or none that is readable.
    """
    if not effective_to:
        return None
    try:
        if len(effective_to) == len("YYYY-MM-DD"):
            return date.fromisoformat(effective_to)
        over = datetime.fromisoformat(effective_to)
        over = over if over.tzinfo else over.replace(tzinfo=UTC)
        return (over.astimezone(UTC).replace(tzinfo=None) + AEST_OFFSET - _INSTANT).date()
    except (ValueError, OverflowError):
        return None


def priced_for(effective_to: str | None, today: date) -> date:
    """Return the day that a plan is priced for: `today`, or its last day where it has ended."""
    last = last_day(effective_to)
    return today if last is None else min(last, today)


def unpriced_equipment(
    rates: Rates, equipment: frozenset[Equipment], first: date, last: date
) -> Iterator[tuple[Equipment, date]]:
    """Yield what of the home's equipment the plan prices on some days only, with the first day without a price.

    Controlled load or feed-in with dates that leave out a day from `first` to `last` (inclusive): such days would be
    priced too high on this plan, so no saving may rest on them.
    """
    groups: tuple[tuple[Equipment, tuple[Tariff, ...]], ...] = (
        ("controlled_load", rates.controlled_loads),
        ("solar", rates.feed_ins),
    )
    for name, tariffs in groups:
        if name not in equipment or not any(tariff.span.dated for tariff in tariffs):
            continue
        days = (first + timedelta(number) for number in range((last - first).days + 1))
        uncovered = next((day for day in days if not any(tariff.span.covers(day) for tariff in tariffs)), None)
        if uncovered is not None:
            yield name, uncovered


USUAL_CUSTOMER = "residential"
"""Where the household has not set one."""

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
        """Return the plan's id."""
        return self.header.plan_id

    @property
    def networks(self) -> tuple[str, ...]:
        """Return the distributors' names; empty where the plan names none."""
        return self.header.networks

    def restrictions(self, has: frozenset[str] = frozenset()) -> list[str]:
        """Return in words the conditions that a home does not meet. has: eligibility types that it meets."""
        terms = self.compiled.terms
        kinds = [kind for kind in (*terms.eligibility, *terms.asked) if kind not in has]
        return [RESTRICTIVE[kind] for kind in kinds if kind in RESTRICTIVE]


@dataclass(frozen=True, slots=True)
class Offers:
    """The plans left, in order of id. excluded: how many cannot be had, by the first reason. left_out: by a filter.

    problems: entries that cannot be read as a plan.
    """

    plans: tuple[Offer, ...]
    excluded: Counter[Barrier] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Published plans of one fuel, latest versions, before any is left out."""

    fuel: Fuel
    headers: tuple[PlanHeader, ...]
    compiled: Callable[[Iterable[PlanHeader]], Mapping[str, Compiled]]
    """Returns the compiled plans of these headers, by version."""
    problems: tuple[Problem, ...] = ()

    @property
    def networks(self) -> set[str]:
        """Return the names of all networks that the plans are for."""
        return {name for header in self.headers for name in header.networks}

    def networks_at(self, code: str) -> set[str]:
        """Return the networks of the plans that name a postcode (four digits)."""
        return {name for h in self.headers if lists_postcode(code, h.included) for name in h.networks}


def offers(catalogue: Catalogue, wanted: Wanted) -> Offers:
    """Return the plans that the home can have, and how many others there are, by reason.

    Only plans that the home may have are decoded: decoding takes most of the time.
    """
    # By header alone: what only compiled terms state is checked below.
    by_header = {h.version: [kind for kind, _ in barriers(h, None, wanted.home)] for h in catalogue.headers}
    needed = [h for h in catalogue.headers if wanted.ended or by_header[h.version] in ([], ["other_networks"])]
    known = catalogue.compiled(needed)
    kept: list[Offer] = []
    excluded, left_out = Counter[Barrier](), Counter[str]()
    for header in catalogue.headers:
        offer, kinds = None, by_header[header.version]
        if compiled := known.get(header.version):
            rates = compiled.rates_on(priced_for(header.effective_to, wanted.home.today))
            offer = offer_of(header, compiled, rates, wanted)
            kinds = list(offer.barriers)
        closed = [kind for kind in kinds if not (wanted.ended and kind == "expired")]
        if closed:
            excluded[min(closed, key=BARRIERS.index)] += 1  # counted once, under the first reason
        elif offer and (reason := _filtered_by(offer, wanted)):
            left_out[reason] += 1
        elif offer:
            kept.append(offer)
    return Offers(tuple(sorted(kept, key=lambda o: o.plan_id)), excluded, left_out, catalogue.problems)


def offer_of(header: PlanHeader, compiled: Compiled, rates: Rates, wanted: Wanted) -> Offer:
    """Return the plan, whether or not the home can have it, with the reasons against it."""
    reasons = list(barriers(header, compiled.terms, wanted.home))
    conditions = [text for _, text in reasons]
    if compiled.terms.excludes_solar and "solar" in wanted.home.equipment:
        conditions.append(compiled.terms.excludes_solar)  # in the plan's own words
    return Offer(header, compiled, rates, tuple(dict.fromkeys(kind for kind, _ in reasons)), tuple(conditions))


def _filtered_by(offer: Offer, wanted: Wanted) -> str | None:
    """Return the filter that leaves the plan out; a plan without a green share counts as not green."""
    if wanted.eligibility == "open" and offer.restrictions(wanted.has):
        return "eligibility"
    if wanted.green is not None and (offer.compiled.green_share or 0) < wanted.green:
        return "green share"
    return None
