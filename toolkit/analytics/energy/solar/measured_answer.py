"""What the panels made and where it went, where a meter or an inverter measured it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import cast

import numpy as np
import polars as pl
from msgspec import structs

from toolkit.analytics.energy.solar.alignment import alignment
from toolkit.analytics.energy.solar.clock import exports_in_the_dark
from toolkit.analytics.energy.solar.home import (
    NO_EXPORT,
    Home,
    SolarEstimate,
    expectation_of,
    half_hours_of_days,
    on_days,
)
from toolkit.analytics.energy.solar.inference import Inference
from toolkit.analytics.energy.solar.measured import Measured
from toolkit.analytics.energy.solar.sun import with_clear_output
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
from toolkit.units import AEST_NAME

_MOST_BEYOND = 1.02
"""Export over measured generation beyond which the two cannot be of one home without a battery."""
GROSS = "The meter counts all that the panels generate, so how much of it is used at home is not known."
NOT_ONE_HOME = (
    "The meter exported more than the panels generated: the generation may be of another home, lack an inverter, or "
    "pass through a battery."
)


def gross_metered_answer(home: Home, answer: ServicePointSolar) -> SolarEstimate:
    """Fill in what a meter that counts all generation as export measured."""
    made = answer.export_kwh or 0.0
    days = by_day(home.slots, ["export_kwh"]).with_columns(
        generation_kwh="export_kwh", clear_kwh=pl.lit(None, pl.Float64)
    )
    filled = structs.replace(
        answer,
        generation_source="meter",
        generation_kwh=Range.rounded((made, made, made), 3),
        months=months(days, None),
        days=solar_days(days),
        reason=GROSS,
    )
    return SolarEstimate(filled, None)


def measured_answer(
    home: Home, answer: ServicePointSolar, measured: Measured, inference: Inference | None
) -> SolarEstimate:
    """Fill in measured generation and, where the meter counts export too, the shares of the days with both."""
    days = measured.days
    made, sold, bought = (float(days[name].sum()) for name in ("generation_kwh", "export_kwh", "import_kwh"))
    doubts = _doubts_of_file(home, measured)
    has_hours = not any(note.code.startswith("generation_clock") for note in doubts)
    if not has_hours:
        inference = None  # hours under another sun show neither the roof nor what it could have made
    expectation, factor = expectation_of(home, inference)
    daily = days.select("date", "generation_kwh", "export_kwh")
    output = None
    if inference is not None and measured.slots is not None:
        potential = measured.slots.select("starts_at", clear_kwh=pl.Series(inference.potential * factor))
        daily = daily.join(by_day(potential, ["clear_kwh"]), on="date", how="left", maintain_order="left")
        output = DailyOutput(
            inference.first_day,
            on_days(days, "generation_kwh", inference),
            inference.best_share,
            is_measured=True,
            sides=inference.side_shares,
            top_share=inference.top_share,
            flat_hours=inference.flat_hours,
        )
    elif home.panels.kw and not days.is_empty():
        clear = with_clear_output(half_hours_of_days(days), home.city)
        per_kw = by_day(clear, ["clear_kwh"]).with_columns(pl.col("clear_kwh") * home.panels.kw)
        daily = daily.join(per_kw, on="date", how="left", maintain_order="left")
        expectation = Expectation.of_rated(home.city)
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
        months=months(daily, expectation),
        days=solar_days(daily, 1.0 if measured.slots is None else factor),
        days_to_check=() if output is None else days_to_check(output),
        year_change=None if output is None else year_change(output),
        reason=reason,
        notes=(*answer.notes, *(() if reason else doubts), *partly),
    )
    slots = measured if has_hours else replace(measured, slots=None)
    return SolarEstimate(filled, None if reason else _measured_slots(home, slots, inference))


def _doubts_of_file(home: Home, measured: Measured) -> tuple[Note, ...]:
    """Return notes where the export does not fit an inverter's file: by the hour, or from day to day.

    A battery that sells hides both.
    """
    if measured.source != "inverter" or exports_in_the_dark(home.slots, home.city):
        return ()
    found = alignment(home.reads, zone=AEST_NAME)
    unlike = (Note("generation_unlike_export"),) if found.is_unlike else ()
    hours = found.shift_hours or found.summer_shift_hours
    if not hours or measured.slots is None:
        return unlike
    code = "generation_clock_in_summer" if found.summer_shift_hours else "generation_clock_off"
    return (Note(code, hours=abs(hours), side="behind" if hours > 0 else "ahead of"), *unlike)


def _daily_output(daily: pl.DataFrame) -> DailyOutput:
    """Return the output by day where only days are measured: the best share is that of the whole day."""
    first = cast("date", daily["date"].min())
    count = (cast("date", daily["date"].max()) - first).days + 1
    place = (daily["date"] - first).dt.total_days().to_numpy()
    made, share = np.full(count, np.nan), np.full(count, np.nan)
    made[place] = daily["generation_kwh"].to_numpy()
    share[place] = daily["generation_kwh"].to_numpy() / np.maximum(daily["clear_kwh"].to_numpy(), 1e-9)
    return DailyOutput(first, made, share, is_measured=True)


def _measured_slots(home: Home, measured: Measured, inference: Inference | None) -> pl.DataFrame:
    """Return half hours with `generation_kwh` and `used_kwh`, of the days on which both were measured.

    Where generation is known by day only, or by hours of another clock, what was used at home is laid where more was
    generated than exported under a sky that is the same all day: over the roof that the export shows, or a usual one.
    """
    slots = home.slots.with_columns(date=pl.col("starts_at").dt.offset_by("10h").dt.date())
    if measured.slots is None and inference is not None:
        slots = slots.with_columns(clear_kwh=pl.Series(inference.potential))
    slots = slots.join(measured.days.select("date", day_kwh="generation_kwh"), on="date", how="inner")
    export = pl.col("export_kwh").fill_null(0)
    if measured.slots is not None:
        slots = slots.join(measured.slots, on="starts_at", how="left", maintain_order="left")
        made = pl.max_horizontal(pl.col("generation_kwh").fill_null(0), export)
    else:
        sky = pl.col("day_kwh") / pl.col("clear_kwh").sum().over("date")
        room = pl.max_horizontal(pl.col("clear_kwh") * sky - export, 0.0)
        hidden = pl.col("day_kwh") - export.sum().over("date")
        total = room.sum().over("date")
        made = export + pl.when(total > 0).then(room / total * pl.max_horizontal(hidden, 0.0)).otherwise(0.0)
    slots = slots.with_columns(generation_kwh=made)
    return slots.with_columns(used_kwh=pl.col("generation_kwh") - export).drop("date", "day_kwh")
