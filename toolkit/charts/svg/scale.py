"""Scales: from the values on an axis to places in the drawing, with ticks and their labels."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any, Literal

Kind = Literal["linear", "date", "category"]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}.*")
_MOST_TICKS = 13
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120)
_DAY_STEPS = (1, 2, 7, 14)
_FEW_DAYS = 70


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis. first, last: its ends in `number`s of values; start, end: their places in the drawing [px]."""

    kind: Kind
    names: tuple[str, ...]
    first: float
    last: float
    start: float
    end: float
    ticks: tuple[tuple[float, str], ...]
    """Number and label of each tick; a label of several lines has line breaks."""

    def number(self, value: object) -> float:
        """Return a value as a number: a date as days, a category as its place in `names`."""
        if self.kind == "category":
            return float(self.names.index(str(value)))
        return _days(value) if self.kind == "date" else float(str(value))

    def place(self, number: float) -> float:
        """Return where a number lies in the drawing [px]."""
        return self.start + (number - self.first) / (self.last - self.first) * (self.end - self.start)


def kind_of(axis: Any, values: Sequence[object]) -> Kind:
    """Return the kind of an axis as plotly would choose it."""
    if axis.type in ("date", "category"):
        return "date" if axis.type == "date" else "category"
    if values and all(isinstance(value, date) or _DAY.fullmatch(str(value)) for value in values):
        return "date"
    return "linear" if all(isinstance(value, (int, float)) for value in values) else "category"


def numeric_scale(axis: Any, kind: Kind, numbers: Sequence[float], *, with_zero: bool, half_step: float) -> Scale:
    """Return the scale of a linear or date axis, without places. half_step: room at both ends, as bars need it."""
    low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    if axis.range is not None:
        low, high = (float(end) for end in axis.range)
    elif kind == "date":
        low, high = low - max(half_step, 0.5), high + max(half_step, 0.5)
    else:
        low, high = _rounded_out(low, high, with_zero=with_zero or axis.rangemode == "tozero", half_step=half_step)
    ticks = _named_ticks(axis) if axis.tickvals is not None else ()
    ticks = ticks or (_date_ticks(low, high, axis) if kind == "date" else _ticks(low, high, axis.tickformat))
    return Scale(kind, (), low, high, 0.0, 1.0, ticks)


def category_scale(axis: Any, names: Iterable[str]) -> Scale:
    """Return the scale of categories in order, without places; where the axis names ticks, these alone are labelled."""
    listed = tuple(dict.fromkeys(names))
    wanted = tuple(map(str, axis.tickvals)) if axis.tickvals is not None else listed
    texts = dict(zip(wanted, axis.ticktext or wanted, strict=False))
    ticks = tuple((float(place), label_of(texts[name])) for place, name in enumerate(listed) if name in texts)
    return Scale("category", listed, -0.5, max(len(listed), 1) - 0.5, 0.0, 1.0, ticks)


def label_of(text: object) -> str:
    """Return a text of plotly's, with its line breaks and escapes, as plain text."""
    return html.unescape(str(text).replace("<br>", "\n"))


def smallest_gap(numbers: Iterable[float]) -> float:
    """Return the smallest distance between different numbers; 1 where there is only one."""
    ordered = sorted(set(numbers))
    return min((after - before for before, after in pairwise(ordered)), default=1.0)


def written(value: float, form: str | None) -> str:
    """Return a number as plotly's `tickformat` writes it: `$,.0f`, `,.0f`, or as short as it is exact."""
    sign, size = ("−" if value < 0 else ""), abs(value)
    if form and form.startswith("$"):
        return f"{sign}${size:{form[1:]}}"
    return f"{sign}{size:{form}}" if form else f"{sign}{size:,.10g}"


def _days(value: object) -> float:
    """Return a date, or a text that begins with one, as days since year 1; a time as the fraction of its day."""
    if not isinstance(value, date):
        value = datetime.fromisoformat(str(value))
    if isinstance(value, datetime):
        return value.toordinal() + (value.hour * 60 + value.minute) / 1440
    return float(value.toordinal())


def _rounded_out(low: float, high: float, *, with_zero: bool, half_step: float) -> tuple[float, float]:
    low, high = low - half_step, high + half_step
    if with_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        low, high = low - 1, high + 1
    step = _step(low, high)
    room = (high - low) * 0.04
    return (
        math.floor((low - (room if low < 0 or not with_zero else 0)) / step) * step,
        math.ceil((high + (room if high > 0 or not with_zero else 0)) / step) * step,
    )


def _step(low: float, high: float) -> float:
    """Return a step of 1, 2 or 5 times a power of ten that makes about six ticks."""
    rough = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    return float(next(size for size in (1, 2, 5, 10) if size * power >= rough) * power)


def _ticks(low: float, high: float, form: str | None) -> tuple[tuple[float, str], ...]:
    step = _step(low, high)
    first = math.ceil(low / step - 1e-9)
    numbers = [place * step for place in range(first, math.floor(high / step + 1e-9) + 1)]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    rounded = [round(number, decimals) + 0.0 for number in numbers]
    labels = [written(number, form) for number in rounded]
    if len(set(labels)) < len(labels) and form:  # a few cents on an axis of whole dollars
        labels = [written(number, form.replace(".0f", f".{max(decimals, 2)}f")) for number in rounded]
    return tuple(zip(rounded, labels, strict=True))


def _named_ticks(axis: Any) -> tuple[tuple[float, str], ...]:
    labels = axis.ticktext or axis.tickvals
    return tuple((float(value), label_of(label)) for value, label in zip(axis.tickvals, labels, strict=True))


def _date_ticks(low: float, high: float, axis: Any) -> tuple[tuple[float, str], ...]:
    """Label months, or days where there are few; a year only where it changes. An axis without a day has no label."""
    if high < date.min.toordinal() + 1:
        return ()
    first, last = date.fromordinal(math.ceil(low)), date.fromordinal(math.floor(high))
    by_month = "%-d" not in (axis.tickformat or "%-d") or (last - first).days > _FEW_DAYS
    if not by_month:
        step = next((days for days in _DAY_STEPS if (last - first).days / days <= _MOST_TICKS - 4), 14)
        days = [first + timedelta(days=number) for number in range(0, (last - first).days + 1, step)]
        return tuple(
            (float(day.toordinal()), f"{day.day} {day:%b}{_year(day, before)}") for before, day in _pairs(days)
        )
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    starts = [day for number in months if first <= (day := date(number // 12, number % 12 + 1, 1))]
    step = next((size for size in _MONTH_STEPS if len(starts) / size <= _MOST_TICKS), 120)
    shown = [day for day in starts if (day.year * 12 + day.month - 1) % step == 0]
    return tuple((float(day.toordinal()), f"{day:%b}{_year(day, before)}") for before, day in _pairs(shown))


def _pairs(days: Sequence[date]) -> list[tuple[date | None, date]]:
    """Return each day with the one before it."""
    return list(zip([None, *days[:-1]], days, strict=True))


def _year(day: date, before: date | None) -> str:
    return f"\n{day.year}" if before is None or before.year != day.year else ""
