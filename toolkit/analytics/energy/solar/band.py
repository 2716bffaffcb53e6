"""How far what the panels made may lie from the middle estimate, until the method is calibrated on measured homes.

Export is measured; what was used at once is not, and neither is the roof. The band runs from a home that is empty by
day to one with people in, on the roof that makes most of it. Measured homes lay outside narrower bands.
"""

from __future__ import annotations

import polars as pl

from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.solar.inference import night_load_kwh, sized_by_export
from toolkit.analytics.energy.solar.output import clear_outputs
from toolkit.analytics.energy.solar.sun import Plane
from toolkit.analytics.energy.usage.shape import on_clock

__all__ = ["BUSY_KW", "evening_generation_kwh", "generation_bounds"]

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
    evenings = on_clock(slots.filter(pl.col("elevation") < 0), zone).filter(pl.col("minute").is_between(1020, 1319))
    mean = evenings["general_kwh"].drop_nulls().mean()
    return float(mean) if isinstance(mean, float) else 0.0
