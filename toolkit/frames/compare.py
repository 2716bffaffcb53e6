"""The plans that one home can have, ranked on its reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import accumulate, chain

import polars as pl

from toolkit.analytics.energy.bills import Options
from toolkit.analytics.energy.compare.comparison import Inputs, comparison, standing_offers
from toolkit.analytics.energy.intervals.matrix import CURRENT_DAYS
from toolkit.analytics.energy.intervals.prepare import names_holidays
from toolkit.analytics.energy.plans.in_force import ChosenPlan
from toolkit.analytics.energy.plans.offers import (
    USUAL_CUSTOMER,
    Catalogue,
    HomeFacts,
    PlanHeader,
    Wanted,
    eligibility_met,
    equipment_of,
    known_network,
    nearest_networks,
    offers,
)
from toolkit.analytics.energy.pricing.model import billing_periods
from toolkit.analytics.energy.pricing.rows import tables_of
from toolkit.analytics.energy.rates.compile import Compiled, collector_paused, compile_for_store
from toolkit.answers.energy.bills import Blocks, Cut, Discounts
from toolkit.answers.energy.plans import Comparison
from toolkit.errors import FrameError
from toolkit.frames.checks import check_period, checked_reads
from toolkit.frames.holidays import checked_state, state_of
from toolkit.tables.reference import places
from toolkit.tables.rows.plans import Fuel, Plan
from toolkit.units import DEFAULT_ZONE

_YEAR = (365, 366)
_LEAST_READ = 330
"""Days with reads of a year, below which a saving is not one of a year."""


def compare(  # noqa: PLR0913 - the command's options
    reads: pl.DataFrame,
    plans: Sequence[Plan],
    from_: date,
    to: date,
    *,
    today: date,
    current: Plan | None = None,
    postcode: str | None = None,
    network: str | None = None,
    customer: str = USUAL_CUSTOMER,
    panels_kw: float | None = None,
    battery: bool = False,
    fuel: Fuel = "ELECTRICITY",
    zone: str = DEFAULT_ZONE,
    state: str | None = None,
    period: Cut = "month",
    blocks: Blocks = "pooled",
    discounts: Discounts = "guaranteed",
    eligibility: str = "all",
    green: float | None = None,
    top: int = 10,
    distinct: bool = False,
) -> Comparison:
    """Rank the plans that one home can have, cheapest first on its own reads, as the command `compare` does.

    reads: frame `reads` of one service point. plans: published ones, of which those that the home cannot have are left
    out and counted: ended by `today`, not offered at the postcode, in the network, to the customer (residential or
    business), or for want of solar panels (`panels_kw`, or export in the reads) or controlled load. from_, to: days in
    the plans' time zone, inclusive; cut into billing periods by `period`, month or whole. current: the plan that the
    home is on; without it, or without postcode and network, there is no saving. battery: whether there is one, for
    plans that ask for it. zone: IANA, of the home. state: whose public holidays count; default: of the postcode, else
    of the network or the plans' networks, else of the zone. eligibility: `all` notes who may take a plan, `open` leaves
    out what is not for everyone. green: least share of green energy, 0 to 1. top: how many rows, 0 for all. distinct:
    one row for plans that cost the same.

    `table(answer, "plans")` is the table of the plans, AUD with GST. Raises FrameError for a network or a filter that
    is not known, PricingError where no read lies in these days or `current` is of another fuel.
    """
    checked = checked_reads(reads, fuel=fuel)
    check_period(from_, to)
    if eligibility not in ("all", "open"):
        raise FrameError(f"eligibility={eligibility!r} is neither 'all' nor 'open'.")
    if green is not None and not 0 <= green <= 1:
        raise FrameError(f"green={green} is not a share from 0 to 1.")
    with collector_paused():
        catalogue = _catalogue(plans, fuel)
        here = _network(network, catalogue)
        equipment = equipment_of(checked, panels_kw)
        facts = HomeFacts(
            *(today, _postcode(postcode), here, customer, equipment),
            *((current.retailer, current.plan_id) if current else ()),
        )
        wanted = Wanted(fuel, facts, eligibility, eligibility_met(facts, battery=battery), green)
        offered = offers(catalogue, wanted)
        networks = {here} if here else {name for offer in offered.plans for name in offer.networks}
        named = any(names_holidays(offer.rates) for offer in offered.plans)
        point = str(checked["service_point_id"][0]) if checked.height else ""
        days = checked.filter(pl.col("date").is_between(from_, to))["date"]
        inputs = Inputs(
            service_point_id=point,
            meter_number=point,
            zone=zone,
            state=checked_state(state) or places.state(postcode) or (state_of(networks, zone) if named else None),
            years=[(billing_periods(from_, to, period), _around(checked, from_, to))],
            wanted=wanted,
            offered=offered,
            yardsticks=standing_offers(catalogue, wanted),
            today=ChosenPlan(current, own=True) if current else None,
            place_known=postcode is not None or here is not None,
            yearly=(to - from_).days + 1 in _YEAR
            and days.n_unique() >= _LEAST_READ
            and (today - to).days <= CURRENT_DAYS,
            options=Options(blocks, discounts),
        )
        return comparison(inputs, top=top, distinct=distinct)


def _catalogue(plans: Sequence[Plan], fuel: Fuel) -> Catalogue:
    """Compile the plans of the fuel."""
    own = [plan for plan in plans if fuel in plan.fuels]
    compiled = {plan.version: compile_for_store(plan, fuel) for plan in own}
    by_day = [compiled[plan.version].by_day for plan in own]
    *numbers, _ = accumulate(map(len, by_day), initial=0)

    def of_headers(wanted: Iterable[PlanHeader]) -> Mapping[str, Compiled]:
        return {header.version: compiled[header.version] for header in wanted}

    return Catalogue(
        fuel,
        tuple(PlanHeader.of(plan) for plan in own),
        of_headers,
        lambda: tables_of(chain.from_iterable(by_day)),
        dict(zip((plan.version for plan in own), numbers, strict=True)),
    )


def _network(network: str | None, catalogue: Catalogue) -> str | None:
    if network is None:
        return None
    known = {*catalogue.networks, *places.networks()}
    spelling = known_network(network, known)
    if spelling is None:
        raise FrameError(
            f"network={network!r} is not known. Near it are {', '.join(nearest_networks(network, known)[:5])}."
        )
    return spelling


def _postcode(postcode: str | None) -> str | None:
    code = places.postcode_text(postcode)
    if postcode is not None and code is None:
        raise FrameError(f"postcode={postcode!r} is not a postcode (four digits, for example 2000).")
    return code


def _around(reads: pl.DataFrame, first: date, last: date) -> pl.DataFrame:
    """Return the reads of the days, of a day on either side, and of the year before, which banded supply goes by."""
    begin = min(first, last - timedelta(days=365)) - timedelta(days=1)
    return reads.filter(pl.col("date").is_between(begin, last + timedelta(days=1)))
