"""A comparison of plans as an answer: the plans that a home can have, ranked, and what to note about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

import polars as pl
from msgspec.structs import asdict

from toolkit.analytics.energy.bills.concessions import Concession
from toolkit.analytics.energy.compare.ranking import Case, Reads, rank
from toolkit.analytics.energy.intervals.matrix import Quality, quality_of
from toolkit.analytics.energy.intervals.prepare import holidays_named, prepare
from toolkit.analytics.energy.plans.in_force import ChosenPlan, own_feed_in
from toolkit.analytics.energy.plans.offers import (
    Barrier,
    Catalogue,
    Offer,
    Offers,
    PlanHeader,
    Wanted,
    offer_of,
    offers,
    unpriced_equipment,
)
from toolkit.analytics.energy.pricing.model import Options
from toolkit.analytics.energy.rates.compile import ONGOING, STANDING, Equipment, compile_for_home
from toolkit.answers.base import Note, Period
from toolkit.answers.energy.plans import (
    Comparison,
    CurrentPlan,
    Ranking,
    SwitchStep,
)
from toolkit.errors import PricingError
from toolkit.problems import Problem
from toolkit.tables.reference import places
from toolkit.tables.reference.switching import Circumstance, switching_steps


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a comparison is made from: a home with its reads, and the plans that are offered there."""

    service_point_id: str
    meter_number: str
    """What a retailer asks for."""
    zone: str
    """IANA, of the home."""
    state: str | None
    """State of the public holidays that count."""
    years: Sequence[tuple[Sequence[Period], pl.DataFrame]]
    """Billing periods and frame `reads` of the days that are compared, then of whole years before them."""
    wanted: Wanted
    offered: Offers
    yardsticks: Sequence[Offer]
    """Standing offers that the home can have, whatever is compared."""
    today: ChosenPlan | None
    """The plan that the home is on, where it is known."""
    place_known: bool
    """Whether it is known which plans can be had here."""
    yearly: bool
    """Whether the days are a whole year with reads that are not too old."""
    concessions: Sequence[Concession] = ()
    options: Options = field(default_factory=Options)
    place_notes: Sequence[Note] = ()
    notes: Sequence[Note] = ()
    problems: Sequence[Problem] = ()


def comparison(inputs: Inputs, *, top: int, distinct: bool = False) -> Comparison:
    """Price the plans that are offered on the home's reads, and rank them, cheapest first.

    top: how many rows, 0 for all. distinct: one row for plans that cost the same. Raises PricingError where no read
    lies in the days.
    """
    today, offered, wanted = inputs.today, inputs.offered, inputs.wanted
    mine = own_offer(today, wanted) if today else None
    open_networks = _open_networks(wanted, offered)
    case = _case(inputs, mine)
    quality = _quality(case)
    ranking = rank(case, top, distinct=distinct)
    about_prices = [
        Note("current_plan_dated", component=_EQUIPMENT_PRICES[name], day=day) for name, day in _unpriced(inputs, mine)
    ]
    about_plans = comparison_notes(offered, wanted.home.today, ranking.current, quality)
    of_today = today.notes if today else ()
    about_place = [note for note in inputs.place_notes if open_networks or note.code != "network_missing"]
    notes = dict.fromkeys([*about_prices, *about_place, *about_plans, *inputs.notes, *of_today])
    return Comparison(
        **asdict(ranking),
        service_point_id=inputs.service_point_id,
        fuel=wanted.fuel,
        network=wanted.home.network,
        postcode=wanted.home.postcode,
        from_=case.reads.periods[0].first,
        to=case.reads.periods[-1].last,
        as_of=as_of(case.offers),
        expired=offered.excluded["expired"],
        not_here=offered.excluded["not_here"],
        other_networks=offered.excluded["other_networks"],
        yearly=inputs.yearly,
        missing_share=quality.missing_share,
        switching=_switching(inputs, ranking),
        left_out=dict(sorted(offered.left_out.items())),
        notes=tuple(notes),
        problems=(*offered.problems, *(today.problems if today else ()), *inputs.problems, *quality.problems()),
        open_networks=open_networks,
    )


def _open_networks(wanted: Wanted, offered: Offers) -> tuple[str, ...]:
    """Return the distributors of the plans, where it is not known which one supplies the home, and there are several.

    Tariff areas that a retailer appends to a name (`Essential Energy Far West`) are one distributor.
    """
    if wanted.home.network is not None or wanted.fuel == "GAS":
        return ()
    known = places.networks()
    given = {name for offer in offered.plans for name in offer.networks}
    named = {next((name for name in known if places.same_network(name, each)), each) for each in given}
    return tuple(sorted(named)) if len(named) > 1 else ()


def own_offer(chosen: ChosenPlan, wanted: Wanted) -> Offer:
    """Return a plan as `bill` prices it: today's with the account's own feed-in and the dates of its components.

    Compiled anew each time: plans are kept without. Raises PricingError for a plan of another fuel.
    """
    plan = chosen.plan
    priced_for = chosen.priced_for(wanted.home.today)
    compiled = compile_for_home(plan, wanted.fuel, feed_in=own_feed_in(chosen), on=priced_for)
    return offer_of(PlanHeader.of(plan), compiled, compiled.rates, wanted)


