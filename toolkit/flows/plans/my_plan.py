"""Find the plan that a home is on among those stored: its likely retailer, and the retailer's plans for this home."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from datetime import date, timedelta
from decimal import Decimal
from itertools import takewhile

from toolkit.analytics.energy.plans.offers import USUAL_CUSTOMER, HomeFacts, PlanHeader, barriers, price_summary
from toolkit.analytics.energy.rates.compile import Compiled, Equipment, compile_for_store
from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.plans import PriceSummary
from toolkit.answers.named_plan import NamedPlan
from toolkit.errors import ChoiceRequiredError, StoreError
from toolkit.flows.household.billing_periods import days_read
from toolkit.flows.household.context import Context, in_order, named_plans, open_home
from toolkit.flows.household.service_points import billed_point, fuel_of, service_points
from toolkit.flows.invoices.edit import list_invoices
from toolkit.flows.invoices.payments import retailer_payments
from toolkit.flows.plans.billed_prices import BilledPrices, billed_prices, per_cent_off
from toolkit.flows.plans.catalogue import compiled_plans
from toolkit.flows.plans.choice import latest, open_plans, plan_in_force, stored_plan_id, stored_plans, versions_for
from toolkit.store import Store
from toolkit.store.plan_repository import latest_rows
from toolkit.tables.reference import places
from toolkit.tables.rows.plans import stored_plan
from toolkit.tables.schema.energy import PUBLISHED, PlanRow
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import RegisterRow

FUELS: tuple[Fuel, ...] = ("ELECTRICITY", "GAS")
_HEADER = (
    *("version", "name", "retailer", "customer_type", "plan_type", "distributors", "included_postcodes"),
    *("excluded_postcodes", "effective_from", "effective_to", "last_updated", "fuel_type"),
)
_SAME_PRICES = Decimal("0.1")
"""Per cent by which prices that a bill rounds may be off."""
_COMMON = {"energy", "retail", "power", "gas", "electricity", "the", "pty", "ltd", "australia", "limited"}
"""Words of retailers' names that say nothing alone."""


@dataclass(frozen=True, slots=True)
class Retailers:
    """Retailers with stored plans that the home can have, by name. likely: that of its bills, else of its payments.

    from_bill: whether a bill names it.
    """

    names: tuple[str, ...]
    likely: str | None
    from_bill: bool


@dataclass(frozen=True, slots=True)
class PlanToChoose:
    """A stored plan, and what distinguishes it from others of its name.

    alike: ids of plans of its name with the same prices, at all times and for all use. fits: whether it has a price for
    controlled load where the home has that, and none where it has not.
    """

    plan_id: str
    name: str
    prices: PriceSummary
    alike: tuple[str, ...] = ()
    fits: bool = True


@dataclass(frozen=True, slots=True)
class RetailerPlans:
    """The plans of a retailer for this home, those first that the newest bill names, then those that fit its meter.

    Among these the ones with prices nearest to the bill's come first, where it prints any: `of_bill`; `same_prices` are
    the ids of those that have them.

    Plans of one name with the same prices are one of them, the others in its `alike`.

    left_out: how many others it has. billed: ids of the plans with the name that the bill states. since: first day of
    the bills that name them.
    """

    plans: tuple[PlanToChoose, ...]
    left_out: int
    billed: tuple[str, ...]
    since: date | None
    of_bill: BilledPrices | None = None
    same_prices: tuple[str, ...] = ()

    @property
    def likely(self) -> str | None:
        """The plan that the newest bill names; None where several share the name."""
        return self.billed[0] if len(self.billed) == 1 else None


@dataclass(frozen=True, slots=True)
class BilledPlan:
    """A plan as the newest bill names it, and its retailer; empty where the bill names none.

    since: the first day of the oldest bill with no bill of another plan after it; None where that bill has no days.
    """

    name: str
    retailer: str
    since: date | None


