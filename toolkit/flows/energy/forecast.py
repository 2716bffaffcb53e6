"""The next bill, and how such forecasts fared on the household's own past."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from msgspec.structs import replace

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.forecast import Pricing, history_of, periods_to_forecast
from toolkit.analytics.energy.forecast import forecast as forecast_bill
from toolkit.analytics.energy.plans.in_force import InForce
from toolkit.answers.base import Note
from toolkit.answers.energy.forecast import Forecast
from toolkit.errors import NothingStoredError
from toolkit.flows.energy.bill import compiled, concessions_of, typed_not_counted
from toolkit.flows.household.billing_periods import (
    BillingQuestion,
    billing_cycle,
    days_read,
    options_of,
    prepared,
    usual_delay,
)
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import (
    NO_METER,
    ServicePoint,
    all_reads,
    bills_as_reads,
    fuel_of,
    only_service_point,
)
from toolkit.flows.plans.choice import plans_in_force, resolve_plan
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow


def forecast(ctx: Context, *, plan: str | None = None, seed: int = 0) -> Forecast:
    """Answer `forecast`, for the service point named, else the only electricity one, else the only one.

    The bill is that of the billing period (`billing_cycle`) that holds the first unmetered day. Reads after the day
    `ctx.today` are not looked at. Where typed bills stand for the reads, only those bills test the forecast. The same
    seed gives the same futures. Raises StoreError without meter data, UsageError without a plan, ChoiceRequiredError
    where several could be meant, PricingError where the plan prices no energy.
    """
    with open_home(ctx) as (store, household):
        point = _point(store, household, ctx.service_point)
        home = household.household_id
        first_read, last_read = days_read(store, home, point)
        on = min(ctx.today, last_read + timedelta(1))
        chosen = resolve_plan(store, household, point, plan, on)
        rates = compiled(chosen, point, ctx.today)
        reads, read_problems = all_reads(store, home, point, to=ctx.today)
        options = options_of(BillingQuestion(), [rates], point, [Period(first_read, ctx.today + timedelta(days=366))])
        history = history_of(prepared(reads, point, rates), rates, ctx.today, options.holidays)
        pricing = Pricing(rates, options, seed=seed, concessions=concessions_of(store, home, chosen, fuel_of(point)))
        billing = billing_cycle(store, household, point, chosen.plan, ctx.today)
        period, past = periods_to_forecast(billing.cycle, history, ctx.today)
        if bills := bills_as_reads(store, home, point.id):  # other spans of evenly spread days would be no bills
            past = [Period(bill.period_start, bill.period_end) for bill in bills]
        answer = forecast_bill(history, period, past, pricing, today=ctx.today, source=billing.cycle.source)
        in_force = [] if plan else plans_in_force(store, household, point, (period.first, period.last))
        about = typed_not_counted(store, home, chosen, fuel_of(point))
        delay = usual_delay(store, home, point, ctx.today)
    known = answer.p50 is not None
    stale = [Note("bill_in_past", last_read=last_read)] if known and period.last < ctx.today else []
    notes = [*point.notes, *chosen.notes, *about, *billing.notes, *stale]
    notes += [*_changes(in_force, on), *answer.notes]
    return replace(
        answer,
        service_point_id=point.id,
        plan_id=chosen.plan.plan_id,
        due=period.last + timedelta(delay) if known and delay is not None else None,
        notes=tuple(dict.fromkeys(notes)),
        problems=tuple(dict.fromkeys([*read_problems, *chosen.problems, *rates.problems])),
    )


def _changes(segments: Sequence[InForce], on: date) -> list[Note]:
    return [Note("prices_will_change", day=segment.first, priced_on=on) for segment in segments[1:]]


def _point(store: Store, household: HouseholdRow, wanted: str | None) -> ServicePoint:
    electric = only_service_point(store, household, wanted, fuel="ELECTRICITY")
    point = electric or only_service_point(store, household, wanted)
    if point is None:
        raise NothingStoredError(NO_METER, "meter data")
    return point
