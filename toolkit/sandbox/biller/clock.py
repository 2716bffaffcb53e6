"""Reads on a plan's clock: which local day and minute each interval starts in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
METER_TIME = timezone(timedelta(hours=10))  # the market's clock: AEST all year
DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")


@dataclass(frozen=True, slots=True)
class Series:
    """Intervals of one register in order of time. day: ordinal of the local date; minute: local minute of the day."""

    day: Ints
    minute: Ints
    length: Ints
    wh: Ints

    def between(self, first: date, last: date) -> Series:
        low = int(np.searchsorted(self.day, first.toordinal(), side="left"))
        high = int(np.searchsorted(self.day, last.toordinal(), side="right"))
        return Series(self.day[low:high], self.minute[low:high], self.length[low:high], self.wh[low:high])

    def only(self, mask: NDArray[np.bool_]) -> Series:
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
    """Intervals of meter days `(date, minutes, watt-hours)` on a clock: `zone`, or AEST where None."""
    parts = [_meter_day(day, minutes, wh, zone) for day, minutes, wh in days]
    if not parts:
        return EMPTY
    return Series(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _meter_day(day: date, minutes: int, wh: Ints, zone: str | None) -> tuple[Ints, Ints, Ints, Ints]:
    starts = np.arange(len(wh), dtype=np.int64) * minutes + day.toordinal() * 1440
    local = starts + (_shift(day, starts, zone) if zone else 0)
    return local // 1440, local % 1440, np.full(len(wh), minutes, np.int64), wh


def _shift(day: date, starts: Ints, zone: str) -> Ints:
    """Minutes that the zone is ahead of AEST at each start; only on two days a year is it not the same all day."""
    opens, closes = (_ahead(day, hour, zone) for hour in (0, 24))
    if opens == closes:
        return np.full(len(starts), opens, np.int64)
    by_hour = np.array([_ahead(day, hour, zone) for hour in range(24)], np.int64)
    return np.asarray(by_hour[(starts % 1440) // 60])


def _ahead(day: date, hour: int, zone: str) -> int:
    timestamp = datetime(day.year, day.month, day.day, tzinfo=METER_TIME) + timedelta(hours=hour)
    offset = timestamp.astimezone(ZoneInfo(zone)).utcoffset()
    assert offset is not None
    return int(offset.total_seconds()) // 60 - 600


def inside(windows: Iterable[Mapping[str, Any]]) -> NDArray[np.bool_]:
    """Minutes of the week (7 × 1440, Monday first) in any of the windows. Ends are exclusive; a late start wraps."""
    week = np.zeros((7, 1440), bool)
    for window in windows:
        start, end = _minute(window["start_time"]), _minute(window["end_time"]) or 1440
        for name in window.get("days") or DAYS:
            row = week[DAYS.index(name)]
            if start < end:
                row[start:end] = True
            else:
                row[start:] = True
                row[:end] = True
    return week


def _minute(text: str) -> int:
    """`T19:30:00` → 1170."""
    hours, minutes, _ = text.removeprefix("T").split(":")
    return int(hours) * 60 + int(minutes)


def falls(reads: Series, week: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which intervals start in those minutes of the week."""
    return np.asarray(week[(reads.day - 1) % 7, reads.minute])
