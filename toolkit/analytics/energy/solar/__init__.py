"""What the panels made and where it went: measured where it can be, else inferred from the export, as ranges."""

from __future__ import annotations

from datetime import date
from typing import cast

import polars as pl
from msgspec import structs

from toolkit.analytics.energy.solar.climate import CITIES, City
from toolkit.analytics.energy.solar.clock import clock_error, found_at, hours_off_noon
from toolkit.analytics.energy.solar.day_matrix import battery_suspected, matrix_of
from toolkit.analytics.energy.solar.estimated_answer import estimated_answer
from toolkit.analytics.energy.solar.home import (
    CLOCK_OFF,
    Home,
    Panels,
    SolarEstimate,
    inferred_roof,
    registered_devices,
    sunny_days,
)
from toolkit.analytics.energy.solar.inference import MIN_SUNNY_DAYS, Inference, infer
from toolkit.analytics.energy.solar.measured import (
    Measured,
    doubtful_generation,
    gross_metered,
    measured_generation,
)
from toolkit.analytics.energy.solar.measured_answer import gross_metered_answer, measured_answer
from toolkit.analytics.energy.solar.roofs import Array, roof_of
from toolkit.analytics.energy.solar.sun import with_clear_output
from toolkit.analytics.energy.usage import registers
from toolkit.analytics.energy.usage.reads import doubtful_reads, half_hours, split_by_register
from toolkit.answers.base import Note
from toolkit.answers.energy.solar import Range, ServicePointSolar
from toolkit.units import NANO

__all__ = ["NOT_A_HOME", "Array", "Panels", "SolarEstimate", "registered_devices", "service_point_solar"]

NO_READS = "There are no reads on these days."
NOT_A_HOME = "The energy of these reads cannot be right, so nothing is estimated from them."
NOT_A_ROOF = "What was measured of the generation cannot be right, so no share rests on it."
NOT_IN_USE = "The panels have been in use only since {since}, after these days."


def service_point_solar(
    reads: pl.DataFrame, *, city: City | None, panels: Panels, from_: date | None = None, to: date | None = None
) -> SolarEstimate:
    """Work out what the panels at one service point made over the days of `reads` (frame `reads`).

    Registers of direction `generation` are measured, and outrank every estimate; a gross meter's export is generation.
    With export by the half hour alone generation is inferred from its shape (`inference`); without it, it is the city's
    typical yield times the size. A battery, little export or few days leave the shares null, and `reason` explains it.
    city: None where the place of the home is not known; then the sun is Sydney's. from_, to: the days asked for, where
    they are not those of the reads.
    """
    sun = city or CITIES[0]
    in_use = reads if panels.since is None else reads.filter(pl.col("date") >= panels.since)
    exported = in_use.filter((pl.col("direction") == "export") & (pl.col("unit") == "KWH"))["energy_nano"].drop_nulls()
    export = None if exported.is_empty() else int(exported.sum()) / NANO
    home = Home(in_use, with_clear_output(half_hours(in_use), sun), sun, panels, city)
    metered = reads.filter(pl.col("direction") != "generation")["date"]
    span = metered if len(metered) else reads["date"]
    answer = ServicePointSolar(
        service_point_id="" if reads.is_empty() else str(reads["service_point_id"][0]),
        panels_kw=panels.kw,
        panels_source=panels.source,
        inverter_kw=panels.inverter_kw,
        storage_kwh=panels.storage_kwh,
        export_kwh=export,
        generation_kwh=Range(),
        self_consumption=None,
        self_sufficiency=None,
        reason=_without_days(reads, in_use, panels),
        from_=from_ if reads.is_empty() else from_ or cast("date", span.min()),
        to=to if reads.is_empty() else to or cast("date", span.max()),
        roof=inferred_roof(roof_of(panels.arrays)),
    )
    if answer.reason is not None:
        return SolarEstimate(answer, None)
    answer = _with_coverage(answer, in_use, panels)
    measured = measured_generation(in_use)
    if doubtful := doubtful_reads(in_use):
        return _refused(answer, NOT_A_HOME, doubtful)
    if measured is not None and (doubtful := doubtful_generation(measured)):
        return _refused(answer, NOT_A_ROOF, doubtful)
    if measured is None and gross_metered(home.slots):
        return gross_metered_answer(home, answer)
    clock = _clock_notes(home)
    answer = structs.replace(answer, notes=(*answer.notes, *clock))
    is_of_export = measured is None or measured.slots is None
    is_off = is_of_export and any(note.code == CLOCK_OFF for note in clock)
    inference = None if is_off else _inference(home, measured)  # under another sun export shows another roof
    if measured is not None:
        return measured_answer(home, answer, measured, inference)
    return estimated_answer(home, answer, inference)


