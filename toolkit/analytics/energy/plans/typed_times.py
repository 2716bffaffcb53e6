"""Read days, hours and months as a person types them from a bill."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence

from toolkit.analytics.energy.rates.contract import weekdays
from toolkit.analytics.energy.rates.model import EVERY_WEEKDAY, Window
from toolkit.errors import UsageError
from toolkit.units import DAY_MINUTES

DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
MONTHS = tuple(name.upper() for name in calendar.month_abbr[1:])
_TIME = re.compile(r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s*(?P<half>[ap]\.?m\.?)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*(?:-|–|\bto\b)\s*", re.IGNORECASE)


def refused(where: str, reason: str) -> UsageError:
    """Return the refusal of what is at a place of the plan, such as `usage, Peak`."""
    return UsageError(f"{where}: {reason}", option=where)


def windows_of(days: str, hours: str | Sequence[str], where: str) -> tuple[Window, ...]:
    """Read days and hours as typed. Raises UsageError where they cannot be read."""
    named = _days(days, where)
    listed = re.split(r"\s*(?:,|;|\band\b|&)\s*", hours) if isinstance(hours, str) else hours
    spans = [_span(span, where) for span in listed if span.strip()]
    return tuple(Window(start, end, named) for start, end in spans) or (Window(0, DAY_MINUTES, named),)


def _span(written: str, where: str) -> tuple[int, int]:
    """Read `15:00-21:00` or `3pm-9pm` as minutes of the day, the end exclusive."""
    ends = _BETWEEN.split(written.strip())
    read = [_minute(end) for end in ends]
    start, end = read if len(read) == 2 else (None, None)
    if start is None or end is None or start == DAY_MINUTES:
        raise refused(where, f"{written!r} are not hours. Write them as 15:00-21:00 or 3pm-9pm.")
    end = end + 1 if end % 60 == 59 else end or DAY_MINUTES  # 20:59 means 21:00, and midnight the day's end
    if start == end:
        raise refused(where, f"the hours {written!r} are empty. Leave them out for the whole day.")
    return start, end


def _minute(written: str) -> int | None:
    """Read a time of the day as minutes since midnight; None where it is not one."""
    word = written.strip().casefold()
    if word in ("midnight", "noon", "midday"):
        return 0 if word == "midnight" else DAY_MINUTES // 2
    match = _TIME.fullmatch(word)
    if match is None:
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if half := match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    elif match["minute"] is None:
        return None
    return hour * 60 + minute if minute < 60 and (hour < 24 or (hour, minute) == (24, 0)) else None


def _days(written: str, where: str) -> frozenset[int]:
    """Read `Mon-Fri`, `Sat, Sun`, `weekdays`, `weekends`, or nothing for every day; 0 is Monday."""
    days: set[int] = set()
    for part in re.split(r"\s*(?:,|;|\band\b|&)\s*", written.strip(), flags=re.IGNORECASE):
        word = part.strip().upper()
        if word in ("", "EVERY DAY", "DAILY", "ALL DAYS"):
            days |= EVERY_WEEKDAY
            continue
        ends = [_place(end, DAYS) for end in _BETWEEN.split(word)]
        if word in ("WEEKDAYS", "WEEKENDS", "WEEKEND", "BUSINESS DAYS"):
            days |= weekdays([word.replace(" ", "_")])[0]
        elif None in ends or len(ends) > 2:
            raise refused(where, f"{part!r} are not days. Write them as Mon-Fri or Sat, Sun.")
        else:
            days |= set(_in_cycle(ends, 7))
    return frozenset(days)


def months_of(written: str, where: str) -> list[int]:
    """Read `Jun-Sep`, `Nov-Mar` or `Jan, Jul`, or nothing; 0 is January."""
    months: list[int] = []
    for part in filter(None, map(str.strip, written.split(","))):
        ends = [_place(end, MONTHS) for end in _BETWEEN.split(part.upper())]
        if None in ends or len(ends) > 2:
            raise refused(where, f"{part!r} are not months. Write them as Jun-Sep.")
        months += _in_cycle(ends, 12)
    return sorted(set(months))


def _place(word: str, names: Sequence[str]) -> int | None:
    return names.index(word[:3]) if len(word) >= 3 and word[:3] in names else None


def _in_cycle(ends: Sequence[int | None], length: int) -> list[int]:
    """Return the places from the first to the last end, past the end of the cycle where need be."""
    first, last = ends[0] or 0, ends[-1] or 0
    return [(first + step) % length for step in range((last - first) % length + 1)]
