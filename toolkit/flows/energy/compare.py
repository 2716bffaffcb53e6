"""Every plan that the household can have on its own reads, cheapest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

import polars as pl
from msgspec.structs import asdict

from toolkit.analytics.energy.bills import Period, prepare
from toolkit.analytics.energy.bills.concessions import Concession, lapsed_notes, typed_concessions
from toolkit.analytics.energy.compare.ranking import Case, Reads, as_of, comparison_notes, rank, unpriced_notes
from toolkit.analytics.energy.intervals.matrix import Quality, quality_of
from toolkit.analytics.energy.plans.in_force import ChosenPlan, own_feed_in
from toolkit.analytics.energy.plans.offers import (
    USUAL_CUSTOMER,
    Catalogue,
    HomeFacts,
    Offer,
    Offers,
    PlanHeader,
    Wanted,
    eligibility_met,
    equipment_of,
    offer_of,
    offers,
    unpriced_equipment,
)
from toolkit.analytics.energy.rates import compile_plan
from toolkit.analytics.energy.rates.compile import STANDING, Equipment, collector_paused, compile_for_store
from toolkit.answers.base import Note
from toolkit.answers.energy.plans import Comparison, Ranking, SwitchStep
from toolkit.errors import ChoiceRequiredError, NoPlansError, PricingError, Problem, StoreError, UsageError
from toolkit.flows.household.billing_periods import (
    DEFAULTS,
    BillingQuestion,
    are_reads_past_limit,
    asked_periods,
    days_read,
    options_of,
    reads_for,
    spans_read,
)
from toolkit.flows.household.context import Context, checked_postcode, open_home
from toolkit.flows.household.service_points import HomePlace, ServicePoint, billed_point, fuel_of, home_place
from toolkit.flows.plans.catalogue import open_catalogue
from toolkit.flows.plans.choice import resolve_plan, stored_plan_id
from toolkit.remedies import Message, field_of
from toolkit.store import Store
from toolkit.tables.reference.switching import Circumstance, switching_steps
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


@dataclass(frozen=True, slots=True)
class _Gathered:
    """The stored inputs of a comparison.

    yearly: whether the days are a whole year with reads that are not too old. earlier: periods and reads of whole years
    before.
    """

    point: ServicePoint
    place: HomePlace
    periods: Sequence[Period]
    reads: pl.DataFrame
    wanted: Wanted
    offered: Offers
    yardsticks: Sequence[Offer]
    today: ChosenPlan | None
    yearly: bool
    earlier: Sequence[tuple[Sequence[Period], pl.DataFrame]]
    concessions: Sequence[Concession]
    notes: Sequence[Note]
    problems: Sequence[Problem]


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
            gathered = _gathered(store, household, ctx, question, filters)
        return _answer(gathered, question, top, distinct=distinct)


def _check_filters(filters: PlanFilters) -> None:
    if filters.eligibility not in ELIGIBILITIES:
        raise UsageError(Message(field_of("--eligibility"), f" is one of {', '.join(ELIGIBILITIES)}."))
    if filters.postcode is not None:
        checked_postcode(filters.postcode)
    if filters.green is not None and not 0 <= filters.green <= 1:
        raise UsageError(Message(field_of("--green"), f" is a share from 0 to 1, such as 0.1, not {filters.green}."))


def _gathered(
    store: Store, household: HouseholdRow, ctx: Context, asked: BillingQuestion, filters: PlanFilters
) -> _Gathered:
    home = household.household_id
    point = billed_point(store, household, ctx.service_point)
    named = stored_plan_id(store, home, filters.plans) if filters.plans else None
    catalogue = open_catalogue(store, None if named else filters.plans, fuel_of(point))
    stored = catalogue if named or not filters.plans else open_catalogue(store, None, fuel_of(point))
    place = home_place(household, point, catalogue, postcode=filters.postcode, network=filters.network)
    year = year_to_last_read(store, household, point, asked, ctx.today)
    periods, notes = asked_periods(store, household, point, year.question, ctx.today)
    reads, problems = reads_for(store, home, point, periods, year=True)
    concessions = typed_concessions(store.load(TypedConcessionRow, home, where={"fuel": fuel_of(point)}))
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
        offered = Offers((_offer(resolve_plan(store, household, point, named, ctx.today), wanted),))
    else:
        offered = _offers(catalogue, wanted)
    standing = tuple(header for header in stored.headers if header.plan_type in STANDING)
    yardsticks = offers(replace(stored, headers=standing), Wanted(wanted.fuel, wanted.home, has=wanted.has)).plans
    return _Gathered(
        point=point,
        place=place,
        periods=periods,
        reads=reads,
        wanted=wanted,
        offered=offered,
        yardsticks=yardsticks,
        today=today,
        yearly=year.whole and not are_reads_past_limit(store, household, point, ctx.today),
        earlier=tuple(earlier_years(store, household, point, year.question, ctx.today)) if year.whole else (),
        concessions=concessions,
        notes=[
            *([] if customer else _assumed_customer(catalogue)),
            *notes,
            *lapsed_notes(concessions, periods[-1].last),
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
        raise NoPlansError(f"No {wanted.fuel.lower()} plan to compare: import published plans first.")
    return offered


def _switching(gathered: _Gathered, ranking: Ranking) -> tuple[SwitchStep, ...]:
    """Return how to change to the headline, where it saves."""
    best, current, point = ranking.headline, ranking.current, gathered.point
    if best is None or current is None or best.saving is None or best.saving <= 0:
        return ()
    fee = current.exit_fee
    circumstances: set[Circumstance] = {"exit_fee" if fee else "no_exit_fee"}
    if gathered.concessions:
        circumstances.add("concession")
    steps = switching_steps(
        circumstances,
        meter=point.national_metering_id or point.id,
        retailer=best.retailer or "the new retailer",
        plan=best.name or best.plan_id,
        plan_id=best.plan_id,
        exit_fee=f"${fee or 0:,.2f}",
    )
    return tuple(SwitchStep(text, source) for text, source in steps)


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
    """Return a plan as `bill` prices it: today's with the account's own feed-in and the dates of its components.

    Compiled anew each time: plans are kept without. Raises PricingError for a plan of another fuel.
    """
    plan = chosen.plan
    rates = compile_plan(plan, wanted.fuel, feed_in=own_feed_in(chosen), on=chosen.priced_for(wanted.home.today))
    return offer_of(PlanHeader.of(plan), compile_for_store(plan, wanted.fuel), rates, wanted)


def _with_own_rates(offered: Offers, mine: Offer | None) -> Offers:
    """Return the offers; today's plan, where it is one of them, with the household's own rates."""
    if mine is None:
        return offered
    same = mine.plan_id, mine.header.version
    plans = (replace(o, rates=mine.rates) if (o.plan_id, o.header.version) == same else o for o in offered.plans)
    return replace(offered, plans=tuple(plans))


def _answer(gathered: _Gathered, asked: BillingQuestion, top: int, *, distinct: bool) -> Comparison:
    point, place, today, offered = gathered.point, gathered.place, gathered.today, gathered.offered
    case = _case(gathered, asked)
    quality = _quality(case)
    ranking = rank(case, top, distinct=distinct)
    about_prices = unpriced_notes(_unpriced(gathered, case.today))
    about_plans = comparison_notes(offered, gathered.wanted.home.today, ranking.current, quality)
    of_today = today.notes if today else ()
    notes = tuple(dict.fromkeys([*about_prices, *place.notes, *about_plans, *point.notes, *gathered.notes, *of_today]))
    return Comparison(
        **asdict(ranking),
        service_point_id=point.id,
        fuel=fuel_of(point),
        network=place.network,
        postcode=place.postcode,
        from_=gathered.periods[0].first,
        to=gathered.periods[-1].last,
        as_of=as_of(case.offers),
        expired=offered.excluded["expired"],
        not_here=offered.excluded["not_here"],
        other_networks=offered.excluded["other_networks"],
        yearly=gathered.yearly,
        missing_share=quality.missing_share,
        switching=_switching(gathered, ranking),
        left_out=dict(sorted(offered.left_out.items())),
        notes=notes,
        problems=(*offered.problems, *(today.problems if today else ()), *gathered.problems, *quality.problems()),
    )


def _case(gathered: _Gathered, asked: BillingQuestion) -> Case:
    point, place = gathered.point, gathered.place
    mine = _offer(gathered.today, gathered.wanted) if gathered.today else None
    offered = _with_own_rates(gathered.offered, mine).plans
    rates = [offer.rates for offer in (*offered, *([mine] if mine else []))]

    def prepared(periods: Sequence[Period], reads: pl.DataFrame) -> Reads:
        usage = prepare(reads, zone=point.zone, unit="MJ" if fuel_of(point) == "GAS" else "kWh")
        return Reads(usage, periods, options_of(asked, rates, point, periods))

    return Case(
        reads=prepared(gathered.periods, gathered.reads),
        offers=offered,
        market=gathered.offered.market(),
        today=mine,
        has=gathered.wanted.has,
        network=place.network,
        can_save=place.known and not place.embedded and not _unpriced(gathered, mine),
        concessions=gathered.concessions,
        yardsticks=gathered.yardsticks,
        earlier=tuple(prepared(*year) for year in gathered.earlier),
    )


def _unpriced(gathered: _Gathered, mine: Offer | None) -> list[tuple[Equipment, date]]:
    """Return what today's plan prices on some of the compared days only."""
    if mine is None:
        return []
    first, last = gathered.periods[0].first, gathered.periods[-1].last
    return list(unpriced_equipment(mine.rates, gathered.wanted.home.equipment, first, last))


def _quality(case: Case) -> Quality:
    """Return the quality of the reads, in the plans' time zone with the fewest reads.

    Raises PricingError, as `bill` does, where they are not read at all.
    """
    reads = case.reads
    first, last = reads.periods[0].first, reads.periods[-1].last
    zones = sorted({offer.rates.time_zone for offer in case.plans}) or ["AEST"]
    days = [reads.usage.matrix(zone).sliced(first, last, reads.options.holidays) for zone in zones]
    read = max((quality_of([matrix]) for matrix in days), key=lambda quality: quality.missing)
    if read.missing_share == 1 and case.plans:
        raise PricingError(case.plans[-1].plan_id, f"no reads between {first} and {last}")
    return read


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
    """Billing periods and reads of the whole years before the question's, newest first, each with 330 days read."""
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
