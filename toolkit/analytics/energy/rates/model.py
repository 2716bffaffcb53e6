"""What a plan charges, typed: the flat prices that a bill is made from. Prices are AUD, exact, before any GST added.

A `Tariff` is energy priced by bands of time, each band in blocks; tariff periods, controlled loads and feed-in tariffs
are all Tariffs. Everything here is hashable, so that plans can share what depends on windows and seasons alone.
"""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from toolkit.answers.base import Note
from toolkit.problems import Problem
from toolkit.tables.rows.plans import Fuel
from toolkit.units import DAY_MINUTES

_FORM = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T.*)?", re.IGNORECASE)
DAYS_PER_YEAR = 365
_NAMES: dict[tuple[Fraction, str], str] = {
    (Fraction(1), "day"): "day",
    (Fraction(7), "day"): "week",
    (Fraction(365), "day"): "year",
    (Fraction(1), "month"): "month",
    (Fraction(3), "month"): "quarter",
}


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time: `count` days or months; a year is 365 days (pricing rule 6)."""

    count: Fraction
    unit: Literal["day", "month"]

    def fits(self, days: DayCount) -> Fraction:
        """Return how many of this duration the days are, part months by their share of days."""
        return (Fraction(days.days) if self.unit == "day" else days.months) / self.count

    @property
    def daily(self) -> bool:
        """Return whether it is one day."""
        return self.unit == "day" and self.count == 1

    def __str__(self) -> str:
        return _NAMES.get((self.count, self.unit), f"{self.count} {self.unit}s")


@dataclass(frozen=True, slots=True)
class DayCount:
    """A number of days."""

    days: int
    months: Fraction
    """The same days in calendar months, each day a share of its own month."""

    @classmethod
    def of(cls, days: Iterable[date]) -> DayCount:
        """Count the days."""
        by_month = Counter((day.year, day.month) for day in days)
        months = sum((Fraction(n, calendar.monthrange(*month)[1]) for month, n in by_month.items()), Fraction(0))
        return cls(by_month.total(), months)


DAY = Duration(Fraction(1), "day")
WEEK = Duration(Fraction(7), "day")
MONTH = Duration(Fraction(1), "month")
YEAR = Duration(Fraction(DAYS_PER_YEAR), "day")


def read_duration(text: object) -> Duration | None:
    """Read `P1D`, `P1M`, `P3M`, `P1Y`, `P2W` …; None where it is not one, or is empty. Times of day are ignored."""
    match = _FORM.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    years, months, weeks, days = (int(part or 0) for part in match.groups())
    if months and not (years or weeks or days):
        return Duration(Fraction(months), "month")
    # Months next to years, weeks or days are twelfths of 365 days (pricing rule 6).
    length = Fraction(years * DAYS_PER_YEAR + weeks * 7 + days) + Fraction(months * DAYS_PER_YEAR, 12)
    return Duration(length, "day") if length else None


Gst = Literal["added", "included", "none"]
_SHOWN = Decimal(1).scaleb(-10)
PlanTimeZone = Literal["AEST", "LOCAL"]
MonthDay = tuple[int, int]


def shown_price(price: Decimal) -> Decimal:
    """Return a price to show, at most ten decimals: a typed price less its GST can have twenty."""
    shown = price.quantize(_SHOWN)
    return price if shown == price else shown.normalize()


EVERY_WEEKDAY = frozenset(range(7))
"""0 is Monday."""


@dataclass(frozen=True, slots=True)
class Span:
    """Days on which something holds, both ends inclusive; None is open.

    (month, day) ends recur every year and may wrap; `date` ends hold once. within: the days are also in this one.
    """

    first: MonthDay | date | None = None
    last: MonthDay | date | None = None
    within: Span | None = None

    def covers(self, day: date) -> bool:
        """Return whether the day is in the span."""
        first, last, month_day = self.first, self.last, (day.month, day.day)
        begun = first is None or (first <= month_day if isinstance(first, tuple) else first <= day)
        over = last is not None and (last < month_day if isinstance(last, tuple) else last < day)
        # A season may run past 31 December: `12-01` to `02-28` is December, or January and February (pricing rule 5).
        wraps = isinstance(first, tuple) and isinstance(last, tuple) and first > last
        inside = begun or not over if wraps else begun and not over
        return inside and (self.within is None or self.within.covers(day))

    @property
    def always(self) -> bool:
        """Return whether every day is covered; plans often write it as the whole year."""
        return (self.first, self.last) in ((None, None), ((1, 1), (12, 31))) and self.within is None

    @property
    def dated(self) -> bool:
        """Return whether an end is a date with a year, and none recurs every year."""
        return not self.recurs and (self.first, self.last) != (None, None)

    @property
    def recurs(self) -> bool:
        """Return whether an end recurs every year."""
        return isinstance(self.first, tuple) or isinstance(self.last, tuple)


@dataclass(frozen=True, slots=True)
class Window:
    """Minutes [start, end) of the day; start ≥ end wraps. days: the weekday each minute falls on, 0 is Monday.

    holidays_only: public holidays were the only day named.
    """

    start: int
    end: int
    days: frozenset[int] = EVERY_WEEKDAY
    holidays_only: bool = False

    @property
    def minutes(self) -> int:
        """Return the minutes of a day in the window."""
        return self.end - self.start if self.start < self.end else 1440 - self.start + self.end


ALL_DAY = Window(0, 1440)

Bands = tuple[tuple[Window, ...], ...]
"""The windows of each band, bands in listed order; where two claim a minute it is the shorter window's (rule 4)."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block (tier) of a price."""

    price: Decimal
    """AUD per unit."""
    width: Decimal | None = None
    """Units in one block period; None: without a limit."""
    gst: Gst = "added"
    """Whether 10 % comes on top."""


