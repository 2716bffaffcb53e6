"""The next bill, and how such forecasts fared on the household's own past."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.forecast import Cycle, History, Pricing, history_of
from toolkit.analytics.energy.forecast import forecast as forecast_bill
from toolkit.answers.notes import sentences
from toolkit.errors import Problem, StoreError
from toolkit.flows.energy.bill import NO_METER, compiled, concessions_of
from toolkit.flows.household.billing_cycle import billing_cycle, usual_delay
from toolkit.flows.household.billing_periods import BillingQuestion, days_read, options_of, prepared
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import ServicePoint, all_reads, only_service_point
from toolkit.flows.plans.choice import resolve_plan
from toolkit.flows.plans.in_force import InForce, plans_in_force
from toolkit.flows.plans.stored import ChosenPlan
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

STALE = "The reads end on {}, so this is the bill of a time that is over: import newer reads to see the next one."


def forecast(ctx: Context, *, plan: str | None = None, seed: int = 0) -> dict[str, Any]:
    """`forecast`: see docs/commands.md, for the service point named, else the only electricity one, else the only one.

    The bill is that of the billing period (`billing_cycle`) that holds the first unmetered day. Reads after the day
    `ctx.today` are not looked at. The same seed gives the same futures. `due`: the period's end and the usual delay of
    the stored bills; null without any. Raises StoreError without meter data, UsageError without a plan,
    ChoiceRequiredError where several could be meant, PricingError where the plan prices no energy.
    """
    with open_home(ctx) as (store, household):
        point = _point(store, household, ctx.service_point)
        home = household.household_id
        first_read, last_read = days_read(store, home, point)
        on = min(ctx.today, last_read + timedelta(1))
        chosen = resolve_plan(store, household, point, plan, on)
        inputs = _prepare(store, home, point, chosen, _Asked(ctx.today, first_read, seed))
        billing = billing_cycle(store, household, point, chosen.plan, ctx.today)
        answer = _answer(inputs, billing.cycle, ctx.today)
        span = answer["period"]["from"], answer["period"]["to"]
        changes = _changes([] if plan else plans_in_force(store, household, point, span), on)
        delay = usual_delay(store, home, point, ctx.today)
    known = answer["p50"] is not None
    stale = [STALE.format(last_read)] if known and span[1] < ctx.today else []
    notes = [*point.notes, *chosen.notes, *billing.notes, *stale, *changes, *answer["notes"]]
    return {
        "service_point_id": point.id,
        "plan_id": chosen.plan.plan_id,
        **answer,
        "due": span[1] + timedelta(delay) if known and delay is not None else None,
        "notes": sentences(notes),
        "problems": [problem.as_json() for problem in dict.fromkeys(inputs.problems)],
    }


def _changes(segments: Sequence[InForce], on: date) -> list[str]:
    return [
        f"Plan or prices change on {segment.first}: the whole of this bill is on those of {on}."
        for segment in segments[1:]
    ]


@dataclass(frozen=True, slots=True)
class _Asked:
    today: date
    first_read: date
    seed: int


@dataclass(frozen=True, slots=True)
class _ForecastInputs:
    history: History
    pricing: Pricing
    problems: list[Problem]


def _point(store: Store, household: HouseholdRow, wanted: str | None) -> ServicePoint:
    electric = only_service_point(store, household, wanted, fuel="ELECTRICITY")
    point = electric or only_service_point(store, household, wanted)
    if point is None:
        raise StoreError(NO_METER)
    return point


def _prepare(store: Store, home: str, point: ServicePoint, chosen: ChosenPlan, asked: _Asked) -> _ForecastInputs:
    """Reads and plan, ready to be drawn from and priced."""
    rates = compiled(chosen, point, asked.today)
    reads, problems = all_reads(store, home, point, to=asked.today)
    span = Period(asked.first_read, asked.today + timedelta(days=366))
    options = options_of(BillingQuestion(), [rates], point, [span])
    history = history_of(prepared(reads, point, rates), rates, asked.today, options.holidays)
    pricing = Pricing(rates, options, seed=asked.seed, concessions=concessions_of(store, home, chosen))
    return _ForecastInputs(history, pricing, [*problems, *chosen.problems, *rates.problems])


def _answer(inputs: _ForecastInputs, cycle: Cycle, today: date) -> dict[str, Any]:
    through = inputs.history.metered_through
    period = cycle.period_with(today if through is None else through + timedelta(1))
    past = cycle.past_periods(period, inputs.history.first)
    answer = forecast_bill(inputs.history, period, past, inputs.pricing, today=today)
    answer["period"]["source"] = cycle.source
    return answer
