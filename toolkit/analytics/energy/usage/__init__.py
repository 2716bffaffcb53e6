"""What a service point used: totals by register, when, and how much of the time is known, from frames of reads."""

from __future__ import annotations

from datetime import date
from typing import cast

import polars as pl
from msgspec.structs import replace

from toolkit.analytics.energy.usage import registers, shape
from toolkit.analytics.energy.usage.half_hours import half_hours, half_hours_of
from toolkit.analytics.energy.usage.register_reads import split_by_register
from toolkit.analytics.energy.usage.shape import average_day, heat_map, load_duration
from toolkit.answers.base import Note
from toolkit.answers.energy.usage import AverageDay, MonthUsage, ServicePointUsage

__all__ = ["average_day", "half_hours", "heat_map", "load_duration", "service_point_usage"]


def service_point_usage(
    reads: pl.DataFrame, *, zone: str, from_: date | None = None, to: date | None = None
) -> ServicePointUsage:
    """Sum up what one service point used.

    reads: frame `reads` of that service point, in any order; accumulation reads spread over days
    (`energy.intervals.prepare`). zone: IANA zone of the home, for everything within the day. `from_` and `to` are
    meter days (AEST), inclusive; default: the first and last day with reads. Totals, days and months go by meter days,
    so that they add up. Energy is in kWh; gas in MJ, as `import_mj`, its kWh figures null.
    """
    within = reads
    if from_ or to:
        within = reads.filter(pl.col("date").is_between(from_ or date.min, to or date.max))
    by_register = split_by_register(within)
    days = registers.day_sums(by_register)
    metered = days.filter(pl.col("direction") != "generation")["date"]
    first, last = from_ or cast("date | None", metered.min()), to or cast("date | None", metered.max())
    slots = shape.with_local_time(half_hours_of(by_register), zone)
    answer = ServicePointUsage(
        service_point_id=_first(reads, "service_point_id"),
        fuel="GAS" if _first(reads, "unit") == "MJ" else "ELECTRICITY",
        timezone=zone,
        from_=first,
        to=last,
        coverage=0.0 if from_ and to else None,
        average_day=AverageDay(shape.average_day(slots, zone)),
        controlled_load_average_day=AverageDay(_controlled_load_day(slots, zone)),
        notes=(Note("no_reads"),),
        by_month=MonthUsage(pl.DataFrame()),
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
    return replace(
        answer,
        coverage=registers.coverage(expected),
        registers=registers.register_totals(days),
        unit="MJ" if gas is not None and not electric else "KWH",
        import_kwh=registers.sum_of(days, "import", "KWH"),
        export_kwh=absent if export is None else export,
        controlled_load_kwh=absent if controlled is None else controlled,
        import_mj=gas,
        base_load_kw=shape.base_load_kw(by_register, slots, zone),
        peak=shape.peak(slots, zone),
        peak_with_controlled_load=shape.peak(slots, zone, energy="import_kwh"),
        load_factor=shape.load_factor(slots),
        notes=_profile_notes(within, slots),
        by_month=_months(days, expected),
    )


def _first(reads: pl.DataFrame, column: str) -> str:
    return "" if reads.is_empty() else str(reads[column][0])


def _controlled_load_day(slots: pl.DataFrame, zone: str) -> pl.DataFrame:
    """Return the average days of controlled load, which exports nothing; no rows where no register measures it."""
    if slots["controlled_kwh"].null_count() == slots.height:
        slots = slots.clear()
    return shape.average_day(slots, zone, energy="controlled_kwh").with_columns(export_kw=pl.lit(None, pl.Float64))


def _profile_notes(reads: pl.DataFrame, slots: pl.DataFrame) -> tuple[Note, ...]:
    if slots.is_empty():
        return (Note("no_reads_within_day"),)
    return (Note("hourly_reads"),) if reads["interval_minutes"].is_between(31, 60).any() else ()


def _months(days: pl.DataFrame, expected: pl.DataFrame) -> MonthUsage:
    """Without an export register nothing was exported in any metered month; where there is one, its gaps stay null."""
    months = registers.by_month(days, expected)
    if not (days["direction"] == "export").any():
        nothing = pl.when(pl.col("import_kwh").is_not_null()).then(0.0)
        months = months.with_columns(export_kwh=nothing)
    gas = months["import_mj"].null_count() < months.height
    return MonthUsage(months if gas else months.drop("import_mj"))
