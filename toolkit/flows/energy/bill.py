"""A bill: the household's reads on a plan, line by line, and what each price took of the meter's reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import msgspec
import polars as pl

from toolkit.analytics.energy.bills import Bill as PricedBill
from toolkit.analytics.energy.bills import (
    Options,
    Period,
    PlanSegment,
    Usage,
    on_one_time_zone,
    price_segments,
    trace,
)
from toolkit.analytics.energy.bills.concessions import Concession, read_concession, typed_concessions
from toolkit.analytics.energy.intervals.matrix import quality_of
from toolkit.analytics.energy.plans.in_force import ChosenPlan, InForce, own_feed_in
from toolkit.analytics.energy.pricing.model import aud
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.usage.reads import doubtful_reads
from toolkit.answers import base as answers
from toolkit.answers.base import Note
from toolkit.answers.energy.bills import Bill, BillLines, DayQuantities, PlanDays, PricedReads
from toolkit.errors import PricingError, UsageError
from toolkit.flows.household.billing_periods import (
    DEFAULTS,
    BillingQuestion,
    asked_periods,
    options_of,
    prepared,
    reads_for,
)
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import ServicePoint, billed_point, fuel_of
from toolkit.flows.plans.choice import plans_in_force, resolve_plan
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.reference.concessions import listed_concessions
from toolkit.tables.rows.plans import Fuel
from toolkit.tables.schema.energy import ConcessionRow
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.typed import TypedConcessionRow
from toolkit.units import NANO


def bill(
    ctx: Context, question: BillingQuestion = DEFAULTS, *, by_day: bool = False, reads: date | None = None
) -> Bill:
    """Price the stored reads on a plan (docs/commands.md); by default those of the last full billing period.

    Where the question names no plan, each day is priced on the plan in force then. by_day: also what each price took
    of each day. reads: also every read of that day with its price.

    Raises ChoiceRequiredError where several service points or plans match, PricingError where nothing can be priced,
    UsageError where `reads` is not a day of the bill.
    """
    with open_home(ctx) as (store, household):
        asked = asked_bill(store, household, ctx, question)
        first, last = asked.periods[0].first, asked.periods[-1].last
        if reads is not None and not first <= reads <= last:
            raise UsageError(
                f"{reads} is not in the bill of {first} to {last}: name a day in it, or other days of a bill."
            )
        ready = priceable(store, household, asked)
    _check_read(ready, asked.periods)
    answer = _answer(price_segments(ready.usage, ready.segments, asked.periods, options=ready.options), asked, ready)
    if by_day:
        days = pl.concat(
            trace.by_day(ready.usage, segment.rates, segment.of(asked.periods), options=ready.options)
            for segment in ready.segments
        )
        quantities = DayQuantities(days.drop("nano").with_columns(_quantity(days["nano"])))
        answer = msgspec.structs.replace(answer, by_day=quantities)
    if reads is not None:
        answer = msgspec.structs.replace(answer, reads=_reads(ready, reads))
    return answer


def bill_reads(ctx: Context, question: BillingQuestion = DEFAULTS, *, day: date) -> PricedReads:
    """Return every read of one day of a bill with the price it falls under; only that day's reads are prepared.

    Raises as `bill`.
    """
    with open_home(ctx) as (store, household):
        asked = asked_bill(store, household, ctx, question)
        ready = priceable(store, household, replace(asked, periods=[Period(day, day)]))
    return _reads(ready, day)


@dataclass(frozen=True, slots=True)
class AskedBill:
    """Reads to be priced: of which service point, over which billing periods, on which plan from when to when."""

    point: ServicePoint
    periods: Sequence[Period]
    plans: Sequence[InForce]
    question: BillingQuestion
    today: date
    notes: Sequence[Note]


def asked_bill(store: Store, household: HouseholdRow, ctx: Context, question: BillingQuestion) -> AskedBill:
    """Find service point, billing periods and plans of a question. Raises as `bill`."""
    point = billed_point(store, household, ctx.service_point)
    periods, notes = asked_periods(store, household, point, question, ctx.today)
    span = periods[0].first, periods[-1].last
    if question.plan is None:
        plans = plans_in_force(store, household, point, span)
    else:
        plans = [InForce(resolve_plan(store, household, point, question.plan, span[1]), *span)]
    changes = [Note("prices_changed", day=segment.first) for segment in plans[1:]]
    of_plans = [note for segment in plans for note in segment.chosen.notes]
    for segment in plans:
        of_plans += about_typed_concessions(store, household.household_id, segment.chosen, fuel_of(point))
    return AskedBill(point, periods, plans, question, ctx.today, [*point.notes, *notes, *changes, *of_plans])


@dataclass(frozen=True, slots=True)
class Priceable:
    """The inputs of pricing stored reads. problems: of the plans' files and of the reads."""

    usage: Usage
    segments: Sequence[PlanSegment]
    options: Options
    problems: list[Problem]


def priceable(store: Store, household: HouseholdRow, asked: AskedBill) -> Priceable:
    """Compile the plans, count their days in one time zone, and prepare the reads.

    The concessions of an account apply where the plan was chosen as the household's own, those typed for the home on
    any plan. Raises PricingError where a
    plan has no price for energy.
    """
    point, periods, home = asked.point, asked.periods, household.household_id
    plans = [_compiled_for_its_days(segment, asked) for segment in asked.plans]
    reads, read_problems = reads_for(store, home, point, periods, year=any(rates.banded for rates in plans))
    segments = [
        PlanSegment(rates, Period(of.first, of.last), concessions_of(store, home, of.chosen, fuel_of(point)))
        for rates, of in zip(plans, asked.plans, strict=True)
    ]
    problems = [problem for segment in asked.plans for problem in segment.chosen.problems]
    if doubtful := doubtful_reads(reads):
        problems.append(Problem(point.id, Message(doubtful), "warning"))
    options = options_of(asked.question, plans, point, periods)
    usage = prepared(reads, point, plans[-1])
    return Priceable(usage, on_one_time_zone(segments), options, [*problems, *read_problems])


