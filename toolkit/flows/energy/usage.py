"""When energy is used."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import polars as pl
from msgspec.structs import replace

from toolkit.analytics.energy.bills import Period, PlanSegment, prepare
from toolkit.analytics.energy.solar.measured import doubtful_generation, measured_generation
from toolkit.analytics.energy.usage import (
    half_hours,
    heat_map,
    load_duration,
    reliable_base_load_kw,
    service_point_usage,
)
from toolkit.analytics.energy.usage.costs import usage_costs as price_by_hour
from toolkit.analytics.energy.usage.reads import IDENTITY, LONGEST_MINUTES, doubtful_energy, split_by_register
from toolkit.analytics.energy.usage.registers import day_sums, sum_of
from toolkit.answers.base import Note
from toolkit.answers.energy.usage import ServicePointUsage, Usage
from toolkit.answers.energy.usage_costs import UsageCosts
from toolkit.errors import PricingError, StoreError, UsageError
from toolkit.flows.energy.bill import compiled
from toolkit.flows.household.billing_periods import BillingQuestion, days_read, options_of, where_reads_lie
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import (
    ServicePoint,
    accumulation_reads,
    all_reads,
    billed_point,
    service_points,
)
from toolkit.flows.plans.choice import plans_in_force
from toolkit.remedies import Message
from toolkit.store import Store
from toolkit.tables.cadences import in_month
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import AEST_OFFSET, NANO


def usage(ctx: Context, *, from_: date | None = None, to: date | None = None) -> Usage:
    """Answer `usage`, for every service point of the household or the one named.

    `from_` and `to` are meter days (AEST), inclusive: totals, days and months are sums of whole meter days. What lies
    within the day (peak, base load, average day) is in the home's time zone. `notes` of a service point say what was
    assumed, and why figures are null.
    """
    with open_home(ctx) as (store, household):
        home = household.household_id
        points, problems = [], []
        for point in service_points(store, household, ctx.service_point):
            reads, read_problems = all_reads(store, home, point, from_=from_, to=to, generation=True)
            earlier = None
            if from_ is not None:
                earlier, _ = all_reads(store, home, point, from_=in_month(from_, -12), to=from_ - timedelta(1))
            facts = service_point_usage(reads, zone=point.zone, from_=from_, to=to, earlier=earlier)
            about = _about_days(point, facts) if facts.registers else where_reads_lie(store, home, point)
            spread = _spread_reads(store, home, point)
            notes = tuple(dict.fromkeys([*point.notes, *about, *spread, *facts.notes]))
            points.append(replace(facts, service_point_id=point.id, fuel=point.fuel, notes=notes))
            problems += read_problems
    return Usage(service_points=tuple(points), problems=tuple(problems))


def _spread_reads(store: Store, home: str, point: ServicePoint) -> list[Note]:
    """Note that days are means where the meter was read less than daily (accumulation meters, most of gas)."""
    dial = store.meter_reads(home, service_points=[point.id])
    days = (dial["end_date"] - dial["start_date"]).dt.total_days().median()
    return [Note("read_spread", days=round(days) + 1)] if isinstance(days, float) and days >= 1 else []


def _about_days(point: ServicePoint, facts: ServicePointUsage) -> list[Note]:
    """Why a bill's days may hold other energy, where local time differs from the meters' AEST within these days."""
    if facts.from_ is None or facts.to is None or point.fuel != "ELECTRICITY":
        return []
    zone, days = ZoneInfo(point.zone), range((facts.to - facts.from_).days + 2)
    midnights = (datetime.combine(facts.from_ + timedelta(n), time(), zone) for n in days)
    return [Note("meter_days")] if any(midnight.utcoffset() != AEST_OFFSET for midnight in midnights) else []


def usage_and_costs(ctx: Context, *, from_: date | None = None, to: date | None = None) -> Usage:
    """Answer `usage` with what it costs, on the plans in force then: the whole of `costs` of each service point."""
    answer = usage(ctx, from_=from_, to=to)
    costs = usage_costs(ctx, from_=from_, to=to)
    points = []
    for point in answer.service_points:
        priced = costs.get(point.service_point_id)
        if priced is None:
            points.append(point)
        else:
            points.append(replace(point, costs=priced.costs, notes=(*point.notes, *priced.notes)))
    return replace(answer, service_points=tuple(points))


@dataclass(frozen=True, slots=True)
class PricedUsage:
    """What the usage of one service point costs. notes: about the plan, and why there are no costs."""

    costs: UsageCosts | None
    notes: tuple[Note, ...] = ()


def usage_costs(ctx: Context, *, from_: date | None = None, to: date | None = None) -> dict[str, PricedUsage]:
    """Price usage by time of day on the plans in force, by id of each electricity service point with reads.

    Days: the last 365 with reads between `from_` and `to`, so that no season counts twice.
    """
    with open_home(ctx) as (store, household):
        points = service_points(store, household, ctx.service_point, fuel="ELECTRICITY")
        return {point.id: _priced(store, household, point, from_, to) for point in points}


_DAYS = timedelta(364)


def _priced(
    store: Store, household: HouseholdRow, point: ServicePoint, from_: date | None, to: date | None
) -> PricedUsage:
    home = household.household_id
    try:
        first, last = days_read(store, home, point)
        last = min(last, to or last)
        first = max(first, from_ or first, last - _DAYS)
        if first > last:
            return PricedUsage(None)
        in_force = plans_in_force(store, household, point, (first, last))
        segments = [
            PlanSegment(compiled(plan.chosen, point, plan.last), Period(plan.first, plan.last)) for plan in in_force
        ]
    except (UsageError, StoreError, PricingError) as error:
        return PricedUsage(None, (Note("costs_unknown", why=Message(error)),))
    # The first and last day on a plan's own time zone reach into the neighbouring meter days.
    reads, _ = all_reads(store, home, point, from_=first - timedelta(1), to=last + timedelta(1))
    options = options_of(BillingQuestion(), [segment.rates for segment in segments], point, [Period(first, last)])
    within = reads.filter(pl.col("date").is_between(first, last))
    costs = price_by_hour(
        prepare(reads, zone=point.zone),
        segments,
        options=options,
        always_on_kw=reliable_base_load_kw(within, zone=point.zone),
    )
    if costs is None:
        return PricedUsage(None, (Note("costs_need_intervals"),))
    return PricedUsage(costs, tuple(note for plan in in_force for note in plan.chosen.notes))


@dataclass(frozen=True, slots=True)
class UsageMap:
    """Frames to draw of one service point."""

    heat_map: pl.DataFrame
    """`date`, `minute` of the local day, `value` [kW]."""
    load_duration: pl.DataFrame
    """`kw` is exceeded or met for `share` (0 to 1) of the measured time, in falling order."""


def usage_map(ctx: Context, *, from_: date | None = None, to: date | None = None) -> dict[str, UsageMap]:
    """Return frames to draw, by service point id."""
    with open_home(ctx) as (store, household):
        points = service_points(store, household, ctx.service_point)
        reads = {point: all_reads(store, household.household_id, point, from_=from_, to=to)[0] for point in points}
    slots = {point: half_hours(frame) for point, frame in reads.items()}
    return {point.id: UsageMap(heat_map(frame, point.zone), load_duration(frame)) for point, frame in slots.items()}


def reads_of_periods(ctx: Context, *, first: date, last: date) -> pl.DataFrame:
    """Return the reads that cover days or longer and touch the days from first to last: dials, gas, typed bills.

    Columns: `from`, `to` (meter days, inclusive), `register_suffix`, `direction`, `energy` [kWh or MJ], `quality`; the
    newest first. Of the only service point, or the named one; raises ChoiceRequiredError where there are several.
    """
    with open_home(ctx) as (store, household):
        point = billed_point(store, household, ctx.service_point)
        reads = accumulation_reads(store, household.household_id, point, from_=first, to=last)
    return (
        reads.filter((pl.col("start_date") <= last) & (pl.col("end_date") >= first))
        .sort("start_date", "register_suffix", descending=[True, False])
        .select(
            pl.col("start_date").alias("from"),
            pl.col("end_date").alias("to"),
            "register_suffix",
            "direction",
            (pl.col("value_nano") / NANO).round(9).alias("energy"),
            "quality",
        )
    )


@dataclass(frozen=True, slots=True)
class UsageDetail:
    """Some local days of one service point."""

    half_hours: pl.DataFrame
    """Columns of `half_hours`, `time` (local, without a zone) and `generation_kwh`, null where that is not measured
    within the day. Half hours without reads of the meter are absent."""
    reads: pl.DataFrame
    """`time` (start, local, without a zone), `interval_minutes`, `register_suffix`, `direction`, `kwh`, `quality`, in
    order of time."""
    generated_kwh: float | None
    """None where it is not measured, or cannot be right."""


def usage_detail(ctx: Context, *, first: date, last: date) -> UsageDetail:
    """Return the half hours and reads of the local days from first to last of the only service point, or the named one.

    Raises ChoiceRequiredError where there are several.
    """
    with open_home(ctx) as (store, household):
        point = billed_point(store, household, ctx.service_point)
        # Local days reach into the neighbouring meter days.
        around = first - timedelta(1), last + timedelta(1)
        reads, _ = all_reads(store, household.household_id, point, from_=around[0], to=around[1], generation=True)
    local = pl.col("starts_at").dt.convert_time_zone(point.zone).dt.replace_time_zone(None)
    within = pl.col("time").dt.date().is_between(first, last)
    is_listed = (pl.col("interval_minutes") <= LONGEST_MINUTES) | (pl.col("direction") == "generation")  # of days too
    energy = reads.filter((pl.col("unit") == "KWH") & is_listed)
    measured = measured_generation(reads)
    if measured is not None and doubtful_generation(measured):
        measured = None
    listed = (
        energy.with_columns(time=local, kwh=(pl.col("energy_nano") / NANO).round(9))
        .filter(within)
        .sort("starts_at", "register_suffix")
        .select("time", "interval_minutes", "register_suffix", "direction", "kwh", "quality")
    )
    generated = listed.filter(pl.col("direction") == "generation")["kwh"]
    made = None if measured is None else measured.slots
    shown = half_hours(reads).with_columns(time=local, generation_kwh=pl.lit(None, pl.Float64)).filter(within)
    if made is not None:
        shown = shown.drop("generation_kwh").join(made, on="starts_at", how="left", maintain_order="left")
    return UsageDetail(shown, listed, None if measured is None or generated.is_empty() else float(generated.sum()))


_LATELY, _YEAR_APART = timedelta(30), timedelta(365)


@dataclass(frozen=True, slots=True)
class Used:
    """Energy of some meter days, as `usage` gives it; None where none of it is known."""

    used: float | None
    """From the network, in the unit of the meter."""
    export_kwh: float | None


@dataclass(frozen=True, slots=True)
class UsedLately:
    """What a service point used in its last 30 meter days, and in as many earlier ones. Energy in kWh, gas in MJ."""

    service_point_id: str
    unit: Literal["kWh", "MJ"]
    is_from_bills: bool
    """Whether its energy is known from bills alone."""
    days: Period
    """The last 30 days with reads; fewer where there are no more."""
    now: Used
    before: Used | None
    """The 30 days before; None where the reads begin within them."""
    last_year: Used | None
    """The same days 365 days earlier; None where the reads begin within them."""
    doubtful: Note | None
    """Why the energy of the 30 days cannot be a home's."""


