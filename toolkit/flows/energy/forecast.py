"""The next bill, the year ahead, and how such forecasts fared on the household's own past."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as replaced
from datetime import date, timedelta
from decimal import Decimal
from typing import TypedDict, Unpack

from msgspec.structs import replace

from toolkit.analytics.energy.bills import Period, PlanSegment
from toolkit.analytics.energy.forecast import Arrears, Pricing, YearQuestion, history_of, periods_to_forecast
from toolkit.analytics.energy.forecast import forecast as forecast_bill
from toolkit.analytics.energy.plans.in_force import InForce
from toolkit.analytics.energy.pricing.model import aud
from toolkit.analytics.money.cash.recurring import Series
from toolkit.answers.base import Note
from toolkit.answers.energy.forecast import EvenPayments, Forecast, SmoothedAccount
from toolkit.errors import NothingStoredError, UsageError
from toolkit.flows.energy.bill import about_typed_concessions, compiled, concessions_of
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
    service_points,
)
from toolkit.flows.money.series import smoothed_energy
from toolkit.flows.plans.choice import plans_in_force, resolve_plan
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.cadences import FOUR_WEEKLY
from toolkit.tables.rows.plans import Fuel
from toolkit.tables.schema.identity import HouseholdRow


@dataclass(frozen=True, slots=True)
class ForecastQuestion:
    """What is asked of a forecast.

    plan: by id or as a file; None is the one in force. switch_on: the days from then on are priced on `plan`, earlier
    ones on the household's own. fuel: of the meter, where the home has both. months: how far to look ahead; 0 is the
    next bill alone. arrears, over: AUD owed, and months over which it is paid off with the even payments. smoothing:
    whether to look for even payments among the bank's rows, and say where they lead.
    """

    plan: str | None = None
    switch_on: date | None = None
    fuel: Fuel | None = None
    months: int = 12
    arrears: Decimal | None = None
    over: int | None = None
    seed: int = 0
    smoothing: bool = True


class ForecastOptions(TypedDict, total=False):
    """The fields of `ForecastQuestion`."""

    plan: str | None
    switch_on: date | None
    fuel: Fuel | None
    months: int
    arrears: Decimal | None
    over: int | None
    seed: int
    smoothing: bool


def forecast(ctx: Context, **options: Unpack[ForecastOptions]) -> Forecast:
    """Answer `forecast`, for the service point named, else the only electricity one, else the only one.

    The bill is that of the billing period (`billing_cycle`) that holds the first unmetered day. Reads after the day
    `ctx.today` are not looked at. Where typed bills replace the reads, only those bills test the forecast. The same
    seed gives the same futures. Raises StoreError without meter data, UsageError without a plan or with options that
    need another, ChoiceRequiredError where several could be meant, PricingError where a plan prices no energy.
    """
    question = ForecastQuestion(**options)
    arrears = _arrears(question)
    if question.switch_on and question.plan is None:
        raise UsageError(Message("Name the plan to switch to", Remedy.SWITCH_PLAN, "."))
    with open_home(ctx) as (store, household):
        point = _point(store, household, ctx.service_point, question.fuel)
        home = household.household_id
        first_read, last_read = days_read(store, home, point)
        on = min(ctx.today, last_read + timedelta(1))
        wanted = None if question.switch_on else question.plan
        chosen = resolve_plan(store, household, point, wanted, on)
        rates = compiled(chosen, point, ctx.today)
        reads, read_problems = all_reads(store, home, point, to=ctx.today)
        usage = prepared(reads, point, rates)
        billing = billing_cycle(store, household, point, chosen.plan, ctx.today)
        history = history_of(usage, rates, ctx.today)
        period, past = periods_to_forecast(billing.cycle, history, ctx.today)
        if bills := bills_as_reads(store, home, point.id):  # other spans of evenly spread days would be no bills
            past = [Period(bill.period_start, bill.period_end) for bill in bills]
        until = period.first + timedelta(31 * max(question.months, 12) + 2 * period.days)
        in_force = [] if wanted else _in_force(store, household, point, question, Period(period.first, until))
        segments = [_segment(store, home, each, point, ctx.today) for each in in_force]
        plans = [rates, *(segment.rates for segment in segments)]
        priced_with = options_of(BillingQuestion(), plans, point, [Period(first_read, until)])
        pricing = Pricing(
            rates, priced_with, question.seed, concessions=concessions_of(store, home, chosen, fuel_of(point))
        )
        if segments:
            own = replaced(segments[0].rates, time_zone=rates.time_zone)
            pricing = Pricing(
                own, priced_with, question.seed, concessions=segments[0].concessions, later=tuple(segments[1:])
            )
        history = history_of(usage, rates, ctx.today, priced_with.holidays, tuple(plans))
        year = YearQuestion(billing.cycle, question.months, arrears) if question.months else None
        answer = forecast_bill(history, period, past, pricing, today=ctx.today, source=billing.cycle.source, year=year)
        about = about_typed_concessions(store, home, chosen, fuel_of(point))
        delay = usual_delay(store, home, point, ctx.today)
        looked_for = question.smoothing and answer.even_payments and len(service_points(store, household)) == 1
        smoothed = smoothed_energy(store, household, ctx.today) if looked_for else []
    known = answer.p50 is not None
    stale = [Note("bill_in_past", last_read=last_read)] if known and period.last < ctx.today else []
    notes = [*point.notes, *chosen.notes, *about, *billing.notes, *stale]
    notes += [*_changes(in_force, question), *answer.notes]
    smoothing = _smoothing(smoothed[0], answer.even_payments) if len(smoothed) == 1 and answer.even_payments else None
    if smoothing is not None:
        notes.insert(0, _smoothing_note(smoothing))
    if answer.months:
        notes.append(Note("last_known_prices", day=in_force[-1].first if len(in_force) > 1 else on))
    return replace(
        answer,
        service_point_id=point.id,
        fuel=fuel_of(point),
        plan_id=chosen.plan.plan_id,
        due=period.last + timedelta(delay) if known and delay is not None else None,
        smoothing=smoothing,
        bills=tuple(replace(bill, due=None if delay is None else bill.to + timedelta(delay)) for bill in answer.bills),
        notes=tuple(dict.fromkeys(notes)),
        problems=tuple(dict.fromkeys([*read_problems, *chosen.problems, *rates.problems])),
    )


_EVERY = {
    "weekly": "week",
    "fortnightly": "fortnight",
    "monthly": "month",
    "quarterly": "quarter",
    "half-yearly": "half-year",
    "yearly": "year",
}


def _smoothing(series: Series, even: EvenPayments) -> SmoothedAccount:
    """Return where even payments lead the account within twelve months."""
    yearly = aud(-series.yearly)
    return SmoothedAccount(
        name=series.name,
        payment=aud(-series.usual),
        every="four weeks" if series.cadence is FOUR_WEEKLY else _EVERY[series.cadence.name],
        yearly=yearly,
        in_a_year_p50=yearly - even.year_p50,
        in_a_year_p90=yearly - even.year_p90,
    )


def _smoothing_note(account: SmoothedAccount) -> Note:
    return Note(
        "smoothing_in_credit" if account.in_a_year_p50 >= 0 else "smoothing_owing",
        name=account.name,
        payment=account.payment,
        every=account.every,
        yearly=account.yearly,
        amount=abs(account.in_a_year_p50),
    )


def _arrears(question: ForecastQuestion) -> Arrears | None:
    if question.arrears is None and question.over is None:
        return None
    if question.arrears is None or question.over is None:
        raise UsageError(
            Message(
                "Arrears need both the amount owed", Remedy.OWED, " and the months to pay it off", Remedy.PAID_OVER, "."
            )
        )
    return Arrears(question.arrears, question.over)


def _in_force(
    store: Store, household: HouseholdRow, point: ServicePoint, question: ForecastQuestion, days: Period
) -> list[InForce]:
    """Return the plans and versions of the days to come, in order, with the switch that is asked about."""
    own = plans_in_force(store, household, point, (days.first, days.last))
    if question.switch_on is None or question.plan is None:
        return own
    switch = max(question.switch_on, days.first)
    new = InForce(resolve_plan(store, household, point, question.plan, switch), switch, days.last)
    before = [replaced(each, last=min(each.last, switch - timedelta(1))) for each in own if each.first < switch]
    return [*before, new]


def _segment(store: Store, home: str, each: InForce, point: ServicePoint, today: date) -> PlanSegment:
    rates = compiled(each.chosen, point, today)
    return PlanSegment(rates, Period(each.first, each.last), concessions_of(store, home, each.chosen, fuel_of(point)))


def _changes(in_force: Sequence[InForce], question: ForecastQuestion) -> list[Note]:
    """Return a note for each day from which other prices are known to hold."""
    days = [segment.first for segment in in_force[1:]]
    notes = [Note("prices_will_change", day=day) for day in days if day != question.switch_on]
    if question.switch_on and in_force:
        last = in_force[-1]
        notes.append(Note("switched_on", plan=last.chosen.plan.title, day=last.first))
    return notes


def _point(store: Store, household: HouseholdRow, wanted: str | None, fuel: Fuel | None) -> ServicePoint:
    point = only_service_point(store, household, wanted, fuel=fuel or "ELECTRICITY")
    if point is None and fuel is None:
        point = only_service_point(store, household, wanted)
    if point is None and fuel == "GAS":
        raise NothingStoredError(
            Message("No gas use of this home is stored: ", Remedy.ADD_GAS_BILLS, "."), "meter data"
        )
    if point is None:
        raise NothingStoredError(NO_METER, "meter data")
    return point
