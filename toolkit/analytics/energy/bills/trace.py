"""A bill back to the meter: what each price took of each day, and of each read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from toolkit.analytics.energy.bills.energy import Charged, Scene, controlled, exported, label_of, used
from toolkit.analytics.energy.bills.grid import Role
from toolkit.analytics.energy.bills.model import Options, Period
from toolkit.analytics.energy.bills.pricing import framed, grids_of
from toolkit.analytics.energy.bills.usage import LONGEST_INTERVAL, Usage
from toolkit.analytics.energy.rates.cells import UNCLAIMED, cells_of
from toolkit.analytics.energy.rates.findings import Findings
from toolkit.analytics.energy.rates.model import Rates, Tariff

DAYS: dict[str, Any] = {
    "component": pl.String,
    "label": pl.String,
    "date": pl.Date,
    "nano": pl.Int64,
    "unit": pl.String,
}
READS: dict[str, Any] = {
    "component": pl.String,
    "label": pl.String,
    "time": pl.Datetime("us"),
    "interval_minutes": pl.Int64,
    "meter_id": pl.String,
    "register_suffix": pl.String,
    "energy_nano": pl.Int64,
    "quality": pl.String,
}
UNPRICED = "without a price"


def by_day(usage: Usage, rates: Rates, periods: Sequence[Period], *, options: Options) -> pl.DataFrame:
    """What each energy price took of each day, and the highest half hour of each day for each demand charge.

    Columns component, label (as on the bill's lines, without the block), date (on the plan's clock), nano (10^-9 of
    `unit`), unit (kWh or MJ; kW for demand). The energy of a label adds up to that of its lines, all blocks together;
    energy that no price takes has the label `UNPRICED`. Days of demand without a read have no row.
    """
    grids = grids_of(usage, rates, periods, options)
    rows: list[dict[str, Any]] = []
    for period in periods:
        scene = Scene(period, rates, framed(grids, period, options), options, None, Findings(rates.plan_id))
        for charged in _charged(scene):
            rows += _days_of(charged, scene)
        rows += _peaks(scene)
    return pl.DataFrame(rows, schema=DAYS)


def _charged(scene: Scene) -> Iterator[Charged]:
    yield from used(scene)
    yield from controlled(scene)
    yield from exported(scene)


def _days_of(charged: Charged, scene: Scene) -> Iterator[dict[str, Any]]:
    component, tariff, energy, days = charged
    dates = scene.grids[tariff.clock].dates
    labels = [label_of(rate, tariff) for rate in tariff.rates]
    columns = [*((label, energy[:, band]) for band, label in enumerate(labels)), (UNPRICED, energy[:, -2:].sum(axis=1))]
    for label, amounts in columns:
        if label != UNPRICED or amounts[days].any():
            for row in np.flatnonzero(days):
                yield _day(component, label, dates[row], int(amounts[row]), scene.rates.unit)


def _peaks(scene: Scene) -> Iterator[dict[str, Any]]:
    for charge in scene.rates.demands:
        grid = scene.grids[charge.clock]
        highest = grid.highest(charge.bands)
        for row in np.flatnonzero((grid.assigned((charge.span,)) == 0) & (highest >= 0)):
            yield _day("demand", charge.label, grid.dates[row], int(highest[row]), "kW")


def _day(component: str, label: str, day: date, nano: int, unit: str) -> dict[str, Any]:
    return {"component": component, "label": label, "date": day, "nano": nano, "unit": unit}


def reads_of(usage: Usage, rates: Rates, day: date, *, options: Options) -> pl.DataFrame:
    """Every read of a day of the plan's clock with the price it falls under, in the order of time.

    Columns as `READS`: time is the read's start on the clock that the price's windows are read on; label as in
    `by_day`, null where no price takes it; energy_nano null where the read has no value.
    """
    period = Period(day, day)
    grids = framed(grids_of(usage, rates, [period], options), period, options)
    scene = Scene(period, rates, grids, options, None, Findings(rates.plan_id))
    found = [_labelled(usage, charged, role, scene) for charged, role in _roles(scene)]
    return pl.concat([pl.DataFrame(schema=READS), *found]).sort("component", "time", "register_suffix")


def _roles(scene: Scene) -> Iterator[tuple[Charged, Role]]:
    """Whose reads a tariff takes; usage takes controlled load as well where no tariff of its own does."""
    alone = not any(True for _ in controlled(scene))
    for charged in used(scene):
        yield charged, "general"
        if alone:
            yield charged, "controlled"
    for charged in controlled(scene):
        yield charged, "controlled"
    for charged in exported(scene):
        yield charged, "export"


def _labelled(usage: Usage, charged: Charged, role: Role, scene: Scene) -> pl.DataFrame:
    tariff = charged.tariff
    placed = usage.placed(tariff.clock, scene.rates.clock)
    reads = placed.filter((pl.col("day") == scene.period.first) & (pl.col("role") == role))
    return reads.select(
        pl.lit(charged.component).alias("component"),
        _price_at(reads, tariff, scene.options.holidays),
        "time",
        pl.col("interval_minutes").cast(pl.Int64),
        "meter_id",
        "register_suffix",
        "energy_nano",
        "quality",
    )


def _price_at(reads: pl.DataFrame, tariff: Tariff, holidays: frozenset[date]) -> pl.Series:
    """The label of the price at each read's start; a read of a whole day has one where it is the same all day."""
    cells = cells_of(tariff.bands)
    names = [label_of(rate, tariff) for rate in tariff.rates]
    labels = []
    for at, minutes in reads.select("time", "interval_minutes").iter_rows():
        day = cells[at.weekday() + (7 if at.date() in holidays else 0)]
        timed = minutes <= LONGEST_INTERVAL or (day == day[0]).all()
        band = int(day[at.hour * 60 + at.minute]) if timed else UNCLAIMED
        labels.append(None if band == UNCLAIMED else names[band])
    return pl.Series("label", labels, dtype=pl.String)
