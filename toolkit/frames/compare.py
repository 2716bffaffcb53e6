"""The plans that one home can have, ranked on its reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import accumulate, chain

import polars as pl

from toolkit.analytics.energy.bills import Options
from toolkit.analytics.energy.compare.comparison import Inputs, comparison, standing_offers
from toolkit.analytics.energy.intervals.age import CURRENT_DAYS
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
    offers,
)
from toolkit.analytics.energy.pricing.model import billing_periods
from toolkit.analytics.energy.pricing.rows import tables_of
from toolkit.analytics.energy.rates.compile import Compiled, collector_paused, compile_for_store
from toolkit.answers.energy.bills import Blocks, Cut, Discounts
from toolkit.answers.energy.plans import Comparison
from toolkit.errors import FrameError
from toolkit.frames.checks import FrameLike, check_period, checked, checked_postcode, checked_reads
from toolkit.frames.holidays import checked_state, state_of
from toolkit.tables.reference import places
from toolkit.tables.rows.plans import Fuel, Plan
from toolkit.units import DEFAULT_ZONE

_YEAR = (365, 366)
_LEAST_READ = 330
"""Days with reads of a year, below which a saving is not one of a year."""


@checked
def compare(  # noqa: PLR0913 - the command's options
    reads: FrameLike,
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
    """Rank the plans that one home can have, cheapest first on its own reads, as the command `toolkit compare` does.

    Plans that the home cannot have are left out and counted: those that ended before `today`, or are not offered at the
    postcode, in the network, to the kind of customer, or without solar panels or controlled load. Without `current`, or
    without both postcode and network, there is no saving.

    Args:
        reads: Interval reads of one service point: frame `reads`, from `toolkit.reads` or `toolkit.read_usage`.
        plans: Published plans, from `toolkit.read_plans`.
        from_: First day, in the plans' time zone.
        to: Last day, inclusive.
        today: The day on which plans must be on offer.
        current: The plan that the home is on.
        postcode: Where the home is, four digits.
        network: The home's electricity distributor, or gas network, as on a bill.
        customer: `residential` or `business`.
        panels_kw: Size of the solar panels, kW. Default: whether there are any is seen from export in the reads.
        battery: Whether there is a battery, for plans that ask for it.
        fuel: Fuel of the reads; gas reads are in MJ.
        zone: IANA time zone of the home.
        state: State of the public holidays: ACT, NSW, NT, QLD, SA, TAS, VIC or WA. Default: the state of the postcode,
            else of the network or the plans' networks, else of the time zone, which is warned about.
        period: How the days are cut into billing periods: calendar months (as which `invoice` counts here), or the
            whole as one.
        blocks: Whether blocks (tiers) count over the billing period, or restart each day.
        discounts: Which discounts come off: `all` assumes that their conditions are met.
        eligibility: `all` notes who may take a plan, `open` leaves out plans that are not for everyone.
        green: Least share of green energy, 0 to 1.
        top: How many plans the answer lists; 0 for all.
        distinct: Whether plans that cost the same are one row.

    Returns:
        The comparison. `toolkit.table(answer, "plans")` is the table of the plans, AUD with GST; `unpriced` lists which
        plans have no total, and why.

    Raises:
        FrameError: The reads are not those of one service point and fuel, or a network, state or filter is not known.
        PricingError: No read lies in these days, or `current` is of another fuel.

    Source:
        How plans are priced: toolkit/docs/pricing-rules.md

    Examples:
        >>> year = date(2025, 7, 1), date(2026, 6, 30)
        >>> answer = toolkit.compare(reads, plans, *year, today=date(2026, 6, 30), current=plan, postcode="2204")
        >>> answer.priced, answer.current.total  # plans that this home can have; AUD for the year
        (60, Decimal('1978.74'))
        >>> toolkit.table(answer, "plans").select("name", "total", "saving").head(3)
        shape: (3, 3)
        ┌────────────────┬───────────────┬───────────────┐
        │ name           ┆ total         ┆ saving        │
        │ ---            ┆ ---           ┆ ---           │
        │ str            ┆ decimal[38,2] ┆ decimal[38,2] │
        ╞════════════════╪═══════════════╪═══════════════╡
        │ Quoll Steps    ┆ 1607.84       ┆ 370.90        │
        │ Lyrebird Clock ┆ 1616.99       ┆ 361.75        │
        │ Banksia Saver  ┆ 1647.31       ┆ 331.43        │
        └────────────────┴───────────────┴───────────────┘

        A saving is today's plan less the other: 1978.74 − 1607.84 = 370.90. Three of these days have no reads:

        >>> [str(note) for note in answer.notes]
        ['Reads are missing for 0.8% of the time; that energy is not included in any total.']
    """
    checked = checked_reads(reads, fuel=fuel)
    check_period(from_, to)
    _check_filters(eligibility, customer, green)
    with collector_paused():
        catalogue = _catalogue(plans, fuel)
        here = _network(network, catalogue)
        equipment = equipment_of(checked, panels_kw)
        facts = HomeFacts(
            *(today, checked_postcode(postcode), here, customer, equipment),
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
            years=[(billing_periods(from_, to, period), _reads_needed(checked, from_, to))],
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


def _check_filters(eligibility: str, customer: str, green: float | None) -> None:
    """Raise FrameError for a filter that is not valid."""
    if eligibility not in ("all", "open"):
        raise FrameError(f"eligibility={eligibility!r} is neither 'all' nor 'open'.")
    if customer.casefold() not in (USUAL_CUSTOMER, "business"):
        raise FrameError(f"customer={customer!r} is neither 'residential' nor 'business'.")
    if green is not None and not 0 <= green <= 1:
        raise FrameError(f"green={green} is not a share from 0 to 1.")


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
    spelling = places.known_network(network, known)
    if spelling is None:
        raise FrameError(
            f"network={network!r} is not known. Near it are {', '.join(places.nearest_networks(network, known)[:5])}."
        )
    return spelling


def _reads_needed(reads: pl.DataFrame, first: date, last: date) -> pl.DataFrame:
    """Return the reads of the days, of a day on either side, and of the year before, which banded supply goes by."""
    begin = min(first, last - timedelta(days=365)) - timedelta(days=1)
    return reads.filter(pl.col("date").is_between(begin, last + timedelta(days=1)))
