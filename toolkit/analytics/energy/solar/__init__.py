"""What the panels made and where it went: measured where it can be, else inferred from the export, as ranges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import inf
from typing import cast

import numpy as np
import polars as pl
from msgspec import structs

from toolkit.analytics.energy.intervals.prepare import midnight
from toolkit.analytics.energy.solar import working
from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.solar.clock import OFF_NOON, clock_error, hours_from_noon
from toolkit.analytics.energy.solar.inference import MIN_SUNNY_DAYS, Inference, infer
from toolkit.analytics.energy.solar.measured import Measured, gross_metered, measured_generation
from toolkit.analytics.energy.solar.roofs import Array, Roof, roof_of
from toolkit.analytics.energy.solar.sun import expected_kwh, with_clear_output
from toolkit.analytics.energy.usage.reads import half_hours
from toolkit.answers.base import Note
from toolkit.answers.energy.solar import InferredRoof, Range, ServicePointSolar
from toolkit.remedies import Message, Remedy
from toolkit.tables.schema.meters import DerRecordRow
from toolkit.units import NANO

__all__ = ["Array", "Panels", "SolarEstimate", "registered_devices", "service_point_solar"]

Band = tuple[float, float, float]
"""Low, middle and high estimate, kWh."""

_OTHER_SIZE = 1.5
"""An entered size that typically makes this many times what was inferred is taken for a mistake."""
_FEWEST_EXPORTED = 0.15
"""Share of generation exported below which the generation cannot be estimated from it."""
_MOST_BEYOND = 1.02
"""Export over measured generation beyond which the two cannot be of one home without a battery."""

INFERRED = "inferred from export"
BATTERY = "The home has a battery. The meter does not show its charging and discharging, so shares are not estimated."
BATTERY_SUSPECTED = Message(
    "Evenings after sunny days buy almost nothing, as if a battery served them, so shares are not estimated: ",
    Remedy.SET_BATTERY,
    ".",
)
NO_SIZE_NO_EXPORT = Message(
    "The size of the panels is unknown and there is too little export to estimate it: ", Remedy.SET_PANELS, "."
)
NO_READS = "There are no reads on these days."
NOT_IN_USE = "The panels have been in use only since {since}, after these days."
NO_EXPORT = "The meter has no reads of export within the day, so how much is used at home is not known."
FEW_DAYS = f"Export on fewer than {MIN_SUNNY_DAYS} sunny days: too few to estimate how much is used at home."
LITTLE_EXPORT = "Too little is exported to estimate what the panels generated."
GROSS = "The meter counts all that the panels generate, so how much of it is used at home is not known."
NOT_ONE_HOME = (
    "The meter exported more than the panels generated: the generation may be of another home, lack an inverter, or "
    "pass through a battery."
)


@dataclass(frozen=True, slots=True)
class Panels:
    """kw: rated size, source: where it comes from; both None where unknown. since: first day in use.

    arrays: each with its size and orientation, as far as known. storage_kwh: of a battery; 0 where there is none for
    certain, None where not known.
    """

    kw: float | None = None
    source: str | None = None
    inverter_kw: float | None = None
    storage_kwh: float | None = None
    since: date | None = None
    arrays: tuple[Array, ...] = ()


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
    """Half hours with `generation_kwh` and `used_kwh`; None where self-consumption is not known."""

    @property
    def self_use_shares(self) -> tuple[float, float, float]:
        """What is used at home at the lowest, middle and highest generation, as a share of the middle estimate."""
        made = self.answer.generation_kwh.values
        used = 0.0 if self.slots is None else float(self.slots["used_kwh"].sum())
        if made is None or used <= 0:
            return 1.0, 1.0, 1.0
        low, mid, high = made
        return max(1 - (mid - low) / used, 0.0), 1.0, 1 + (high - mid) / used


@dataclass(frozen=True, slots=True)
class _Home:
    """One service point while its panels are in use. slots: half hours, with the clear sky over the assumed roof."""

    reads: pl.DataFrame
    slots: pl.DataFrame
    city: City
    panels: Panels


def service_point_solar(
    reads: pl.DataFrame, *, city: City, panels: Panels, from_: date | None = None, to: date | None = None
) -> SolarEstimate:
    """Work out what the panels at one service point made over the days of `reads` (frame `reads`).

    Registers of direction `generation` are measured, and outrank every estimate; a gross meter's export is generation.
    With export by the half hour alone generation is inferred from its shape (`inference`); without it, it is the city's
    typical yield times the size. A battery, little export or few days leave the shares null, and `reason` explains it.
    from_, to: the days asked for, where they are not those of the reads.
    """
    in_use = reads if panels.since is None else reads.filter(pl.col("date") >= panels.since)
    exported = in_use.filter((pl.col("direction") == "export") & (pl.col("unit") == "KWH"))["energy_nano"].drop_nulls()
    export = None if exported.is_empty() else int(exported.sum()) / NANO
    home = _Home(in_use, with_clear_output(half_hours(in_use), city), city, panels)
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
        roof=_planes(roof_of(panels.arrays)),
    )
    if answer.reason is not None:
        return SolarEstimate(answer, None)
    measured = measured_generation(in_use)
    if measured is None and gross_metered(home.slots):
        return _gross(home, answer)
    inference = _inference(home, measured)
    answer = structs.replace(answer, notes=(*answer.notes, *_clock_notes(home)))
    if measured is not None:
        return _measured(home, answer, measured, inference)
    return _estimated(home, answer, inference)


def _clock_notes(home: _Home) -> tuple[Note, ...]:
    """Return a note where the sun shows that the clock of the reads is off."""
    error = clock_error(home.slots, home.city)
    if error is None:
        return _off_noon(home)
    side = "late" if error.hours > 0 else "early"
    if error.summer:
        return (Note("clock_in_summer", side=side),)
    return (Note("clock_off", hours=abs(error.hours), side=side),)


def _off_noon(home: _Home) -> tuple[Note, ...]:
    """Return a note where the export lies an hour from noon, and no entered array faces that side."""
    hours = hours_from_noon(home.slots, home.city)
    if hours is None or abs(hours) < OFF_NOON:
        return ()
    is_morning = hours < 0
    azimuths = [azimuth % 360 for array in home.panels.arrays if (azimuth := array.azimuth) is not None]
    if any((20 <= azimuth <= 160) if is_morning else (200 <= azimuth <= 340) for azimuth in azimuths):
        return ()
    side, facing = ("before", "east") if is_morning else ("after", "west")
    return (Note("export_off_noon", side=side, facing=facing),)


def _without_days(reads: pl.DataFrame, in_use: pl.DataFrame, panels: Panels) -> str | None:
    """Return why there is no day to look at; None where there is one."""
    if reads.is_empty():
        return NO_READS
    return NOT_IN_USE.format(since=panels.since) if in_use.is_empty() else None


def _planes(roof: Roof | None) -> tuple[InferredRoof, ...] | None:
    if roof is None:
        return None
    return tuple(
        InferredRoof(azimuth=plane.azimuth % 360, tilt=plane.tilt, share=round(share, 2))
        for plane, share in zip(roof.planes, roof.shares, strict=True)
    )


def _inference(home: _Home, measured: Measured | None) -> Inference | None:
    """Infer roof and clear-sky output from measured half hours of generation, else from the export."""
    panels = home.panels
    arrays = panels.arrays or ((Array(panels.kw),) if panels.kw else ())
    slots = home.slots
    if measured is not None and measured.slots is not None:
        slots = measured.slots.select("starts_at", export_kwh="generation_kwh", import_kwh=pl.lit(0.0))
    if slots.is_empty() or _sunny_days(with_clear_output(slots, home.city)) < MIN_SUNNY_DAYS:
        return None
    return infer(slots, home.city, arrays=arrays, inverter_kw=panels.inverter_kw)


def _sunny_days(slots: pl.DataFrame) -> int:
    """Return the number of days that export in at least four half hours with the sun well up."""
    sunny = slots.filter((pl.col("elevation") > 20) & (pl.col("export_kwh") > 0))
    return sunny.group_by(pl.col("starts_at").dt.offset_by("10h").dt.date()).len().filter(pl.col("len") >= 4).height


def _expectation(home: _Home, inference: Inference | None) -> tuple[working.Expectation | None, float]:
    """Return what clear skies are worth by month, and the factor of the potential that it is counted from."""
    if inference is None or inference.panels_kw <= 0:
        return None, 1.0
    if home.panels.kw:
        return working.Expectation.of_rated(home.city), home.panels.kw / inference.panels_kw
    return working.Expectation.of_inferred(home.city), 1.0


def _gross(home: _Home, answer: ServicePointSolar) -> SolarEstimate:
    """Fill in what a meter that counts all generation as export measured."""
    made = answer.export_kwh or 0.0
    days = working.by_day(home.slots, ["export_kwh"]).with_columns(
        generation_kwh="export_kwh", clear_kwh=pl.lit(None, pl.Float64)
    )
    filled = structs.replace(
        answer,
        generation_source="meter",
        generation_kwh=Range.rounded((made, made, made), 3),
        months=working.months(days, None),
        reason=GROSS,
    )
    return SolarEstimate(filled, None)


def _measured(home: _Home, answer: ServicePointSolar, measured: Measured, inference: Inference | None) -> SolarEstimate:
    """Fill in measured generation and, where the meter counts export too, the shares of the days with both."""
    days = measured.days
    made, sold, bought = (float(days[name].sum()) for name in ("generation_kwh", "export_kwh", "import_kwh"))
    expectation, factor = _expectation(home, inference)
    daily = days.select("date", "generation_kwh", "export_kwh")
    output = None
    if inference is not None and measured.slots is not None:
        potential = measured.slots.select("starts_at", clear_kwh=pl.Series(inference.potential * factor))
        daily = daily.join(working.by_day(potential, ["clear_kwh"]), on="date", how="left", maintain_order="left")
        output = working.DailyOutput(
            inference.first_day,
            _on_days(days, "generation_kwh", inference),
            inference.best_share,
            is_measured=True,
            sides=inference.side_shares,
            top_share=inference.top_share,
            flat_hours=inference.flat_hours,
        )
    elif home.panels.kw and not days.is_empty():
        clear = with_clear_output(_half_hours_of_days(days), home.city)
        per_kw = working.by_day(clear, ["clear_kwh"]).with_columns(pl.col("clear_kwh") * home.panels.kw)
        daily = daily.join(per_kw, on="date", how="left", maintain_order="left")
        expectation = working.Expectation.of_rated(home.city)
        output = _daily_output(daily)
    if "clear_kwh" not in daily.columns:
        daily = daily.with_columns(clear_kwh=pl.lit(None, pl.Float64))
    reason = None
    if days.is_empty():
        reason = NO_EXPORT
    elif answer.export_kwh is None:
        reason = GROSS if measured.source == "meter" else NO_EXPORT
    elif sold > made * _MOST_BEYOND:
        reason = NOT_ONE_HOME
    used = made - sold
    metered_days = home.reads.filter(pl.col("direction").is_in(["import", "export"]))["date"].n_unique()
    partly = (Note("generation_on_days", days=days.height, of=metered_days),) if days.height < metered_days else ()
    filled = structs.replace(
        answer,
        generation_source=measured.source,
        generation_kwh=Range.rounded((made, made, made), 3),
        self_consumption=None if reason or not made else Range.rounded((used / made,) * 3, 4),
        self_sufficiency=None if reason or used + bought <= 0 else Range.rounded((used / (bought + used),) * 3, 4),
        months=working.months(daily, expectation),
        days_to_check=() if output is None else working.days_to_check(output),
        year_change=None if output is None else working.year_change(output),
        reason=reason,
        notes=(*answer.notes, *partly),
    )
    return SolarEstimate(filled, None if reason else _measured_slots(home, measured, inference))


def _on_days(days: pl.DataFrame, column: str, inference: Inference) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return a column of daily values in the order of the inference's days; NaN where there is none."""
    values = np.full(len(inference.best_share), np.nan)
    place = (days["date"] - inference.first_day).dt.total_days().to_numpy()
    inside = (place >= 0) & (place < len(values))
    values[place[inside]] = days[column].to_numpy()[inside]
    return values


