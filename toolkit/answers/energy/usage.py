"""The answer of `usage`: when energy is used, for each service point."""

from __future__ import annotations

import datetime as dt
from datetime import date, datetime
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from toolkit.answers.base import Answer, Note, Noted, Rows
from toolkit.answers.energy.usage_costs import UsageCosts
from toolkit.problems import Problem


class RegisterTotal(msgspec.Struct, frozen=True):
    """The reads of one meter register, summed."""

    meter_id: str
    """Serial of the meter; empty where the data does not give one."""
    register_suffix: str
    direction: str
    """import, export, generation, reactive or other."""
    controlled_load: bool
    unit: str
    """KWH, MJ, KVARH …"""
    total: float
    """Plain sum of the reads, in `unit`."""
    intervals: int
    """Reads with a value."""
    days: int
    """Meter days with a value."""
    interval_minutes: tuple[int, ...]
    """Lengths of the reads; 1440 is a day of an accumulation read."""
    quality: dict[str, int]
    """Reads by quality: ACTUAL, SUBSTITUTE, FINAL_SUBSTITUTE, ESTIMATED, MISSING, and others where there are some."""


class HighestHalfHour(msgspec.Struct, frozen=True):
    """The half-hour of highest mean power; the first where several are equal."""

    kw: float
    at: datetime
    """Start, in the home's time zone."""


class AverageDayRow(msgspec.Struct, frozen=True):
    """Mean power in one half-hour of the days of one kind."""

    season: str
    """summer, autumn, winter or spring."""
    day_type: str
    """weekday (Monday to Friday, public holidays included) or weekend."""
    minute: int
    """Start of the half-hour in minutes of the local day."""
    kw: float
    """General import, without controlled load; in the controlled load's own rows, that."""
    kw_p10: float
    """One day in ten was below this."""
    kw_p90: float
    """One day in ten was above this."""
    days: int
    """Days behind the mean."""
    coverage: float
    """Days behind the mean ÷ days of the kind between the first and the last read, 0 to 1."""
    substituted_share: float
    """Share of the days behind the mean with a substituted or estimated read, 0 to 1."""
    export_kw: float | None
    """Null without an export register."""


class AverageDay(Rows[AverageDayRow]):
    """Average days by season and kind of day, 48 half-hours each."""

    row_type = AverageDayRow


class MonthUsageRow(msgspec.Struct, frozen=True):
    """Energy of one month of meter days; null where no register of the kind has a value in it."""

    month: str
    """`2026-07`."""
    import_kwh: float | None
    export_kwh: float | None
    coverage: float | None
    """Intervals present ÷ intervals expected, 0 to 1."""
    substituted_share: float | None
    """Share of the intervals with a value that were substituted or estimated, 0 to 1; null without any value."""
    import_mj: float | UnsetType | None = UNSET
    """Gas; absent without any."""


class MonthUsage(Rows[MonthUsageRow]):
    """Energy by month, in order; the months add up to the totals."""

    row_type = MonthUsageRow


class DayUsageRow(msgspec.Struct, frozen=True):
    """Energy of one meter day (AEST); null where no register of the kind has a value on it."""

    date: dt.date
    import_kwh: float | None
    """From the grid, controlled load included."""
    controlled_load_kwh: float | None
    export_kwh: float | None
    coverage: float | None
    """Intervals present ÷ intervals expected, 0 to 1."""
    substituted_share: float | None
    """Share of the intervals with a value that were substituted or estimated, 0 to 1."""
    import_mj: float | UnsetType | None = UNSET
    """Gas; absent without any. A read of several days is spread evenly over them."""


class DayUsage(Rows[DayUsageRow]):
    """Energy by meter day, in order."""

    row_type = DayUsageRow


class HeatMapRow(msgspec.Struct, frozen=True):
    """One local day of the heat map."""

    date: dt.date
    kw: list[float | None]
    """Mean import of each half-hour from 00:00 local time, controlled load included; null where it was not measured."""


class HeatMap(Rows[HeatMapRow]):
    """Every day by time of day, 48 half-hours each."""

    row_type = HeatMapRow


