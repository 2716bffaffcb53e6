"""One household for both engines: the referee's intervals and the toolkit's frame `reads` say the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl

from tests.contracts.referee_meter import Interval, Site
from toolkit.analytics.energy.bills import Bill, Options, Period, price
from toolkit.analytics.energy.rates import compile_plan
from toolkit.tables.data_types import frame_schema
from toolkit.tables.rows.plans import read_plan
from toolkit.tables.schema.meters import ReadRow

AEST = timedelta(hours=10)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
REGISTERS = {
    "general": ("E1", "import", False),
    "controlled": ("E2", "import", True),
    "export": ("B1", "export", False),
}


@dataclass
class Household:
    """Energy in 10^-9 kWh by register, interval by interval from `first` at midnight AEST; None is missing.

    Registers are left out of the repr: hypothesis refuses to print a failing case that long.
    """

    first: date
    minutes: int
    zone: str = "Australia/Sydney"
    registers: Mapping[str, Sequence[int | None]] = field(default_factory=dict, repr=False)
    holidays: Collection[date] = ()
    unit: str = "KWH"

    def site(self) -> Site:
        streams = {name: self.intervals(values) for name, values in self.registers.items()}
        return Site(
            zone=self.zone,
            general=streams.get("general", []),
            controlled=streams.get("controlled", []),
            export=streams.get("export", []),
            has_controlled="controlled" in streams,
            holidays=self.holidays,
        )

    def start(self, index: int) -> datetime:
        midnight = datetime(self.first.year, self.first.month, self.first.day, tzinfo=UTC) - AEST
        return midnight + timedelta(minutes=index * self.minutes)

    def intervals(self, values: Sequence[int | None]) -> list[Interval]:
        first = int((self.start(0) - EPOCH).total_seconds()) // 60
        return [Interval(first + n * self.minutes, self.minutes, value) for n, value in enumerate(values)]

    def reads(self) -> pl.DataFrame:
        parts = [self.columns(name, values) for name, values in self.registers.items()]
        schema = frame_schema(ReadRow.table)
        return pl.concat([pl.DataFrame(schema=schema), *(part.select(schema.keys()).cast(schema) for part in parts)])

    def columns(self, name: str, values: Sequence[int | None]) -> pl.DataFrame:
        suffix, direction, controlled = REGISTERS[name]
        minutes = pl.int_range(len(values), dtype=pl.Int64) * self.minutes
        of_register = {
            "service_point_id": "SP", "meter_id": "M", "register_suffix": suffix, "unit": self.unit,
            "direction": direction, "controlled_load": controlled, "interval_minutes": self.minutes,
        }  # fmt: skip
        return pl.DataFrame({"energy_nano": values}, {"energy_nano": pl.Int64}).with_columns(
            *(pl.lit(value).alias(column) for column, value in of_register.items()),
            starts_at=pl.lit(self.start(0)) + pl.duration(minutes=minutes),
            date=pl.lit(self.first) + pl.duration(days=minutes // 1440),
            quality=pl.when(pl.col("energy_nano").is_null()).then(pl.lit("MISSING")).otherwise(pl.lit("ACTUAL")),
        )


def toolkit_bill(
    plan: Mapping[str, Any],
    fuel: str,
    household: Household,
    periods: Sequence[tuple[date, date]],
    *,
    blocks: str = "pooled",
    discounts: str = "guaranteed",
    usage: Any = None,
    on: date | None = None,
) -> Bill:
    """What the toolkit's own engine says. on: the day the plan is priced for; None: the household's own."""
    rates = compile_plan(read_plan(plan, plan_id="P"), fuel.upper(), on=on)
    options = Options(blocks=blocks, discounts=discounts, holidays=frozenset(household.holidays))
    asked = [Period(first, last) for first, last in periods]
    return price(household.reads() if usage is None else usage, rates, asked, zone=household.zone, options=options)