def _daily_output(daily: pl.DataFrame) -> working.DailyOutput:
    """Return the output by day where only days are measured: the best share is that of the whole day."""
    first = cast("date", daily["date"].min())
    count = (cast("date", daily["date"].max()) - first).days + 1
    place = (daily["date"] - first).dt.total_days().to_numpy()
    made, share = np.full(count, np.nan), np.full(count, np.nan)
    made[place] = daily["generation_kwh"].to_numpy()
    share[place] = daily["generation_kwh"].to_numpy() / np.maximum(daily["clear_kwh"].to_numpy(), 1e-9)
    return working.DailyOutput(first, made, share, is_measured=True)


def _measured_slots(home: _Home, measured: Measured, inference: Inference | None) -> pl.DataFrame:
    """Return half hours with `generation_kwh` and `used_kwh`, of the days on which both were measured.

    Where generation is known by day only, what was used at home is laid where the sky of that place allows it.
    """
    slots = home.slots.with_columns(date=pl.col("starts_at").dt.offset_by("10h").dt.date())
    slots = slots.join(measured.days.select("date", day_kwh="generation_kwh"), on="date", how="inner")
    export = pl.col("export_kwh").fill_null(0)
    if measured.slots is not None:
        slots = slots.join(measured.slots, on="starts_at", how="left", maintain_order="left")
        made = pl.max_horizontal(pl.col("generation_kwh").fill_null(0), export)
    else:
        room = pl.max_horizontal(pl.col("clear_kwh") * (inference.panels_kw if inference else 1.0) - export, 0.0)
        hidden = pl.col("day_kwh") - export.sum().over("date")
        total = room.sum().over("date")
        made = export + pl.when(total > 0).then(room / total * pl.max_horizontal(hidden, 0.0)).otherwise(0.0)
    slots = slots.with_columns(generation_kwh=made)
    return slots.with_columns(used_kwh=pl.col("generation_kwh") - export).drop("date", "day_kwh")


