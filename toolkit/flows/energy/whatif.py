"""What would change: a battery, more solar, an electric vehicle, load at another time, or no gas, on own reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from msgspec.structs import replace

from toolkit.analytics.energy.intervals.age import ReadsAge
from toolkit.analytics.energy.plans.in_force import ChosenPlan
from toolkit.analytics.energy.plans.offers import (
    USUAL_CUSTOMER,
    HomeFacts,
    Offer,
    PlanHeader,
    eligibility_met,
    equipment_of,
    offer_of,
    offers,
)
from toolkit.analytics.energy.plans.offers import Wanted as Wanting
from toolkit.analytics.energy.rates.compile import collector_paused
from toolkit.analytics.energy.solar import Panels, climate, registered_devices
from toolkit.analytics.energy.whatif import (
    CHANGES,
    MOST_KW,
    MOST_KWH,
    Asked,
    Candidate,
    Candidates,
    GasHome,
    Home,
    OffGas,
    Wanted,
    profile_of,
    try_change,
)
from toolkit.answers.base import Note
from toolkit.answers.energy.whatif import BatterySize, Change, WhatIf
from toolkit.errors import UsageError
from toolkit.flows.energy.bill import compiled, concessions_of
from toolkit.flows.energy.compare import year_to_last_read
from toolkit.flows.household.billing_periods import (
    DEFAULTS,
    BillingQuestion,
    asked_periods,
    days_read,
    options_of,
    reads_age,
    reads_for,
)
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import (
    ServicePoint,
    billed_point,
    fuel_of,
    home_place,
    only_service_point,
)
from toolkit.flows.money.spending import typed_cents
from toolkit.flows.plans.catalogue import open_catalogue
from toolkit.flows.plans.choice import resolve_plan
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy, field_of
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import DerRecordRow

__all__ = ["MOST_KW", "MOST_KWH", "OffGas", "Size", "Wanted", "whatif", "whatif_together"]


@dataclass(frozen=True, slots=True)
class Size:
    """Another battery to compare. kwh: usable. price: AUD after rebates."""

    kwh: float
    price: Decimal | str | float | None = None


def whatif(  # noqa: PLR0913 - the options of the command
    ctx: Context,
    change: str,
    *,
    kwh: float | None = None,
    kw: float | None = None,
    efficiency: float = 0.9,
    price: Decimal | str | float | None = None,
    window: str | None = None,
    to_window: str | None = None,
    share: float | None = None,
    off_gas: OffGas | None = None,
    from_: date | None = None,
    to: date | None = None,
    plan: str | None = None,
    best: bool = False,
    sizes: Sequence[Size] = (),
) -> WhatIf:
    """Answer `whatif`: what the bills would have been, on one plan, with and without the change.

    battery: kwh usable, kw (default: half of kwh an hour), efficiency of the round trip; run for self-consumption, by
    the tariff's prices, and to hold demand down, whichever is cheapest; `ways` has all of them. solar: kw of panels
    more. ev: kwh a day (default 7.5), kw of the charger (default 7), window (default 00:00-06:00). shift: share (0 to
    1) of what is bought in `window`, to `to_window` of the same day; without one it is saved. gas: `off_gas`; hot water
    is heated in `window`, rooms in `to_window`. Windows: `HH:MM-HH:MM` in the home's time zone. Power is at most 1,000
    kW, energy 24,000 kWh: more than a home's connection carries.
    price: of the change in AUD, after rebates, for the payback. plan: default the one in force today, for days of the
    past, too. best, sizes: as in `whatif_together`.
    Default range: the 365 days to the last read, as for `compare`. Money in AUD; `saving` = before − after over the
    range, `yearly` that for 365 days by `days_read`, the share of the `days` that was read by the interval: null below
    28 of them, and where the reads end too long before `ctx.today` (`ReadsAge`).

    Raises PricingError where no interval was read in the range, UsageError where the home has no gas to leave.
    """
    if change not in CHANGES:
        raise UsageError(f"{change!r} is not a known change (expected {', '.join(CHANGES)}).")
    wanted = Wanted(kwh, kw, efficiency, window, to_window, share, off_gas or OffGas())
    question = BillingQuestion(from_, to, plan=plan)
    return whatif_together(ctx, [(change, wanted)], question, price=price, best=best, sizes=sizes)


def whatif_together(
    ctx: Context,
    steps: Sequence[tuple[Change, Wanted]],
    question: BillingQuestion = DEFAULTS,
    *,
    price: Decimal | str | float | None = None,
    best: bool = False,
    sizes: Sequence[Size] = (),
) -> WhatIf:
    """Answer `whatif` for several changes at once; a battery is run last, on what the others leave.

    question: days and plan. best: also the cheapest plan that the home can have without the changes, and the cheapest
    one with them. sizes: other batteries than the one among the steps. The rest as in `whatif`.
    """
    price_minor = _price_minor(price)
    with collector_paused(), open_home(ctx) as (store, household):
        loaded = _load(store, household, ctx, question, steps, best=best)
        home = loaded.home
        candidates, gas_candidates, about_best = (
            _candidates(store, household, ctx, loaded, steps) if best else (None, None, [])
        )
    if candidates is not None:
        options = options_of(
            loaded.question, [plan.rates for plan in candidates.plans], loaded.point, loaded.home.periods
        )
        home = dataclasses.replace(home, options=options)
    asked = Asked(steps, price_minor, loaded.age, loaded.on_plan, candidates, gas_candidates)
    answer = try_change(home, asked)
    return replace(
        answer,
        service_point_id=loaded.point.id,
        sizes=tuple(_size(home, asked, size) for size in sizes),
        notes=tuple(dict.fromkeys([*loaded.notes, *about_best, *answer.notes])),
        problems=tuple(dict.fromkeys([*loaded.problems, *answer.problems])),
    )


def _price_minor(price: Decimal | str | float | None) -> int | None:
    price_minor = None if price is None else typed_cents("--price", price)
    if price_minor is not None and price_minor <= 0:
        raise UsageError(Message(field_of("--price"), " is the cost of the change and must be greater than 0."))
    return price_minor


def _size(home: Home, asked: Asked, size: Size) -> BatterySize:
    """Return the answer for a battery of another size; its power is half of the size an hour."""
    steps = [
        (change, dataclasses.replace(wanted, kwh=size.kwh, kw=None) if change == "battery" else wanted)
        for change, wanted in asked.steps
    ]
    answer = try_change(home, dataclasses.replace(asked, steps=steps, price_minor=_price_minor(size.price)))
    return BatterySize(
        kwh=size.kwh,
        kw=size.kwh / 2,
        price=answer.price,
        after=answer.after,
        saving=answer.saving,
        yearly=answer.yearly,
        payback_years=answer.payback_years,
        best=answer.best,
    )


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The stored inputs of a what-if."""

    home: Home
    point: ServicePoint
    question: BillingQuestion
    chosen: ChosenPlan
    on_plan: Note
    age: ReadsAge
    devices: Sequence[DerRecordRow]
    gas_point: ServicePoint | None
    notes: Sequence[Note]
    problems: Sequence[Problem]