@dataclass(frozen=True, slots=True)
class MyPlan:
    """The plans of a home for one fuel as a person named them. name, typed: of today's; whether it came from a bill."""

    today: NamedPlan | None
    name: str | None
    typed: bool
    before: NamedPlan | None


def my_plans(ctx: Context) -> dict[Fuel, MyPlan]:
    """Return the plans that a person named, by fuel, for each fuel of the home's meters and bills.

    Both fuels where it has neither. Raises as `open_home`.
    """
    with open_home(ctx) as (store, household):
        return plans_by_fuel(store, household)


def plans_by_fuel(store: Store, household: HouseholdRow) -> dict[Fuel, MyPlan]:
    """Return what `my_plans` does, of one household."""
    home = household.household_id
    metered = {fuel_of(point) for point in service_points(store, household)}
    named = in_order(named_plans(household))
    where = {"household_id": [PUBLISHED, home], "plan_id": [plan.plan_id for plan in named]}
    rows = {row.plan_id: row for row in store.load(PlanRow, where=where)}
    fuels = {plan.plan_id: plan.fuels for plan in latest(stored_plans(store, home, {"plan_id": list(rows)}))}
    found: dict[Fuel, MyPlan] = {}
    for fuel in FUELS:
        own = [plan for plan in named if fuel in fuels.get(plan.plan_id, ())]
        if own or not metered or fuel in metered:
            row = rows[own[-1].plan_id] if own else None
            found[fuel] = MyPlan(
                today=own[-1] if own else None,
                name=row.name if row else None,
                typed=row is not None and row.source == "typed",
                before=own[-2] if len(own) > 1 else None,
            )
    return found


def account_plan(ctx: Context, fuel: Fuel) -> str | None:
    """Return the name of the plan that the energy account is on today; None without one. Raises as `open_home`."""
    with open_home(ctx) as (store, household):
        for point in service_points(store, household, fuel=fuel):
            known = versions_for(store, household.household_id, point)
            if known.versions:
                plan = known.in_force(ctx.today, ctx.today)[-1].chosen.plan
                return plan.name or plan.plan_id
    return None


def is_choice_of_plans(ctx: Context) -> bool:
    """Whether a person has to say which of several stored plans is that of the service point. Raises as `open_home`."""
    with open_home(ctx) as (store, household):
        point = billed_point(store, household, ctx.service_point)
        _, last_read = days_read(store, household.household_id, point)
        try:
            plan_in_force(store, household, point, min(ctx.today, last_read + timedelta(1)))
        except ChoiceRequiredError:
            return True
        except StoreError:  # no plan at all is no choice
            return False
    return False


def retailers(ctx: Context, fuel: Fuel) -> Retailers:
    """Return the retailers to choose from, the likely one among them. Raises as `open_plans`."""
    with open_plans(ctx) as (store, home):
        here = headers_here(store, home, fuel, ctx.today)
        names = sorted({header.retailer or "" for header in here}, key=str.casefold)
    likely, from_bill = _likely(ctx, fuel, names)
    return Retailers(tuple(names), likely, from_bill)


