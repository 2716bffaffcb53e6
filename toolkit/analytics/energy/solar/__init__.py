"""What the panels made and where it went: ranges, since a net meter and an unknown roof never tell exactly."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import inf
from typing import Any

import polars as pl

from toolkit.analytics.energy.intervals.accumulation import midnight
from toolkit.analytics.energy.solar.band import BUSY_KW, evening_generation_kwh, generation_bounds
from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.solar.inference import (
    MIN_SUNNY_DAYS,
    gross_metered,
    inferred_panels_kw,
    sunny_days,
    with_generation,
)
from toolkit.analytics.energy.solar.output import expected_kwh, with_clear_output
from toolkit.analytics.energy.usage.half_hours import half_hours
from toolkit.units import NANO

__all__ = ["Panels", "Solar", "service_point_solar"]

Band = dict[str, float]

_FEWEST_EXPORTED = 0.15
"""Share of generation exported below which the export does not tell the generation."""

INFERRED = "inferred from export"
BATTERY = "The home has a battery. The meter does not show its charging and discharging, so shares are not estimated."
NO_SIZE_NO_EXPORT = (
    "The size of the panels is unknown and there is too little export to estimate it: set it with `--panels-kw` or "
    "`toolkit household set --panels-kw N`."
)
NO_READS = "There are no reads in these days."
NOT_IN_USE = "The panels are in use since {since} only, which is after these days."
NO_EXPORT = "The meter has no reads of export within the day, so how much is used at home is not known."
FEW_DAYS = f"Export on fewer than {MIN_SUNNY_DAYS} sunny days: too few to estimate how much is used at home."
LITTLE_EXPORT = "Too little is exported to estimate what the panels generated."
GROSS = "The export register seems to count all that the panels make, so how much is used at home is not known."
ROOF = "Assumed: panels facing north at 20°, which is not recorded anywhere; another roof shifts the estimate."
UNCALIBRATED = (
    "Power used at home straight from the panels is not measured. The range runs from a home that is empty by day to "
    f"one with people in (using {BUSY_KW:g} kW), on any roof from east over north to west. The middle figure, and the "
    "value of the power used at home, assume that the day is as quiet as the night."
)


@dataclass(frozen=True, slots=True)
class Panels:
    """kw: rated size, source: who says so; both None where unknown. since: first day in use."""

    kw: float | None = None
    source: str | None = None
    inverter_kw: float | None = None
    storage_kwh: float | None = None
    since: date | None = None


@dataclass(frozen=True, slots=True)
class _Home:
    """zone: IANA name. panels: sized, by what was stated or by the export."""

    zone: str
    city: City
    panels: Panels


@dataclass(frozen=True, slots=True)
class Solar:
    """figures: docs/commands.md but for ids and money. slots: half hours with `generation_kwh` and `used_kwh`.

    slots is None where self-consumption is not estimated.
    """

    figures: dict[str, Any]
    slots: pl.DataFrame | None
    notes: list[str]


def service_point_solar(reads: pl.DataFrame, *, zone: str, city: City, panels: Panels) -> Solar:
    """What the panels at one service point made over the days of `reads` (frame `reads`).

    Generation in kWh and shares of 0 to 1, each low, mid and high. With export by the half hour the home's own export
    tells each day's clearness; without it, generation is the city's typical yield times the size. A battery, a gross
    meter, little export or few days leave the shares null, and `reason` says why.
    """
    none_of = _without_days(reads, panels)
    if panels.since is not None:
        reads = reads.filter(pl.col("date") >= panels.since)
    export = _export_kwh(reads)
    slots = with_clear_output(half_hours(reads), city)
    panels = _sized(panels, slots, zone)
    figures: dict[str, Any] = {
        "panels_kw": panels.kw,
        "panels_source": panels.source,
        "inverter_kw": panels.inverter_kw,
        "storage_kwh": panels.storage_kwh,
        "export_kwh": export,
    }
    typical = _typical(reads, slots, city, panels)
    reason = none_of or _why_not(slots, panels)
    if reason is not None or panels.kw is None:
        notes = [*_notes(typical), *_too_small(panels, typical, slots, export)]
        return Solar({**figures, **_unknown(typical, export), "reason": reason}, None, notes)
    generating = with_generation(slots, zone, panels.kw, panels.inverter_kw)
    return _estimated(figures, generating, typical, _Home(zone, city, panels))


def _without_days(reads: pl.DataFrame, panels: Panels) -> str | None:
    """Why there is no day to look at; None where there is one."""
    if reads.is_empty():
        return NO_READS
    if panels.since is not None and not (reads["date"] >= panels.since).any():
        return NOT_IN_USE.format(since=panels.since)
    return None


def _export_kwh(reads: pl.DataFrame) -> float | None:
    exported = reads.filter((pl.col("direction") == "export") & (pl.col("unit") == "KWH"))["energy_nano"].drop_nulls()
    return None if exported.is_empty() else int(exported.sum()) / NANO


def _sized(panels: Panels, slots: pl.DataFrame, zone: str) -> Panels:
    if panels.kw is not None or panels.storage_kwh:
        return panels
    found = inferred_panels_kw(slots, zone, panels.inverter_kw)
    if found is None:
        return panels
    return Panels(round(found, 1), INFERRED, panels.inverter_kw, panels.storage_kwh, panels.since)


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
        measured = with_clear_output(_half_hours_of_days(reads), city)
    return expected_kwh(float(measured["clear_kwh"].sum()), city, panels.kw)


def _half_hours_of_days(reads: pl.DataFrame) -> pl.DataFrame:
    """All half hours from the first to the last meter day of `reads`."""
    ends = reads.select(first=pl.col("date").min(), last=pl.col("date").max().dt.offset_by("1d"))
    first, last = ends.select(midnight("first"), midnight("last")).row(0)
    return pl.DataFrame({"starts_at": pl.datetime_range(first, last, "30m", closed="left", eager=True)})


def _unknown(typical: Band | None, export: float | None) -> dict[str, Any]:
    floor = export or 0.0
    made = None if typical is None else {name: round(max(value, floor), 3) for name, value in typical.items()}
    return {
        "generation_kwh": made or {"low": None, "mid": None, "high": None},
        "self_consumption": None,
        "self_sufficiency": None,
    }


def _estimated(figures: dict[str, Any], slots: pl.DataFrame, typical: Band | None, home: _Home) -> Solar:
    made, exported = float(slots["generation_kwh"].sum()), float(slots["export_kwh"].sum())
    share = exported / made if made else 0.0
    notes = _notes(typical)
    if share < _FEWEST_EXPORTED:
        return Solar({**figures, **_unknown(typical, figures["export_kwh"]), "reason": LITTLE_EXPORT}, None, notes)
    generation = _generation(slots, made, home)
    used = {name: 1 - exported / value if value else 0.0 for name, value in generation.items()}
    bought = float(slots["import_kwh"].sum())
    met = {name: _ratio(generation[name] - exported, bought + generation[name] - exported) for name in used}
    likely = evening_generation_kwh(slots, zone=home.zone, city=home.city, panels_kw=home.panels.kw or 0.0)
    notes += [UNCALIBRATED, *_against(home.panels, typical, {"low": generation["low"], "high": max(made, likely)})]
    answer = {
        "generation_kwh": _rounded(generation, 3),
        "self_consumption": _rounded(used, 4),
        "self_sufficiency": None if None in met.values() else _rounded(met, 4),
        "reason": None,
    }
    return Solar({**figures, **answer}, slots, notes)


def _generation(slots: pl.DataFrame, made: float, home: _Home) -> Band:
    """The middle estimate between what an empty home and one with people in by day would have left to export."""
    stated = None if home.panels.source == INFERRED else home.panels.kw
    low, high = generation_bounds(
        slots, zone=home.zone, city=home.city, panels_kw=stated, inverter_kw=home.panels.inverter_kw
    )
    return {"low": min(low, made), "mid": made, "high": max(high, made)}


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _rounded(band: Band, digits: int) -> Band:
    return {name: round(value, digits) for name, value in band.items()}


def _against(panels: Panels, typical: Band | None, generation: Band) -> list[str]:
    """Return a note if the estimated generation contradicts the entered size of the panels."""
    if typical is None or panels.source == INFERRED:
        return []
    usual = f"is typical for their size and place ({typical['low']:,.0f} to {typical['high']:,.0f} kWh)"
    if generation["high"] < typical["low"]:
        why = "shade, another orientation, an export limit or a fault"
        return [f"The panels seem to have made less than {usual}: {why}."]
    if generation["low"] > typical["high"]:
        why = "they may be larger than entered, or better placed; figures based on their size are then too low"
        return [f"The panels seem to have made more than {usual}: {why}."]
    return []


def _too_small(panels: Panels, typical: Band | None, slots: pl.DataFrame, export: float | None) -> list[str]:
    """Where nothing but the export is known: the panels made that, and perhaps more."""
    measured = slots["export_kwh"].drop_nulls()
    least = (export or 0.0) if measured.is_empty() else float(measured.sum())
    return _against(panels, typical, {"low": least, "high": inf})


def _notes(typical: Band | None) -> list[str]:
    return [] if typical is None else [ROOF]
