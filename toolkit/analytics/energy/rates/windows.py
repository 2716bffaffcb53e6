"""Windows and durations in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolkit.analytics.energy.rates.model import WEEK, Window
from toolkit.analytics.energy.rates.parsing.durations import Duration

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ANY_TIME = "any time"


def windows_text(windows: Sequence[Window]) -> str:
    """`Mon–Fri 15:00–21:00; Sat, Sun 10:00–12:00`; windows of one time on several days are said once."""
    days: dict[tuple[int, int, bool], frozenset[int]] = {}
    for window in windows:
        key = (window.start, window.end, window.holidays_only)
        days[key] = days.get(key, frozenset()) | window.days
    return "; ".join(_one(start, end, on, holidays=holidays) for (start, end, holidays), on in days.items())


def _one(start: int, end: int, days: frozenset[int], *, holidays: bool) -> str:
    on = "public holidays" if holidays else "" if days >= WEEK else days_text(days)
    at = "" if (end - start) % 1440 == 0 else f"{_clock(start)}–{_clock(end)}"
    return " ".join(part for part in (on, at) if part) or ANY_TIME


def days_text(days: Iterable[int]) -> str:
    """`Mon–Fri`, `Sat, Sun`, `Tue, Thu–Sat`; 0 is Monday."""
    runs: list[list[int]] = []
    for day in sorted(days):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ", ".join(_run(run) for run in runs)


def _run(days: Sequence[int]) -> str:
    if len(days) > 2:
        return f"{_DAYS[days[0]]}–{_DAYS[days[-1]]}"
    return ", ".join(_DAYS[day] for day in days)


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def any_of(period: Duration) -> str:
    """`a day`, `a month`, `in 2 months`."""
    words = str(period)
    return f"in {words}" if words[0].isdigit() else f"a {words}"
