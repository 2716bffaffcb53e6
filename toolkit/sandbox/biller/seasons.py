"""Days of a bill, cut by season and month, and how wide its blocks are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from itertools import groupby
from typing import Any

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive days, both ends included."""

    first: date
    last: date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    def __iter__(self) -> Iterator[date]:
        return (self.first + DAY * n for n in range(self.days))


def season_span(span: Span, start: str, end: str) -> list[Span]:
    """The stretches of `span` inside a season given as DD-MM to DD-MM, both included; a season may wrap the year."""
    low, high = _month_day(start), _month_day(end)

    def within(day: date) -> bool:
        now = (day.month, day.day)
        return low <= now <= high if low <= high else now >= low or now <= high

    return _stretches(span, within)


def months_of(span: Span) -> list[Span]:
    """`span` cut at calendar months."""
    return [_span(list(days)) for _, days in groupby(span, key=lambda day: (day.year, day.month))]


def _stretches(span: Span, within: Any) -> list[Span]:
    return [_span(list(days)) for inside, days in groupby(span, key=within) if inside]


def _span(days: list[date]) -> Span:
    return Span(days[0], days[-1])


def _month_day(text: str) -> tuple[int, int]:
    day, month = text.split("-")
    return int(month), int(day)


def widths(rate: Mapping[str, Any], span: Span) -> list[Decimal | None]:
    """How much of each block fits the days of `span`; None is no limit. Without a period a width is for one day."""
    scale = periods_in(rate.get("period") or "P1D", span)
    volumes = [block.get("volume") for block in rate["rates"][:-1]]
    return [Decimal(str(volume)) * scale if volume else None for volume in volumes] + [None]


def periods_in(period: str, span: Span) -> Decimal:
    """How many such ISO 8601 periods the days hold: part months count their share of days, a year has 365 days."""
    found = re.fullmatch(r"P(\d+)([DMY])", period)
    if not found:
        raise ValueError(f"period {period!r}")
    count, unit = int(found[1]), found[2]
    if unit == "D":
        return Decimal(span.days) / count
    if unit == "Y":
        return Decimal(span.days) / (365 * count)
    return sum((_share(month) for month in months_of(span)), Decimal(0)) / count


def _share(part: Span) -> Decimal:
    first = part.first.replace(day=1)
    following = (first + 31 * DAY).replace(day=1)
    return Decimal(part.days) / (following - first).days
