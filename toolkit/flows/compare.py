"""Every plan on the household's own reads, cheapest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from toolkit.errors import ChoiceNeeded, StoreError, WrongUsage
from toolkit.flows.bill import billed_point
from toolkit.flows.billing import BillingQuestion, asked_periods, of_a_year, options_of, reads_for
from toolkit.flows.context import Context, open_home
from toolkit.flows.market import Offer, Offers, Wanted, home_network, offers
from toolkit.flows.plans import resolve_plan
from toolkit.flows.plans_stored import fuel_of

if TYPE_CHECKING:
    from datetime import date

    import polars as pl

    from toolkit.analytics.energy.bills import Bill, Options, Period, Usage
    from toolkit.analytics.energy.rates import Rates
    from toolkit.flows.service_points import ServicePoint
    from toolkit.store import Store

TOP = 10
ELIGIBILITIES = ("all", "open")
_SHOWN_REASONS = 3


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
    Default range: the last year of reads, up to the last complete
    billing period. top: how many rows, 0 for all. A plan of which a part cannot be priced is in `unpriced`, with what
    the rest of it costs. `saving` is against today's plan; `conditional` is what conditional discounts would take off.
    eligibility: `all` says in the notes who may take a plan; `open` leaves out what this home, by what is known of
    it, may not. green: least share of green energy, 0 to 1. The fuel is that of the service point.
    """
    if eligibility not in ELIGIBILITIES:
        raise WrongUsage(f"--eligibility is one of {', '.join(ELIGIBILITIES)}.")
    with open_home(ctx) as (store, household):
        point = billed_point(store, household, ctx.service_point)
        question = of_a_year(store, household, point, BillingQuestion(from_, to, period, blocks, discounts), ctx.today)
        periods, notes = asked_periods(store, household, point, question, ctx.today)
        known, how_known = (network, []) if network else home_network(household, point)
        reads, problems = reads_for(store, str(household["household_id"]), point, periods, year=True)
        has = _has(store, household, point, reads)
        wanted = Wanted(
            *(fuel_of(point), known, postcode, customer or household["customer_type"]), eligibility, has, green
        )
        found = offers(store, plans, wanted)
        if not found.plans and not found.left_out:
            raise StoreError(f"No {point.fuel.lower()} plan to compare: import published plans first.")
        today = _todays(store, household, point, plan, periods[-1].last)
    case = _case(reads, point, periods, question, [*found.plans, *today], has)
    return {
        "service_point_id": point.id,
        "fuel": fuel_of(point),
        "network": known,
        "from": periods[0].first,
        "to": periods[-1].last,
        "other_networks": found.left_out["network"],
        **_answer(case, found.plans, today, top),
        "left_out": dict(sorted(found.left_out.items())),
        "notes": [*point.notes, *notes, *how_known, *_notes(found, today)],
        "problems": [problem.as_json() for problem in (*found.problems, *problems)],
    }


@dataclass(frozen=True, slots=True)
class _Case:
    """One household's reads, what they are priced over, and every plan's rates in order. has: what it can prove."""

    usage: Usage
    periods: Sequence[Period]
    options: Options
    rates: tuple[Rates, ...]
    has: frozenset[str]


def _case(
    reads: pl.DataFrame,
    point: ServicePoint,
    periods: Sequence[Period],
    question: BillingQuestion,
    offered: Sequence[Offer],
    has: frozenset[str],
) -> _Case:
    from toolkit.analytics.energy.bills import prepare

    rates = tuple(offer.compiled.rates for offer in offered)
    usage = prepare(reads, zone=point.zone, unit="MJ" if fuel_of(point) == "GAS" else "kWh")
    return _Case(usage, periods, options_of(question, rates, point, periods), rates, has)


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
) -> list[Offer]:
    """Today's plan, where it is known: the one called `wanted`, or the one in force."""
    from toolkit.analytics.energy.rates.stored import compiled

    try:
        plan = resolve_plan(store, household, point, wanted, on).plan
    except (ChoiceNeeded, StoreError):
        if wanted is not None:
            raise
        return []
    found = compiled(plan, fuel_of(point))
    return [Offer(plan.plan_id, plan.name, plan.retailer, plan.customer_type, plan.distributors, found)]


