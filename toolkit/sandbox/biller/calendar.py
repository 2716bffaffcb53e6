"""Days, seasons and clocks of a bill: spans of dates, meter reads in local time, time-of-use windows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import groupby
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from toolkit.units import AEST, AEST_OFFSET
from toolkit.wire import JsonObject

DAY = timedelta(days=1)
WEEKDAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive days, both ends included; iterates over its days."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """Return the number of days."""
        return (self.last - self.first).days + 1

    def __iter__(self) -> Iterator[date]:
        return (self.first + DAY * n for n in range(self.days))


def season_spans(span: Span, start: str, end: str) -> list[Span]:
    """Cut out the parts of `span` inside a season given as DD-MM to DD-MM, both included.

    A season may wrap the end of the year.
    """
    low, high = (tuple(int(part) for part in reversed(text.split("-"))) for text in (start, end))

    def _is_inside(day: date) -> bool:
        month_day = (day.month, day.day)
        return low <= month_day <= high if low <= high else month_day >= low or month_day <= high

    groups = [list(days) for inside, days in groupby(span, key=_is_inside) if inside]
    return [Span(days[0], days[-1]) for days in groups]


def months_of(span: Span) -> list[Span]:
    """Cut `span` at the ends of calendar months."""
    groups = [list(days) for _, days in groupby(span, key=lambda day: (day.year, day.month))]
    return [Span(days[0], days[-1]) for days in groups]


def block_widths(rate: JsonObject, span: Span) -> list[Decimal | None]:
    """Return how much energy each block of a rate takes over the days of `span`; None is unlimited.

    Volumes are in the unit of the rate and per its period; without a period they are for one day.
    """
    scale = periods_in(rate.get("period") or "P1D", span)
    volumes = [block.get("volume") for block in rate["rates"][:-1]]
    return [Decimal(str(volume)) * scale if volume else None for volume in volumes] + [None]


def periods_in(period: str, span: Span) -> Decimal:
    """Return how many such ISO 8601 periods `span` covers.

    Incomplete months count by their share of days; a year has 365 days. Raises ValueError for other than whole days,
    months or years.
    """
    parts = re.fullmatch(r"P(\d+)([DMY])", period)
    if not parts:
        raise ValueError(f"period {period!r}")
    count, unit = int(parts[1]), parts[2]
    if unit == "D":
        return Decimal(span.days) / count
    if unit == "Y":
        return Decimal(span.days) / (365 * count)
    months = Decimal(0)
    for part in months_of(span):
        first = part.first.replace(day=1)
        length = ((first + 31 * DAY).replace(day=1) - first).days
        months += Decimal(part.days) / length
    return months / count


@dataclass(frozen=True, slots=True)
class Series:
    """Intervals of one register in order of time; arrays of equal length, one value per interval."""

    day: Ints
    """Ordinal of the local date on which the interval starts."""
    minute: Ints
    """Local minute of the day at which it starts, 0 to 1439."""
    length: Ints
    """Minutes."""
    wh: Ints
    """Energy in Wh (thousandths of a megajoule for gas)."""

    def between(self, first: date, last: date) -> Series:
        """Return the intervals of these days, both included."""
        low = int(np.searchsorted(self.day, first.toordinal(), side="left"))
        high = int(np.searchsorted(self.day, last.toordinal(), side="right"))
        return Series(self.day[low:high], self.minute[low:high], self.length[low:high], self.wh[low:high])

    def only(self, mask: Mask) -> Series:
        """Return the intervals where the mask is true."""
        return Series(self.day[mask], self.minute[mask], self.length[mask], self.wh[mask])

    def __add__(self, later: Series) -> Series:
        return Series(
            np.concatenate([self.day, later.day]),
            np.concatenate([self.minute, later.minute]),
            np.concatenate([self.length, later.length]),
            np.concatenate([self.wh, later.wh]),
        )


EMPTY = Series(*(np.empty(0, np.int64) for _ in range(4)))


def series(days: Iterable[tuple[date, int, Ints]], zone: str | None) -> Series:
    """Place meter days `(date, minutes per interval, watt-hours)` on the clock of `zone`, or AEST where None."""
    columns = []
    for day, minutes, wh in days:
        starts = np.arange(len(wh), dtype=np.int64) * minutes + day.toordinal() * 1440
        local = starts + (_minutes_ahead(day, starts, zone) if zone else 0)
        columns.append((local // 1440, local % 1440, np.full(len(wh), minutes, np.int64), wh))
    return Series(*(np.concatenate(column) for column in zip(*columns, strict=True))) if columns else EMPTY


def _minutes_ahead(day: date, starts: Ints, zone: str) -> Ints:
    """Return the minutes that the zone is ahead of AEST at each start."""

    def _ahead(hour: int) -> int:
        timestamp = datetime(day.year, day.month, day.day, tzinfo=AEST) + timedelta(hours=hour)
        offset = timestamp.astimezone(ZoneInfo(zone)).utcoffset()
        assert offset is not None
        return int((offset - AEST_OFFSET).total_seconds()) // 60

    at_midnight = _ahead(0)
    if at_midnight == _ahead(24):  # all but two days a year
        return np.full(len(starts), at_midnight, np.int64)
    by_hour = np.array([_ahead(hour) for hour in range(24)], np.int64)
    return np.asarray(by_hour[(starts % 1440) // 60])


def minutes_of_week(windows: Iterable[JsonObject]) -> Mask:
    """Mark the minutes of the week (7 × 1440, Monday first) in any of the windows.

    Ends are exclusive; a window that ends before it starts runs over midnight, into the same weekday's early hours.
    """
    week = np.zeros((7, 1440), bool)
    for window in windows:
        start, end = (_minute(window[name]) for name in ("start_time", "end_time"))
        end = end or 1440
        for name in window.get("days") or WEEKDAYS:
            row = week[WEEKDAYS.index(name)]
            if start < end:
                row[start:end] = True
            else:
                row[start:] = True
                row[:end] = True
    return week


def _minute(text: str) -> int:
    """Return the minute of the day: `T19:30:00` → 1170."""
    hours, minutes, _ = text.removeprefix("T").split(":")
    return int(hours) * 60 + int(minutes)


def starts_in(reads: Series, week: Mask) -> Mask:
    """Mark the intervals that start in these minutes of the week (see `minutes_of_week`)."""
    return np.asarray(week[(reads.day - 1) % 7, reads.minute])
