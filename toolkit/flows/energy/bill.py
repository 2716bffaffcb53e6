"""A bill: the household's reads on a plan, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from toolkit.analytics.energy.bills import (
    Bill,
    Line,
    Options,
    Period,
    PlanSegment,
    Usage,
    on_one_time_zone,
    price_segments,
)
from toolkit.analytics.energy.bills.fees_and_discounts import Concession, read_concession
from toolkit.analytics.energy.bills.model import aud
from toolkit.analytics.energy.intervals.quality import quality_of
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.rates.feed_in import only_closed
from toolkit.answers.notes import Note
from toolkit.errors import PricingError, Problem, StoreError
from toolkit.flows.household.billing_periods import BillingQuestion, asked_periods, options_of, prepared, reads_for
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import ServicePoint, only_service_point
from toolkit.flows.plans.choice import resolve_plan
from toolkit.flows.plans.in_force import InForce, plans_in_force
from toolkit.flows.plans.stored import ChosenPlan, fuel_of
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

NO_METER = (
    "No meter data is stored: import a meter file (`toolkit import FILE`), or `toolkit connect` and `toolkit sync`."
)


def bill(  # noqa: PLR0913 - the command's options
    ctx: Context,
    *,
    plan: str | None = None,
    from_: date | None = None,
    to: date | None = None,
    period: str | None = None,
    blocks: str = "pooled",
    discounts: str = "guaranteed",
) -> dict[str, Any]:
    """`bill`: see docs/commands.md. Dates are on the plan's clock, inclusive; default: the last full billing period.

    Where no plan is named, each day is priced on the one in force then: `plans` says which from when to when, and
    `plan_id` is the last one's.

    Raises ChoiceRequiredError where several service points or plans match, PricingError where nothing can be priced.
    """
    question = BillingQuestion(from_, to, period, blocks, discounts)
    with open_home(ctx) as (store, household):
        asked = asked_bill(store, household, ctx, plan, question)
        priced, problems = price_stored(store, household, asked)
    return bill_json(priced, asked, problems)


@dataclass(frozen=True, slots=True)
class AskedBill:
    """What is to be priced: whose reads, over which billing periods, on which plan from when to when."""

    point: ServicePoint
    periods: Sequence[Period]
    plans: Sequence[InForce]
    question: BillingQuestion
    today: date
    notes: Sequence[Note]


def asked_bill(
    store: Store, household: HouseholdRow, ctx: Context, plan: str | None, question: BillingQuestion
) -> AskedBill:
    """Raises as `bill`."""
    point = billed_point(store, household, ctx.service_point)
    periods, notes = asked_periods(store, household, point, question, ctx.today)
    span = periods[0].first, periods[-1].last
    if plan is None:
        plans = plans_in_force(store, household, point, span)
    else:
        plans = [InForce(resolve_plan(store, household, point, plan, span[1]), *span)]
    changes = [Note("prices_changed", day=segment.first) for segment in plans[1:]]
    of_plans = [note for segment in plans for note in segment.chosen.notes]
    return AskedBill(point, periods, plans, question, ctx.today, [*point.notes, *notes, *changes, *of_plans])


def billed_point(store: Store, household: HouseholdRow, wanted: str | None) -> ServicePoint:
    """Return the service point. Raises StoreError if there is none, ChoiceRequiredError if several match."""
    point = only_service_point(store, household, wanted)
    if point is None:
        raise StoreError(NO_METER)
    return point


@dataclass(frozen=True, slots=True)
class Priceable:
    """All that the pricing of stored reads takes. problems: of the plans' files and of the reads."""

    usage: Usage
    segments: Sequence[PlanSegment]
    options: Options
    problems: list[Problem]


def price_stored(store: Store, household: HouseholdRow, asked: AskedBill) -> tuple[Bill, list[Problem]]:
    """The stored reads on their plans, with the accounts' concessions where the plans are the household's own.

    Raises PricingError where the plan has no price for energy or no read lies in the periods.
    """
    ready = priceable(store, household, asked)
    return price_segments(ready.usage, ready.segments, asked.periods, options=ready.options), ready.problems


