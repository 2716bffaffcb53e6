"""Whether the clock of a meter's file fits the sun, controlled load or people's evenings: notes on its import."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from shlex import quote
from zoneinfo import ZoneInfo

from toolkit.analytics.energy.solar import climate
from toolkit.analytics.energy.solar.clock import ClockError, clock_error
from toolkit.analytics.energy.usage.clock import hours_off_by_controlled_load, hours_off_by_evenings
from toolkit.analytics.energy.usage.half_hours import half_hours
from toolkit.answers.base import Note
from toolkit.flows.household.service_points import ServicePoint, all_reads, service_points
from toolkit.importers.imported import Imported
from toolkit.importers.source import Source
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

_MOST_METERS = 3
"""Files of many meters are of a network or a study; each look takes about a tenth of a second."""
_MOST_DAYS = 400
_OWN_CLOCK = "usage-csv"
"""Tables may be in any time zone. NEM12 is in eastern standard time, Green Button in UTC."""


def clock_notes(store: Store, household: HouseholdRow, source: Source, imported: Imported) -> list[Note]:
    """Return a note for each meter of a stored file with reads that another clock would explain better."""
    days: dict[str, list[date]] = {}
    for row in imported.tables.get("register_days", ()):
        if isinstance(row["date"], date):
            days.setdefault(str(row["service_point_id"]), []).append(row["date"])
    if not 0 < len(days) <= _MOST_METERS:
        return []
    points = [each for each in service_points(store, household, fuel="ELECTRICITY") if each.id in days]
    found = [(point, _error(store, household.household_id, point, days[point.id])) for point in points]
    return [_note(point, *error, source, imported.kind) for point, error in found if error is not None]


def _error(store: Store, household_id: str, point: ServicePoint, days: list[date]) -> tuple[ClockError, str] | None:
    """Return how the clock is off and what shows it; where the home exports, the sun does."""
    last = max(days)
    first = max(min(days), last - timedelta(_MOST_DAYS - 1))
    reads, _ = all_reads(store, household_id, point, from_=first, to=last)
    slots = half_hours(reads)
    if slots["export_kwh"].sum():
        error = clock_error(slots, climate.city(point.state, point.postcode) or climate.CITIES[0])
        return None if error is None else (error, "the sun")
    if (hours := hours_off_by_controlled_load(slots, point.zone)) is not None:
        return ClockError(hours), "the hours of controlled load"
    if (hours := hours_off_by_evenings(slots, point.zone)) is not None:
        return ClockError(hours), "the hours at which most power is used"
    return None


def _note(point: ServicePoint, error: ClockError, evidence: str, source: Source, kind: str) -> Note:
    side = "late" if error.hours > 0 else "early"
    hours = abs(error.hours)
    if kind != _OWN_CLOCK:
        if error.summer:
            return Note("file_clock_in_summer_fixed", side=side, evidence=evidence)
        return Note("file_clock_off_fixed", side=side, evidence=evidence, hours=hours)
    zone, file = _likely_zone(point, error), quote(source.name)
    if error.summer:
        return Note("file_clock_in_summer", side=side, evidence=evidence, zone=zone, file=file)
    return Note("file_clock_off", side=side, evidence=evidence, hours=hours, zone=zone, file=file)


def _likely_zone(point: ServicePoint, error: ClockError) -> str:
    """Return the time zone that the file's times are probably in, by its error under the home's; ZONE where unclear."""
    if error.summer:
        return "Australia/Sydney" if error.hours > 0 else "Australia/Brisbane"
    offset = datetime(2026, 7, 1, tzinfo=ZoneInfo(point.zone)).utcoffset() or timedelta()
    return "UTC" if abs(offset + timedelta(hours=error.hours)) <= timedelta(hours=1) else "ZONE"
