"""Every plan on the household's own reads, cheapest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from toolkit.errors import ChoiceNeeded, StoreError
from toolkit.flows.bill import billed_point
from toolkit.flows.billing import BillingQuestion, asked_periods, of_a_year, options_of, reads_for
from toolkit.flows.context import Context, open_home
from toolkit.flows.market import Offers, Wanted, home_network, offers
from toolkit.flows.plans import fuel_of, plan_in_force

if TYPE_CHECKING:
    from datetime import date

    from toolkit.analytics.energy.bills import Bill, Options, Period, Usage
    from toolkit.analytics.energy.compare import Priced
    from toolkit.analytics.energy.rates import Rates
    from toolkit.flows.service_points import ServicePoint
    from toolkit.store import Store
    from toolkit.tables.plans import Fuel, Plan

TOP = 10
_SHOWN_REASONS = 3


def compare(  # noqa: PLR0913 - the options of the contract
    ctx: Context,
    *,
    plans: str | None = None,
    from_: date | None = None,
    to: date | None = None,
    period: str | None = None,
    blocks: str = "pooled",
    discounts: str = "guaranteed",
    top: int = TOP,
    postcode: str | None = None,
    network: str | None = None,
    customer: str | None = None,
) -> dict[str, Any]:
    """`compare`: contract section 5. Each total is to the cent what `bill` gives for that plan, without concessions.

    plans: a path; default the stored published plans. Default range: the last year of reads, up to the last complete
    billing period. top: how many rows, 0 for all. A plan of which a part cannot be priced is in `unpriced`, with what
    the rest of it costs. `saving` is against today's plan; `conditional` is what conditional discounts would take off.
    """
    with open_home(ctx) as (store, household):
        point = billed_point(store, household, ctx.service_point)
        question = of_a_year(store, household, point, BillingQuestion(from_, to, period, blocks, discounts), ctx.today)
        periods, notes = asked_periods(store, household, point, question, ctx.today)
        known, how_known = (network, []) if network else home_network(household, point)
        found = offers(store, plans, Wanted(fuel_of(point), known, postcode, customer or household["customer_type"]))
        if not found.plans and not found.left_out:
            raise StoreError(f"No {point.fuel.lower()} plan to compare: import published plans first.")
        today = _todays(store, household, point, periods[-1].last)
        reads, problems = reads_for(store, str(household["household_id"]), point, periods, year=True)
    case = _case(reads, point, periods, question, [*found.plans, *today])
    answer = _answer(case, found.plans, today, top)
    return {
        "service_point_id": point.id,
        "fuel": fuel_of(point),
        "network": known,
        "from": periods[0].first,
        "to": periods[-1].last,
        "other_networks": found.left_out["network"],
        **answer,
        "notes": [*point.notes, *notes, *how_known, *_notes(found, today)],
        "problems": [problem.as_json() for problem in (*found.problems, *problems)],
    }


@dataclass(frozen=True, slots=True)
class _Case:
    """One household's reads, what they are priced over, and the compiled plans by identity and version."""

    fuel: Fuel
    usage: Usage
    periods: Sequence[Period]
    options: Options
    compiled: Mapping[tuple[str, str], Rates]

    def rates(self, plans: Iterable[Plan]) -> list[Rates]:
        return [self.compiled[plan.plan_id, plan.version] for plan in plans]


def _case(
    reads: Any,
    point: ServicePoint,
    periods: Sequence[Period],
    question: BillingQuestion,
    plans: Sequence[Plan],
) -> _Case:
    from toolkit.analytics.energy.bills import prepare
    from toolkit.analytics.energy.bills.calendars import names_holidays
    from toolkit.analytics.energy.rates import compile_plan

    fuel = fuel_of(point)
    compiled = {(plan.plan_id, plan.version): compile_plan(plan, fuel) for plan in plans}
    telling = next((rates for rates in compiled.values() if names_holidays(rates)), None)
    usage = prepare(reads, zone=point.zone, unit="MJ" if fuel == "GAS" else "kWh")
    return _Case(fuel, usage, periods, options_of(question, telling, point, periods), compiled)


def _todays(store: Store, household: Mapping[str, Any], point: ServicePoint, on: date) -> list[Plan]:
    """Today's plan, where it is known."""
    try:
        return [plan_in_force(store, household, point, on).plan]
    except (ChoiceNeeded, StoreError):
        return []


def _notes(found: Offers, today: Sequence[Plan]) -> list[str]:
    notes = [f"{count} plans left out by {what}." for what, count in sorted(found.left_out.items())]
    if not today:
        notes.append("Today's plan is not known, so savings are not: `toolkit household set --plan ID`.")
    return notes


def _answer(case: _Case, plans: Sequence[Plan], today: Sequence[Plan], top: int) -> dict[str, Any]:
    from toolkit.analytics.energy.compare import Market, price_market

    everything = [*plans, *today]
    market = Market.of(case.rates(everything))
    priced = price_market(market, case.usage, case.periods, case.options)
    best = price_market(market, case.usage, case.periods, replace(case.options, discounts="all"))
    rows = [_row(plan, n, priced, best) for n, plan in enumerate(everything)]
    current = _with_rates(rows[-1], market.plans[-1]) if today else None
    reasons = [_why_not(market.plans[n], priced.alone.get(n)) for n in range(len(plans))]
    whole = [n for n, why in enumerate(reasons) if not why]
    ranked = sorted(whole, key=lambda n: (rows[n]["total"], rows[n]["plan_id"]))
    shown = ranked[:top] if top else ranked
    return {
        "priced": len(ranked),
        "current": current,
        "plans": [_against(_with_rates(rows[n], market.plans[n]), current) for n in shown],
        "by_network": _by_network([rows[n] for n in ranked]),
        "unpriced": [{**_partly(rows[n]), "reason": why} for n, why in enumerate(reasons) if why],
    }


def _row(plan: Plan, number: int, priced: Priced, best: Priced) -> dict[str, Any]:
    from toolkit.analytics.energy.bills.model import COMPONENTS, aud

    cents = priced.cents[number]
    total = int(cents.sum())
    return {
        "plan_id": plan.plan_id,
        "name": plan.name,
        "retailer": plan.retailer,
        "customer_type": plan.customer_type,
        "networks": list(plan.distributors),
        "total": aud(total),
        "components": {name: aud(int(value)) for name, value in zip(COMPONENTS, cents, strict=True) if value},
        "conditional": aud(total - int(best.cents[number].sum())),
    }


def _with_rates(row: dict[str, Any], rates: Rates) -> dict[str, Any]:
    return {**row, "notes": list(rates.notes), "problems": [problem.as_json() for problem in rates.problems]}


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


def _by_network(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each network how many plans there are and the cheapest; rows come cheapest first."""
    cheapest: dict[str, dict[str, Any]] = {}
    count = Counter(network for row in rows for network in row["networks"])
    for row in rows:
        for network in row["networks"]:
            cheapest.setdefault(network, row)
    return [
        {"network": name, "priced": count[name], "plan_id": row["plan_id"], "total": row["total"]}
        for name, row in sorted(cheapest.items())
    ]
