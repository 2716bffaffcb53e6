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
    return {month for text in {_written(row)[:10] for row in rows} for month in _around(_day(text))}


def _written(row: Mapping[str, Any]) -> str:
    """The execution, else posting, else value time."""
    found = row.get("execution_date_time") or row.get("posting_date_time") or row.get("value_date_time")
    return str(found or "")


def last_booked_day(rows: Iterable[Mapping[str, Any]]) -> date | None:
    """The latest date of those that the service's `from` compares: posting, else execution."""
    texts = {str(row.get("posting_date_time") or row.get("execution_date_time") or "")[:10] for row in rows}
    return max((day for day in map(_day, texts) if day is not None), default=None)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _around(day: date | None) -> set[str]:
    if day is None or not date.min + _DAY < day < date.max - _DAY:
        return {UNDATED}
    return {f"{near:%Y-%m}" for near in (day - _DAY, day, day + _DAY)}