def priceable(store: Store, household: HouseholdRow, asked: AskedBill) -> Priceable:
    """The plans as rates, their days on one clock, and the reads prepared. Raises as `price_stored`."""
    point, periods, home = asked.point, asked.periods, household.household_id
    plans = [_compiled_for_its_days(segment, asked) for segment in asked.plans]
    reads, read_problems = reads_for(store, home, point, periods, year=any(rates.banded for rates in plans))
    segments = [
        PlanSegment(rates, Period(of.first, of.last), concessions_of(store, home, of.chosen))
        for rates, of in zip(plans, asked.plans, strict=True)
    ]
    problems = [problem for segment in asked.plans for problem in segment.chosen.problems]
    options = options_of(asked.question, plans, point, periods)
    usage = prepared(reads, point, plans[-1])
    _check_read(usage, plans[-1], periods)
    return Priceable(usage, on_one_time_zone(segments), options, [*problems, *read_problems])


def _check_read(usage: Usage, rates: Rates, periods: Sequence[Period]) -> None:
    matrix = usage.matrix(rates.time_zone)
    if quality_of([matrix.sliced(period.first, period.last) for period in periods]).missing_share == 1:
        raise PricingError(rates.plan_id, f"no reads between {periods[0].first} and {periods[-1].last}")


def _compiled_for_its_days(segment: InForce, asked: AskedBill) -> Rates:
    try:
        return compiled(segment.chosen, asked.point, asked.today)
    except PricingError as refused:
        if len(asked.plans) == 1:
            raise
        days = f"it was in force from {segment.first} to {segment.last}: ask for other days, or name a plan with --plan"
        raise PricingError(refused.plan_id, f"{refused.reason}; {days}") from refused


def compiled(chosen: ChosenPlan, point: ServicePoint, today: date) -> Rates:
    """The plan as rates, with the account's own feed-in. Raises PricingError where it has no price for energy."""
    rates = compile_plan(chosen.plan, fuel_of(point), feed_in=own_feed_in(chosen), on=chosen.priced_for(today))
    if not rates.priceable:
        raise PricingError(rates.plan_id, "; ".join(problem.reason for problem in rates.problems))
    return rates


def own_feed_in(chosen: ChosenPlan) -> str | None:
    """The closed feed-in tariff that an account is on: the only kind its plan names. None leaves it to the rules."""
    contract = chosen.plan.electricity_contract
    return None if chosen.account_id is None or contract is None else only_closed(contract)


def concessions_of(store: Store, home: str, chosen: ChosenPlan) -> tuple[Concession, ...]:
    """The concessions of the account that the household's own plan came with."""
    if not chosen.own or chosen.account_id is None:
        return ()
    rows = store.rows("concessions", home, where={"account_id": chosen.account_id, "vanished_at": None})
    return tuple(read_concession(row) for row in rows)


def bill_json(bill: Bill, asked: AskedBill, problems: Sequence[Problem]) -> dict[str, Any]:
    """The command's answer."""
    first, last = bill.periods[0].first, bill.periods[-1].last
    notes = list(dict.fromkeys([*asked.notes, *bill.notes]))
    return {
        "plan_id": bill.plan_id,
        "plans": [{"plan_id": p.chosen.plan.plan_id, "from": p.first, "to": p.last} for p in asked.plans],
        "service_point_id": asked.point.id,
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
        "measured_share": bill.quality.measured_share,
        "substituted_share": bill.quality.substituted_share,
        "missing_share": bill.quality.missing_share,
        "notes": notes,
        "note_codes": [note.code for note in notes],
        "problems": [problem.as_json() for problem in dict.fromkeys([*problems, *bill.problems])],
    }


def line_json(line: Line) -> dict[str, Any]:
    return {**line.measures(), "amount": line.amount}
