"""What the panels made and where it went, as ranges: a net meter and an unknown roof leave both uncertain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import inf
from typing import cast

import polars as pl
from msgspec import structs

from toolkit.analytics.energy.intervals.prepare import midnight
from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.solar.inference import (
    BUSY_KW,
    MIN_SUNNY_DAYS,
    evening_generation_kwh,
    generation_bounds,
    gross_metered,
    inferred_panels_kw,
    sunny_days,
    with_generation,
)
from toolkit.analytics.energy.solar.sun import expected_kwh, with_clear_output
from toolkit.analytics.energy.usage.half_hours import half_hours
from toolkit.answers.base import Note
from toolkit.answers.energy.solar import Range, ServicePointSolar
from toolkit.remedies import Message, Remedy
from toolkit.tables.schema.meters import DerRecordRow
from toolkit.units import NANO

__all__ = ["Panels", "SolarEstimate", "registered_devices", "service_point_solar"]

Band = tuple[float, float, float]
"""Low, middle and high estimate, kWh."""

_FEWEST_EXPORTED = 0.15
"""Share of generation exported below which the generation cannot be estimated from it."""

INFERRED = "inferred from export"
BATTERY = "The home has a battery. The meter does not show its charging and discharging, so shares are not estimated."
NO_SIZE_NO_EXPORT = Message(
    "The size of the panels is unknown and there is too little export to estimate it: ", Remedy.SET_PANELS, "."
)
NO_READS = "There are no reads on these days."
NOT_IN_USE = "The panels have been in use only since {since}, after these days."
NO_EXPORT = "The meter has no reads of export within the day, so how much is used at home is not known."
FEW_DAYS = f"Export on fewer than {MIN_SUNNY_DAYS} sunny days: too few to estimate how much is used at home."
LITTLE_EXPORT = "Too little is exported to estimate what the panels generated."
GROSS = "The export register seems to count all that the panels generate, so how much is used at home is not known."


@dataclass(frozen=True, slots=True)
class Panels:
    """kw: rated size, source: where it comes from; both None where unknown. since: first day in use."""

    kw: float | None = None
    source: str | None = None
    inverter_kw: float | None = None
    storage_kwh: float | None = None
    since: date | None = None


def registered_devices(records: Sequence[DerRecordRow], service_point_id: str) -> Panels:
    """Sum up the register of devices at a service point: solar, inverters, storage; None where none has a figure."""
    here = [row for row in records if row.service_point_id == service_point_id and row.vanished_at is None]

    def total(sizes: Iterable[float | None]) -> float | None:
        known = [size for size in sizes if size]
        return sum(known) if known else None

    return Panels(
        kw=total(row.panels_kw for row in here),
        inverter_kw=total(row.inverter_kw for row in here),
        storage_kwh=total(row.storage_kwh for row in here),
        since=min((row.commissioning_date for row in here if row.commissioning_date), default=None),
    )


@dataclass(frozen=True, slots=True)
class SolarEstimate:
    """An answer without money, and what it was made from."""

    answer: ServicePointSolar
    slots: pl.DataFrame | None
    """Half hours with `generation_kwh` and `used_kwh`; None where self-consumption is not estimated."""


def service_point_solar(
    reads: pl.DataFrame, *, zone: str, city: City, panels: Panels, from_: date | None = None, to: date | None = None
) -> SolarEstimate:
    """Estimate what the panels at one service point made over the days of `reads` (frame `reads`).

    With export by the half hour each day's clearness follows from the home's own export; without it, generation is the
    city's typical yield times the size. A battery, a gross meter, little export or few days leave the shares null, and
    `reason` explains it. zone: IANA. from_, to: the days asked for, where they are not those of the reads.
    """
    in_use = reads if panels.since is None else reads.filter(pl.col("date") >= panels.since)
    exported = in_use.filter((pl.col("direction") == "export") & (pl.col("unit") == "KWH"))["energy_nano"].drop_nulls()
    export = None if exported.is_empty() else int(exported.sum()) / NANO
    slots = with_clear_output(half_hours(in_use), city)
    panels = _sized(panels, slots, zone)
    typical = _typical(in_use, slots, city, panels)
    floor = export or 0.0
    answer = ServicePointSolar(
        service_point_id="" if reads.is_empty() else str(reads["service_point_id"][0]),
        panels_kw=panels.kw,
        panels_source=panels.source,
        inverter_kw=panels.inverter_kw,
        storage_kwh=panels.storage_kwh,
        export_kwh=export,
        generation_kwh=Range.rounded((max(value, floor) for value in typical), 3) if typical else Range(),
        self_consumption=None,
        self_sufficiency=None,
        reason=_without_days(reads, in_use, panels) or _why_not(slots, panels),
        from_=from_ if reads.is_empty() else from_ or cast("date", reads["date"].min()),
        to=to if reads.is_empty() else to or cast("date", reads["date"].max()),
        notes=() if typical is None else (Note("roof_assumed"),),
    )
    if answer.reason is None and panels.kw is not None:
        return _estimated(answer, with_generation(slots, zone, panels.kw, panels.inverter_kw), typical, city, zone)
    # Where nothing but the export is known, the panels made that, and perhaps more.
    measured = slots["export_kwh"].drop_nulls()
    least = floor if measured.is_empty() else float(measured.sum())
    return SolarEstimate(_with_notes(answer, *_size_notes(answer, typical, least, inf)), None)


def _with_notes(answer: ServicePointSolar, *notes: Note) -> ServicePointSolar:
    return structs.replace(answer, notes=(*answer.notes, *notes))


def _without_days(reads: pl.DataFrame, in_use: pl.DataFrame, panels: Panels) -> str | None:
    """Return why there is no day to look at; None where there is one."""
    if reads.is_empty():
        return NO_READS
    return NOT_IN_USE.format(since=panels.since) if in_use.is_empty() else None


def _sized(panels: Panels, slots: pl.DataFrame, zone: str) -> Panels:
    if panels.kw is not None or panels.storage_kwh:
        return panels
    kw = inferred_panels_kw(slots, zone, panels.inverter_kw)
    return panels if kw is None else replace(panels, kw=round(kw, 1), source=INFERRED)


def _why_not(slots: pl.DataFrame, panels: Panels) -> str | None:
    """Return why the shares cannot be estimated; None where they can."""
    exporting = slots["export_kwh"].drop_nulls()
    checks = (
        (bool(panels.storage_kwh), BATTERY),
        (panels.kw is None, NO_SIZE_NO_EXPORT),
        (exporting.is_empty(), NO_EXPORT),
        (sunny_days(slots) < MIN_SUNNY_DAYS, FEW_DAYS),
        (gross_metered(slots), GROSS),
    )
    return next((reason for holds, reason in checks if holds), None)


def _typical(reads: pl.DataFrame, slots: pl.DataFrame, city: City, panels: Panels) -> Band | None:
    """The city's typical yield over the half hours measured, else over the days read; None without a size."""
    if panels.kw is None or reads.is_empty():
        return None
    measured = slots.filter(pl.col("export_kwh").is_not_null())
    if measured.is_empty():
        ends = reads.select(first=pl.col("date").min(), last=pl.col("date").max().dt.offset_by("1d"))
        first, last = ends.select(midnight("first"), midnight("last")).row(0)
        half_hours_of_days = pl.DataFrame(
            {"starts_at": pl.datetime_range(first, last, "30m", closed="left", eager=True)}
        )
        measured = with_clear_output(half_hours_of_days, city)
    return expected_kwh(float(measured["clear_kwh"].sum()), city, panels.kw)


