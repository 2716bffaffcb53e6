"""Every plan that the household can have on its own reads, cheapest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

import polars as pl

from toolkit.analytics.energy.bills import Options, Period
from toolkit.analytics.energy.bills.concessions import lapsed_notes, typed_concessions
from toolkit.analytics.energy.compare.comparison import Inputs, comparison, own_offer, standing_offers
from toolkit.analytics.energy.plans.in_force import ChosenPlan
from toolkit.analytics.energy.plans.offers import (
    USUAL_CUSTOMER,
    Catalogue,
    HomeFacts,
    Offers,
    Wanted,
    eligibility_met,
    equipment_of,
    offers,
)
from toolkit.analytics.energy.rates.compile import collector_paused
from toolkit.answers.base import Note
from toolkit.answers.energy.plans import Comparison
from toolkit.errors import ChoiceRequiredError, NoPlansError, StoreError, UsageError
from toolkit.flows.household.billing_periods import (
    DEFAULTS,
    BillingQuestion,
    are_reads_past_limit,
    asked_periods,
    days_read,
    reads_for,
    spans_read,
)
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.facts import checked_postcode
from toolkit.flows.household.service_points import ServicePoint, billed_point, fuel_of, home_place
from toolkit.flows.plans.catalogue import open_catalogue
from toolkit.flows.plans.choice import resolve_plan, stored_plan_id
from toolkit.remedies import Message, Remedy, field_of
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import DerRecordRow
from toolkit.tables.schema.typed import TypedConcessionRow

TOP = 10
ELIGIBILITIES = ("all", "open")

YEAR = 365
LEAST_READ = 330
"""Days with reads, of 365: with fewer, the saving is not one of a year (docs/commands.md)."""

_MOST_YEARS = 20
_LAST_OF_YEAR = timedelta(YEAR - 1)


@dataclass(frozen=True, slots=True)
class PlanFilters:
    """Which plans are compared; None takes the household's own."""

    plans: str | None = None
    """A path, or a stored plan's id; None: the stored published plans."""
    postcode: str | None = None
    network: str | None = None
    """The electricity distributor."""
    customer: str | None = None
    """residential or business."""
    eligibility: str = "all"
    """`all` notes who may take a plan; `open` leaves out what is not for everyone."""
    green: float | None = None
    """Least share of green energy, 0 to 1; None: any."""


EVERY_PLAN = PlanFilters()


def compare(
    ctx: Context,
    question: BillingQuestion = DEFAULTS,
    filters: PlanFilters = EVERY_PLAN,
    *,
    top: int = TOP,
    distinct: bool = False,
) -> Comparison:
    """Price every plan that the home can have on its own reads (docs/commands.md), cheapest first.

    Each total is to the cent what `bill` gives for that plan, without concessions of an energy account; those typed
    for the home are in it. Default days: the 365 that end with
    the last read (from the first on where fewer than 330 of them are read). top: how many rows, 0 for all. distinct:
    one row for plans that cost the same, the others in its `same_as`.

    Left out, and counted, is what the home cannot have: `expired`, `not_here` (postcode, customer, solar, controlled
    load), `other_networks`; of a path ended plans stay, and a plan named by its id is always priced; both are marked.
    The fuel is that of the service point.

    Raises NoPlansError where no plan of the fuel is stored, PricingError where no read lies in the range,
    ChoiceRequiredError for a network that is not known, UsageError for a filter that is not valid.
    """
    _check_filters(filters)
    with collector_paused():
        with open_home(ctx) as (store, household):
            inputs = _inputs(store, household, ctx, question, filters)
        return comparison(inputs, top=top, distinct=distinct)


def _check_filters(filters: PlanFilters) -> None:
    if filters.eligibility not in ELIGIBILITIES:
        raise UsageError(Message(field_of("--eligibility"), f" is one of {', '.join(ELIGIBILITIES)}."))
    if filters.postcode is not None:
        checked_postcode(filters.postcode)
    if filters.green is not None and not 0 <= filters.green <= 1:
        raise UsageError(Message(field_of("--green"), f" is a share from 0 to 1, such as 0.1, not {filters.green}."))


