"""Every plan that the household can have on its own reads, cheapest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import polars as pl

from toolkit.analytics.energy.bills import Period, prepare
from toolkit.analytics.energy.intervals.quality import Quality, quality_of
from toolkit.analytics.energy.plans.offered import BARRIERS, HomeFacts, PlanHeader, equipment_of, unpriced_equipment
from toolkit.analytics.energy.plans.terms import Equipment
from toolkit.analytics.energy.rates import compile_plan
from toolkit.analytics.energy.rates.stored import compile_for_store
from toolkit.answers.notes import Note
from toolkit.errors import ChoiceRequiredError, NoPlansError, PricingError, Problem, StoreError, UsageError
from toolkit.flows.energy.bill import billed_point, own_feed_in
from toolkit.flows.energy.comparison.notes import comparison_notes, unpriced_notes
from toolkit.flows.energy.comparison.rows import Case, Reads, as_of, compared
from toolkit.flows.energy.comparison.years import YearOfReads, earlier_years, year_to_last_read
from toolkit.flows.household.billing_cycle import reads_age
from toolkit.flows.household.billing_periods import BillingQuestion, asked_periods, options_of, reads_for
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.homes import checked_postcode
from toolkit.flows.household.place import HomePlace, home_place
from toolkit.flows.household.service_points import ServicePoint
from toolkit.flows.plans.choice import resolve_plan, stored_plan_id
from toolkit.flows.plans.offers import Catalogue, Offer, Offers, Wanted, offer_of, offers, open_catalogue
from toolkit.flows.plans.stored import ChosenPlan, fuel_of
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

TOP = 10
ELIGIBILITIES = ("all", "open")
USUAL_CUSTOMER = "residential"
"""Where the household does not say."""


@dataclass(frozen=True, slots=True)
class _Filters:
    """As asked for, on the day `today`. plans: a path or a stored plan's id. plan: today's."""

    today: date
    plans: str | None
    plan: str | None
    postcode: str | None
    network: str | None
    customer: str | None
    eligibility: str
    green: float | None


@dataclass(frozen=True, slots=True)
class _Gathered:
    """All that a comparison takes from the store. earlier: periods and reads of whole years before."""

    point: ServicePoint
    place: HomePlace
    year: YearOfReads
    periods: Sequence[Period]
    reads: pl.DataFrame
    wanted: Wanted
    found: Offers
    today: ChosenPlan | None
    old: bool
    earlier: Sequence[tuple[Sequence[Period], pl.DataFrame]]
    notes: Sequence[Note]
    problems: Sequence[Problem]


def compare(  # noqa: PLR0913 - the command's options
    ctx: Context,
    *,
    plans: str | None = None,
    plan: str | None = None,
    from_: date | None = None,
    to: date | None = None,
    period: str | None = None,
    blocks: str = "pooled",
    discounts: str = "guaranteed",
    top: int = TOP,
    postcode: str | None = None,
    network: str | None = None,
    customer: str | None = None,
    eligibility: str = "all",
    green: float | None = None,
) -> dict[str, Any]:
    """`compare`: see docs/commands.md. Each total is to the cent what `bill` gives for that plan, without concessions.

    plans: a path, or a stored plan's id; default the stored published plans. plan: today's, as `bill` takes it; default
    the one in force. Default range: the 365 days that end with the last read (from the first on where fewer than 330 of
    them are read). top: how many rows, 0 for all.

    Left out, and counted, is what the home cannot have: `expired`, `not_here` (postcode, customer, solar, controlled
    load), `other_networks`; of a path ended plans stay, and a plan named by its id is always priced; both are marked.
    `saving` is against today's plan for `saving_days`; null where that is unknown or not priced whole, or where nothing
    tells which plans are offered here. `yearly`: whether it is that of a year. `conditional` is what conditional
    discounts would take off. A plan of which a part cannot be priced is in `unpriced`, with what the rest of it costs.
    `missing_share`: of the time, without reads; that energy is in no total.

    eligibility: `all` says in the notes who may take a plan; `open` leaves out what is not for everyone. green: least
    share of green energy, 0 to 1. The fuel is that of the service point.

    Raises NoPlansError where no plan of the fuel is stored, PricingError where no read lies in the range,
    ChoiceRequiredError for a network that is not known.
    """
    filters = _Filters(ctx.today, plans, plan, postcode, network, customer, eligibility, green)
    _check_filters(filters)
    asked = BillingQuestion(from_, to, period, blocks, discounts)
    with open_home(ctx) as (store, household):
        gathered = _gathered(store, household, ctx, asked, filters)
    return _answer(gathered, asked, top)


def _check_filters(filters: _Filters) -> None:
    if filters.eligibility not in ELIGIBILITIES:
        raise UsageError(f"--eligibility is one of {', '.join(ELIGIBILITIES)}.")
    if filters.postcode is not None:
        checked_postcode(filters.postcode)
    if filters.green is not None and not 0 <= filters.green <= 1:
        raise UsageError(f"--green is a share from 0 to 1, such as 0.1, not {filters.green}.")


def _gathered(
    store: Store, household: HouseholdRow, ctx: Context, asked: BillingQuestion, filters: _Filters
) -> _Gathered:
    home = household.household_id
    point = billed_point(store, household, ctx.service_point)
    named = stored_plan_id(store, home, filters.plans) if filters.plans else None
    catalogue = open_catalogue(store, None if named else filters.plans, fuel_of(point))
    place = home_place(household, point, catalogue, postcode=filters.postcode, network=filters.network)
    year = year_to_last_read(store, household, point, asked, ctx.today)
    periods, notes = asked_periods(store, household, point, year.question, ctx.today)
    reads, problems = reads_for(store, home, point, periods, year=True)
    wanted = _wanted(store, household, point, reads, place, filters)
    if named:
        found = Offers((_offer(resolve_plan(store, household, point, named, ctx.today), wanted),))
    else:
        found = _offers(catalogue, wanted)
    assumed = _assumed_customer(catalogue) if not (filters.customer or household.customer_type) else []
    return _Gathered(
        point=point,
        place=place,
        year=year,
        periods=periods,
        reads=reads,
        wanted=wanted,
        found=found,
        today=_todays(store, household, point, filters.plan, ctx.today),
        old=reads_age(store, household, point, ctx.today).is_past_limit,
        earlier=tuple(earlier_years(store, household, point, year.question, ctx.today)) if year.whole else (),
        notes=[*assumed, *notes],
        problems=problems,
    )


def _wanted(
    store: Store,
    household: HouseholdRow,
    point: ServicePoint,
    reads: pl.DataFrame,
    place: HomePlace,
    filters: _Filters,
) -> Wanted:
    """What is known of the home, by its settings, its reads and its register of solar and storage devices."""
    rows = store.rows("der_records", household.household_id, where={"service_point_id": point.id})
    devices = [row for row in rows if row["vanished_at"] is None]
    equipment = equipment_of(reads, household.panels_kw, *(row["panels_kw"] for row in devices))
    customer = filters.customer or household.customer_type or USUAL_CUSTOMER
    met = {
        "EXISTING_SOLAR": "solar" in equipment,
        "EXISTING_BATTERY": any(row["storage_kwh"] for row in devices),
        "SMALL_BUSINESS": customer.casefold() == "business",
    }
    facts = HomeFacts(filters.today, place.postcode, place.network, customer, equipment)
    has = frozenset(kind for kind, holds in met.items() if holds)
    return Wanted(fuel_of(point), facts, filters.eligibility, has, filters.green, filters.plans is not None)


def _assumed_customer(catalogue: Catalogue) -> list[Note]:
    """What to say where the household does not say which kind of customer it is, and plans for others are there."""
    others = any((header.customer_type or USUAL_CUSTOMER).casefold() != USUAL_CUSTOMER for header in catalogue.headers)
    return [Note("customer_assumed")] if others else []


def _offers(catalogue: Catalogue, wanted: Wanted) -> Offers:
    found = offers(catalogue, wanted)
    if not (found.plans or found.barred or found.left_out):
        raise NoPlansError(f"No {wanted.fuel.lower()} plan to compare: import published plans first.")
    return found


def _todays(
    store: Store, household: HouseholdRow, point: ServicePoint, wanted: str | None, on: date
) -> ChosenPlan | None:
    """Today's plan, where it is known: the one called `wanted`, or the one in force."""
    try:
        return resolve_plan(store, household, point, wanted, on)
    except (ChoiceRequiredError, StoreError):
        if wanted is not None:
            raise
        return None


