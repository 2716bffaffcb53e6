"""One service point with panels: what is known of these, its half hours under the clear sky, the answer about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl

from toolkit.analytics.energy.intervals.prepare import midnight
from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.solar.inference import Inference
from toolkit.analytics.energy.solar.roofs import Array, Roof
from toolkit.analytics.energy.solar.working import Expectation
from toolkit.answers.energy.solar import InferredRoof, ServicePointSolar
from toolkit.tables.schema.meters import DerRecordRow

CLOCK_OFF = "clock_off"
"""Code of the note on reads whose clock is hours off."""
NO_EXPORT = "The meter has no reads of export within the day, so how much is used at home is not known."


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
class Home:
    """One service point while its panels are in use. slots: half hours, with the clear sky over the assumed roof.

    city: whose sun shines. place: the same; None where the home may be anywhere.
    """

    reads: pl.DataFrame
    slots: pl.DataFrame
    city: City
    panels: Panels
    place: City | None


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


def sunny_days(slots: pl.DataFrame) -> int:
    """Return the number of days that export in at least four half hours with the sun well up."""
    sunny = slots.filter((pl.col("elevation") > 20) & (pl.col("export_kwh") > 0))
    return sunny.group_by(pl.col("starts_at").dt.offset_by("10h").dt.date()).len().filter(pl.col("len") >= 4).height


def expectation_of(home: Home, inference: Inference | None) -> tuple[Expectation | None, float]:
    """Return what clear skies are worth by month, and the factor of the potential that it is counted from."""
    if inference is None or inference.potential_kw <= 0:
        return None, 1.0
    if home.panels.kw:
        return Expectation.of_rated(home.city), home.panels.kw / inference.potential_kw
    return Expectation.of_inferred(home.city), 1.0


def on_days(days: pl.DataFrame, column: str, inference: Inference) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return a column of daily values in the order of the inference's days; NaN where there is none."""
    values = np.full(len(inference.best_share), np.nan)
    place = (days["date"] - inference.first_day).dt.total_days().to_numpy()
    inside = (place >= 0) & (place < len(values))
    values[place[inside]] = days[column].to_numpy()[inside]
    return values


def half_hours_of_days(days: pl.DataFrame) -> pl.DataFrame:
    """Return all half hours from the first to the last meter day of a frame with `date`."""
    ends = days.select(first=pl.col("date").min(), last=pl.col("date").max().dt.offset_by("1d"))
    first, last = ends.select(midnight("first"), midnight("last")).row(0)
    return pl.DataFrame({"starts_at": pl.datetime_range(first, last, "30m", closed="left", eager=True)})


def inferred_roof(roof: Roof | None) -> tuple[InferredRoof, ...] | None:
    if roof is None:
        return None
    return tuple(
        InferredRoof(azimuth=plane.azimuth % 360, tilt=plane.tilt, share=round(share, 2))
        for plane, share in zip(roof.planes, roof.shares, strict=True)
    )