def plans_of_retailer(ctx: Context, fuel: Fuel, retailer: str) -> RetailerPlans:
    """Return the stored plans of a retailer that the home can have: by address, customer, solar and controlled load.

    Plans that are no longer on offer are among them, as a home can still be on one. Raises as `open_plans`.
    """
    with open_plans(ctx) as (store, home):
        facts = _facts(store, home, fuel, ctx.today)
        headers = [header for header in _headers(store, home, fuel) if (header.retailer or "") == retailer]
        possible = [header for header in headers if _can_have(header, facts)]
        plans = dict(compiled_plans(store, fuel, possible))
        plans |= _compiled_own(store, home, fuel, [header for header in possible if header.version not in plans])
        metered = store.count("registers", home) > 0
    chosen: dict[object, PlanToChoose] = {}
    for plan in possible:
        compiled = plans.get(plan.version)
        if compiled is None:  # a plan of both fuels by its list, of the other one by its prices
            continue
        terms = compiled.terms if metered else None
        if any(kind != "expired" for kind, _ in barriers(plan, terms, facts)):
            continue
        rates = compiled.rates_on(ctx.today)
        prices, name = price_summary(rates), plan.name or plan.plan_id
        fits = not metered or prices.controlled_load == ("controlled_load" in facts.equipment)
        same = (name, plan.networks, replaced(rates, plan_id="", name="", notes=(), problems=()))
        alike = (*chosen[same].alike, plan.plan_id) if same in chosen else ()
        first = chosen[same].plan_id if same in chosen else plan.plan_id
        chosen[same] = PlanToChoose(first, name, prices, alike, fits)
    found = list(chosen.values())
    billed = billed_plan(ctx, fuel)
    names = {plan.plan_id for plan in found if billed and _is_named_alike(plan.name, billed.name)}
    of_bill = _prices_billed(ctx, fuel, retailer)
    off = {plan.plan_id: per_cent_off(of_bill, plan.prices) for plan in found} if of_bill else {}
    known = {plan_id: share for plan_id, share in off.items() if share is not None}

    def place(plan: PlanToChoose) -> tuple[bool, bool, bool, Decimal, str, str]:
        far = known.get(plan.plan_id, Decimal(0))
        named = plan.name.casefold(), plan.plan_id
        return plan.plan_id not in names, not plan.fits, bool(known) and plan.plan_id not in known, far, *named

    found.sort(key=place)
    named = tuple(plan.plan_id for plan in found if plan.plan_id in names)
    left_out = len(headers) - sum(1 + len(plan.alike) for plan in found)
    since = billed.since if billed and named else None
    as_billed = tuple(plan.plan_id for plan in found if known.get(plan.plan_id, _SAME_PRICES) < _SAME_PRICES)
    return RetailerPlans(tuple(found), left_out, named, since, of_bill if known else None, as_billed)


def _prices_billed(ctx: Context, fuel: Fuel, retailer: str) -> BilledPrices | None:
    """Return the prices on the newest bill of the fuel; None where it has none, or is another retailer's."""
    prices = billed_prices(ctx, fuel)
    return prices if prices and retailer_in(prices.retailer, [retailer]) else None


def plan_meant(ctx: Context, offered: RetailerPlans, typed: str) -> str | None:
    """Return the id of the plan that a person typed: by its plan ID, else by its name among a retailer's plans.

    None where no stored plan is called so. Raises ChoiceRequiredError where several are; raises as `open_plans`.
    """
    with open_plans(ctx) as (store, home):
        if stored := stored_plan_id(store, home, typed):
            return stored
    named = [plan.plan_id for plan in offered.plans if _is_named_alike(plan.name, " ".join(typed.split()))]
    if len(named) > 1:
        raise ChoiceRequiredError(
            f"{len(named)} plans are called {typed}. Choose the one from the list that has the prices of your bill.", []
        )
    return named[0] if named else None


def billed_plan(ctx: Context, fuel: Fuel) -> BilledPlan | None:
    """Return the plan that the newest bill of the fuel names; None where no bill names a plan."""
    try:
        bills = [bill for bill in list_invoices(ctx).invoices if bill.plan_name and bill.fuel == fuel]
    except StoreError:
        return None
    if not bills:
        return None
    newest = bills[-1]
    same = list(takewhile(lambda bill: _is_named_alike(bill.plan_name, newest.plan_name), reversed(bills)))
    return BilledPlan(newest.plan_name or "", newest.retailer or "", same[-1].from_)


def billed_since(ctx: Context, fuel: Fuel, name: str) -> date | None:
    """Return the first day of the bills that name a plan; None where the newest bill that names one names another."""
    billed = billed_plan(ctx, fuel)
    return billed.since if billed and _is_named_alike(billed.name, name) else None


def _is_named_alike(one: str | None, other: str | None) -> bool:
    return (one or "").casefold() == (other or "").casefold()


