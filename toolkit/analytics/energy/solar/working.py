"""Are the panels working: what they should generate, days on which something seems wrong, and change over the years."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import exp, log, sqrt

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.solar.climate import REAL_WORLD_FACTOR, City
from toolkit.analytics.energy.solar.sun import typical_share
from toolkit.answers.energy.solar import DayToCheck, Range, SolarMonth, YearChange
from toolkit.units import AEST_OFFSET

__all__ = ["DailyOutput", "days_to_check", "months", "year_change"]

Values = NDArray[np.float64]
Bools = NDArray[np.bool_]

_WINDOW = 10
"""Days in which a sky that is clear for an hour and a half is all but certain."""
_LOW, _LOW_IN_WINTER = 0.8, 0.62
"""Share of the home's usual best below which a part of the panels must be out; June and July have long dull spells."""
_SHORTEST_RUN, _SHORTEST_MEASURED_RUN = 8, 3
"""Windows in a row that must be low: people who are in all day for a week look like a fault, where use is not known."""
_NOTHING = 0.02
_DARK_DAYS, _DARK_DAYS_IN_WINTER = 3, 7
_USUALLY_DARK = 0.08
"""Share of days without any output from which such days mean nothing: the home uses all that it generates."""
_MONTHS_OF_WINTER = (6, 7)
_WEATHER = 0.15
"""A month's sunshine differs from its mean by less than this in four years of five."""
_YEAR = 365
_FEWEST_PAIRS = 12
_HALF_MONTH = 15.2

PART = "Even in its clearest hours the output was {share:.0%} of what it usually is: a part of the panels may be out."
NONE = "Nothing was generated: the inverter may be off or have failed."


@dataclass(frozen=True, slots=True)
class DailyOutput:
    """By day from `first` on: generation [kWh], and the share of the clear-sky output in the day's best hours.

    NaN where not measured. is_measured: whether generation itself was, so that a day without any is certain.
    """

    first: date
    generation: Values
    best_share: Values
    is_measured: bool = False


def days_to_check(output: DailyOutput) -> tuple[DayToCheck, ...]:
    """Return the days on which the panels generated nothing, or less than even the clearest hours around explain."""
    best = output.best_share
    count = len(best)
    if np.isfinite(best).sum() < 3 * _WINDOW:
        return ()
    days = [output.first + timedelta(n) for n in range(count)]
    winter = np.array([day.month in _MONTHS_OF_WINTER for day in days])
    filled = np.where(np.isfinite(best), best, np.inf)  # days that were not measured show nothing
    padded = np.pad(filled, (0, _WINDOW - 1), constant_values=np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW).max(axis=1)
    usual = float(np.median(windows[np.isfinite(windows)])) if np.isfinite(windows).any() else 0.0
    if not usual:
        return ()
    low = windows < np.where(winter, _LOW_IN_WINTER, _LOW) * usual
    share = np.full(count, np.inf)
    shortest = _SHORTEST_MEASURED_RUN if output.is_measured else _SHORTEST_RUN
    for start in np.flatnonzero(_in_runs(low, shortest)):
        inside = slice(start, start + _WINDOW)
        share[inside] = np.minimum(share[inside], windows[start] / usual)
    dark = _dark(output, winter)
    usual_kwh = _usual_generation(output, np.isfinite(share) | dark)
    found = []
    for number in np.flatnonzero(np.isfinite(share) | dark):
        if dark[number]:
            found.append(DayToCheck(date=days[number], reason=NONE, cause="none", kwh=round(usual_kwh[number], 2)))
        elif np.isfinite(best[number]):
            part = float(share[number])
            missing = float(np.nan_to_num(output.generation[number])) * (1 - part) / max(part, 0.1)
            reason = PART.format(share=part)
            found.append(DayToCheck(date=days[number], reason=reason, cause="part", kwh=round(missing, 2)))
    return tuple(found)


def _dark(output: DailyOutput, winter: Bools) -> Bools:
    """Return the days of runs without any output."""
    nothing = np.nan_to_num(output.best_share, nan=1.0) < _NOTHING
    if output.is_measured:
        return nothing
    if nothing.mean() > _USUALLY_DARK:
        return np.zeros(len(nothing), dtype=bool)
    return np.where(winter, _in_runs(nothing, _DARK_DAYS_IN_WINTER), _in_runs(nothing, _DARK_DAYS))