def _refused(answer: ServicePointSolar, reason: str, doubtful: Note) -> SolarEstimate:
    """Return the answer without any figure of the generation. doubtful: why, and what to do about it."""
    return SolarEstimate(structs.replace(answer, reason=reason, notes=(*answer.notes, doubtful)), None)


def _with_coverage(answer: ServicePointSolar, in_use: pl.DataFrame, panels: Panels) -> ServicePointSolar:
    """Return the answer with how much of its days, while the panels are in use, is metered and substituted."""
    assert answer.from_ is not None
    assert answer.to is not None
    first = max(answer.from_, panels.since or answer.from_)
    coverage, substituted = registers.known_shares(split_by_register(in_use), first, answer.to)
    return structs.replace(answer, coverage=coverage, substituted_share=substituted)


def _clock_notes(home: Home) -> tuple[Note, ...]:
    """Return a note where the sun shows that the clock of the reads is off."""
    error = found_at(home.place, clock_error, home.slots)
    if error is None or (error.summer and home.panels.storage_kwh):  # the hour at which a battery is full moves
        return _off_noon(home)
    side = "late" if error.hours > 0 else "early"
    if error.summer:
        return (Note("clock_in_summer", side=side),)
    return (Note(CLOCK_OFF, hours=abs(error.hours), side=side),)


def _off_noon(home: Home) -> tuple[Note, ...]:
    """Return a note where the export lies an hour from noon, and no entered array faces that side.

    None with a battery: it takes the morning's export.
    """
    hours = found_at(home.place, hours_off_noon, home.slots)
    if hours is None:
        return ()
    is_morning = hours < 0
    azimuths = [azimuth % 360 for array in home.panels.arrays if (azimuth := array.azimuth) is not None]
    if any((20 <= azimuth <= 160) if is_morning else (200 <= azimuth <= 340) for azimuth in azimuths):
        return ()
    stored = home.panels.storage_kwh
    if stored or (stored is None and battery_suspected(matrix_of(home.slots, home.city))):
        return ()
    side, facing = ("before", "east") if is_morning else ("after", "west")
    return (Note("export_off_noon", side=side, facing=facing),)


def _without_days(reads: pl.DataFrame, in_use: pl.DataFrame, panels: Panels) -> str | None:
    """Return why there is no day to look at; None where there is one."""
    if reads.is_empty():
        return NO_READS
    return NOT_IN_USE.format(since=panels.since) if in_use.is_empty() else None


def _inference(home: Home, measured: Measured | None) -> Inference | None:
    """Infer roof and clear-sky output from measured half hours of generation, else from the export."""
    panels = home.panels
    arrays = panels.arrays or ((Array(panels.kw),) if panels.kw else ())
    slots = home.slots
    if measured is not None and measured.slots is not None:
        slots = measured.slots.select("starts_at", export_kwh="generation_kwh", import_kwh=pl.lit(0.0))
    if slots.is_empty() or sunny_days(with_clear_output(slots, home.city)) < MIN_SUNNY_DAYS:
        return None
    return infer(slots, home.city, arrays=arrays, inverter_kw=panels.inverter_kw)
