"""ISO 8601 durations as plans use them, and how many of one fit into a set of days."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Literal

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
    """`count` days or months; a year is 365 days (pricing rule 6)."""

    count: Fraction
    unit: Literal["day", "month"]

    def fits(self, days: DayCount) -> Fraction:
        """How many of this duration the days are, part months by their share of days."""
        return (Fraction(days.days) if self.unit == "day" else days.months) / self.count

    @property
    def daily(self) -> bool:
        return self.unit == "day" and self.count == 1

    def __str__(self) -> str:
        return _NAMES.get((self.count, self.unit), f"{self.count} {self.unit}s")


@dataclass(frozen=True, slots=True)
class DayCount:
    """days: how many. months: the same days in calendar months, each day a share of its own month."""

    days: int
    months: Fraction

    @classmethod
    def of(cls, days: Iterable[date]) -> DayCount:
        by_month = Counter((day.year, day.month) for day in days)
        months = sum((Fraction(n, calendar.monthrange(*month)[1]) for month, n in by_month.items()), Fraction(0))
        return cls(by_month.total(), months)


DAY = Duration(Fraction(1), "day")
WEEK = Duration(Fraction(7), "day")
MONTH = Duration(Fraction(1), "month")
YEAR = Duration(Fraction(DAYS_PER_YEAR), "day")


def read_duration(text: object) -> Duration | None:
    """`P1D`, `P1M`, `P3M`, `P1Y`, `P2W` …; None where it is none, or nothing long. Times of day in it are ignored."""
    match = _FORM.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    years, months, weeks, days = (int(part or 0) for part in match.groups())
    if months and not (years or weeks or days):
        return Duration(Fraction(months), "month")
    length = Fraction(years * DAYS_PER_YEAR + weeks * 7 + days) + Fraction(months * DAYS_PER_YEAR, 12)
    return Duration(length, "day") if length else None
