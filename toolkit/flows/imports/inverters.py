"""An inverter's file: which meter it stands behind, and whether its generation and clock agree with that meter."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from shlex import quote

import polars as pl

from toolkit.analytics.energy.solar.alignment import Alignment, Misfit, alignment, misfit_with_battery
from toolkit.analytics.energy.solar.measured import INVERTER_METER
from toolkit.analytics.energy.usage.clock import generation_clock_note, sells_stored_energy
from toolkit.analytics.energy.usage.reads import half_hours
from toolkit.answers.base import Note
from toolkit.errors import ImportFailedError
from toolkit.flows.household.service_points import ServicePoint, all_reads, service_points
from toolkit.importers.imported import Imported
from toolkit.importers.source import Source
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

_OF_METERS = ("registers", "register_days", "meter_reads")
_DAYS = {"register_days": ("date", "date"), "meter_reads": ("start_date", "end_date")}


def meter_behind(store: Store, household: HouseholdRow, wanted: str | None, source: Source) -> ServicePoint:
    """Return the service point that an inverter stands behind: the one named, else the only one.

    Raises ImportFailedError if there is none, or several and none is named.
    """
    points = service_points(store, household, wanted, fuel="ELECTRICITY")
    if not points:
        reason = Message("holds the generation of an inverter, and there is no electricity meter yet: ", _ADD_METER)
        raise ImportFailedError(source.name, reason)
    if len(points) > 1:
        ids = ", ".join(point.id for point in points)
        reason = Message(f"holds generation, and there are several meters ({ids}): ", Remedy.METER_OF_INVERTER)
        raise ImportFailedError(source.name, reason)
    return points[0]


_MISFITS: Mapping[Misfit, str] = {
    "unlike": "what the meter buys and sells does not follow this file's generation from day to day",
    "used_less_than_nothing": "over 30 days the meter sold more than this file generated and the home bought",
}
_ADD_METER = "import the meter's file first, or both together"


def attach(imported: Imported, point: ServicePoint) -> None:
    """Make a meter's service point that of an inverter's rows."""
    for name in _OF_METERS:
        imported.tables[name] = [{**row, "service_point_id": point.id} for row in imported.tables.get(name, [])]
    imported.places = {(point.id, *key[1:]): place for key, place in imported.places.items()}


def check(store: Store, household_id: str, point: ServicePoint, source: Source, imported: Imported) -> None:
    """Compare stored generation with the meter's export and with the sun on the file's days.

    Warns of another clock, and of a day's export beyond what was generated, unless a battery sells, which hides both.
    Raises ImportFailedError if the generation is of another home.
    """
    days = [
        day
        for name, columns in _DAYS.items()
        for row in imported.tables.get(name, [])
        for column in columns
        if isinstance(day := row[column], date)
    ]
    if not days:
        return
    reads, _ = all_reads(store, household_id, point, from_=min(days), to=max(days), generation=True)
    if _sells_stored_energy(reads, point):
        imported.notes.append(Note("generation_beside_battery", meter=point.id))
        if misfit := misfit_with_battery(reads):
            imported.warn(source.name, f"{_MISFITS[misfit]}: it may be of another home")
        return
    found = alignment(reads, zone=point.zone)
    if found.is_other_home:
        raise ImportFailedError(
            source.name,
            f"does not belong to meter {point.id}: on {found.days_beyond} of {found.days} days the meter exported more "
            "than this file generated, and the two do not rise and fall together",
        )
    if found.days_beyond:
        what = f"on {found.days_beyond} of {found.days} days the meter exported more than this file generated: "
        more = "it may be of another home, or lack a second inverter or a battery"
        imported.warn(source.name, what + more)
    if found.is_unlike:
        what = "the meter's export and this file's generation do not rise and fall together: it may be of another home"
        imported.warn(source.name, what)
    if found.shift_hours or found.summer_shift_hours:
        imported.warn(source.name, _shifted(source, point, found))
    elif note := generation_clock_note(
        _generated(reads), point.zone, point.state, point.postcode, file=quote(source.name)
    ):
        imported.notes.append(note)
    if reads.filter(pl.col("direction") == "export").is_empty():
        imported.notes.append(Note("generation_not_compared", meter=point.id))


def _generated(reads: pl.DataFrame) -> pl.DataFrame:
    """Return the half hours of the inverter's generation, as `export_kwh`."""
    generation = (pl.col("direction") == "generation") & (pl.col("meter_id") == INVERTER_METER)
    return half_hours(reads.filter(generation).with_columns(direction=pl.lit("export")))


def _sells_stored_energy(reads: pl.DataFrame, point: ServicePoint) -> bool:
    exported = half_hours(reads.filter(pl.col("direction") == "export"))
    return sells_stored_energy(exported, _generated(reads), point.state, point.postcode)


def _shifted(source: Source, point: ServicePoint, found: Alignment) -> Message:
    """Word which way the clock of the file is off: a positive shift is behind the meter's."""
    if found.summer_shift_hours:
        hours = found.summer_shift_hours
        words = (
            f"the file's clock is {abs(hours):g} h {'behind' if hours > 0 else 'ahead of'} the meter's in summer only"
        )
        words += ", as one with other daylight-saving rules"
    else:
        hours = found.shift_hours
        words = f"the file's clock is {abs(hours):g} h {'behind' if hours > 0 else 'ahead of'} the meter's"
    fixed = Remedy.FILE_CLOCK.with_(zone="ZONE", file=quote(source.name))
    return Message(f"{words} ({point.zone}): ", fixed)
