"""The published plans that a household can have: whom they are for, where and how long, and why others are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Literal

import msgspec
import polars as pl

from toolkit.analytics.energy.plans.in_force import last_day, priced_for
from toolkit.analytics.energy.pricing import Market
from toolkit.analytics.energy.pricing.tables import MarketTables
from toolkit.analytics.energy.rates import Rates, Tariff
from toolkit.analytics.energy.rates.compile import Compiled, Equipment, PlanTerms
from toolkit.analytics.energy.rates.model import windows_text, with_gst
from toolkit.answers.base import Note
from toolkit.answers.energy.plans import PriceSummary
from toolkit.problems import Problem
from toolkit.tables.reference import places
from toolkit.tables.rows.plans import Fuel, Plan

_LITTLE_CHOICE = {"WA": "choice_in_wa", "NT": "choice_in_nt", "TAS": "choice_in_tas"}


def little_choice(state: str | None, network: str | None, postcode: str | None, *, embedded: bool) -> Note | None:
    """Return why there is little or nothing to switch to; None where retailers compete for homes."""
    if embedded:
        return Note("embedded_network")
    if state == "QLD" and places.is_regional_queensland(network, postcode):
        return Note("choice_in_regional_qld")
    code = _LITTLE_CHOICE.get(state or "")
    return Note(code) if code else None


Barrier = Literal["expired", "not_here", "other_networks"]
"""Why a plan cannot be had; a plan with several counts under the first of them, in this order."""

BARRIERS: tuple[Barrier, ...] = ("expired", "not_here", "other_networks")

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
    retailer: str | None = None
    """Who supplies it today."""
    plan_id: str | None = None
    """The plan that it is on."""

    def is_customer_of(self, plan: PlanHeader) -> bool:
        """Return whether the home is supplied by the plan's retailer, on another plan."""
        brand, own = (plan.retailer or "").casefold(), (self.retailer or "").casefold()
        return plan.plan_id != self.plan_id and brand == own != ""


def barriers(plan: PlanHeader, terms: PlanTerms | None, home: HomeFacts) -> Iterator[tuple[Barrier, str]]:
    """Yield why the household cannot have the plan, a sentence each, in the order of `BARRIERS`; nothing where it can.

    A condition that a plan leaves open bars nobody. terms: None leaves out what only they state.
    """
    last = last_day(plan.effective_to)
    if last is not None and last < home.today:
        yield "expired", f"This plan ended on {last}."
    if home.postcode and not places.is_served(home.postcode, plan.included, plan.excluded):
        yield "not_here", f"This plan is not offered at postcode {home.postcode}."
    if home.customer and plan.customer_type and plan.customer_type.casefold() != home.customer.casefold():
        yield "not_here", f"This plan is for {plan.customer_type.lower()} customers."
    for needed in terms.demands if terms else ():
        if needed not in home.equipment:
            yield "not_here", f"This plan needs {_EQUIPMENT[needed]}, which this home does not have."
    if home.network and plan.networks and not any(places.same_network(home.network, name) for name in plan.networks):
        yield "other_networks", f"This plan is for the network {', '.join(plan.networks)}, not {home.network}."


def equipment_of(reads: pl.DataFrame, *panels_kw: float | None) -> frozenset[Equipment]:
    """Return what a home has, by its frame `reads` and its panels [kW] as stored and as registered."""
    equipment: set[Equipment] = set()
    if any(panels_kw) or bool((reads["direction"] == "export").any()):
        equipment.add("solar")
    if bool(reads["controlled_load"].any()):
        equipment.add("controlled_load")
    return frozenset(equipment)


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
    "REQ_EQUIP_SUPPLIER": "only for homes with equipment from a certain supplier",
    "MINIMUM_USAGE": "only for homes that use more than a certain amount",
    "SMALL_BUSINESS": "only for small businesses",
    "CONTINGENT_PLAN": "only together with another plan",
    "ELECTRIC_VEHICLE": "only for homes with an electric vehicle",
    "OTHER_CUSTOMER": "only for customers of another company",
    "CONCESSION_CARD": "only for holders of a concession card",
    "AGENT_ONLY": "only through the retailer's representatives",
    "INVITATION_ONLY": "only by invitation",
}
"""Eligibility types of the Consumer Data Standards that not every home meets (the others are matters of form), and some
that plans state as text only, from `ELECTRIC_VEHICLE` on.
"""
NEW_CUSTOMER = "NEW_CUSTOMER"
"""The eligibility type of plans that a retailer's own customers cannot have."""


