"""Which months' roll-ups a change makes stale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

EVERY = "*"
UNDATED = ""
_DAY = timedelta(days=1)


def months_of(rows: Iterable[Mapping[str, Any]]) -> set[str]:
    """The local months that transactions may fall in: that of the date written, and of its neighbours in any zone."""
    return {month for day in {written_day(row) for row in rows} for month in _around(day)}


def written_day(row: Mapping[str, Any]) -> date | None:
    """The date written in the execution, else posting, else value time; None without one that can be read."""
    for name in ("execution_date_time", "posting_date_time", "value_date_time"):
        if row.get(name):
            return _day(str(row[name]))
    return None


def booked_day(row: Mapping[str, Any]) -> date | None:
    """The date that the service's `from` compares: posting, else execution."""
    return _day(str(row.get("posting_date_time") or row.get("execution_date_time") or ""))


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _around(day: date | None) -> set[str]:
    if day is None or not date.min + _DAY < day < date.max - _DAY:
        return {UNDATED}
    return {f"{near:%Y-%m}" for near in (day - _DAY, day, day + _DAY)}
