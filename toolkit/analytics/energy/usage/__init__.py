"""What a service point used: totals by register, when, how much of the time is known. Frames of reads in, facts out."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl

from toolkit.analytics.energy.usage import registers, shape
from toolkit.analytics.energy.usage.half_hours import half_hours
from toolkit.analytics.energy.usage.shape import average_day, heat_map, load_duration

__all__ = ["average_day", "half_hours", "heat_map", "load_duration", "service_point_usage"]

NO_PROFILE = "There are no reads within the day, so base load, peak, load factor and average day are not known."
HOURLY = "Some reads are hourly: within those hours both half hours count as the same power."


def service_point_usage(
    reads: pl.DataFrame, *, zone: str, from_: date | None = None, to: date | None = None
) -> dict[str, Any]:
    """What one service point used, as docs/commands.md describes it (without id, fuel and timezone), and `notes`.

    reads: frame `reads` of that service point, in any order; accumulation reads spread over days
    (`analytics.energy.accumulation`). zone: IANA zone of the home, for everything within the day. `from_` and `to` are
    meter days (AEST), inclusive; default: the first and last day with reads. Totals, days and months go by meter days,
    so that they add up. Energy is in kWh; gas in MJ, as `import_mj`, its kWh figures null.
    """
    within = reads.filter(_between(from_, to))
    days = registers.day_sums(within)
    first, last = from_ or _end(pl.col("date").min(), days), to or _end(pl.col("date").max(), days)
    if days.is_empty() or first is None or last is None:
        return {"from": from_, "to": to, "coverage": 0.0 if from_ and to else None, **_nothing()}
    expected = registers.expected_days(days, first, last)
    return {
        "from": first,
        "to": last,
        "coverage": registers.coverage(expected),
        "registers": registers.register_totals(days),
        **_energy(days),
        **_profile(within, zone),
        "by_month": _months(days, expected),
    }


def _between(from_: date | None, to: date | None) -> pl.Expr:
    return pl.col("date").is_between(from_ or date.min, to or date.max)


def _end(day: pl.Expr, days: pl.DataFrame) -> date | None:
    found: date | None = days.select(day).item()
    return found


def _nothing() -> dict[str, Any]:
    energy: dict[str, Any] = dict.fromkeys(("import_kwh", "export_kwh", "controlled_load_kwh", "import_mj", "unit"))
    shapes: dict[str, Any] = {"base_load_kw": None, "peak": None, "load_factor": None, "average_day": []}
    return {"registers": [], **energy, **shapes, "notes": ["There are no reads in this range."], "by_month": []}


def _energy(days: pl.DataFrame) -> dict[str, Any]:
    """Sums over registers. Without an export or controlled-load register those are 0; without any reads in kWh null."""
    electric = days.filter(pl.col("unit") == "KWH").height > 0
    gas = registers.sum_of(days, "import", "MJ")
    none = 0.0 if electric else None
    return {
        "unit": "MJ" if gas is not None and not electric else "KWH",
        "import_kwh": registers.sum_of(days, "import", "KWH"),
        "export_kwh": _or(registers.sum_of(days, "export", "KWH"), none),
        "controlled_load_kwh": _or(registers.sum_of(days, "import", "KWH", controlled_load=True), none),
        "import_mj": gas,
    }


def _or(value: float | None, default: float | None) -> float | None:
    return default if value is None else value


def _profile(reads: pl.DataFrame, zone: str) -> dict[str, Any]:
    slots = half_hours(reads)
    return {
        "base_load_kw": shape.base_load_kw(reads, slots, zone),
        "peak": shape.peak(slots, zone),
        "load_factor": shape.load_factor(slots),
        "average_day": shape.average_day(slots, zone).to_dicts(),
        "notes": _profile_notes(reads, slots),
    }


def _profile_notes(reads: pl.DataFrame, slots: pl.DataFrame) -> list[str]:
    if slots.is_empty():
        return [NO_PROFILE]
    return [HOURLY] if reads["interval_minutes"].is_between(31, 60).any() else []


def _months(days: pl.DataFrame, expected: pl.DataFrame) -> list[dict[str, Any]]:
    """Without an export register nothing was exported in any metered month; where there is one, its gaps stay null."""
    months = registers.by_month(days, expected)
    if not (days["direction"] == "export").any():
        nothing = pl.when(pl.col("import_kwh").is_not_null()).then(0.0)
        months = months.with_columns(export_kwh=nothing)
    gas = months["import_mj"].null_count() < months.height
    return (months if gas else months.drop("import_mj")).to_dicts()