def eligibility_met(home: HomeFacts, *, battery: bool, concession: bool = False) -> frozenset[str]:
    """Return the eligibility types that a home meets.

    battery: whether one is registered at its service point. concession: whether it has one, which needs a card.
    """
    met = {
        "EXISTING_SOLAR": "solar" in home.equipment,
        "EXISTING_BATTERY": battery,
        "CONCESSION_CARD": concession,
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
    number: of its rates in the tables of the catalogue.
    """

    header: PlanHeader
    compiled: Compiled
    rates: Rates
    barriers: tuple[Barrier, ...] = ()
    conditions: tuple[str, ...] = ()
    number: int = 0

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

    problems: entries that cannot be read as a plan. tables: returns the charges of all plans of the catalogue; None for
    a plan from elsewhere.
    """

    plans: tuple[Offer, ...]
    excluded: Counter[Barrier] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    problems: tuple[Problem, ...] = ()
    tables: Callable[[], MarketTables] | None = None

    def market(self) -> Market:
        """Return the market of the plans left, as far as possible from the tables that were kept."""
        rates = [offer.rates for offer in self.plans]
        if self.tables is None:
            return Market.of(rates)
        return Market.kept(rates, self.tables().of_plans([offer.number for offer in self.plans]))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Published plans of one fuel, latest versions, before any is left out."""

    fuel: Fuel
    headers: tuple[PlanHeader, ...]
    compiled: Callable[[Iterable[PlanHeader]], Mapping[str, Compiled]]
    """Returns the compiled plans of these headers, by version."""
    tables: Callable[[], MarketTables]
    """Returns the charges of all plans; the rates of a plan follow each other there in the order of their days."""
    numbers: Mapping[str, int]
    """Version → number of its first rates in `tables`."""
    problems: tuple[Problem, ...] = ()

    @property
    def networks(self) -> set[str]:
        """Return the names of all networks that the plans are for."""
        return {name for header in self.headers for name in header.networks}

    def networks_at(self, code: str) -> set[str]:
        """Return the networks of the plans that name a postcode (four digits)."""
        return {name for h in self.headers if places.lists_postcode(code, h.included) for name in h.networks}


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
            number = compiled.number_on(priced_for(header.effective_to, wanted.home.today))
            offer = offer_of(header, compiled, compiled.by_day[number], wanted)
            offer = replace(offer, number=catalogue.numbers[header.version] + number)
            kinds = list(offer.barriers)
        closed = [kind for kind in kinds if not (wanted.ended and kind == "expired")]
        if closed:
            excluded[min(closed, key=BARRIERS.index)] += 1  # counted once, under the first reason
        elif offer and (reason := _filtered_by(offer, wanted)):
            left_out[reason] += 1
        elif offer:
            kept.append(offer)
    plans = tuple(sorted(kept, key=lambda o: o.plan_id))
    return Offers(plans, excluded, left_out, catalogue.problems, catalogue.tables)


def offer_of(header: PlanHeader, compiled: Compiled, rates: Rates, wanted: Wanted) -> Offer:
    """Return the plan, whether or not the home can have it, with the reasons against it."""
    reasons = list(barriers(header, compiled.terms, wanted.home))
    conditions = [text for _, text in reasons]
    if compiled.terms.excludes_solar and "solar" in wanted.home.equipment:
        conditions.append(compiled.terms.excludes_solar)  # in the plan's own words
    asked = (*compiled.terms.eligibility, *compiled.terms.asked)
    if NEW_CUSTOMER in asked and wanted.home.is_customer_of(header):
        conditions.append(f"This plan is for new customers of {header.retailer}, and this home is one already.")
    if header.plan_id != wanted.home.plan_id and (metering := _other_metering(rates, wanted.home)):
        conditions.append(metering)
    return Offer(header, compiled, rates, tuple(dict.fromkeys(kind for kind, _ in reasons)), tuple(conditions))


def _other_metering(rates: Rates, home: HomeFacts) -> str | None:
    """Return why a plan does not fit the home's meter channels: retailers list it with and without controlled load."""
    if rates.controlled_loads and "controlled_load" not in home.equipment:
        return "This plan is the one with controlled load, which this home does not have."
    if not rates.controlled_loads and "controlled_load" in home.equipment:
        return "This plan has no price for this home's controlled load, which counts as other use here."
    return None


def _filtered_by(offer: Offer, wanted: Wanted) -> str | None:
    """Return the filter that leaves the plan out; a plan without a green share counts as not green."""
    if wanted.eligibility == "open" and offer.restrictions(wanted.has):
        return "eligibility"
    if wanted.green is not None and (offer.compiled.green_share or 0) < wanted.green:
        return "green share"
    return None


def price_summary(rates: Rates) -> PriceSummary:
    """Return the prices that tell a plan from others of its name."""
    bands = [pair for tariff in rates.periods for pair in zip(tariff.rates, tariff.bands, strict=True)]
    priced = [(with_gst(block.price, block.gst), windows) for rate, windows in bands for block in rate.blocks]
    prices = [price for price, _ in priced]
    supplies = [price for tariff in rates.periods if tariff.supply for _, price in tariff.supply.steps]
    exported = [block.price for tariff in rates.feed_ins for rate in tariff.rates for block in rate.blocks]
    by_time = any(len(tariff.rates) > 1 for tariff in rates.periods)
    dearest = [window for price, windows in priced for window in windows if by_time and price == max(prices)]
    return PriceSummary(
        by_time=by_time,
        demand=bool(rates.demands),
        controlled_load=bool(rates.controlled_loads),
        supply=with_gst(supplies[0], "added") if supplies else None,
        usage=(min(prices), max(prices)) if prices else None,
        feed_in=max(exported, default=None),
        dearest=windows_text(dearest) if dearest else "",
    )