def _offer(chosen: ChosenPlan, wanted: Wanted) -> Offer:
    """A plan as `bill` prices it: today's with the account's own feed-in and the dates of its components.

    Compiled anew each time: plans are kept without. Raises PricingError for a plan of another fuel.
    """
    plan = chosen.plan
    rates = compile_plan(plan, wanted.fuel, feed_in=own_feed_in(chosen), on=chosen.priced_for(wanted.home.today))
    return offer_of(PlanHeader.of(plan), compile_for_store(plan, wanted.fuel), rates, wanted)


def _with_own_rates(found: Offers, mine: Offer | None) -> Offers:
    """The offers; today's plan, where it is one of them, as the household pays it."""
    if mine is None:
        return found
    same = mine.plan_id, mine.header.version
    plans = (replace(o, rates=mine.rates) if (o.plan_id, o.header.version) == same else o for o in found.plans)
    return replace(found, plans=tuple(plans))


def _answer(gathered: _Gathered, asked: BillingQuestion, top: int) -> dict[str, Any]:
    point, place, today = gathered.point, gathered.place, gathered.today
    case = _case(gathered, asked)
    read = _quality(case)
    rows = compared(case, top)
    dated = as_of(case.offers)
    of_today, unreadable = (today.notes, today.problems) if today else ((), ())
    about_prices = unpriced_notes(_unpriced(gathered, case.today))
    about_plans = comparison_notes(gathered.found, gathered.wanted, place, rows["current"], read)
    notes = list(dict.fromkeys([*about_prices, *about_plans, *point.notes, *gathered.notes, *of_today]))
    return {
        "service_point_id": point.id,
        "fuel": fuel_of(point),
        "network": place.network,
        "postcode": place.postcode,
        "from": gathered.periods[0].first,
        "to": gathered.periods[-1].last,
        "as_of": dated,
        **{kind: gathered.found.barred[kind] for kind in BARRIERS},
        "yearly": gathered.year.whole and not gathered.old,
        "missing_share": read.missing_share,
        **rows,
        "left_out": dict(sorted(gathered.found.left_out.items())),
        "notes": notes,
        "note_codes": [note.code for note in notes],
        "problems": [
            problem.as_json()
            for problem in (*gathered.found.problems, *unreadable, *gathered.problems, *read.problems())
        ],
    }