@dataclass(frozen=True, slots=True)
class BandRate:
    """The price of one band. period: how long a block's width lasts."""

    label: str
    blocks: tuple[Block, ...]
    period: Duration


@dataclass(frozen=True, slots=True)
class Supply:
    """AUD per day. steps: (upper end of the year's energy in kWh or MJ, price); None: without one."""

    steps: tuple[tuple[Decimal | None, Decimal], ...]

    def price(self, yearly: Decimal | None) -> Decimal:
        """Return the price for a year's energy; the first band's where that is unknown."""
        return self.steps[self.band(yearly)][1]

    def band(self, yearly: Decimal | None) -> int:
        """Return the index of the band that a year's energy is in; the first where that is unknown."""
        bands = (n for n, (upper, _) in enumerate(self.steps) if upper is None or yearly is None or yearly <= upper)
        return next(bands, len(self.steps) - 1)

    @property
    def banded(self) -> bool:
        """Return whether the price depends on the year's energy."""
        return len(self.steps) > 1


@dataclass(frozen=True, slots=True)
class Tariff:
    """Energy priced by bands: a tariff period, a controlled load, or a feed-in tariff.

    bands and rates run side by side. supply: its daily charge, None where none is published.
    """

    label: str
    span: Span
    time_zone: PlanTimeZone
    bands: Bands
    rates: tuple[BandRate, ...]
    supply: Supply | None = None


@dataclass(frozen=True, slots=True)
class DemandCharge:
    """AUD per kW, per day or (`monthly`) per month, on the highest half hour inside `bands` in each calendar month."""

    label: str
    span: Span
    time_zone: PlanTimeZone
    bands: Bands
    price: Decimal
    monthly: bool
    least: Decimal | None = None
    most: Decimal | None = None
    tariff_period: str | None = None


@dataclass(frozen=True, slots=True)
class RecurringCharge:
    """AUD each `every`: membership fees, metering charges."""

    component: Literal["fee", "metering"]
    label: str
    price: Decimal
    every: Duration
    gst: Gst


@dataclass(frozen=True, slots=True)
class Discount:
    """A percentage discount."""

    label: str
    base: Literal["bill", "use", "over"]
    """What it applies to: the whole bill, use, or use over a threshold."""
    share: Decimal
    """0.05 is five per cent."""
    guaranteed: bool
    threshold: Decimal = Decimal(0)
    """Energy in a billing period above which it counts (`over`)."""
    span: Span = field(default_factory=Span)