def _compiled_own(store: Store, home: str, fuel: Fuel, wanted: Sequence[PlanHeader]) -> dict[str, Compiled]:
    """Compile those of these plans that are the household's own, by version: the one or two that a person typed."""
    versions = [header.version for header in wanted]
    rows = store.load(PlanRow, home, where={"version": versions}) if home and versions else []
    plans = [stored_plan(row.raw, row.plan_id, row.version) for row in rows]
    return {plan.version: compile_for_store(plan, fuel) for plan in plans if fuel in plan.fuels}


def _headers(store: Store, home: str, fuel: Fuel) -> Iterator[PlanHeader]:
    """Yield the latest version of each stored plan of the fuel, offered or not, without its prices."""
    where = {"household_id": [PUBLISHED, home]} if home else {"household_id": PUBLISHED}
    for row in latest_rows(store, ("plan_id", *_HEADER), where):
        plan_id, version, name, retailer, customer, kind, networks, included, excluded, begins, ends, updated, own = row
        if own in (fuel, "DUAL", None):
            lists = [tuple(json.loads(text or "[]")) for text in (networks, included, excluded)]
            named = (plan_id, version, name, retailer, customer, kind)
            yield PlanHeader(*named, lists[0], lists[1], lists[2], begins, ends, updated)


def headers_here(store: Store, home: str, fuel: Fuel, today: date) -> list[PlanHeader]:
    """Return the latest version of each stored plan of the fuel that the home can have, offered or not."""
    facts = _facts(store, home, fuel, today)
    return [header for header in _headers(store, home, fuel) if _can_have(header, facts)]


def _can_have(header: PlanHeader, facts: HomeFacts) -> bool:
    return all(kind == "expired" for kind, _ in barriers(header, None, facts))


def _facts(store: Store, home: str, fuel: Fuel, today: date) -> HomeFacts:
    """Return what is known of a home; of one that is not stored yet nothing."""
    for household in store.load(HouseholdRow, home) if home else ():
        point = next(iter(service_points(store, household, fuel=fuel)), None)
        network = household.network or (point.network or places.network_of_nmi(point.id) if point else None)
        return HomeFacts(
            today=today,
            postcode=(point.postcode if point else None) or household.postcode,
            network=network if fuel == "ELECTRICITY" else None,
            customer=household.customer_type or USUAL_CUSTOMER,
            equipment=frozenset(_equipment(store, household)),
        )
    return HomeFacts(today)


def _equipment(store: Store, household: HouseholdRow) -> Iterator[Equipment]:
    registers = store.load(RegisterRow, household.household_id)
    if household.panels_kw or any(register.direction == "export" for register in registers):
        yield "solar"
    if any(register.controlled_load for register in registers):
        yield "controlled_load"


def _likely(ctx: Context, fuel: Fuel, names: Sequence[str]) -> tuple[str | None, bool]:
    """Return the retailer of the newest bill, one of the fuel first, else of the newest payment; and whether a bill."""
    try:
        bills = [bill for bill in reversed(list_invoices(ctx).invoices) if bill.retailer]
        paid = [payment.description for payment in retailer_payments(ctx)]
    except StoreError:
        return None, False
    own_first = sorted(bills, key=lambda bill: bill.fuel != fuel)
    for from_bill, texts in ((True, [bill.retailer for bill in own_first]), (False, paid)):
        for text in filter(None, texts):
            if name := retailer_in(text, names):
                return name, from_bill
    return None, False


def retailer_in(text: str, names: Sequence[str]) -> str | None:
    """Return the retailer that a bank's or a bill's words name: all of its own words are in them; the longest name."""
    words = set(re.findall(r"[a-z0-9]+", text.casefold()))
    run_together = "".join(re.findall(r"[a-z0-9]+", text.casefold()))
    fitting = []
    for name in names:
        own = [word for word in re.findall(r"[a-z0-9]+", name.casefold()) if word not in _COMMON]
        whole = "".join(re.findall(r"[a-z0-9]+", name.casefold()))
        if (own and words.issuperset(own)) or (len(whole) > 4 and whole in run_together):
            fitting.append(name)
    return max(fitting, key=len, default=None)
