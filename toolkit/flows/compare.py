"""Every plan on the household's own reads, cheapest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolkit.errors import CannotPrice, ChoiceNeeded, NothingToCompare, StoreError, WrongUsage
from toolkit.flows.bill import billed_point, own_feed_in
from toolkit.flows.billing import BillingQuestion, asked_periods, of_a_year, options_of, reads_for
from toolkit.flows.compare_rows import Case, compared
from toolkit.flows.context import Context, open_home
from toolkit.flows.homes import MOST_CHOICES, checked_postcode
from toolkit.flows.market import Offer, Offers, Wanted, home_network, offers, same_network
from toolkit.flows.plans import resolve_plan
from toolkit.flows.plans_stored import ChosenPlan, fuel_of

if TYPE_CHECKING:
    from datetime import date

    import polars as pl

    from toolkit.analytics.energy.bills.quality import Quality
    from toolkit.flows.service_points import ServicePoint
    from toolkit.store import Store
    from toolkit.tables.plans import Fuel

TOP = 10
ELIGIBILITIES = ("all", "open")
_LEAST_TOLD = 0.001


def compare(  # noqa: PLR0913 - the options of the contract
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
    """`compare`: contract section 5. Each total is to the cent what `bill` gives for that plan, without concessions.

    plans: a path; default the stored published plans. plan: today's, as `bill` takes it; default the one in force.
    Default range: the last year of reads, up to the last complete billing period. top: how many rows, 0 for all.

    A plan of which a part cannot be priced is in `unpriced`, with what the rest of it costs. `saving` is against
    today's plan, null where that is unknown or, by its `reason`, not priced whole; `conditional` is what conditional
    discounts would take off. `missing_share`: of the time, without reads; that energy is in no total.

    eligibility: `all` says in the notes who may take a plan; `open` leaves out what this home, by what is known of
    it, may not. green: least share of green energy, 0 to 1. The fuel is that of the service point.

    Raises NothingToCompare where no plan of the fuel is stored, CannotPrice where no read lies in the range.
    """
    from toolkit.analytics.energy.bills import prepare

    _check_filters(eligibility, postcode, green)
    with open_home(ctx) as (store, household):
        point = billed_point(store, household, ctx.service_point)
        question = of_a_year(store, household, point, BillingQuestion(from_, to, period, blocks, discounts), ctx.today)
        periods, notes = asked_periods(store, household, point, question, ctx.today)
        known, how_known = (network, []) if network else home_network(household, point)
        reads, problems = reads_for(store, str(household["household_id"]), point, periods, year=True)
        has = _has(store, household, point, reads)
        place = known, postcode, customer or household["customer_type"]
        wanted = Wanted(fuel_of(point), ctx.today, *place, eligibility, has, green)
        found = offers(store, plans, wanted)
        if not found.plans and not found.left_out:
            raise NothingToCompare(f"No {point.fuel.lower()} plan to compare: import published plans first.")
        if network and not found.plans:
            _check_network(store, plans, fuel_of(point), network, ctx.today)
        today = _todays(store, household, point, plan, ctx.today)
    mine = _offer(today, fuel_of(point), ctx.today) if today else None
    found = _with_own_rates(found, mine)
    rates = [offer.rates for offer in (*found.plans, *([mine] if mine else []))]
    usage = prepare(reads, zone=point.zone, unit="MJ" if fuel_of(point) == "GAS" else "kWh")
    case = Case(usage, periods, options_of(question, rates, point, periods), found.plans, mine, has)
    read = _read(case)
    rows = compared(case, top)
    told, unreadable = (today.notes, today.problems) if today else ((), ())
    return {
        "service_point_id": point.id,
        "fuel": fuel_of(point),
        "network": known,
        "from": periods[0].first,
        "to": periods[-1].last,
        "other_networks": found.left_out["network"],
        "missing_share": read.missing_share,
        **rows,
        "left_out": dict(sorted(found.left_out.items())),
        "notes": [*point.notes, *notes, *how_known, *told, *_notes(found, rows["current"], read)],
        "problems": [p.as_json() for p in (*found.problems, *unreadable, *problems, *read.problems())],
    }


def _check_filters(eligibility: str, postcode: str | None, green: float | None) -> None:
    if eligibility not in ELIGIBILITIES:
        raise WrongUsage(f"--eligibility is one of {', '.join(ELIGIBILITIES)}.")
    if postcode is not None:
        checked_postcode(postcode)
    if green is not None and not 0 <= green <= 1:
        raise WrongUsage(f"--green is a share from 0 to 1, such as 0.1, not {green}.")


def _check_network(store: Store, plans: str | None, fuel: Fuel, network: str, today: date) -> None:
    """Raises ChoiceNeeded where no plan at all is of a network called so."""
    names = sorted({name for offer in offers(store, plans, Wanted(fuel, today)).plans for name in offer.networks})
    if names and not any(same_network(network, name) for name in names):
        raise ChoiceNeeded(f"No plan is of a network called {network!r}.", names[:MOST_CHOICES])


def _has(store: Store, household: Mapping[str, Any], point: ServicePoint, reads: pl.DataFrame) -> frozenset[str]:
    """The eligibility types that the home meets, by its export and the register of solar and storage devices."""
    rows = store.rows("der_records", household["household_id"], where={"service_point_id": point.id})
    solar = bool(household["panels_kw"]) or bool((reads["direction"] == "export").any())
    battery = any(row["storage_kwh"] for row in rows if row["vanished_at"] is None)
    business = str(household["customer_type"] or "").casefold() == "business"
    met = {"EXISTING_SOLAR": solar, "EXISTING_BATTERY": battery, "SMALL_BUSINESS": business}
    return frozenset(kind for kind, holds in met.items() if holds)


def _todays(
    store: Store, household: Mapping[str, Any], point: ServicePoint, wanted: str | None, on: date
) -> ChosenPlan | None:
    """Today's plan, where it is known: the one called `wanted`, or the one in force."""
    try:
        return resolve_plan(store, household, point, wanted, on)
    except (ChoiceNeeded, StoreError):
        if wanted is not None:
            raise
        return None