def _notes(found: Offers, today: Sequence[Offer]) -> list[str]:
    left_out = sorted(found.left_out.items())
    notes = [f"{count} {'plan is' if count == 1 else 'plans are'} left out by {what}." for what, count in left_out]
    if not today:
        notes.append("Today's plan is not known, so savings are not: `toolkit household set --plan ID`.")
    return notes


def _answer(case: _Case, plans: Sequence[Offer], today: Sequence[Offer], top: int) -> dict[str, Any]:
    from toolkit.analytics.energy.compare import Market, price_market

    everything = [*plans, *today]
    market = Market.of(case.rates)
    priced = price_market(market, case.usage, case.periods, case.options)
    best = price_market(market, case.usage, case.periods, replace(case.options, discounts="all"))
    totals, at_best = priced.totals.tolist(), best.totals.tolist()
    reasons = [_why_not(market.plans[n], priced.alone.get(n)) for n in range(len(plans))]
    row = partial(_row, everything, priced.cents, at_best, case.has)
    whole = [n for n, why in enumerate(reasons) if not why]
    ranked = sorted(whole, key=lambda n: (totals[n], everything[n].plan_id))
    current = row(len(plans)) if today else None
    return {
        "priced": len(ranked),
        "current": current,
        "plans": [_against(row(n), current) for n in (ranked[:top] if top else ranked)],
        "by_network": _by_network([(everything[n], totals[n]) for n in ranked]),
        "unpriced": [{**_partly(row(n)), "reason": why} for n, why in enumerate(reasons) if why],
    }


def _row(offered: Sequence[Offer], cents: Any, at_best: Sequence[int], has: frozenset[str], n: int) -> dict[str, Any]:
    """Everything that explains a plan's place. `total` is `components` summed; `conditional` is not taken off."""
    from toolkit.analytics.energy.bills.model import COMPONENTS, aud

    offer, amounts = offered[n], cents[n].tolist()
    rates = offer.compiled.rates
    restricted = offer.restrictions(has)
    return {
        "plan_id": offer.plan_id,
        "name": offer.name,
        "retailer": offer.retailer,
        "customer_type": offer.customer_type,
        "networks": list(offer.networks),
        "eligibility": list(offer.compiled.eligibility),
        "open": not restricted,
        "green_share": offer.compiled.green_share,
        "total": aud(sum(amounts)),
        "components": {name: aud(value) for name, value in zip(COMPONENTS, amounts, strict=True) if value},
        "conditional": aud(sum(amounts) - at_best[n]),
        "notes": [*(f"Not for everyone: {words}." for words in restricted), *rates.notes],
        "problems": [problem.as_json() for problem in rates.problems],
    }


def _against(row: dict[str, Any], current: dict[str, Any] | None) -> dict[str, Any]:
    return {**row, "saving": None if current is None else current["total"] - row["total"]}


def _partly(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("plan_id", "name", "retailer", "total", "components")}


def _why_not(rates: Rates, alone: Bill | None) -> str:
    """Why the plan's total would be no fair figure; empty where it is one."""
    problems = [problem for problem in (alone.problems if alone else rates.problems) if problem.severity == "rejected"]
    reasons = list(dict.fromkeys(problem.reason for problem in problems))
    more = f" and {len(reasons) - _SHOWN_REASONS} more" if len(reasons) > _SHOWN_REASONS else ""
    return "; ".join(reasons[:_SHOWN_REASONS]) + more


def _by_network(ranked: Sequence[tuple[Offer, int]]) -> list[dict[str, Any]]:
    """For each network how many plans there are and the cheapest. ranked: with totals in cents, cheapest first."""
    from toolkit.analytics.energy.bills.model import aud

    cheapest: dict[str, tuple[Offer, int]] = {}
    count = Counter(network for offer, _ in ranked for network in offer.networks)
    for offer, total in ranked:
        for network in offer.networks:
            cheapest.setdefault(network, (offer, total))
    return [
        {"network": name, "priced": count[name], "plan_id": offer.plan_id, "total": aud(total)}
        for name, (offer, total) in sorted(cheapest.items())
    ]