def _in_runs(flags: Bools, shortest: int) -> Bools:
    """Return which flags stand in a row of at least `shortest` of them."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    kept = np.zeros(len(flags), dtype=bool)
    for start, end in edges.reshape(-1, 2):
        kept[start:end] = end - start >= shortest
    return kept


def _usual_generation(output: DailyOutput, wrong: Bools) -> Values:
    """Return for each day the mean generation [kWh] of the good days within six weeks."""
    good = np.where(wrong | ~np.isfinite(output.generation), np.nan, output.generation)
    means = np.zeros(len(good))
    for number in np.flatnonzero(wrong):
        around = good[max(0, number - 42) : number + 43]
        means[number] = np.nanmean(around) if np.isfinite(around).any() else 0.0
    return means


def year_change(output: DailyOutput) -> YearChange | None:
    """Compare the best hours of the last 365 days with those a year before, half month by half month.

    The range is two standard errors either way; None with fewer than twelve half months in both years. Where
    generation is inferred, use by day that changed enters it as well.
    """
    best = output.best_share
    if len(best) < _YEAR + _FEWEST_PAIRS * _HALF_MONTH:
        return None
    later, earlier = best[-_YEAR:], best[max(0, len(best) - 2 * _YEAR) : -_YEAR]
    later = later[-len(earlier) :]
    bins = (np.arange(len(later)) / _HALF_MONTH).astype(int)
    ratios = []
    for number in range(int(bins[-1]) + 1):
        pair = [values[(bins == number) & np.isfinite(values)] for values in (later, earlier)]
        if min(map(len, pair)) >= 8:
            ratios.append(log(max(np.quantile(pair[0], 0.8), 0.05) / max(np.quantile(pair[1], 0.8), 0.05)))
    if len(ratios) < _FEWEST_PAIRS:
        return None
    mid, error = float(np.median(ratios)), 1.25 * float(np.std(ratios)) / sqrt(len(ratios))
    first = output.first + timedelta(len(best) - len(later))
    return YearChange(from_=first, ratio=Range.rounded((exp(mid - 2 * error), exp(mid), exp(mid + 2 * error)), 4))


@dataclass(frozen=True, slots=True)
class Expectation:
    """What `clear_kwh` under a clear sky is worth in typical months: factors of it, low, mid and high."""

    factors: tuple[float, float, float]

    @classmethod
    def of_rated(cls, city: City) -> Expectation:
        """Return the expectation where `clear_kwh` is of the rated size: real homes make less than the installers'
        figure.
        """
        low, mid, high = REAL_WORLD_FACTOR
        share = typical_share(city)
        return cls((share * low * (1 - _WEATHER), share * mid, share * high * (1 + _WEATHER)))

    @classmethod
    def of_inferred(cls, city: City) -> Expectation:
        """Return the expectation where `clear_kwh` is of the effective size that the export shows."""
        share = typical_share(city)
        return cls((share * (1 - 1.5 * _WEATHER), share, share * (1 + 1.5 * _WEATHER)))


def months(days: pl.DataFrame, expectation: Expectation | None) -> tuple[SolarMonth, ...]:
    """Sum up by month. days: `date`, `clear_kwh`, `export_kwh`, `generation_kwh`, null where not known."""
    by_month = (
        days.with_columns(month=pl.col("date").dt.strftime("%Y-%m"))
        .group_by("month")
        .agg(
            *(
                pl.when(pl.col(name).is_not_null().any()).then(pl.col(name).sum()).alias(name)
                for name in ("clear_kwh", "export_kwh", "generation_kwh")
            )
        )
        .sort("month")
    )
    return tuple(
        SolarMonth(
            month=row["month"],
            expected=None
            if expectation is None or not row["clear_kwh"]
            else Range.rounded((row["clear_kwh"] * factor for factor in expectation.factors), 1),
            export_kwh=_rounded(row["export_kwh"]),
            generation_kwh=_rounded(row["generation_kwh"]),
        )
        for row in by_month.iter_rows(named=True)
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def by_day(slots: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Sum columns of half hours by AEST day; null where no half hour has a value."""
    return (
        slots.group_by(date=(pl.col("starts_at") + AEST_OFFSET).dt.date())
        .agg(pl.when(pl.col(name).is_not_null().any()).then(pl.col(name).sum()).alias(name) for name in columns)
        .sort("date")
    )