def _offer(chosen: ChosenPlan, fuel: Fuel, on: date) -> Offer:
    """Today's plan as `bill` prices it, with the account's own feed-in and the dates of its components.

    Compiled anew each time: plans are kept without. Raises CannotPrice for a plan of another fuel.
    """
    from toolkit.analytics.energy.rates import compile_plan
    from toolkit.analytics.energy.rates.stored import compiled

    plan = chosen.plan
    rates = compile_plan(plan, fuel, feed_in=own_feed_in(chosen), on=chosen.priced_for(on))
    known = plan.plan_id, plan.name, plan.retailer, plan.customer_type, plan.distributors
    return Offer(*known, compiled(plan, fuel), rates)


def _with_own_rates(found: Offers, mine: Offer | None) -> Offers:
    """The offers; today's plan, where it is one of them, as the household pays it."""
    if mine is None:
        return found
    same = mine.plan_id, mine.compiled.version
    plans = (replace(o, rates=mine.rates) if (o.plan_id, o.compiled.version) == same else o for o in found.plans)
    return replace(found, plans=tuple(plans))


def _read(case: Case) -> Quality:
    """How far the days are read, by the clock of the plans on which they are least.

    Raises CannotPrice, as `bill` does, where they are not read at all.
    """
    from toolkit.analytics.energy.bills.quality import quality_of

    first, last = case.periods[0].first, case.periods[-1].last
    by_clock = {offer.rates.clock: offer for offer in case.plans}
    days = [case.usage.grid(clock).framed(first, last, case.options.holidays) for clock in sorted(by_clock) or ["AEST"]]
    read = max((quality_of([grid]) for grid in days), key=lambda quality: quality.missing)
    if read.missing_share == 1 and case.plans:
        raise CannotPrice(case.plans[-1].plan_id, f"no reads between {first} and {last}")
    return read


def _notes(found: Offers, current: Mapping[str, Any] | None, read: Quality) -> Iterator[str]:
    for what, count in sorted(found.left_out.items()):
        yield f"{count} {'plan is' if count == 1 else 'plans are'} left out by {what}."
    if current is None:
        yield "Today's plan is not known, so savings are not: `toolkit household set --plan ID`."
    elif current["reason"]:
        yield f"Today's plan cannot be priced whole, so savings are not known: {current['reason']}."
    if read.missing:
        yield f"Reads are missing for {_percent(read.missing / read.expected)} of the time; that energy is in no total."


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= _LEAST_TOLD else "less than 0.1%"