def standing_offers(catalogue: Catalogue, wanted: Wanted) -> tuple[Offer, ...]:
    """Return the standing offers that the home can have."""
    standing = tuple(header for header in catalogue.headers if header.plan_type in STANDING)
    return offers(replace(catalogue, headers=standing), Wanted(wanted.fuel, wanted.home, has=wanted.has)).plans


def _case(inputs: Inputs, mine: Offer | None) -> Case:
    offered = _with_own_rates(inputs.offered, mine).plans
    rates = [offer.rates for offer in (*offered, *([mine] if mine else []))]

    def prepared(periods: Sequence[Period], reads: pl.DataFrame) -> Reads:
        usage = prepare(reads, zone=inputs.zone, unit="MJ" if inputs.wanted.fuel == "GAS" else "kWh")
        options = replace(inputs.options, holidays=holidays_named(rates, inputs.state, periods))
        return Reads(usage, periods, options)

    compared, *earlier = (prepared(*year) for year in inputs.years)
    return Case(
        reads=compared,
        offers=offered,
        market=inputs.offered.market(),
        today=mine,
        has=inputs.wanted.has,
        network=inputs.wanted.home.network,
        can_save=inputs.place_known and not _unpriced(inputs, mine),
        concessions=inputs.concessions,
        yardsticks=inputs.yardsticks,
        earlier=earlier,
    )


def _with_own_rates(offered: Offers, mine: Offer | None) -> Offers:
    """Return the offers; today's plan, where it is one of them, with the household's own rates."""
    if mine is None:
        return offered
    same = mine.plan_id, mine.header.version
    plans = (replace(o, rates=mine.rates) if (o.plan_id, o.header.version) == same else o for o in offered.plans)
    return replace(offered, plans=tuple(plans))


def _unpriced(inputs: Inputs, mine: Offer | None) -> list[tuple[Equipment, date]]:
    """Return what today's plan prices on some of the compared days only."""
    if mine is None:
        return []
    periods, _ = inputs.years[0]
    return list(unpriced_equipment(mine.rates, inputs.wanted.home.equipment, periods[0].first, periods[-1].last))


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


METER_NUMBER_LENGTHS = (10, 11)
"""Letters and digits of an NMI (electricity) or MIRN (gas); other ids are names, such as a file's."""


def _switching(inputs: Inputs, ranking: Ranking) -> tuple[SwitchStep, ...]:
    """Return how to change to the headline, where it saves."""
    best, current = ranking.headline, ranking.current
    if best is None or current is None or best.saving is None or best.saving <= 0:
        return ()
    fee = current.exit_fee
    circumstances: set[Circumstance] = {"exit_fee" if fee else "no_exit_fee"}
    if inputs.concessions:
        circumstances.add("concession")
    if best.term and best.term != ONGOING:
        circumstances.add("new_term")
    if best.exit_fee:
        circumstances.add("new_exit_fee")
    steps = switching_steps(
        circumstances,
        meter=f" ({inputs.meter_number})" if len(inputs.meter_number) in METER_NUMBER_LENGTHS else "",
        retailer=best.retailer or "the new retailer",
        plan=best.name or best.plan_id,
        plan_id=best.plan_id.partition("@")[0],  # behind it stands the register
        exit_fee=f"${fee or 0:,.2f}",
        new_term=best.term or "",
        new_exit_fee=f"${best.exit_fee or 0:,.2f}",
    )
    return tuple(SwitchStep(text, source) for text, source in steps)


def as_of(offers: Sequence[Offer]) -> date | None:
    """Return the newest date among the plans' prices."""
    return max((found for offer in offers if (found := offer.header.as_of)), default=None)


OLD_PRICES_DAYS = 60
"""Beyond it a comparison warns: most plans change once or twice a year."""

_EXCLUDED: dict[Barrier, str] = {
    "expired": "plans_expired",
    "not_here": "plans_not_here",
    "other_networks": "plans_other_networks",
}
_EQUIPMENT_PRICES: dict[Equipment, str] = {"controlled_load": "controlled load", "solar": "feed-in"}


def comparison_notes(offered: Offers, today: date, current: CurrentPlan | None, quality: Quality) -> Iterator[Note]:
    """Yield notes, the most important first. current: today's plan, None where it is not known."""
    dated = as_of(offered.plans)
    if dated is not None and (today - dated).days > OLD_PRICES_DAYS:
        yield Note("prices_old", day=dated, age=(today - dated).days)
    for kind, code in _EXCLUDED.items():
        if count := offered.excluded[kind]:
            yield Note(code, count=count)
    for what, count in sorted(offered.left_out.items()):
        yield Note("plans_left_out", count=count, filter=what)
    if current is None:
        yield Note("current_plan_unknown")
    elif current.reason:
        yield Note("current_plan_incomplete", reason=current.reason)
    if quality.has_gaps:
        yield Note("missing_reads_compared", share=quality.missing / quality.expected)