def _load(
    store: Store,
    household: HouseholdRow,
    ctx: Context,
    asked: BillingQuestion,
    steps: Sequence[tuple[Change, Wanted]],
    *,
    best: bool,
) -> _Loaded:
    home_id, leaves_gas = household.household_id, any(change == "gas" for change, _ in steps)
    electric = only_service_point(store, household, ctx.service_point, fuel="ELECTRICITY")
    point = electric or billed_point(store, household, ctx.service_point)
    if fuel_of(point) == "GAS":
        raise UsageError("Batteries, panels, vehicles and time of day apply to electricity, not to gas.")
    gas_point = _gas_point(store, household) if leaves_gas else None
    plan = asked.plan
    year = year_to_last_read(store, household, point, dataclasses.replace(asked, plan=None), ctx.today)
    question = year.question
    if gas_point is not None:
        question = _where_gas_is_known(store, home_id, gas_point, question)
    periods, notes = asked_periods(store, household, point, question, ctx.today)
    chosen = resolve_plan(store, household, point, plan, ctx.today)
    rates = compiled(chosen, point, ctx.today)
    reads, read_problems = reads_for(store, home_id, point, periods, year=best or rates.banded)
    concessions = concessions_of(store, home_id, chosen, "ELECTRICITY")
    of_account = any(not each.typed and (each.amount or each.share) for each in concessions)
    rows = store.load(DerRecordRow, home_id)
    devices = registered_devices(rows, point.id)
    requested = Note("priced_as_requested", plan=rates.name)
    home = Home(
        profile_of(reads, point.zone),
        reads,
        rates,
        options_of(question, [rates], point, periods),
        periods,
        zone=point.zone,
        city=climate.city(point.state, point.postcode) or climate.CITIES[0],
        panels=Panels(kw=household.panels_kw or devices.kw, storage_kwh=devices.storage_kwh),
        concessions=concessions,
        gas=None if gas_point is None else _gas_home(store, household, gas_point, question, ctx.today),
    )
    return _Loaded(
        home=home,
        point=point,
        question=question,
        chosen=chosen,
        on_plan=Note("priced_as_in_force", plan=rates.name, day=ctx.today) if chosen.own else requested,
        age=reads_age(store, household, point, ctx.today),
        devices=[row for row in rows if row.service_point_id == point.id and row.vanished_at is None],
        gas_point=gas_point,
        notes=[*point.notes, *notes, *chosen.notes, *([Note("whatif_account_concessions")] if of_account else [])],
        problems=[*chosen.problems, *read_problems],
    )