def used_lately(ctx: Context) -> tuple[UsedLately, ...]:
    """Return what each service point with reads used lately: electricity first, then by id. Raises as `open_home`.

    The stored sums of each register and day are added up; the reads themselves are not looked at.
    """
    with open_home(ctx) as (store, household):
        home = household.household_id
        sums = [(point, _day_sums(store, home, point)) for point in service_points(store, household, ctx.service_point)]
    answers = [answer for point, days in sums if (answer := _lately(point, days))]
    return tuple(sorted(answers, key=lambda answer: (answer.unit != "kWh", answer.service_point_id)))


def _day_sums(store: Store, home: str, point: ServicePoint) -> pl.DataFrame:
    """Return `day_sums` of the point; where some reads cover days or longer, from the reads, which may overlap."""
    if not accumulation_reads(store, home, point).is_empty():
        reads, _ = all_reads(store, home, point, generation=True)
        return day_sums(split_by_register(reads))
    columns = (*IDENTITY, "date", "total_nano", "present")
    stored = store.read("register_days", home, columns=columns, where={"service_point_id": point.id})
    return stored.rename({"total_nano": "nano"})


def _lately(point: ServicePoint, days: pl.DataFrame) -> UsedLately | None:
    dates = days.filter(pl.col("direction") != "generation")["date"]
    first, last = dates.min(), dates.max()
    if not isinstance(first, date) or not isinstance(last, date):
        return None
    is_gas = sum_of(days, "import", "MJ") is not None and not (days["unit"] == "KWH").any()

    def used_in(span: Period) -> Used | None:
        if span.first < first:
            return None
        within = days.filter(pl.col("date").is_between(span.first, span.last))
        return Used(sum_of(within, "import", "MJ" if is_gas else "KWH"), sum_of(within, "export", "KWH"))

    lately = Period(max(first, last - _LATELY + timedelta(1)), last)
    now, is_whole = used_in(lately), lately.days == _LATELY.days
    assert now is not None
    return UsedLately(
        service_point_id=point.id,
        unit="MJ" if is_gas else "kWh",
        is_from_bills=any(note.code == "energy_from_bills" for note in point.notes),
        days=lately,
        now=now,
        before=used_in(Period(lately.first - _LATELY, lately.first - timedelta(1))) if is_whole else None,
        last_year=used_in(Period(lately.first - _YEAR_APART, lately.last - _YEAR_APART)) if is_whole else None,
        doubtful=doubtful_energy(days.filter(pl.col("date").is_between(lately.first, lately.last))),
    )