def _inputs(
    store: Store, household: HouseholdRow, ctx: Context, asked: BillingQuestion, filters: PlanFilters
) -> Inputs:
    home = household.household_id
    point = billed_point(store, household, ctx.service_point)
    named = stored_plan_id(store, home, filters.plans) if filters.plans else None
    catalogue = open_catalogue(store, None if named else filters.plans, fuel_of(point))
    stored = catalogue if named or not filters.plans else open_catalogue(store, None, fuel_of(point))
    place = home_place(household, point, catalogue, postcode=filters.postcode, network=filters.network)
    year = year_to_last_read(store, household, point, asked, ctx.today)
    periods, notes = asked_periods(store, household, point, year.question, ctx.today)
    reads, problems = reads_for(store, home, point, periods, year=True)
    typed = store.load(TypedConcessionRow, home, where={"fuel": fuel_of(point)})
    concessions = typed_concessions(typed) if typed else ()
    customer = filters.customer or household.customer_type
    devices = store.load(DerRecordRow, home, where={"service_point_id": point.id, "vanished_at": None})
    equipment = equipment_of(reads, household.panels_kw, *(device.panels_kw for device in devices))
    today = _todays(store, household, point, asked.plan, ctx.today)
    facts = HomeFacts(
        *(ctx.today, place.postcode, place.network, customer or USUAL_CUSTOMER, equipment),
        *((today.plan.retailer, today.plan.plan_id) if today else ()),
    )
    battery = any(device.storage_kwh for device in devices)
    has = eligibility_met(facts, battery=battery, concession=bool(concessions))
    wanted = Wanted(fuel_of(point), facts, filters.eligibility, has, filters.green, filters.plans is not None)
    if named:
        offered = Offers((own_offer(resolve_plan(store, household, point, named, ctx.today), wanted),))
    else:
        offered = _offers(catalogue, wanted)
    years = [(periods, reads)]
    if year.whole:
        years += earlier_years(store, household, point, year.question, ctx.today)
    return Inputs(
        service_point_id=point.id,
        meter_number=point.national_metering_id or point.id,
        zone=point.zone,
        state=point.state,
        years=years,
        wanted=wanted,
        offered=offered,
        yardsticks=standing_offers(stored, wanted),
        today=today,
        place_known=place.known and not place.embedded,
        yearly=year.whole and not are_reads_past_limit(store, household, point, ctx.today),
        concessions=concessions,
        options=Options(asked.blocks, asked.discounts),
        place_notes=place.notes,
        notes=[
            *point.notes,
            *([] if customer else _assumed_customer(catalogue)),
            *notes,
            *(lapsed_notes(concessions, periods[-1].last) if concessions else ()),
        ],
        problems=problems,
    )


def _assumed_customer(catalogue: Catalogue) -> list[Note]:
    """Note, where the household does not say which kind of customer it is, that plans for others are left out."""
    others = any((header.customer_type or USUAL_CUSTOMER).casefold() != USUAL_CUSTOMER for header in catalogue.headers)
    return [Note("customer_assumed")] if others else []


def _offers(catalogue: Catalogue, wanted: Wanted) -> Offers:
    offered = offers(catalogue, wanted)
    if not (offered.plans or offered.excluded or offered.left_out):
        raise NoPlansError(Message(f"No {wanted.fuel.lower()} plan to compare: ", Remedy.IMPORT_PLANS, "."))
    return offered


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


# ---- the days that a comparison is for: the year up to the last read, and whole years before it


@dataclass(frozen=True, slots=True)
class YearOfReads:
    """question: with the days that are compared. whole: whether these are a year, and no days were asked for."""

    question: BillingQuestion
    whole: bool


def year_to_last_read(
    store: Store, household: HouseholdRow, point: ServicePoint, question: BillingQuestion, today: date
) -> YearOfReads:
    """Return the 365 days that end with the last read by `today`; from the first read on where fewer than 330 are read.

    Days that were asked for stay. Raises StoreError where there are no reads.
    """
    if question.from_ is not None or question.to is not None:
        return YearOfReads(question, whole=False)
    home = household.household_id
    first, last = days_read(store, home, point)
    last = min(last, today) if today >= first else last
    read = _read_days(store, home, point, last)
    whole = len(read) >= LEAST_READ
    return YearOfReads(replace(question, from_=last - _LAST_OF_YEAR if whole else min(read), to=last), whole)


def _read_days(store: Store, home: str, point: ServicePoint, last: date) -> set[date]:
    """Return the days with reads of the 365 that end with `last`."""
    first = last - _LAST_OF_YEAR
    days: set[date] = set()
    for begin, end in spans_read(store, home, point):
        start = max(begin, first)
        days.update(start + timedelta(n) for n in range((min(end, last) - start).days + 1))
    return days


def earlier_years(
    store: Store, household: HouseholdRow, point: ServicePoint, question: BillingQuestion, today: date
) -> Iterator[tuple[list[Period], pl.DataFrame]]:
    """Yield periods and reads of the whole years before the question's, newest first, each with 330 days read."""
    if question.from_ is None:
        return
    home = household.household_id
    earliest = days_read(store, home, point)[0]
    last = question.from_ - timedelta(1)
    for _ in range(_MOST_YEARS):
        if last < earliest:
            return
        if len(_read_days(store, home, point, last)) >= LEAST_READ:
            year = replace(question, from_=last - _LAST_OF_YEAR, to=last)
            periods, _ = asked_periods(store, household, point, year, today)
            yield periods, reads_for(store, home, point, periods, year=True)[0]
        last -= timedelta(YEAR)
