"""What the panels made, read off the home's own export: method, constants and errors measured on metered homes.

A net meter hides what is used at once. On a day with sun the export plus a quiet house's use follows the clear sky's
shape at some share of it, the day's clearness; that share times the shape is the generation, never below the export.
Over 55 combinations of real loads and sizes its self-consumption was off by −2.4 to +7.4 points (5 to 95 %).

The range around that estimate runs from a home that is empty by day to one with people in, on the roof that makes most
of it, until the method is calibrated on measured homes; measured homes lay outside narrower ranges.
"""

from __future__ import annotations

import polars as pl

from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.solar.sun import Plane, clear_outputs
from toolkit.analytics.energy.usage.shape import with_local_time
from toolkit.units import AEST_OFFSET

__all__ = [
    "BUSY_KW",
    "MIN_SUNNY_DAYS",
    "evening_generation_kwh",
    "generation_bounds",
    "gross_metered",
    "inferred_panels_kw",
    "sunny_days",
    "with_generation",
]

_SUN_HIGH = 20.0
"""Degrees: below, roofs and trees shade, and the shape is not the sky's."""
_DULL_DAY = 0.35
"""Clearness of a day that exports in fewer than four half hours."""
_FEWEST = 4
_CLEARNESS = (0.1, 1.05)
_DC_TO_AC = 1.33
"""Panels may be a third larger than their inverter (installers' rule), no more."""
MIN_SUNNY_DAYS = 14

_SUNNY_EXPORT = (pl.col("elevation") > _SUN_HIGH) & (pl.col("export_kwh") > 0)
_SOLAR_DAY = (pl.col("starts_at") + AEST_OFFSET).dt.date().alias("solar_day")

BUSY_KW = 2.0
"""Mean use by day of a home with people in: cooling or heating, cooking, washing."""
_EMPTY_SHARE = 0.25
"""A home that is empty by day uses at least this share of its lowest use at night (the 5th percentile)."""
_YIELD_SPREAD = 1.15
"""Homes of one size and place differ by 10 to 15 % in what they make."""
_ROOFS = (
    Plane(0.0, 0.0),
    *(Plane(tilt, azimuth) for tilt in (10.0, 20.0, 30.0) for azimuth in (-90.0, -45.0, 0.0, 45.0, 90.0)),
)
"""Level, and east over north to west."""


def sunny_days(slots: pl.DataFrame) -> int:
    """Days that export in at least four half hours with the sun well up."""
    counts = slots.filter(_SUNNY_EXPORT).group_by(_SOLAR_DAY).len()
    return counts.filter(pl.col("len") >= _FEWEST).height


def night_load_kwh(slots: pl.DataFrame, zone: str, *, quantile: float = 0.5) -> float:
    """Median (or `quantile`) general import of a half hour from midnight to 05:00 local; 0 where none was measured."""
    nights = with_local_time(slots, zone).filter(pl.col("minute") < 300)["general_kwh"].drop_nulls()
    return float(nights.quantile(quantile, "linear") or 0.0)


def inferred_panels_kw(slots: pl.DataFrame, zone: str, inverter_kw: float | None) -> float | None:
    """The size that explains the strongest half hours: a fallback, right within −1 to +21 % for roofs facing north.

    For other roofs it is too large. Capped at what the inverter can take. None where hardly anything is exported.
    """
    if sunny_days(slots) < MIN_SUNNY_DAYS:
        return None
    return sized_by_export(slots, night_load_kwh(slots, zone), inverter_kw)


def sized_by_export(slots: pl.DataFrame, use: float, inverter_kw: float | None) -> float:
    """The size in kW that explains the strongest half hours where each also uses `use` kWh at once."""
    sized = slots.filter(_SUNNY_EXPORT).select((pl.col("export_kwh") + use) / pl.col("clear_kwh")).to_series()
    kw = float(sized.quantile(0.95, "linear") or 0.0)
    return kw if inverter_kw is None else min(kw, inverter_kw * _DC_TO_AC)