class FigureBasis(msgspec.Struct, frozen=True):
    """The data behind a figure, and whether that is enough to rely on it."""

    figure: str
    """`base_load_kw`, `peak`, `load_factor`, or a season and day type such as `summer weekday`."""
    days: int
    """Days (for the base load: nights) with reads behind it."""
    needed: int
    """Days that it takes."""
    coverage: float | None
    """Days behind it ÷ days that it is about, 0 to 1."""
    substituted_share: float | None
    """Share of them that was substituted or estimated, 0 to 1."""
    is_enough: bool
    """Whether pages and reports show the figure."""
    reason: Note | None = None
    """Why it is not enough; null where it is."""


class YearOnYear(msgspec.Struct, frozen=True):
    """Energy of some days against the same dates of the year before; only dates that were metered in both count."""

    from_: dt.date = msgspec.field(name="from")
    to: dt.date
    """Last day, inclusive."""
    days: int
    """Dates compared."""
    unit: Literal["kWh", "MJ"]
    used: float
    """From the network on these dates, in `unit`."""
    used_before: float
    """On the same dates of the year before."""
    change: float
    """`used` less `used_before`."""
    change_share: float | None
    """`change` ÷ `used_before`; null where that is 0."""
    sentence: Note
    """The comparison in words."""


class ServicePointUsage(Noted, frozen=True, kw_only=True):
    """What one service point used. Energy in kWh, gas in MJ; null where it is not known, which `notes` explain."""

    service_point_id: str
    fuel: str
    """ELECTRICITY or GAS."""
    timezone: str
    """IANA zone of the home: that of `peak`, `base_load_kw` and the average days."""
    from_: date | None = msgspec.field(name="from")
    """First meter day (AEST): the one asked for, else the first with reads."""
    to: date | None
    """Last meter day, inclusive."""
    coverage: float | None
    """Intervals present ÷ intervals expected, 0 to 1; null where nothing is expected."""
    registers: tuple[RegisterTotal, ...] = ()
    unit: str | None = None
    """KWH; MJ where only gas is measured."""
    import_kwh: float | None = None
    """From the grid, controlled load included."""
    export_kwh: float | None = None
    controlled_load_kwh: float | None = None
    """Part of `import_kwh`."""
    import_mj: float | None = None
    """Gas used."""
    base_load_kw: float | None = None
    """5th percentile of general import between 01:00 and 05:00."""
    peak: HighestHalfHour | None = None
    """Of general import, without controlled load."""
    peak_with_controlled_load: HighestHalfHour | None = None
    """The highest half-hour of all import."""
    load_factor: float | None = None
    """Mean general import ÷ its highest half-hour, 0 to 1."""
    average_day: AverageDay
    """Of general import."""
    controlled_load_average_day: AverageDay
    """Of controlled load; empty without such a register."""
    substituted_share: float | None = None
    """Share of the intervals with a value that were substituted or estimated, 0 to 1; null without any value."""
    basis: tuple[FigureBasis, ...] = ()
    """The days behind each figure within the day; those that are not enough are in JSON only, with a `reason`."""
    year_on_year: YearOnYear | None = None
    """The last 365 days, or all where there are fewer, against the year before; null where too few dates are in both.
    """
    months_on_year: tuple[YearOnYear, ...] = ()
    """The same of each calendar month that was metered in both years."""
    costs: UsageCosts | None = None
    """What the last 365 days cost by time of day, on the household's plan; null where that is not known, which `notes`
    explain."""
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    by_month: MonthUsage
    by_day: DayUsage
    heat_map: HeatMap

    @property
    def energy_unit(self) -> Literal["kWh", "MJ"]:
        """The unit of `used`."""
        return "MJ" if self.unit == "MJ" else "kWh"

    @property
    def used(self) -> float | None:
        """Energy taken from the network, in `energy_unit`."""
        return self.import_mj if self.unit == "MJ" else self.import_kwh


class Usage(Answer, frozen=True, kw_only=True):
    """When energy is used: what `usage` answers."""

    service_points: tuple[ServicePointUsage, ...]
    """In order of id."""
    problems: tuple[Problem, ...] = ()