def _check_read(ready: Priceable, periods: Sequence[Period]) -> None:
    """Raise PricingError where no read lies in the periods."""
    rates = ready.segments[-1].rates
    matrix = ready.usage.matrix(rates.time_zone)
    if quality_of([matrix.sliced(period.first, period.last) for period in periods]).missing_share == 1:
        raise PricingError(rates.plan_id, f"no reads between {periods[0].first} and {periods[-1].last}")


def _compiled_for_its_days(segment: InForce, asked: AskedBill) -> Rates:
    if len(asked.plans) == 1:
        return compiled(segment.chosen, asked.point, asked.today)
    days = f"; it was in force from {segment.first} to {segment.last}: "
    return compiled(segment.chosen, asked.point, asked.today, Message(days, Remedy.OTHER_DAYS))


ANOTHER_PLAN = Message(". ", Remedy.PRICES_OR_PLAN, ".")


def compiled(chosen: ChosenPlan, point: ServicePoint, today: date, remedy: Message = ANOTHER_PLAN) -> Rates:
    """Return the plan as rates, with the account's own feed-in.

    Raises PricingError where it has no price for energy. remedy: what can be done then, after the reason.
    """
    rates = compile_plan(chosen.plan, fuel_of(point), feed_in=own_feed_in(chosen), on=chosen.priced_for(today))
    if not rates.priceable:
        raise PricingError(rates.plan_id, Message("; ".join(problem.reason for problem in rates.problems), remedy))
    return rates


def concessions_of(store: Store, home: str, chosen: ChosenPlan, fuel: Fuel) -> tuple[Concession, ...]:
    """Return the concessions that count on a plan: those typed for the home, or those of the account it came with.

    The account's amounts count where it states any, and then what was typed does not: nothing is credited twice.
    """
    typed = store.load(TypedConcessionRow, home, where={"fuel": fuel})
    of_account = _of_account(store, home, chosen)
    is_stated = any(each.amount or each.share for each in of_account)
    return of_account if is_stated or not typed else typed_concessions(typed)


def about_typed_concessions(store: Store, home: str, chosen: ChosenPlan, fuel: Fuel) -> list[Note]:
    """Note the typed concessions that the account's own replace on this plan, and those with secondary figures."""
    rows = store.load(TypedConcessionRow, home, where={"fuel": fuel})
    if not rows:
        return []
    if not any(each.typed for each in concessions_of(store, home, chosen, fuel)):
        return [Note("concession_of_account", label=each.label) for each in typed_concessions(rows)]
    chosen_ids = {row.listed_id: row.name for row in rows if row.listed_id}
    return [
        Note("concession_secondary", label=chosen_ids[each.id], site=each.source.partition("/")[0])
        for each in (listed_concessions() if chosen_ids else ())
        if each.secondary and each.id in chosen_ids
    ]


def _of_account(store: Store, home: str, chosen: ChosenPlan) -> tuple[Concession, ...]:
    if not chosen.own or chosen.account_id is None:
        return ()
    rows = store.load(ConcessionRow, home, where={"account_id": chosen.account_id, "vanished_at": None})
    return tuple(read_concession(row) for row in rows)


def _answer(bill: PricedBill, asked: AskedBill, ready: Priceable) -> Bill:
    first, last = bill.periods[0].first, bill.periods[-1].last
    notes = tuple(dict.fromkeys([*asked.notes, *bill.notes]))
    amounts = pl.Series("amount", [aud(line.amount_minor) for line in bill.lines], pl.Decimal(38, 2))
    return Bill(
        plan_id=bill.plan_id,
        plans=tuple(PlanDays(each.chosen.plan.plan_id, each.first, each.last) for each in asked.plans),
        service_point_id=asked.point.id,
        fuel=bill.fuel,
        unit=bill.unit,
        from_=first,
        to=last,
        days=(last - first).days + 1,
        periods=tuple(answers.Period(period.first, period.last) for period in bill.periods),
        lines=BillLines(bill.frame().drop("amount_minor", "gst_minor").with_columns(amounts)),
        components={name: aud(minor) for name, minor in bill.components_minor().items()},
        gst=aud(bill.gst_minor),
        total=aud(bill.total_minor),
        measured_share=bill.quality.measured_share,
        substituted_share=bill.quality.substituted_share,
        missing_share=bill.quality.missing_share,
        notes=notes,
        problems=tuple(dict.fromkeys([*ready.problems, *bill.problems])),
    )


def _reads(ready: Priceable, day: date) -> PricedReads:
    rates = next(segment.rates for segment in ready.segments if day <= segment.period.last)
    reads = trace.reads_of(ready.usage, rates, day, options=ready.options)
    return PricedReads(
        reads.drop("energy_nano").with_columns(
            _quantity(reads["energy_nano"]), pl.col("time").dt.strftime("%Y-%m-%d %H:%M"), unit=pl.lit(rates.unit)
        )
    )


def _quantity(nano: pl.Series) -> pl.Series:
    """Return 10^-9 units as units, each the nearest float; polars multiplies by 1e-9, which may be one bit off."""
    return pl.Series("quantity", [None if value is None else value / NANO for value in nano], pl.Float64)
