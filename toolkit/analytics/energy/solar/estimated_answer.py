"""What the panels made and where it went, estimated from the export or from the size of the panels."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import polars as pl
from msgspec import structs

from toolkit.analytics.energy.solar.home import (
    CLOCK_OFF,
    NO_EXPORT,
    Home,
    Panels,
    SolarEstimate,
    expectation_of,
    half_hours_of_days,
    inferred_roof,
    on_days,
    sunny_days,
)
from toolkit.analytics.energy.solar.inference import MIN_SUNNY_DAYS, Inference
from toolkit.analytics.energy.solar.roofs import roof_of
from toolkit.analytics.energy.solar.sun import expected_kwh, with_clear_output
from toolkit.analytics.energy.solar.working import (
    DailyOutput,
    Expectation,
    by_day,
    days_to_check,
    months,
    solar_days,
    year_change,
)
from toolkit.answers.base import Note
from toolkit.answers.energy.solar import Range, ServicePointSolar
from toolkit.remedies import Message, Remedy

Band = tuple[float, float, float]
"""Low, middle and high estimate, kWh."""
_OTHER_SIZE = 1.5
"""An entered size that typically makes this many times what was inferred is taken for a mistake."""
_FEWEST_EXPORTED = 0.15
"""Share of generation exported below which the generation cannot be estimated from it."""
INFERRED = "inferred from export"
BATTERY = Message(
    "The home has a battery. The meter does not show its charging and discharging, so shares are not estimated. A file "
    "of the inverter shows what was generated: ",
    Remedy.ADD_INVERTER_FILE,
    ".",
)
BATTERY_SUSPECTED = Message(
    "For hours the home buys almost nothing, as if it had a battery, so shares are not estimated: ",
    Remedy.SET_BATTERY,
    ".",
)
NO_SIZE_NO_EXPORT = Message(
    "The size of the panels is unknown and there is too little export to estimate it: ", Remedy.SET_PANELS, "."
)
FEW_DAYS = f"Export on fewer than {MIN_SUNNY_DAYS} sunny days: too few to estimate how much is used at home."
_MOST_AT_LIMIT = 0.5
"""Share of the half hours with export at its limit from which on that shows neither what was made nor what could be."""
_LOWEST_LIMIT_KW = 1.5
"""At this limit and above the ranges held on generated homes (`limit or clipped` in `tests/truth/solar`); below it an
inverter that is told to export nothing, or nearly so, hides most of what it could make."""
AT_LIMIT = Message(
    "The export is at its limit for most of the time, so it does not show what the panels generated. A file of the "
    "inverter does: ",
    Remedy.ADD_INVERTER_FILE,
    ".",
)
UNDER_ANOTHER_SUN = "The clock of the reads is hours off, so their exports do not show what the panels generated."
LITTLE_EXPORT = Message(
    "Too little is exported to estimate what the panels generated. A file of the inverter shows it: ",
    Remedy.ADD_INVERTER_FILE,
    ".",
)


def estimated_answer(home: Home, answer: ServicePointSolar, inference: Inference | None) -> SolarEstimate:
    """Fill in what the export, or else the size, shows of generation."""
    panels = home.panels
    if panels.kw is None and not panels.storage_kwh and inference is not None:
        panels = replace(panels, kw=round(inference.panels_kw, 1), source=INFERRED)
        answer = structs.replace(answer, panels_kw=panels.kw, panels_source=INFERRED)
    typical = _typical(home, panels)
    floor = answer.export_kwh or 0.0
    is_clock_off = any(note.code == CLOCK_OFF for note in answer.notes)
    reason = UNDER_ANOTHER_SUN if is_clock_off else _why_not(home, panels, inference)
    answer = structs.replace(
        answer,
        generation_source=None if typical is None else "estimate",
        generation_kwh=Range.rounded((max(value, floor) for value in typical), 3) if typical else Range(),
        battery_suspected=reason == BATTERY_SUSPECTED,
        reason=reason,
    )
    if reason is None and inference is not None:
        return _inferred(home, answer, inference, typical)
    if reason == AT_LIMIT and inference is not None:  # panels that are held back make less than is typical
        typical = None
        answer = structs.replace(
            answer, generation_source=None, generation_kwh=Range(), export_limit_kw=inference.limit_kw
        )
    if reason is not None and panels.source == INFERRED:
        answer, panels, typical = _of_unknown_size(answer, reason), home.panels, None
    # Where nothing but the export is known, the panels made that, and perhaps more.
    sold = home.slots["export_kwh"].drop_nulls()
    least = floor if sold.is_empty() else float(sold.sum())
    assumed = () if typical is None else (Note("roof_assumed"),)
    notes = (*answer.notes, *assumed, *_size_notes(answer, typical, least, inf))
    days = _typical_days(home, panels)
    expectation = Expectation.of_rated(home.city) if panels.kw and panels.source != INFERRED else None
    return SolarEstimate(structs.replace(answer, notes=notes, months=months(days, expectation)), None)


def _of_unknown_size(answer: ServicePointSolar, reason: str) -> ServicePointSolar:
    """Take back an inferred size and what it would make: an export that shows no shares shows no size either.

    A battery leaves so little of the export that the size came out at half of the true one.
    """
    return structs.replace(
        answer, panels_kw=None, panels_source=None, generation_source=None, generation_kwh=Range(), reason=reason
    )


def _typical_days(home: Home, panels: Panels) -> pl.DataFrame:
    """Return `date`, `clear_kwh`, `export_kwh` and an empty `generation_kwh` of the days read."""
    slots = home.slots
    if slots["export_kwh"].drop_nulls().is_empty():
        slots = with_clear_output(half_hours_of_days(home.reads), home.city)
        slots = slots.with_columns(export_kwh=pl.lit(None, pl.Float64))
    slots = slots.with_columns(pl.col("clear_kwh") * (panels.kw or 0.0))
    return by_day(slots, ["clear_kwh", "export_kwh"]).with_columns(generation_kwh=pl.lit(None, pl.Float64))


def _why_not(home: Home, panels: Panels, inference: Inference | None) -> str | None:
    """Return why the shares cannot be estimated; None where they can."""
    exporting = home.slots["export_kwh"].drop_nulls()
    suspected = inference is not None and inference.battery and panels.storage_kwh is None
    checks = (
        (bool(panels.storage_kwh), BATTERY),
        (panels.kw is None, NO_SIZE_NO_EXPORT),
        (exporting.is_empty(), NO_EXPORT),
        (sunny_days(home.slots) < MIN_SUNNY_DAYS, FEW_DAYS),
        (suspected, BATTERY_SUSPECTED),
        (inference is None or not exporting.sum(), LITTLE_EXPORT),
        (inference is not None and _is_held_back(inference), AT_LIMIT),
    )
    return next((reason for holds, reason in checks if holds), None)


def _is_held_back(inference: Inference) -> bool:
    """Return whether the export is nearly always at a limit that lets next to nothing through."""
    limit = inference.limit_kw
    return limit is not None and limit < _LOWEST_LIMIT_KW and inference.limit_share > _MOST_AT_LIMIT


def _typical(home: Home, panels: Panels) -> Band | None:
    """The city's typical yield over the half hours measured, else over the days read; None without a size."""
    if panels.kw is None:
        return None
    sold = home.slots.filter(pl.col("export_kwh").is_not_null())
    if sold.is_empty():
        sold = with_clear_output(half_hours_of_days(home.reads), home.city)
    return expected_kwh(float(sold["clear_kwh"].sum()), home.city, panels.kw)