def _estimated(home: _Home, answer: ServicePointSolar, inference: Inference | None) -> SolarEstimate:
    """Fill in what the export, or else the size, shows of generation."""
    panels = home.panels
    if panels.kw is None and not panels.storage_kwh and inference is not None:
        panels = replace(panels, kw=round(inference.panels_kw, 1), source=INFERRED)
        answer = structs.replace(answer, panels_kw=panels.kw, panels_source=INFERRED)
    typical = _typical(home, panels)
    floor = answer.export_kwh or 0.0
    answer = structs.replace(
        answer,
        generation_source=None if typical is None else "estimate",
        generation_kwh=Range.rounded((max(value, floor) for value in typical), 3) if typical else Range(),
        reason=_why_not(home, panels, inference),
    )
    if answer.reason is None and inference is not None:
        return _inferred(home, answer, inference, typical)
    # Where nothing but the export is known, the panels made that, and perhaps more.
    sold = home.slots["export_kwh"].drop_nulls()
    least = floor if sold.is_empty() else float(sold.sum())
    assumed = () if typical is None else (Note("roof_assumed"),)
    notes = (*answer.notes, *assumed, *_size_notes(answer, typical, least, inf))
    days = _typical_days(home, panels)
    expectation = working.Expectation.of_rated(home.city) if panels.kw and panels.source != INFERRED else None
    return SolarEstimate(structs.replace(answer, notes=notes, months=working.months(days, expectation)), None)


