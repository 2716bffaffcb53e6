"""When energy is used."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import polars as pl
from msgspec.structs import replace

from toolkit.analytics.energy.usage import half_hours, heat_map, load_duration, service_point_usage
from toolkit.answers.base import Note
from toolkit.answers.energy.usage import ServicePointUsage, Usage
from toolkit.flows.household.billing_periods import where_reads_lie
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import ServicePoint, all_reads, service_points
from toolkit.store import Store
from toolkit.units import AEST_OFFSET


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
                earlier, _ = all_reads(store, home, point, from_=_year_before(from_), to=from_ - timedelta(1))
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


def _year_before(day: date) -> date:
    """Return the date a year before; 28 February for the 29th."""
    return day.replace(year=day.year - 1, day=28 if (day.month, day.day) == (2, 29) else day.day)


def _about_days(point: ServicePoint, facts: ServicePointUsage) -> list[Note]:
    """Why a bill's days may hold other energy, where local time differs from the meters' AEST within these days."""
    if facts.from_ is None or facts.to is None or point.fuel != "ELECTRICITY":
        return []
    zone, days = ZoneInfo(point.zone), range((facts.to - facts.from_).days + 2)
    midnights = (datetime.combine(facts.from_ + timedelta(n), time(), zone) for n in days)
    return [Note("meter_days")] if any(midnight.utcoffset() != AEST_OFFSET for midnight in midnights) else []


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
