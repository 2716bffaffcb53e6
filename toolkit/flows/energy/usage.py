"""When energy is used."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from toolkit.analytics.energy.usage import half_hours, heat_map, load_duration, service_point_usage
from toolkit.flows.household.billing_periods import where_reads_lie
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import ServicePoint, all_reads, service_points
from toolkit.store import Store

AEST = timedelta(hours=10)
METER_DAYS = (
    "Days and months here are meter days, from midnight to midnight by AEST the year round; the days of a bill are "
    "those of its plan's clock."
)


def usage(ctx: Context, *, from_: date | None = None, to: date | None = None) -> dict[str, Any]:
    """`usage`: see docs/commands.md, for every service point of the household or the one named.

    `from_` and `to` are meter days (AEST), inclusive: totals, days and months are sums of whole meter days. What lies
    within the day (peak, base load, average day) is on the home's clock. `notes` of a service point say what was
    assumed, and why figures are null.
    """
    with open_home(ctx) as (store, household):
        points = service_points(store, household, ctx.service_point)
        answers = [_point_usage(store, household.household_id, point, from_, to) for point in points]
    return {
        "service_points": [answer for answer, _ in answers],
        "problems": [problem for _, problems in answers for problem in problems],
    }


def _point_usage(
    store: Store, household_id: str, point: ServicePoint, from_: date | None, to: date | None
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    reads, problems = all_reads(store, household_id, point, from_=from_, to=to)
    facts = service_point_usage(reads, zone=point.zone, from_=from_, to=to)
    if facts["registers"]:
        about = _about_days(point, facts["from"], facts["to"])
    else:
        about = where_reads_lie(store, household_id, point)
    facts["notes"] = [*map(str, point.notes), *about, *facts["notes"]]
    answer = {"service_point_id": point.id, "fuel": point.fuel, "timezone": point.zone, **facts}
    return answer, [problem.as_json() for problem in problems]


def _about_days(point: ServicePoint, first: date | None, last: date | None) -> list[str]:
    """Why a bill's days may hold other energy, where the home's clock leaves the meters' within these days."""
    if first is None or last is None or point.fuel != "ELECTRICITY":
        return []
    zone, days = ZoneInfo(point.zone), range((last - first).days + 2)
    midnights = (datetime.combine(first + timedelta(n), time(), zone) for n in days)
    return [METER_DAYS] if any(moment.utcoffset() != AEST for moment in midnights) else []


def usage_map(ctx: Context, *, from_: date | None = None, to: date | None = None) -> dict[str, dict[str, pl.DataFrame]]:
    """Frames to draw, by service point: `heat_map` (date, minute, value in kW) and `load_duration` (share, kw)."""
    with open_home(ctx) as (store, household):
        points = service_points(store, household, ctx.service_point)
        reads = {point: all_reads(store, household.household_id, point, from_=from_, to=to)[0] for point in points}
    slots = {point: half_hours(frame) for point, frame in reads.items()}
    return {
        point.id: {"heat_map": heat_map(frame, point.zone), "load_duration": load_duration(frame)}
        for point, frame in slots.items()
    }