def _typical_days(home: _Home, panels: Panels) -> pl.DataFrame:
    """Return `date`, `clear_kwh`, `export_kwh` and an empty `generation_kwh` of the days read."""
    slots = home.slots
    if slots["export_kwh"].drop_nulls().is_empty():
        slots = with_clear_output(_half_hours_of_days(home.reads), home.city)
        slots = slots.with_columns(export_kwh=pl.lit(None, pl.Float64))
    slots = slots.with_columns(pl.col("clear_kwh") * (panels.kw or 0.0))
    return working.by_day(slots, ["clear_kwh", "export_kwh"]).with_columns(generation_kwh=pl.lit(None, pl.Float64))


def _why_not(home: _Home, panels: Panels, inference: Inference | None) -> str | None:
    """Return why the shares cannot be estimated; None where they can."""
    exporting = home.slots["export_kwh"].drop_nulls()
    suspected = inference is not None and inference.battery and panels.storage_kwh is None
    checks = (
        (bool(panels.storage_kwh), BATTERY),
        (panels.kw is None, NO_SIZE_NO_EXPORT),
        (exporting.is_empty(), NO_EXPORT),
        (_sunny_days(home.slots) < MIN_SUNNY_DAYS, FEW_DAYS),
        (suspected, BATTERY_SUSPECTED),
        (inference is None or not exporting.sum(), LITTLE_EXPORT),
    )
    return next((reason for holds, reason in checks if holds), None)


