"""What a service point used: totals by register, when, and how much of the time is known, from frames of reads."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal, cast

import polars as pl
from msgspec.structs import replace

from toolkit.analytics.energy.usage import registers, shape
from toolkit.analytics.energy.usage.basis import figure_basis
from toolkit.analytics.energy.usage.reads import doubtful_energy, half_hours, half_hours_of, split_by_register
from toolkit.analytics.energy.usage.shape import average_day, heat_map, heat_map_days, load_duration
from toolkit.analytics.energy.usage.years import DATES_NEEDED, months_on_year, paired_dates, year_on_year
from toolkit.answers.base import Note
from toolkit.answers.energy.usage import AverageDay, DayUsage, HeatMap, MonthUsage, ServicePointUsage

__all__ = [
    "average_day",
    "half_hours",
    "heat_map",
    "heat_map_days",
    "load_duration",
    "reliable_base_load_kw",
    "service_point_usage",
]


def service_point_usage(
    reads: pl.DataFrame,
    *,
    zone: str,
    from_: date | None = None,
    to: date | None = None,
    earlier: pl.DataFrame | None = None,
) -> ServicePointUsage:
    """Sum up what one service point used.

    reads: frame `reads` of that service point, in any order; accumulation reads spread over days
    (`energy.intervals.prepare`). zone: IANA zone of the home, for everything within the day. `from_` and `to` are
    meter days (AEST), inclusive; default: the first and last day with reads. earlier: reads of the year before `from_`,
    for the comparison with it, where `reads` does not have them. Totals, days and months go by meter days, so that they
    add up. Energy is in kWh; gas in MJ, as `import_mj`, its kWh figures null.
    """
    within = reads.filter(pl.col("date").is_between(from_ or date.min, to or date.max)) if from_ or to else reads
    by_register = split_by_register(within)
    days = registers.day_sums(by_register)
    metered = days.filter(pl.col("direction") != "generation")["date"]
    first, last = from_ or cast("date | None", metered.min()), to or cast("date | None", metered.max())
    slots = shape.with_local_time(half_hours_of(by_register), zone)
    answer = replace(
        _within_the_day(slots, zone),
        service_point_id=_first(reads, "service_point_id"),
        fuel="GAS" if _first(reads, "unit") == "MJ" else "ELECTRICITY",
        from_=first,
        to=last,
        coverage=0.0 if from_ and to else None,
    )
    if days.is_empty() or first is None or last is None:
        return answer
    expected = registers.expected_days(days, first, last)
    electric = days.filter(pl.col("unit") == "KWH").height > 0
    gas = registers.sum_of(days, "import", "MJ")
    # Without an export or controlled-load register those are 0; without any reads in kWh they are null.
    absent = 0.0 if electric else None
    export = registers.sum_of(days, "export", "KWH")
    controlled = registers.sum_of(days, "import", "KWH", controlled_load=True)
    totals = registers.register_totals(days)
    by_day = _by_period(days, expected, pl.col("date"))
    month = pl.col("date").dt.strftime("%Y-%m").alias("month")
    unit: Literal["kWh", "MJ"] = "MJ" if gas is not None and not electric else "kWh"
    pairs = _paired_dates(by_day, earlier, unit)
    compared = year_on_year(pairs.filter(pl.col("date") > last - timedelta(365)), unit)
    notes = _notes(days, within, slots)
    if compared is None:
        notes.append(Note("no_year_before", needed=DATES_NEEDED))
    return replace(
        answer,
        coverage=registers.coverage(expected),
        registers=totals,
        unit=unit.upper(),
        import_kwh=registers.sum_of(days, "import", "KWH"),
        export_kwh=absent if export is None else export,
        controlled_load_kwh=absent if controlled is None else controlled,
        import_mj=gas,
        base_load_kw=shape.base_load_kw(by_register, slots, zone),
        peak=shape.peak(slots, zone),
        peak_with_controlled_load=shape.peak(slots, zone, energy="import_kwh"),
        load_factor=shape.load_factor(slots),
        substituted_share=registers.substituted_share(totals),
        year_on_year=compared,
        months_on_year=tuple(months_on_year(pairs, unit)),
        notes=tuple(notes),
        by_month=MonthUsage(_by_period(days, expected, month).drop("controlled_load_kwh")),
        by_day=DayUsage(by_day),
    )


def _within_the_day(slots: pl.DataFrame, zone: str) -> ServicePointUsage:
    """Return an answer with the average day and the heat map, and without sums of days."""
    average = AverageDay(shape.average_day(slots, zone))
    return ServicePointUsage(
        service_point_id="",
        fuel="ELECTRICITY",
        timezone=zone,
        from_=None,
        to=None,
        coverage=None,
        average_day=average,
        controlled_load_average_day=AverageDay(_controlled_load_day(slots, zone)),
        basis=figure_basis(slots, average),
        notes=(Note("no_reads"),),
        by_month=MonthUsage(pl.DataFrame()),
        by_day=DayUsage(pl.DataFrame()),
        heat_map=HeatMap(shape.heat_map_days(slots, zone)),
    )


def reliable_base_load_kw(reads: pl.DataFrame, *, zone: str) -> float | None:
    """Return the base load of frame `reads`, kW; None where too few nights were measured to rely on it."""
    by_register = split_by_register(reads)
    slots = shape.with_local_time(half_hours_of(by_register), zone)
    enough = any(row.figure == "base_load_kw" and row.is_enough for row in figure_basis(slots))
    return shape.base_load_kw(by_register, slots, zone) if enough else None


def _paired_dates(by_day: pl.DataFrame, earlier: pl.DataFrame | None, unit: Literal["kWh", "MJ"]) -> pl.DataFrame:
    """Return the dates that were metered in both years. earlier: reads of the year before `by_day`."""
    if earlier is not None and not earlier.is_empty():
        days = registers.day_sums(split_by_register(earlier))
        first, last = days.select(pl.col("date").min(), last=pl.col("date").max()).row(0)
        before = _by_period(days, registers.expected_days(days, first, last), pl.col("date"))
        by_day = pl.concat([before, by_day], how="diagonal")
    return paired_dates(by_day, unit)


def _first(reads: pl.DataFrame, column: str) -> str:
    return "" if reads.is_empty() else str(reads[column][0])


def _controlled_load_day(slots: pl.DataFrame, zone: str) -> pl.DataFrame:
    """Return the average days of controlled load, which exports nothing; no rows where no register measures it."""
    if slots["controlled_kwh"].null_count() == slots.height:
        slots = slots.clear()
    return shape.average_day(slots, zone, energy="controlled_kwh").with_columns(export_kw=pl.lit(None, pl.Float64))


def _notes(days: pl.DataFrame, reads: pl.DataFrame, slots: pl.DataFrame) -> list[Note]:
    notes = list(filter(None, [doubtful_energy(days)]))
    if slots.is_empty():
        notes.append(Note("no_reads_within_day"))
    elif reads["interval_minutes"].is_between(31, 60).any():
        notes.append(Note("hourly_reads"))
    return notes


def _by_period(days: pl.DataFrame, expected: pl.DataFrame, period: pl.Expr) -> pl.DataFrame:
    """Return energy by period; gas only where some is measured.

    Without an export or controlled-load register there was none on any metered day; where there is one, its gaps stay
    null.
    """
    sums = registers.by_period(days, expected, period)
    nothing = pl.when(pl.col("import_kwh").is_not_null()).then(0.0)
    if not (days["direction"] == "export").any():
        sums = sums.with_columns(export_kwh=nothing)
    if not (days["controlled_load"] & (days["direction"] == "import")).any():
        sums = sums.with_columns(controlled_load_kwh=nothing)
    gas = sums["import_mj"].null_count() < sums.height
    return sums if gas else sums.drop("import_mj")
