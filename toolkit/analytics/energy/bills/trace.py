"""A bill back to the meter: what each price took of each day, and of each read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
import polars as pl

from toolkit.analytics.energy.intervals.matrix import Role
from toolkit.analytics.energy.intervals.prepare import LONGEST_INTERVAL, Usage
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.pricing.charges import Charges
from toolkit.analytics.energy.pricing.lines import PlanTariffs, label_of
from toolkit.analytics.energy.pricing.model import Component, Options
from toolkit.analytics.energy.pricing.tables import Bools
from toolkit.analytics.energy.rates.model import UNCLAIMED, Rates, Tariff, cells_of
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
    reader = _DayReader(price_market(Market.of([rates]), usage, periods, options).charges, rates)
    rows = [row for number in range(len(periods)) for row in reader.period(number)]
    return pl.DataFrame(rows, schema=DAYS, orient="row")


class _DayReader:
    """Reads the energy of each day from the charges of a market of one plan."""

    def __init__(self, charges: Charges, rates: Rates) -> None:
        self._charges, self._rates, self._ranges = charges, rates, charges.home.ranges
        self._tariffs, self._own = PlanTariffs(charges, 0), charges.market.own(0)
        self._first = self._ranges.first

    def period(self, period: int) -> Iterator[_Day]:
        """Yield the rows of one billing period: energy by price, energy without a price, demand."""
        loads = self._tariffs.loads if self._charges.home.controlled else []
        for tariff in (*self._tariffs.usage, *loads, *self._tariffs.feed_ins):
            days = self._days(self._ranges.active[self._charges.market.tables.cells.days[tariff.outside]], period)
            for band in tariff.bands:
                energy = self._charges.by_day(band.cell)
                for day in days:
                    yield self._day(tariff.component, band.label, day, int(energy[day]))
        yield from self._unpriced(period)
        yield from self._peaks(period)

    def _days(self, chosen: Bools, period: int) -> list[int]:
        """Return the days of the billing period, counted from the first, in the chosen ranges. chosen: [range]."""
        wanted = chosen & (self._ranges.periods == period)
        return np.flatnonzero(np.repeat(wanted, self._ranges.lengths)).tolist()

    def _day(self, component: Component, label: str, day: int, nano: int, *, priced: bool = True) -> _Day:
        return _Day(component, label, self._first + timedelta(day), nano, self._rates.unit, priced)

    def _unpriced(self, period: int) -> Iterator[_Day]:
        """Yield energy that no price took: outside the windows of its tariff, and on days without a tariff."""
        assigned, time_zone = self._ranges.assigned, self._rates.time_zone
        usage, loads, feed_in = (
            assigned[season] < 0
            for season in (self._own.usage_season, self._own.loads_season, self._own.feed_in_season)
        )
        # Usage prices controlled load too on days without a tariff of its own (pricing rule 8).
        without: dict[Role, Bools] = {"general": usage, "controlled": usage & loads, "export": feed_in}
        matrix = self._charges.home.matrices[time_zone, time_zone]
        tariffs = (*self._tariffs.usage, *self._tariffs.loads, *self._tariffs.feed_ins)
        for role, component in OF_ROLE.items():
            energy = matrix.total(role) * np.repeat(without[role], self._ranges.lengths)
            for tariff in tariffs:
                if tariff.component == component:
                    # In no window of the tariff, or of unknown time of day.
                    energy = energy + self._charges.by_day(tariff.outside) + self._charges.by_day(tariff.untimed)
            for day in self._days(self._ranges.billed, period):
                if energy[day]:
                    yield self._day(component, UNPRICED, day, int(energy[day]), priced=False)

    def _peaks(self, period: int) -> Iterator[_Day]:
        """Yield the highest half hour of each day that a demand charge applies to."""
        for charge, own in zip(self._rates.demands, self._charges.market.tables.demand.days, strict=True):
            highest = self._charges.home.matrices[charge.time_zone, self._rates.time_zone].highest(charge.bands)
            for day in self._days(self._ranges.active[own], period):
                if highest[day] >= 0:
                    yield _Day("demand", charge.label, self._first + timedelta(day), int(highest[day]), "kW")


def reads_of(usage: Usage, rates: Rates, day: date, *, options: Options) -> pl.DataFrame:
    """Return every read of a day of the plan's time zone with its price, in the order of time.

    Columns as `READS`: time is the read's start in the time zone of the price's windows, the plan's where no price
    takes it; label as in `by_day`, null where no price takes it; energy_nano null where the read has no value.
    """
    load = _covering(rates.controlled_loads, day)
    tariffs: dict[Role, tuple[Component, Tariff | None]] = {
        "general": ("usage", _covering(rates.periods, day)),
        "controlled": ("controlled_load", load),
        "export": ("feed_in", _covering(rates.feed_ins, day)),
    }
    if load is None and tariffs["general"][1] is not None:
        tariffs["controlled"] = tariffs["general"]  # controlled load without a tariff of its own (pricing rule 8)
    parts = [pl.DataFrame(schema=READS)]
    for role, (component, tariff) in tariffs.items():
        # The day is the plan's, the local time the tariff's.
        placed = usage.placed(tariff.time_zone if tariff else rates.time_zone, rates.time_zone)
        reads = placed.filter((pl.col("day") == day) & (pl.col("role") == role))
        none = pl.Series("label", [None] * reads.height, dtype=pl.String)
        parts.append(_as_reads(reads, component, _price_at(reads, tariff, options.holidays) if tariff else none))
    return pl.concat(parts).sort("component", "time", "register_suffix")


def _covering(tariffs: Sequence[Tariff], day: date) -> Tariff | None:
    """Return the first tariff that covers the day."""
    return next((tariff for tariff in tariffs if tariff.span.covers(day)), None)


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