@dataclass(frozen=True, slots=True)
class Rates:
    """A plan for one fuel, ready to price. notes: assumptions made; problems: what cannot be priced, and why.

    time_zone: the plan's own; every date of a bill is a date on it. unit: kWh or MJ.
    controlled_loads and feed_ins are alternatives: on each day the first that covers it counts.
    """

    plan_id: str
    name: str
    fuel: Fuel
    unit: Literal["kWh", "MJ"]
    time_zone: PlanTimeZone
    periods: tuple[Tariff, ...]
    demands: tuple[DemandCharge, ...] = ()
    controlled_loads: tuple[Tariff, ...] = ()
    feed_ins: tuple[Tariff, ...] = ()
    recurring: tuple[RecurringCharge, ...] = ()
    discounts: tuple[Discount, ...] = ()
    notes: tuple[Note, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def priceable(self) -> bool:
        """Return whether energy has a price at all."""
        return any(tariff.rates for tariff in self.periods)

    @property
    def banded(self) -> bool:
        """Return whether a supply charge depends on the year's energy."""
        return any(tariff.supply is not None and tariff.supply.banded for _, tariff in self.tariffs())

    def tariffs(self) -> Iterator[tuple[str, Tariff]]:
        """Yield every Tariff with its bill component."""
        for component, group in (
            ("usage", self.periods),
            ("controlled_load", self.controlled_loads),
            ("feed_in", self.feed_ins),
        ):
            for tariff in group:
                yield component, tariff


DAY_TYPES = 14
"""Rows: Monday to Sunday, then the same weekdays when they are public holidays."""

UNCLAIMED = -1
_WITH_GST = Decimal("1.1")

Cells = NDArray[np.int8]


@lru_cache(maxsize=4096)
def cells_of(bands: Bands) -> Cells:
    """Return [day type, minute], the band or UNCLAIMED; overlaps go to the shorter window, then the first listed."""
    cells = np.full((DAY_TYPES, DAY_MINUTES), UNCLAIMED, dtype=np.int8)
    claims = [(band, window) for band, windows in enumerate(bands) for window in windows]
    claims.reverse()
    # What is laid later covers what was laid before: the longest window first, of equals the last listed (rule 4).
    for band, window in sorted(claims, key=lambda claim: -claim[1].minutes):
        cells[_claimed(window)] = band
    cells.flags.writeable = False
    return cells


def _claimed(window: Window) -> NDArray[np.bool_]:
    """Return [day type, minute], whether the window contains it."""
    minutes = np.zeros(DAY_MINUTES, dtype=bool)
    if window.start < window.end:
        minutes[window.start : window.end] = True
    else:  # past midnight; days name the day on which each minute falls, so both pieces have the same (rule 4)
        minutes[window.start :] = True
        minutes[: window.end] = True
    days = np.zeros(DAY_TYPES, dtype=bool)
    # Public holidays count as their weekday, unless they are the only day named (pricing rule 4).
    named = range(7) if window.holidays_only else window.days
    for day in named:
        days[day] = not window.holidays_only
        days[day + 7] = True
    return days[:, None] & minutes[None, :]


@lru_cache(maxsize=4096)
def coarsest_slot(bands: Bands) -> int:
    """Return the longest of 30, 15, 5 and 1 minutes on which every window begins and ends."""
    cells = cells_of(bands)
    breaks = np.flatnonzero((cells[:, 1:] != cells[:, :-1]).any(axis=0)) + 1
    return next(slot for slot in (30, 15, 5, 1) if not (breaks % slot).any())


@lru_cache(maxsize=4096)
def overlapping(bands: Bands) -> bool:
    """Return whether two bands claim the same minute."""
    claims = np.zeros((DAY_TYPES, DAY_MINUTES), dtype=np.int16)
    for windows in bands:
        own = np.zeros((DAY_TYPES, DAY_MINUTES), dtype=bool)
        for window in windows:
            own |= _claimed(window)
        claims += own
    return bool((claims > 1).any())


@lru_cache(maxsize=4096)
def unclaimed_minutes(bands: Bands) -> int:
    """Return the minutes of an ordinary week that no window claims."""
    return int((cells_of(bands)[:7] == UNCLAIMED).sum())


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ANY_TIME = "any time"


def with_gst(price: Decimal, gst: Gst) -> Decimal:
    """Return the price including GST (pricing rule 1)."""
    return price * _WITH_GST if gst == "added" else price


def windows_text(windows: Sequence[Window]) -> str:
    """Word windows: `Mon–Fri 15:00–21:00; Sat, Sun 10:00–12:00`; one time on several days is named once."""
    days: dict[tuple[int, int, bool], frozenset[int]] = {}
    for window in windows:
        key = (window.start, window.end, window.holidays_only)
        days[key] = days.get(key, frozenset()) | window.days
    words = []
    for (start, end, holidays), named in days.items():
        on = "public holidays" if holidays else "" if named >= EVERY_WEEKDAY else days_text(named)
        at = "" if (end - start) % DAY_MINUTES == 0 else f"{_time_of_day(start)}–{_time_of_day(end)}"
        words.append(" ".join(part for part in (on, at) if part) or ANY_TIME)
    return "; ".join(words)


def days_text(days: Iterable[int]) -> str:
    """Word weekdays (0 is Monday): `Mon–Fri`, `Sat, Sun`, `Tue, Thu–Sat`."""
    runs: list[list[int]] = []
    for day in sorted(days):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ", ".join(
        f"{_DAYS[run[0]]}–{_DAYS[run[-1]]}" if len(run) > 2 else ", ".join(_DAYS[day] for day in run) for run in runs
    )


def _time_of_day(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def any_of(period: Duration) -> str:
    """Word a block period: `a day`, `a month`, `in 2 months`."""
    words = str(period)
    return f"in {words}" if words[0].isdigit() else f"a {words}"
