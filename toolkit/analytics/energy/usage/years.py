"""Usage against the same dates of the year before, in energy and in words. The weather is not taken out."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from typing import Literal

import polars as pl

from toolkit.answers.base import Note
from toolkit.answers.energy.usage import YearOnYear

__all__ = ["DATES_NEEDED", "months_on_year", "paired_dates", "year_on_year"]

Unit = Literal["kWh", "MJ"]

DATES_NEEDED = 28
_MONTH_SHARE = 0.8
"""Share of a month's dates that must be metered in both years."""
_DAY_COVERAGE = 0.9
"""A date counts where this share of it was metered, in either year."""
_SAME = 0.005
"""Changes that would be worded as 0 % are worded as none."""


def paired_dates(by_day: pl.DataFrame, unit: Unit) -> pl.DataFrame:
    """Return `date`, `used` and `used_before` for each date that was metered now and a year before.

    by_day: `date`, `import_kwh` (`import_mj` where `unit` is MJ) and `coverage`, of both years. 29 February has no
    partner.
    """
    metered = by_day.filter(pl.col("coverage") >= _DAY_COVERAGE).select("date", used=f"import_{unit.lower()}")
    metered = metered.drop_nulls()
    before = metered.select(date=pl.col("date").dt.offset_by("1y"), on="date", used_before="used")
    is_leap_day = (before["on"].dt.month() == 2) & (before["on"].dt.day() == 29)
    return metered.join(before.filter(~is_leap_day).drop("on"), on="date").sort("date")


def year_on_year(pairs: pl.DataFrame, unit: Unit) -> YearOnYear | None:
    """Compare all dates of `paired_dates`; None where there are fewer than `DATES_NEEDED`."""
    return _compared(pairs, unit) if pairs.height >= DATES_NEEDED else None


def months_on_year(pairs: pl.DataFrame, unit: Unit) -> Iterator[YearOnYear]:
    """Compare each calendar month that has enough of its dates in `paired_dates`."""
    for (month,), dates in pairs.group_by(pl.col("date").dt.truncate("1mo"), maintain_order=True):
        assert isinstance(month, date)
        if dates.height >= _MONTH_SHARE * monthrange(month.year, month.month)[1]:
            yield _compared(dates, unit)


def _compared(dates: pl.DataFrame, unit: Unit) -> YearOnYear:
    first, last = dates["date"][0], dates["date"][-1]
    used, before = (round(float(dates[name].sum()), 6) for name in ("used", "used_before"))
    change = round(used - before, 6)
    share = round(change / before, 6) if before else None
    sentence = _sentence(dates.height, first, last, used, before, unit)
    return YearOnYear(first, last, dates.height, unit, used, before, change, share, sentence)


def _sentence(days: int, first: date, last: date, used: float, before: float, unit: Unit) -> Note:
    """Word a comparison, with the number of days that count where it is not all from the first to the last."""
    change, of = abs(used - before), (last - first).days + 1
    if not before or change / before < _SAME:
        if days == of:
            return Note("year_unchanged", first=first, last=last, used=used, unit=unit)
        return Note("year_unchanged_on_days", first=first, last=last, used=used, unit=unit, days=days, of=of)
    direction, share = "more" if used > before else "less", change / before
    if days == of:
        return Note(
            "year_changed",
            first=first,
            last=last,
            used=used,
            unit=unit,
            before=before,
            change=change,
            share=share,
            direction=direction,
        )
    return Note(
        "year_changed_on_days",
        first=first,
        last=last,
        used=used,
        unit=unit,
        before=before,
        change=change,
        share=share,
        direction=direction,
        days=days,
        of=of,
    )