def with_generation(slots: pl.DataFrame, zone: str, panels_kw: float, inverter_kw: float | None) -> pl.DataFrame:
    """`slots` where export is measured, with `generation_kwh` and `used_kwh` (made and used at once).

    slots: with `clear_kwh` and `elevation`. The inverter's size limits the output.
    """
    night = night_load_kwh(slots, zone)
    measured = slots.filter(pl.col("export_kwh").is_not_null()).with_columns(
        _SOLAR_DAY, clear=pl.col("clear_kwh") * panels_kw
    )
    clearness = (
        measured.filter(_SUNNY_EXPORT)
        .group_by("solar_day")
        .agg(clearness=((pl.col("export_kwh") + night) / pl.col("clear")).median().clip(*_CLEARNESS), seen=pl.len())
        .filter(pl.col("seen") >= _FEWEST)
    )
    limit = float("inf") if inverter_kw is None else inverter_kw / 2
    made = pl.min_horizontal(pl.col("clear") * pl.col("clearness").fill_null(_DULL_DAY), pl.lit(limit))
    return (
        measured.join(clearness, on="solar_day", how="left", maintain_order="left")
        .with_columns(generation_kwh=pl.max_horizontal(made, "export_kwh"))
        .with_columns(used_kwh=pl.col("generation_kwh") - pl.col("export_kwh"))
        .drop("clear", "clearness", "seen", "solar_day")
    )


def gross_metered(slots: pl.DataFrame) -> bool:
    """Whether export looks like all of generation, as old gross meters count it.

    Then the home also buys in nearly every sunny half hour; at a net meter that takes a change within the half hour.
    """
    sunny = slots.filter(_SUNNY_EXPORT & pl.col("import_kwh").is_not_null())
    if sunny.height < _FEWEST * MIN_SUNNY_DAYS:
        return False
    both = sunny.filter((pl.col("import_kwh") > 0.05) & (pl.col("export_kwh") > 0.05)).height
    return both / sunny.height > 0.8


def generation_bounds(
    slots: pl.DataFrame, *, zone: str, city: City, panels_kw: float | None, inverter_kw: float | None
) -> tuple[float, float]:
    """The least and the most kWh that the panels can have made.

    slots: half hours with measured `export_kwh`, with `general_kwh`, `clear_kwh` and `elevation`. panels_kw: the rated
    size where somebody stated it; None where it has to be inferred from the export.
    """
    empty = _EMPTY_SHARE * night_load_kwh(slots, zone, quantile=0.05)
    low = slots.select(pl.when(pl.col("export_kwh") > 0).then(pl.col("export_kwh") + empty).otherwise(0.0)).sum().item()
    busy = max(BUSY_KW / 2, _evening_load_kwh(slots, zone))
    high = _most_with_use(slots, busy, city, panels_kw, inverter_kw)
    return float(low), max(float(low), high)


def evening_generation_kwh(slots: pl.DataFrame, *, zone: str, city: City, panels_kw: float) -> float:
    """What the panels made if by day the home used what it uses in the evening, on the roof that makes most of it."""
    return _most_with_use(slots, _evening_load_kwh(slots, zone), city, panels_kw, None)


def _most_with_use(
    slots: pl.DataFrame, use: float, city: City, panels_kw: float | None, inverter_kw: float | None
) -> float:
    """kWh made where each half hour uses `use` kWh, as far as any roof can make it under a clear sky."""
    light = slots.filter((pl.col("elevation") > -1) | (pl.col("export_kwh") > 0))
    clear = clear_outputs(light["starts_at"].dt.epoch("us").to_numpy(), city, _ROOFS)
    roofs = (light.with_columns(clear_kwh=pl.Series(values)) for values in clear)
    return max(_with_use(roof, use, panels_kw, inverter_kw) for roof in roofs)


def _with_use(on_roof: pl.DataFrame, use: float, panels_kw: float | None, inverter_kw: float | None) -> float:
    kw = sized_by_export(on_roof, use, inverter_kw) if panels_kw is None else panels_kw
    most = pl.col("clear_kwh") * kw * _YIELD_SPREAD
    if inverter_kw is not None:
        most = pl.min_horizontal(most, pl.lit(inverter_kw / 2))
    made = pl.max_horizontal(pl.min_horizontal(pl.col("export_kwh") + use, most), "export_kwh")
    return float(on_roof.select(made.sum()).item())


def _evening_load_kwh(slots: pl.DataFrame, zone: str) -> float:
    """Mean general import of a half hour between 17:00 and 22:00 local without sun; 0 where none was measured."""
    evenings = with_local_time(slots.filter(pl.col("elevation") < 0), zone).filter(
        pl.col("minute").is_between(1020, 1319)
    )
    mean = evenings["general_kwh"].drop_nulls().mean()
    return float(mean) if isinstance(mean, float) else 0.0