def _inferred(home: Home, answer: ServicePointSolar, inference: Inference, typical: Band | None) -> SolarEstimate:
    """Fill in generation and shares as the export's shape gives them."""
    slots = home.slots.with_columns(generation_kwh=pl.Series(inference.generation)).filter(
        pl.col("export_kwh").is_not_null()
    )
    slots = slots.with_columns(used_kwh=pl.col("generation_kwh") - pl.col("export_kwh"))
    exported = float(slots["export_kwh"].sum())
    if exported / inference.mid < _FEWEST_EXPORTED:
        if answer.panels_source == INFERRED:
            return SolarEstimate(_of_unknown_size(answer, NO_SIZE_NO_EXPORT), None)
        return SolarEstimate(structs.replace(answer, reason=LITTLE_EXPORT), None)
    generation = (inference.low, inference.mid, _highest(home, answer, inference, typical))
    bought = float(slots["import_kwh"].sum())
    used = [value - exported for value in generation]
    expectation, factor = expectation_of(home, inference)
    daily = by_day(
        home.slots.with_columns(
            generation_kwh=pl.Series(inference.generation).fill_nan(None),
            clear_kwh=pl.Series(inference.potential * factor),
        ),
        ["generation_kwh", "clear_kwh", "export_kwh"],
    )
    output = DailyOutput(
        inference.first_day,
        on_days(daily, "generation_kwh", inference),
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
        months=months(daily, expectation),
        days=solar_days(daily.drop_nulls("generation_kwh"), factor),
        days_to_check=days_to_check(output),
        year_change=year_change(output),
        roof=answer.roof or inferred_roof(inference.roof),
        export_limit_kw=inference.limit_kw,
        notes=(
            *answer.notes,
            Note("solar_used_estimated"),
            *limited,
            *_size_notes(answer, typical, inference.low, inference.high),
        ),
    )
    return SolarEstimate(filled, slots)


def _highest(home: Home, answer: ServicePointSolar, inference: Inference, typical: Band | None) -> float:
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
