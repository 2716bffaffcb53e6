"""A bill: the household's reads on a plan, line by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from toolkit.errors import CannotPrice, Problem, StoreError
from toolkit.flows.billing import BillingQuestion, asked_periods, has_bands, options_of, prepared, reads_for
from toolkit.flows.context import Context, open_home
from toolkit.flows.plans import resolve_plan
from toolkit.flows.plans_in_force import plans_in_force
from toolkit.flows.plans_stored import ChosenPlan, fuel_of
from toolkit.flows.service_points import ServicePoint, only_service_point

if TYPE_CHECKING:
    from toolkit.analytics.energy.bills import Bill, Line, Options, Period, Usage
    from toolkit.analytics.energy.rates import Rates
    from toolkit.store import Store

NO_METER = (
    "No meter data is stored: import a meter file (`toolkit import FILE`), or `toolkit connect` and `toolkit sync`."
)


def bill(  # noqa: PLR0913 - the options of the contract
    ctx: Context,
    *,
    plan: str | None = None,
    from_: date | None = None,
    to: date | None = None,
    period: str | None = None,
    blocks: str = "pooled",
    discounts: str = "guaranteed",
) -> dict[str, Any]:
    """`bill`: contract section 4. Dates are on the plan's clock, inclusive; default: the last complete billing period.

    Raises ChoiceNeeded where several service points or plans could be meant, CannotPrice where nothing can be priced.
    """
    question = BillingQuestion(from_, to, period, blocks, discounts)
    with open_home(ctx) as (store, household):
        asked = asked_bill(store, household, ctx, plan, question)
        priced, problems = price_stored(store, household, asked)
    point, chosen = asked.point, asked.chosen
    return bill_json(priced, point, [*point.notes, *asked.notes, *chosen.notes], [*chosen.problems, *problems])


@dataclass(frozen=True, slots=True)
class AskedBill:
    """What is to be priced: whose reads, over which billing periods, on which plan."""

    point: ServicePoint
    periods: Sequence[Period]
    chosen: ChosenPlan
    question: BillingQuestion
    notes: Sequence[str]


def asked_bill(
    store: Store, household: Mapping[str, Any], ctx: Context, plan: str | None, question: BillingQuestion
) -> AskedBill:
    """Raises as `bill`."""
    point = billed_point(store, household, ctx.service_point)
    periods, notes = asked_periods(store, household, point, question, ctx.today)
    chosen = resolve_plan(store, household, point, plan, periods[-1].last)
    if plan is None:
        began = plans_in_force(store, household, point, (periods[0].first, periods[-1].last))[-1].first
        if began > periods[0].first:
            notes.append(f"The plan changed on {began}: all days are priced on the one in force then.")
    return AskedBill(point, periods, chosen, question, notes)


def billed_point(store: Store, household: Mapping[str, Any], wanted: str | None) -> ServicePoint:
    """The service point that is meant. Raises StoreError where there is none, ChoiceNeeded where there are several."""
    point = only_service_point(store, household, wanted)
    if point is None:
        raise StoreError(NO_METER)
    return point


@dataclass(frozen=True, slots=True)
class Priceable:
    """All that the pricing of stored reads takes. problems: of the reads."""

    usage: Usage
    rates: Rates
    options: Options
    problems: list[Problem]


def price_stored(store: Store, household: Mapping[str, Any], asked: AskedBill) -> tuple[Bill, list[Problem]]:
    """The stored reads on a plan, with the account's concessions where the plan is the household's own.

    Raises CannotPrice where the plan has no price for energy or no read lies in the periods.
    """
    from toolkit.analytics.energy.bills import price
    from toolkit.analytics.energy.bills.concessions import with_concessions

    ready, periods = priceable(store, household, asked), asked.periods
    priced = price(ready.usage, ready.rates, periods, options=ready.options)
    if priced.missing_share == 1:
        raise CannotPrice(ready.rates.plan_id, f"no reads between {periods[0].first} and {periods[-1].last}")
    home = str(household["household_id"])
    return with_concessions(priced, concessions_of(store, home, asked.chosen)), ready.problems


def priceable(store: Store, household: Mapping[str, Any], asked: AskedBill) -> Priceable:
    """The plan as rates and the reads prepared. Raises CannotPrice where the plan has no price for energy."""
    from toolkit.analytics.energy.rates import compile_plan

    point, periods, chosen = asked.point, asked.periods, asked.chosen
    rates = compile_plan(chosen.plan, fuel_of(point), feed_in=own_feed_in(chosen))
    if not rates.priceable:
        raise CannotPrice(rates.plan_id, "; ".join(problem.reason for problem in rates.problems))
    reads, problems = reads_for(store, str(household["household_id"]), point, periods, year=has_bands(rates))
    options = options_of(asked.question, rates, point, periods)
    return Priceable(prepared(reads, point, rates), rates, options, problems)


def own_feed_in(chosen: ChosenPlan) -> str | None:
    """The closed feed-in tariff that an account is on: the only kind its plan names. None leaves it to the rules."""
    contract = chosen.plan.electricity_contract
    if chosen.account_id is None or contract is None:
        return None
    tariffs = contract["solar_feed_in_tariff"]
    closed = [t for t in tariffs if t.get("scheme") == "PREMIUM" or t.get("payer_type") == "GOVERNMENT"]
    return closed[0].get("display_name") if closed and len(closed) == len(tariffs) else None


def concessions_of(store: Store, home: str, chosen: ChosenPlan) -> list[Any]:
    """The concessions of the account that the household's own plan came with."""
    from toolkit.analytics.energy.bills.concessions import read_concession

    if not chosen.own or chosen.account_id is None:
        return []
    rows = store.rows("concessions", home, where={"account_id": chosen.account_id, "vanished_at": None})
    return [read_concession(row) for row in rows]


def bill_json(bill: Bill, point: ServicePoint, notes: Sequence[str], problems: Sequence[Problem]) -> dict[str, Any]:
    """The contract's answer."""
    from toolkit.analytics.energy.bills.model import aud

    first, last = bill.periods[0].first, bill.periods[-1].last
    return {
        "plan_id": bill.plan_id,
        "service_point_id": point.id,
        "fuel": bill.fuel,
        "unit": bill.unit,
        "from": first,
        "to": last,
        "days": (last - first).days + 1,
        "periods": [{"from": period.first, "to": period.last} for period in bill.periods],
        "lines": [line_json(line) for line in bill.lines],
        "components": {name: aud(minor) for name, minor in bill.components_minor().items()},
        "gst": aud(bill.gst_minor),
        "total": aud(bill.total_minor),
        "measured_share": bill.measured_share,
        "substituted_share": bill.substituted_share,
        "missing_share": bill.missing_share,
        "notes": list(dict.fromkeys([*notes, *bill.notes])),
        "problems": [problem.as_json() for problem in dict.fromkeys([*problems, *bill.problems])],
    }


def line_json(line: Line) -> dict[str, Any]:
    return {**line.measures(), "amount": line.amount}