# ---- gas


def _gas_point(store: Store, household: HouseholdRow) -> ServicePoint:
    point = only_service_point(store, household, None, fuel="GAS")
    if point is None:
        raise UsageError(Message("No gas use of this home is stored: ", Remedy.ADD_GAS_BILLS, "."))
    return point


def _where_gas_is_known(store: Store, home_id: str, point: ServicePoint, asked: BillingQuestion) -> BillingQuestion:
    """Return the question for the days on which gas is known, too. Raises UsageError where there is none of them."""
    first, last = days_read(store, home_id, point)
    begin, end = max(asked.from_ or first, first), min(asked.to or last, last)
    if begin > end:
        raise UsageError(f"Gas use is known from {first} to {last}: no electricity was read on these days.")
    return dataclasses.replace(asked, from_=begin, to=end)


def _gas_home(
    store: Store, household: HouseholdRow, point: ServicePoint, asked: BillingQuestion, today: date
) -> GasHome:
    periods, _ = asked_periods(store, household, point, asked, today)
    chosen = resolve_plan(store, household, point, None, today)
    rates = compiled(chosen, point, today)
    home = household.household_id
    # A year, so that summer days, which show what is not heating, are among them.
    reads, _ = reads_for(store, home, point, periods, year=True)
    options = options_of(asked, [rates], point, periods)
    return GasHome(reads, rates, options, periods, point.zone, concessions_of(store, home, chosen, "GAS"))


# ---- the plans that the home can have


def _candidates(
    store: Store,
    household: HouseholdRow,
    ctx: Context,
    loaded: _Loaded,
    steps: Sequence[tuple[Change, Wanted]],
) -> tuple[Candidates | None, Candidates | None, list[Note]]:
    """Return the plans for the best one by fuel; None, and why, where they are not known."""
    changes = {change for change, _ in steps}
    point = loaded.point
    catalogue = open_catalogue(store, None, "ELECTRICITY")
    place = home_place(household, point, catalogue)
    if not place.known or place.embedded:
        return None, None, [Note("best_needs_place")]
    if not catalogue.headers:
        return None, None, [Note("best_without_plans")]
    equipment = equipment_of(loaded.home.reads, household.panels_kw, *(row.panels_kw for row in loaded.devices))
    customer = household.customer_type or USUAL_CUSTOMER
    own_plan = loaded.chosen.plan
    own_version = PlanHeader.of(own_plan).version
    without = HomeFacts(
        *(ctx.today, place.postcode, place.network, customer, equipment), own_plan.retailer, own_plan.plan_id
    )
    then = dataclasses.replace(without, equipment=equipment | ({"solar"} if "solar" in changes else set()))
    stored_kwh = any(row.storage_kwh for row in loaded.devices)
    card = bool(loaded.home.concessions)
    has = eligibility_met(without, battery=stored_kwh, concession=card)
    has_then = eligibility_met(then, battery=stored_kwh or "battery" in changes, concession=card)
    has_then |= {"ELECTRIC_VEHICLE"} if "ev" in changes else set()
    offered = offers(catalogue, Wanting("ELECTRICITY", then, has=has_then)).plans
    listed = [
        Candidate(
            name=offer.header.name or offer.plan_id,
            rates=offer.rates,
            before=_can_have(offer_of(offer.header, offer.compiled, offer.rates, Wanting("ELECTRICITY", without)), has),
            after=_can_have(offer, has_then),
        )
        for offer in offered
        if (offer.plan_id, offer.header.version) != (own_plan.plan_id, own_version)  # below, as billed
    ]
    own = Candidate(loaded.home.rates.name, loaded.home.rates, before=True, after=True)
    gas = None if loaded.gas_point is None else _gas_candidates(store, household, ctx, loaded)
    return Candidates.of([*listed, own]), gas, []


def _can_have(offer: Offer, has: frozenset[str]) -> bool:
    """Return whether a home can simply take a plan, and rely on its prices."""
    return not (offer.barriers or offer.conditions or offer.compiled.terms.variable or offer.restrictions(has))


def _gas_candidates(store: Store, household: HouseholdRow, ctx: Context, loaded: _Loaded) -> Candidates:
    point, gas = loaded.gas_point, loaded.home.gas
    assert point is not None
    assert gas is not None
    catalogue = open_catalogue(store, None, "GAS")
    place = home_place(household, point, catalogue)
    facts = HomeFacts(ctx.today, place.postcode, None, household.customer_type or USUAL_CUSTOMER)
    offered = offers(catalogue, Wanting("GAS", facts)).plans
    has: frozenset[str] = frozenset()
    listed = [
        Candidate(offer.header.name or offer.plan_id, offer.rates, _can_have(offer, has), _can_have(offer, has))
        for offer in offered
    ]
    return Candidates.of([*listed, Candidate(gas.rates.name, gas.rates, before=True, after=True)])
