"""The answer of `solar`: what the panels generate, how much of it is used at home, and what it is worth."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Literal

import msgspec

from toolkit.answers.base import Answer, Note, Noted, Rows
from toolkit.answers.energy.bills import PlanDays
from toolkit.problems import Problem


class Range(msgspec.Struct, frozen=True):
    """An estimate between its lowest and highest likely value; all three null where it is not known."""

    low: float | None = None
    mid: float | None = None
    high: float | None = None

    @property
    def values(self) -> tuple[float, float, float] | None:
        """Low, mid and high; None where they are not known."""
        if self.low is None or self.mid is None or self.high is None:
            return None
        return self.low, self.mid, self.high

    @classmethod
    def rounded(cls, values: Iterable[float], digits: int) -> Range:
        """Make a range of its low, middle and high value, with so many decimals."""
        return cls(*(round(value, digits) for value in values))


class MoneyRange(msgspec.Struct, frozen=True):
    """An amount between its lowest and highest likely value, AUD; all three equal where it is measured."""

    low: Decimal
    mid: Decimal
    high: Decimal


class SolarMonth(msgspec.Struct, frozen=True, kw_only=True):
    """A month of meter days (AEST) at one service point."""

    month: str
    """`YYYY-MM`."""
    expected: Range | None
    """What such panels generate there in such a month, kWh; null where their size is not known."""
    export_kwh: float | None
    generation_kwh: float | None
    """Measured, or the middle estimate."""


class SolarDayRow(msgspec.Struct, frozen=True):
    """A meter day (AEST) at one service point."""

    date: dt.date
    generation_kwh: float | None
    """Measured, or the middle estimate; null where it is not known."""
    clearness: float | None
    """Generation ÷ what the same panels generate on such a day under a clear sky: near 1 on a clear day, a little above
    on a cool one. Null where either is not known. Lower also where panels are shaded, limited or out."""


class SolarDays(Rows[SolarDayRow]):
    """Generation by meter day, in order."""

    row_type = SolarDayRow


class DayToCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A day on which the panels generated less than the sky of those days allows."""

    date: date
    reason: str
    cause: Literal["none", "part", "shade", "limit"]
    """`none`: nothing came; `part`: a part of the panels seems to be out; `shade`: only mornings or afternoons are low;
    `limit`: the output stays at one height."""
    kwh: float
    """What is likely missing."""
    value: Decimal | None = None
    """What that would have saved or earned, AUD."""


class YearChange(msgspec.Struct, frozen=True, kw_only=True):
    """How the panels' output under a clear sky changed from one year to the next: 0.98 is 2 % less."""

    from_: date = msgspec.field(name="from")
    """First day of the later year."""
    ratio: Range


class InferredRoof(msgspec.Struct, frozen=True, kw_only=True):
    """A plane of panels, as known or as the shape of the export shows it."""

    azimuth: float
    """Degrees clockwise from north that it faces."""
    tilt: float
    """Degrees from level."""
    share: float
    """Share of the panels on it, 0 to 1."""


class ServicePointSolar(Noted, frozen=True, kw_only=True):
    """Solar at one service point. Null where it is not known; `reason` then explains it."""

    service_point_id: str
    panels_kw: float | None
    """Rated size."""
    panels_source: str | None
    """`as given`, `household`, `device register` or `inferred from export`."""
    inverter_kw: float | None
    storage_kwh: float | None
    """Capacity of the home's battery."""
    battery_suspected: bool = False
    """Whether the shape of the reads is that of a home with a battery, and none is known: shares are not estimated."""
    export_kwh: float | None
    """Measured."""
    generation_source: Literal["inverter", "meter", "estimate"] | None = None
    """What generation is known from: an inverter's file, a meter of all generation, or an estimate."""
    generation_kwh: Range
    """At least what was exported. Measured: all three are equal."""
    self_consumption: Range | None
    """Share of the generation that is used at home, 0 to 1."""
    self_sufficiency: Range | None
    """Share of all use that the panels supply, 0 to 1."""
    reason: str | None
    """Why figures are null."""
    from_: date | None = msgspec.field(name="from")
    """First meter day (AEST)."""
    to: date | None
    """Last meter day, inclusive."""
    coverage: float | None = None
    """Intervals of import and export with a value ÷ all intervals of the days that the figures are of, 0 to 1."""
    substituted_share: float | None = None
    """Share of those with a value that are substituted or estimated, 0 to 1."""
    feed_in_value: Decimal | None = None
    """What the export earned on the plan, AUD."""
    avoided_import_value: Decimal | None = None
    """What the energy used at home (middle estimate) would have cost from the grid, AUD."""
    feed_in_range: MoneyRange | None = None
    """`feed_in_value` as a range: export is measured and priced day by day on the plan in force then."""
    avoided_import_range: MoneyRange | None = None
    """`avoided_import_value` at the lowest and highest generation."""
    months: tuple[SolarMonth, ...] = ()
    days: SolarDays = msgspec.field(default_factory=lambda: SolarDays.of(SolarDayRow.__struct_fields__, []))
    """Empty where generation is not known by day."""
    days_to_check: tuple[DayToCheck, ...] = ()
    year_change: YearChange | None = None
    """Null with less than two years to compare."""
    roof: tuple[InferredRoof, ...] | None = None
    """Planes of the panels, as set or as inferred; null where neither is."""
    export_limit_kw: float | None = None
    """Where the export stops rising: a limit of the inverter or the connection."""
    valued_on_plan: str | None = None
    """Plan of the last day."""
    valued_on_plans: tuple[PlanDays, ...] | None = None
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()
    """The code of each note."""

    @property
    def exported_of_generation(self) -> float | None:
        """Return what was exported of the generation [kWh]: on the days whose generation is known, maybe not all."""
        made, used = self.generation_kwh.mid, self.self_consumption.mid if self.self_consumption else None
        return self.export_kwh if made is None or used is None else made * (1 - used)


class Solar(Answer, frozen=True, kw_only=True):
    """What solar generates and what it is worth: what `solar` answers."""

    service_points: tuple[ServicePointSolar, ...]
    """Those of electricity, in order of id."""
    problems: tuple[Problem, ...] = ()
    """Of the reads, of the plans, and of the bills that solar is valued with."""
