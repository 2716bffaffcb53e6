"""Read the values of a published contract: texts, numbers, times of day, weekdays, and what to say about them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from toolkit.analytics.energy.rates.model import (
    EVERY_WEEKDAY,
    PlanTimeZone,
    Window,
)
from toolkit.answers.notes import Figure, Note
from toolkit.errors import Problem
from toolkit.tables.plans import JsonObject

_DIGITS = re.compile(r"\d{1,4}")
_TIME = re.compile(r"T?(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?", re.IGNORECASE)
_DAY_NAMES = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_DAY_GROUPS = {
    "BUSINESS_DAYS": frozenset(range(5)),
    "WEEKDAYS": frozenset(range(5)),
    "WEEKENDS": frozenset((5, 6)),
    "WEEKEND": frozenset((5, 6)),
}
HOLIDAYS = "PUBLIC_HOLIDAYS"
MINUTES = 1440


def number(value: object) -> Decimal | None:
    """Read a finite decimal from a JSON number or text; None where it is not one."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        return None
    try:
        read = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return read if read.is_finite() and abs(read.adjusted()) < 30 else None


def text(holder: dict[str, Any] | None, *keys: str) -> str:
    """Return the first of the keys that has a text; empty where none has."""
    for key in keys:
        value = (holder or {}).get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def minute_of_day(value: object) -> int | None:
    """Read `T19:00:00`, `HH:MM[:SS]` or 1 to 4 digits (`59`, `700`, `2159`) as minutes since midnight, 0 to 1440."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    written = value.strip()
    if _DIGITS.fullmatch(written):
        hour, minute = divmod(int(written), 100)
    elif match := _TIME.fullmatch(written):
        hour, minute = int(match[1]), int(match[2])
    else:
        return None
    return hour * 60 + minute if minute < 60 and (hour < 24 or (hour, minute) == (24, 0)) else None


def end_minute(value: object) -> int | None:
    """Read a time as an exclusive end: `HH:59` means the next minute, `00:00` the day's end."""
    minute = minute_of_day(value)
    if minute is None:
        return None
    if minute % 60 == 59:
        return minute + 1
    return minute or MINUTES


def weekdays(names: Sequence[str]) -> tuple[frozenset[int], list[str]]:
    """Return the days named (0 is Monday), and the unknown names. Without names: every day. Holidays add nothing."""
    if not names:
        return EVERY_WEEKDAY, []
    days: set[int] = set()
    unknown = []
    for name in names:
        if name in _DAY_GROUPS:
            days |= _DAY_GROUPS[name]
        elif name[:3] in _DAY_NAMES:
            days.add(_DAY_NAMES.index(name[:3]))
        elif name != HOLIDAYS:
            unknown.append(name)
    return frozenset(days), unknown


def window(written: dict[str, Any]) -> Window | str:
    """Read one window; a text says why it cannot be read (pricing rule 4)."""
    given = [written.get("start_time"), written.get("end_time")]
    start, end = minute_of_day(given[0]), end_minute(given[1])
    if given == [None, None]:
        return "no times are published"
    if start is None or end is None or start == MINUTES:
        return f"unreadable times {given[0]!r} to {given[1]!r}"
    if start == end:
        return f"a window from {given[0]!r} to {given[1]!r} is empty"
    names: list[str] = written.get("days") or []
    days, unknown = weekdays(names)
    if unknown:
        return f"unknown days {', '.join(unknown)}"
    if set(names) == {HOLIDAYS}:
        return Window(start, end, frozenset(), holidays_only=True)
    return Window(start, end, days)


class PlanMessages:
    """Collect notes and problems, each once, in order. where: prefix of a problem's location, usually the plan id."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._notes: dict[Note, None] = {}
        self._problems: dict[Problem, None] = {}

    def note(self, code: str, /, **figures: Figure) -> None:
        """Add a note by its code in `toolkit.answers.notes.WORDING`, with the figures of its sentence."""
        self._notes[Note(code, **figures)] = None

    def problem(self, part: str, reason: str) -> None:
        """Add a problem: the part of the plan that is not priced, and why."""
        self._problems[Problem(f"{self.where}: {part}" if part else self.where, reason)] = None

    @property
    def notes(self) -> tuple[Note, ...]:
        """Return the notes, in order."""
        return tuple(self._notes)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the problems, in order."""
        return tuple(self._problems)


@dataclass(frozen=True, slots=True)
class Reading:
    """How one contract's prices are to be read. scale: 0.01 where the plan is in cents.

    time_zone: the contract's, for tariff periods that name none. other_time_zone: of controlled load and feed-in, which
    have none of their own: the contract's too, or where it names none the first that a tariff period names.
    order: of the contract's dates without a year. on: the day that dates with a year are read for; None: they hold from
    the first to the last, as on the household's own plan.
    """

    messages: PlanMessages
    unit: str
    scale: Decimal
    time_zone: PlanTimeZone
    other_time_zone: PlanTimeZone
    order: Order
    quota: bool = False
    on: date | None = None


def time_zone_of(written: JsonObject, otherwise: PlanTimeZone = "AEST") -> PlanTimeZone:
    """Return `time_zone` as published: LOCAL, or AEST; `otherwise` where absent."""
    named = text(written, "time_zone").upper()
    return ("LOCAL" if named == "LOCAL" else "AEST") if named else otherwise


Order = Literal["MM-DD", "DD-MM"]