def _case(gathered: _Gathered, asked: BillingQuestion) -> Case:
    point, place = gathered.point, gathered.place
    mine = _offer(gathered.today, gathered.wanted) if gathered.today else None
    found = _with_own_rates(gathered.found, mine).plans
    rates = [offer.rates for offer in (*found, *([mine] if mine else []))]

    def prepared(periods: Sequence[Period], reads: pl.DataFrame) -> Reads:
        usage = prepare(reads, zone=point.zone, unit="MJ" if fuel_of(point) == "GAS" else "kWh")
        return Reads(usage, periods, options_of(asked, rates, point, periods))

    return Case(
        reads=prepared(gathered.periods, gathered.reads),
        offers=found,
        today=mine,
        has=gathered.wanted.has,
        network=place.network,
        can_save=place.known and not place.embedded and not _unpriced(gathered, mine),
        earlier=tuple(prepared(*year) for year in gathered.earlier),
    )


def _unpriced(gathered: _Gathered, mine: Offer | None) -> list[tuple[Equipment, date]]:
    """What today's plan prices on some of the compared days only."""
    if mine is None:
        return []
    first, last = gathered.periods[0].first, gathered.periods[-1].last
    return list(unpriced_equipment(mine.rates, gathered.wanted.home.equipment, first, last))


def _quality(case: Case) -> Quality:
    """How far the days are read, by the clock of the plans on which they are least.

    Raises PricingError, as `bill` does, where they are not read at all.
    """
    reads = case.reads
    first, last = reads.periods[0].first, reads.periods[-1].last
    clocks = sorted({offer.rates.time_zone for offer in case.plans}) or ["AEST"]
    days = [reads.usage.matrix(clock).sliced(first, last, reads.options.holidays) for clock in clocks]
    read = max((quality_of([matrix]) for matrix in days), key=lambda quality: quality.missing)
    if read.missing_share == 1 and case.plans:
        raise PricingError(case.plans[-1].plan_id, f"no reads between {first} and {last}")
    return read
