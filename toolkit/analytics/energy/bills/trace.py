"""A bill back to the meter: what each price took of each day, and of each read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import polars as pl

from toolkit.analytics.energy.bills.energy import BillingContext, Charged, Chosen, controlled, exported, label_of, used
from toolkit.analytics.energy.bills.model import Component, Options
from toolkit.analytics.energy.bills.pricing import matrices_of, sliced
from toolkit.analytics.energy.intervals.matrix import EXTRA_COLUMNS, ROLES, IntervalMatrix, Role
from toolkit.analytics.energy.intervals.prepare import LONGEST_INTERVAL, Usage
from toolkit.analytics.energy.rates.contract import PlanMessages
from toolkit.analytics.energy.rates.dates_and_windows import UNCLAIMED, cells_of
from toolkit.analytics.energy.rates.model import PlanTimeZone, Rates, Tariff
from toolkit.answers.base import Period

DAYS = pl.Schema(
    {
        "component": pl.String,
        "label": pl.String,
        "date": pl.Date,
        "nano": pl.Int64,
        "unit": pl.String,
        "priced": pl.Boolean,
    }
)
READS = pl.Schema(
    {
        "component": pl.String(),
        "label": pl.String(),
        "time": pl.Datetime("us"),
        "interval_minutes": pl.Int64(),
        "meter_id": pl.String(),
        "register_suffix": pl.String(),
        "energy_nano": pl.Int64(),
        "quality": pl.String(),
    }
)


class _Day(NamedTuple):
    """A row of `by_day`; fields as `DAYS`."""

    component: Component
    label: str
    date: date
    nano: int
    unit: str
    priced: bool = True


UNPRICED = "without a price"
OF_ROLE: dict[Role, Component] = {"general": "usage", "controlled": "controlled_load", "export": "feed_in"}
"""The component of energy that no tariff prices at all."""


def by_day(usage: Usage, rates: Rates, periods: Sequence[Period], *, options: Options) -> pl.DataFrame:
    """Return what each energy price took of each day, and each day's highest half hour for each demand charge.

    Columns component, label (`price_label` of the bill's lines), date (in the plan's time zone), nano (10^-9 of
    `unit`), unit (kWh or MJ; kW for demand), priced. The energy of a label adds up to that of its lines, all blocks
    together. Energy that no price takes has the label `UNPRICED`, on days that have some, and is not `priced`; so all
    labels add up to all energy.
    Days of demand without a read have no row.
    """
    matrices = matrices_of(usage, rates, periods, options)
    rows: list[_Day] = []
    for period in periods:
        context = _context(rates, period, sliced(matrices, period, options), options)
        for charged in _charged(context):
            rows += _days_of(charged, context)
        rows += _unpriced_days(context)
        rows += _peaks(context)
    return pl.DataFrame(rows, schema=DAYS, orient="row")


def _context(
    rates: Rates, period: Period, matrices: Mapping[PlanTimeZone, IntervalMatrix], options: Options
) -> BillingContext:
    """Return the context of pricing a period by itself; messages are not used."""
    return BillingContext(period, rates, matrices, matrices, options, None, PlanMessages(rates.plan_id))


def _charged(context: BillingContext) -> Iterator[Charged]:
    """Yield all energy with a tariff: usage, controlled load, exports."""
    yield from used(context)
    yield from controlled(context)
    yield from exported(context)


def _days_of(charged: Charged, context: BillingContext) -> Iterator[_Day]:
    """Yield a row for each day and band of a tariff."""
    component, tariff, energy, days = charged
    dates = context.matrices[tariff.time_zone].dates
    for band, rate in enumerate(tariff.rates):
        for row in np.flatnonzero(days):
            yield _Day(component, label_of(rate, tariff), dates[row], int(energy[row, band]), context.rates.unit)


def _unpriced_days(context: BillingContext) -> Iterator[_Day]:
    """Yield energy that no price took: outside the windows of its tariff, and on days without a tariff."""
    matrix = context.matrices[context.rates.time_zone]
    for role, component in OF_ROLE.items():
        # [day], energy in the last columns of `banded`: in no window of the tariff, or of unknown time of day.
        outside = [
            np.asarray(charged.energy[:, -EXTRA_COLUMNS:].sum(axis=1) * charged.days)
            for charged in _charged(context)
            if charged.component == component
        ]
        energy = sum(outside, start=matrix.total(role) * _without_tariff(role, context))
        for row in np.flatnonzero(energy):
            yield _Day(component, UNPRICED, matrix.dates[row], int(energy[row]), context.rates.unit, priced=False)


def _without_tariff(role: Role, context: BillingContext) -> Chosen:
    """Return [day], whether no tariff takes the reads of that role."""
    return ~_covered([charged for charged, taken_role in _takes(context) if taken_role == role], context)


def _covered(tariffs: Sequence[Charged], context: BillingContext) -> Chosen:
    """Return [day], whether one of the tariffs takes energy."""
    none = np.zeros(context.period.days, dtype=bool)
    return np.asarray(np.logical_or.reduce([none, *(charged.days for charged in tariffs)]))


def _peaks(context: BillingContext) -> Iterator[_Day]:
    """Yield the highest half hour of each day that a demand charge applies to."""
    for charge in context.rates.demands:
        matrix = context.matrices[charge.time_zone]
        highest = matrix.highest(charge.bands)
        for row in np.flatnonzero((matrix.assigned((charge.span,)) == 0) & (highest >= 0)):
            yield _Day("demand", charge.label, matrix.dates[row], int(highest[row]), "kW")


def reads_of(usage: Usage, rates: Rates, day: date, *, options: Options) -> pl.DataFrame:
    """Return every read of a day of the plan's time zone with its price, in the order of time.

    Columns as `READS`: time is the read's start in the time zone of the price's windows, the plan's where no price
    takes it; label as in `by_day`, null where no price takes it; energy_nano null where the read has no value.
    """
    period = Period(day, day)
    matrices = sliced(matrices_of(usage, rates, [period], options), period, options)
    context = _context(rates, period, matrices, options)
    parts = [pl.DataFrame(schema=READS)]
    for charged, role in _takes(context):
        reads = _placed(usage, role, charged.tariff.time_zone, context)
        parts.append(_as_reads(reads, charged.component, _price_at(reads, charged.tariff, options.holidays)))
    for role in ROLES:
        if _without_tariff(role, context).all():
            reads = _placed(usage, role, rates.time_zone, context)
            parts.append(_as_reads(reads, OF_ROLE[role], pl.Series("label", [None] * reads.height, dtype=pl.String)))
    return pl.concat(parts).sort("component", "time", "register_suffix")


def _takes(context: BillingContext) -> Iterator[tuple[Charged, Role]]:
    """Yield each tariff with a role of reads that it prices; usage prices controlled load too where nothing else does.

    As in a bill (pricing rule 8).
    """
    own = list(controlled(context))
    alone = ~_covered(own, context)
    for charged in used(context):
        yield charged, "general"
        if (charged.days & alone).any():
            yield charged._replace(days=charged.days & alone), "controlled"
    for charged in own:
        yield charged, "controlled"
    for charged in exported(context):
        yield charged, "export"


def _placed(usage: Usage, role: Role, time_zone: PlanTimeZone, context: BillingContext) -> pl.DataFrame:
    """Return the role's reads of the context's day, with their local time in `time_zone`."""
    placed = usage.placed(time_zone, context.rates.time_zone)
    return placed.filter((pl.col("day") == context.period.first) & (pl.col("role") == role))


def _as_reads(reads: pl.DataFrame, component: Component, labels: pl.Series) -> pl.DataFrame:
    """Return reads with the columns of `READS`."""
    return reads.select(
        pl.lit(component).alias("component"),
        labels,
        "time",
        pl.col("interval_minutes").cast(pl.Int64),
        "meter_id",
        "register_suffix",
        "energy_nano",
        "quality",
    )


def _price_at(reads: pl.DataFrame, tariff: Tariff, holidays: frozenset[date]) -> pl.Series:
    """Return the label of the price at each read's start; a read of a whole day has one where it is the same all day.

    As a bill does (pricing rule 4).
    """
    cells = cells_of(tariff.bands)
    names = [label_of(rate, tariff) for rate in tariff.rates]
    labels = []
    for at, minutes in reads.select("time", "interval_minutes").iter_rows():
        day = cells[at.weekday() + (7 if at.date() in holidays else 0)]
        timed = minutes <= LONGEST_INTERVAL or (day == day[0]).all()
        band = int(day[at.hour * 60 + at.minute]) if timed else UNCLAIMED
        labels.append(None if band == UNCLAIMED else names[band])
    return pl.Series("label", labels, dtype=pl.String)
