"""Dates and times as Australians and their banks, meters and portals write them, and wall times to instants."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_DATES = {
    "d/m/y": re.compile(r"(?P<d>[0-9]{1,2})[/.-](?P<m>[0-9]{1,2})[/.-](?P<y>[0-9]{4}|[0-9]{2})"),
    "m/d/y": re.compile(r"(?P<m>[0-9]{1,2})[/.-](?P<d>[0-9]{1,2})[/.-](?P<y>[0-9]{4}|[0-9]{2})"),
    "d mon y": re.compile(r"(?P<d>[0-9]{1,2})[ /-](?P<m>[A-Za-z]{3})[a-z]*[ /-](?P<y>[0-9]{4}|[0-9]{2})"),
    "yyyymmdd": re.compile(r"(?P<y>[0-9]{4})(?P<m>[0-9]{2})(?P<d>[0-9]{2})"),
    "iso": re.compile(r"(?P<y>[0-9]{4})[/.-](?P<m>[0-9]{2})[/.-](?P<d>[0-9]{2})"),
}


_ANY = ("d/m/y", "d mon y", "yyyymmdd", "iso")
"""Not month before day: nothing in Australia writes that without being asked to."""
MONTH_FIRST = "m/d/y"
STYLES = frozenset({*_DATES, "any", "datetime"})
"""Of the columns of a bank; `datetime`: ISO 8601 and the like."""


@lru_cache(maxsize=8192)
def day(text: str, style: str) -> date | None:
    """Parse a date in a style of `_DATES`, or `any` of `_ANY`; None where it is none.

    Two-digit years are of this century.
    """
    if style == "any":
        return next((found for known in _ANY if (found := day(text, known))), None)
    match = _DATES[style].fullmatch(text.strip())
    if match is None:
        return None
    month = _MONTHS.get(match["m"].lower()) if match["m"].isalpha() else int(match["m"])
    year = int(match["y"]) + (2000 if len(match["y"]) == 2 else 0)
    try:
        return date(year, month or 0, int(match["d"]))
    except ValueError:
        return None


def date_time(text: str) -> datetime | None:
    """Parse ISO 8601, `31/05/2026 8:18` or `13:03 26-09-25`, zone optional; None for any other text."""
    text = text.strip()
    for clock, dated in ((text.rpartition(" ")[2], text.rpartition(" ")[0]), text.partition(" ")[::2]):
        parsed_day = day(dated, "d/m/y")
        if parsed_day and (match := re.fullmatch(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?", clock)):
            return _at(parsed_day, match)
    try:
        return datetime.fromisoformat(text) if "-" in text else None
    except ValueError:
        return None


def _at(parsed_day: date, clock: re.Match[str]) -> datetime | None:
    try:
        hour, minute, second = (int(part or 0) for part in clock.groups())
        return datetime.combine(parsed_day, time(hour, minute, second))
    except ValueError:
        return None


_FIXED_HOURS = {"aest": 10.0, "acst": 9.5, "awst": 8.0, "utc": 0.0, "gmt": 0.0}
_SHIFTED = re.compile(r"(utc|gmt)\+?([0-9]{1,2})(?::([0-9]{2}))?")
_TIME = re.compile(r"(?P<h>[0-9]{1,2}):(?P<m>[0-9]{2})(?::(?P<s>[0-9]{2})(?:\.0+)?)? ?(?P<half>[AaPp]\.?[Mm]\.?)?")
_STYLES = ("d/m/y", "iso", "d mon y", "yyyymmdd")


def fixed_clock(words: str) -> tzinfo | None:
    """Return the zone of `aest`, `utc`, `utc+10` … in a header; None where it names none."""
    shifted = _SHIFTED.fullmatch(words)
    if shifted:
        ahead = timedelta(hours=int(shifted[2]), minutes=int(shifted[3] or 0))
        return timezone(ahead) if ahead < timedelta(days=1) else None
    hours = _FIXED_HOURS.get(words)
    return None if hours is None else timezone(timedelta(hours=hours))


@lru_cache(maxsize=4096)
def calendar_day(text: str) -> date | None:
    """Parse a date in any style that portals write; None where it is none."""
    return next((found for style in _STYLES if (found := day(text, style))), None)


@lru_cache(maxsize=4096)
def minutes_of(text: str) -> int | None:
    """Return minutes since midnight of `0:30`, `00:30:00`, `12:30 AM`, `24:00`; `23:59:59` is the minute after."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    hour, minute = int(match["h"]), int(match["m"]) + (match["s"] == "59")
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"][0] in "Pp" else 0)
    return hour * 60 + minute if hour <= 24 and minute <= 60 and hour * 60 + minute <= 1440 else None


def wall_time(text: str, on: str = "") -> datetime | None:
    """Parse a date and time, or a time with its date in another cell; with a zone only where the text has an offset.

    A date alone is its midnight. None where it is neither.
    """
    text = text.strip()
    minutes = minutes_of(text)
    if minutes is not None:
        found = calendar_day(on.partition(" ")[0]) or calendar_day(on)
        return _on(found, minutes) if found else None
    if (found := calendar_day(text)) is not None:
        return datetime.combine(found, time())
    return _together(text)


def _on(found: date, minutes: int) -> datetime | None:
    """Return the time so many minutes after midnight; None for the end of the last day that there is."""
    try:
        return datetime.combine(found, time()) + timedelta(minutes=minutes)
    except OverflowError:
        return None


def _together(text: str) -> datetime | None:
    match = re.fullmatch(r"(.*?)(?:[ T]+)([0-9]{1,2}:.*)", text)
    if match:
        found, minutes = calendar_day(match[1]), minutes_of(match[2])
        if found is not None and minutes is not None:
            return _on(found, minutes)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def to_instants(times: Sequence[datetime], zone: tzinfo) -> list[datetime | None]:
    """Convert wall times to instants (UTC), in the order of the file; None for a time that daylight saving skips.

    In the hour that repeats at the end of daylight saving, the first row of a time is the earlier one.
    """
    seen: Counter[datetime] = Counter()
    instants: list[datetime | None] = []
    for wall in times:
        if wall.tzinfo is not None:
            instants.append(wall.astimezone(UTC))
            continue
        seen[wall] += 1
        local = wall.replace(tzinfo=zone, fold=int(seen[wall] > 1))
        instant = local.astimezone(UTC)
        shown = instant.astimezone(zone).replace(tzinfo=None)
        instants.append(instant if shown == wall else None)
    return instants