def _typical(home: _Home, panels: Panels) -> Band | None:
    """The city's typical yield over the half hours measured, else over the days read; None without a size."""
    if panels.kw is None:
        return None
    sold = home.slots.filter(pl.col("export_kwh").is_not_null())
    if sold.is_empty():
        sold = with_clear_output(_half_hours_of_days(home.reads), home.city)
    return expected_kwh(float(sold["clear_kwh"].sum()), home.city, panels.kw)


def _half_hours_of_days(days: pl.DataFrame) -> pl.DataFrame:
    """All half hours from the first to the last meter day of a frame with `date`."""
    ends = days.select(first=pl.col("date").min(), last=pl.col("date").max().dt.offset_by("1d"))
    first, last = ends.select(midnight("first"), midnight("last")).row(0)
    return pl.DataFrame({"starts_at": pl.datetime_range(first, last, "30m", closed="left", eager=True)})


def _inferred(home: _Home, answer: ServicePointSolar, inference: Inference, typical: Band | None) -> SolarEstimate:
    """Fill in generation and shares as the export's shape gives them."""
    slots = home.slots.with_columns(generation_kwh=pl.Series(inference.generation)).filter(
        pl.col("export_kwh").is_not_null()
    )
    slots = slots.with_columns(used_kwh=pl.col("generation_kwh") - pl.col("export_kwh"))
    exported = float(slots["export_kwh"].sum())
    if exported / inference.mid < _FEWEST_EXPORTED:
        return SolarEstimate(structs.replace(answer, reason=LITTLE_EXPORT), None)
    generation = (inference.low, inference.mid, _highest(home, answer, inference, typical))
    bought = float(slots["import_kwh"].sum())
    used = [value - exported for value in generation]
    expectation, factor = _expectation(home, inference)
    daily = working.by_day(
        home.slots.with_columns(
            generation_kwh=pl.Series(inference.generation).fill_nan(None),
            clear_kwh=pl.Series(inference.potential * factor),
        ),
        ["generation_kwh", "clear_kwh", "export_kwh"],
    )
    output = working.DailyOutput(
        inference.first_day,
        _on_days(daily, "generation_kwh", inference),
        inference.best_share,
        sides=inference.side_shares,
        top_share=inference.top_share,
        flat_hours=inference.flat_hours,
    )
    limited = () if inference.limit_kw is None else (Note("export_limited", kw=inference.limit_kw),)
    filled = structs.replace(
        answer,
        generation_source="estimate",
        generation_kwh=Range.rounded(generation, 3),
        self_consumption=Range.rounded((1 - exported / value for value in generation), 4),
        self_sufficiency=Range.rounded((own / (bought + own) if bought + own else 0.0 for own in used), 4),
        months=working.months(daily, expectation),
        days_to_check=working.days_to_check(output),
        year_change=working.year_change(output),
        roof=answer.roof or _planes(inference.roof),
        export_limit_kw=inference.limit_kw,
        notes=(
            *answer.notes,
            Note("solar_used_estimated"),
            *limited,
            *_size_notes(answer, typical, inference.low, inference.high),
        ),
    )
    return SolarEstimate(filled, slots)


def _highest(home: _Home, answer: ServicePointSolar, inference: Inference, typical: Band | None) -> float:
    """Return the most that the panels may have made [kWh].

    Use that is the same every day looks like a smaller or flatter roof. Where the size was entered and the roof is not
    known, the range reaches up to the most that such a size usually makes, unless the export speaks of another size.
    """
    entered = typical is not None and answer.panels_source != INFERRED and roof_of(home.panels.arrays) is None
    if typical is None or not entered or typical[1] > _OTHER_SIZE * inference.mid:
        return inference.high
    return max(inference.high, typical[2])


def _size_notes(answer: ServicePointSolar, typical: Band | None, low: float, high: float) -> list[Note]:
    """Return a note if the estimated generation [kWh, low to high] contradicts the entered size of the panels."""
    if typical is None or answer.panels_source == INFERRED:
        return []
    if high < typical[0]:
        return [Note("generation_low", low=typical[0], high=typical[2])]
    if low > typical[2]:
        return [Note("generation_high", low=typical[0], high=typical[2])]
    return []