def _estimated(
    answer: ServicePointSolar, slots: pl.DataFrame, typical: Band | None, city: City, zone: str
) -> SolarEstimate:
    """Fill in generation and shares. slots: half hours with `generation_kwh`."""
    made, exported = float(slots["generation_kwh"].sum()), float(slots["export_kwh"].sum())
    if not made or exported / made < _FEWEST_EXPORTED:
        return SolarEstimate(structs.replace(answer, reason=LITTLE_EXPORT), None)
    panels_kw, inverter_kw = answer.panels_kw or 0.0, answer.inverter_kw
    stated = None if answer.panels_source == INFERRED else panels_kw
    low, high = generation_bounds(slots, zone=zone, city=city, panels_kw=stated, inverter_kw=inverter_kw)
    # The middle lies between what an empty home and one with people in by day would have left to export.
    generation = (min(low, made), made, max(high, made))
    bought = float(slots["import_kwh"].sum())
    used = [value - exported for value in generation]
    likely = evening_generation_kwh(slots, zone=zone, city=city, panels_kw=panels_kw)
    filled = structs.replace(
        answer,
        generation_kwh=Range.rounded(generation, 3),
        self_consumption=Range.rounded((1 - exported / value if value else 0.0 for value in generation), 4),
        self_sufficiency=Range.rounded((own / (bought + own) if bought + own else 0.0 for own in used), 4),
    )
    notes = (Note("solar_used_estimated", kw=BUSY_KW), *_size_notes(answer, typical, generation[0], max(made, likely)))
    return SolarEstimate(_with_notes(filled, *notes), slots)


def _size_notes(answer: ServicePointSolar, typical: Band | None, low: float, high: float) -> list[Note]:
    """Return a note if the estimated generation [kWh, low to high] contradicts the entered size of the panels."""
    if typical is None or answer.panels_source == INFERRED:
        return []
    if high < typical[0]:
        return [Note("generation_low", low=typical[0], high=typical[2])]
    if low > typical[2]:
        return [Note("generation_high", low=typical[0], high=typical[2])]
    return []
