"""Are the panels working: what they should generate, days on which something seems wrong, and change over the years."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import exp, log, sqrt
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.solar.climate import REAL_WORLD_FACTOR, City
from toolkit.analytics.energy.solar.sun import typical_share
from toolkit.answers.energy.solar import DayToCheck, Range, SolarDays, SolarMonth, YearChange
from toolkit.units import AEST_OFFSET, MEDIAN_DEVIATION

__all__ = ["DailyOutput", "days_to_check", "months", "solar_days", "year_change"]

Values = NDArray[np.float64]
Bools = NDArray[np.bool_]

_WINDOW = 10
"""Days in which a sky that is clear for an hour and a half is all but certain."""
_SHOWS, _FEWEST_SHOWING = 0.1, 5
"""Share of the home's usual best above which a day shows what the panels give, and how many such a window needs."""
_LOW, _LOW_IN_WINTER = 0.8, 0.62
"""Share of the home's usual best below which a part of the panels must be out; June and July have long dull spells."""
_SPREADS = 2.5
"""A window is low only this many standard deviations of the home's own windows below the usual: people who are in by
day, and dull months, leave no clear and quiet hour in many of them."""
_SHORTEST_RUN, _SHORTEST_MEASURED_RUN = 8, 3
"""Windows in a row that must be low: people who are in all day for a week look like a fault, where use is not known."""
_SHADED, _SHADED_INFERRED, _SOUND = 0.7, 0.5, 0.85
"""Shares of the usual best of a morning or afternoon: below it is shaded, above it is sound. People's use by the hour
looks like shade where generation is inferred."""
_FLAT_HOURS, _MOSTLY_FLAT = 1.5, 0.3
"""Hours longer at the top than under a clear sky, on that share of the days."""
_NOTHING = 0.02
_DARK_DAYS, _DARK_DAYS_IN_WINTER = 4, 7
_USUALLY_DARK = 0.08
"""Share of days without any output, of all or of the `_AROUND` before and after, from which such days mean nothing: the
home uses all that it generates."""
_AROUND = 30
_MONTHS_OF_WINTER = (6, 7)
_WEATHER = 0.15
"""A month's sunshine differs from its mean by less than this in four years of five."""
_LEAST_CLEAR_KWH = 0.1
"""Of a day only a part of which was measured, less than this shows nothing of its sky."""
_YEAR = 365
_FEWEST_PAIRS = 12
_HALF_MONTH = 15.2

PART = "Even in its clearest hours the output was {share:.0%} of what it usually is: a part of the panels may be out."
SHADE = "Before or after noon alone the output was {share:.0%} of what it usually is: something may shade the panels."
LIMIT = "The output stayed at {share:.0%} of its usual top for hours: the inverter or the connection may limit it."
NONE = "Nothing was generated: the inverter may be off or have failed."


Cause = Literal["none", "part", "shade", "limit"]
_REASONS: dict[Cause, str] = {"none": NONE, "limit": LIMIT, "part": PART, "shade": SHADE}
"""The clearest cause first."""


@dataclass(frozen=True, slots=True)
class DailyOutput:
    """By day from `first` on: generation [kWh], and the share of the clear-sky output in the day's best hours.

    NaN where not measured. is_measured: whether generation itself was, so that a day without any is certain. sides: the
    share in the best hours before and after solar noon. top_share: of the highest output under a clear sky, what the
    day's highest reached; flat_hours: for how much longer it stayed near that. None where only days are known.
    """

    first: date
    generation: Values
    best_share: Values
    is_measured: bool = False
    sides: tuple[Values, Values] | None = None
    top_share: Values | None = None
    flat_hours: Values | None = None


def days_to_check(output: DailyOutput) -> tuple[DayToCheck, ...]:
    """Return the days on which the panels generated nothing, or less than even the clearest hours around explain.

    All day (a part of the panels, or a limit where the output stays at one height), or only before or after noon: then
    something shades them.
    """
    best = output.best_share
    count = len(best)
    if np.isfinite(best).sum() < 3 * _WINDOW:
        return ()
    days = [output.first + timedelta(n) for n in range(count)]
    winter = np.array([day.month in _MONTHS_OF_WINTER for day in days])
    windows = _windows(best) if output.is_measured else _windows_that_show(best)
    share = _low_share(windows, np.where(winter, _LOW_IN_WINTER, _LOW), output)
    if share is None:
        return ()
    shares: dict[Cause, Values] = {
        "limit": _limited_share(output, winter),
        "part": share,
        "shade": _shade_share(output),
    }
    dark = _dark(output, winter)
    low = {cause: np.isfinite(each) for cause, each in shares.items()}
    usual_kwh = _usual_generation(output, np.any([dark, *low.values()], axis=0))
    found = []
    for number in np.flatnonzero(np.any([dark, *low.values()], axis=0)):
        if dark[number]:
            found.append(
                DayToCheck(date=days[number], reason=NONE, cause="none", kwh=round(float(usual_kwh[number]), 2))
            )
        elif np.isfinite(best[number]):
            cause = next(cause for cause in _REASONS if cause in low and low[cause][number])
            left, made = float(shares[cause][number]), float(np.nan_to_num(output.generation[number]))
            less = made * (1 - left) / max(left, 0.1) if cause == "part" else max(usual_kwh[number] - made, 0.0)
            reason = _REASONS[cause].format(share=left)
            found.append(DayToCheck(date=days[number], reason=reason, cause=cause, kwh=round(float(less), 2)))
    return tuple(found)


def _windows(best: Values) -> Values:
    """Return the highest share of the `_WINDOW` days from each on; infinite where a day was not measured."""
    filled = np.where(np.isfinite(best), best, np.inf)  # days that were not measured show nothing
    return np.asarray(_each_window(filled, np.inf).max(axis=1))


def _windows_that_show(best: Values) -> Values:
    """Return `_windows`, infinite where most days show little of the panels: the home may use all that they give.

    Who heats all day through weeks of winter does.
    """
    windows = _windows(best)
    measured = windows[np.isfinite(windows)]
    shows = np.nan_to_num(best) > _SHOWS * (np.median(measured) if len(measured) else 0.0)
    return np.where(_each_window(shows, 0).sum(axis=1) < _FEWEST_SHOWING, np.inf, windows)


def _each_window(values: Values | Bools, after: float) -> Values:
    """Return the `_WINDOW` values from each on as rows; `after` fills what follows the last."""
    padded = np.pad(values, (0, _WINDOW - 1), constant_values=after)
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, _WINDOW))


def _low_share(windows: Values, lowest: Values | float, output: DailyOutput) -> Values | None:
    """Return the share of the usual that each day belongs to where its windows are low; infinite elsewhere.

    lowest: share of the usual below which a window is low, lower where windows differ much from one another. None
    where nothing is usual.
    """
    known = windows[np.isfinite(windows)]
    usual = float(np.median(known)) if len(known) else 0.0
    if not usual:
        return None
    lowest = np.minimum(lowest, exp(-_SPREADS * _spread_below(known, usual)))
    share = np.full(len(windows), np.inf)
    shortest = _SHORTEST_MEASURED_RUN if output.is_measured else _SHORTEST_RUN
    for start in np.flatnonzero(_in_runs(windows < lowest * usual, shortest)):
        inside = slice(start, start + _WINDOW)
        share[inside] = np.minimum(share[inside], windows[start] / usual)
    return share


def _spread_below(windows: Values, usual: float) -> float:
    """Return the standard deviation of the logarithms of the windows below the usual, by their median distance to it.

    A fault of a month or two hardly changes a median.
    """
    lower = windows[windows < usual]
    return float(np.median(np.log(usual / np.maximum(lower, _NOTHING)))) / MEDIAN_DEVIATION if len(lower) else 0.0


def _shade_share(output: DailyOutput) -> Values:
    """Return the share of the usual on days when one side of noon is low and the other is not; infinite elsewhere.

    It must have begun within days: what the season brings and takes away comes slowly.
    """
    shaded = np.full(len(output.best_share), np.inf)
    for side, other in (output.sides, output.sides[::-1]) if output.sides else ():
        windows, other_windows = _windows(side), _windows(other)
        share = _low_share(windows, _SHADED if output.is_measured else _SHADED_INFERRED, output)
        if share is None or not np.isfinite(other_windows).any():
            continue
        usual, usual_other = (float(np.median(each[np.isfinite(each)])) for each in (windows, other_windows))
        for start, end in _runs(np.isfinite(share)):
            before = windows[max(0, start - 2 * _WINDOW) : max(0, start - _WINDOW + 1)]
            is_sudden = len(before) >= _WINDOW // 2 and before.min() > _SOUND * usual
            if is_sudden and other_windows[start : max(start + 1, end - _WINDOW + 1)].min() > _SOUND * usual_other:
                shaded[start:end] = np.minimum(shaded[start:end], share[start:end])
    return shaded


def _limited_share(output: DailyOutput, winter: Bools) -> Values:
    """Return the share of the usual top in runs of days with low and mostly flat tops; infinite elsewhere."""
    limited = np.full(len(output.best_share), np.inf)
    if output.top_share is None or output.flat_hours is None:
        return limited
    share = _low_share(_windows(output.top_share), np.where(winter, _LOW_IN_WINTER, _LOW), output)
    for start, end in _runs(np.isfinite(share)) if share is not None else ():
        if share is not None and (output.flat_hours[start:end] > _FLAT_HOURS).mean() > _MOSTLY_FLAT:
            limited[start:end] = share[start:end]
    return limited


def _dark(output: DailyOutput, winter: Bools) -> Bools:
    """Return the days of runs without any output."""
    nothing = np.nan_to_num(output.best_share, nan=1.0) < _NOTHING
    if output.is_measured:
        return nothing
    if nothing.mean() > _USUALLY_DARK:
        return np.zeros(len(nothing), dtype=bool)
    dark = np.where(winter, _in_runs(nothing, _DARK_DAYS_IN_WINTER), _in_runs(nothing, _DARK_DAYS))
    for start, end in _runs(dark):
        around = np.concatenate([nothing[max(0, start - _AROUND) : start], nothing[end : end + _AROUND]])
        if around.mean() > _USUALLY_DARK:
            dark[start:end] = False
    return dark


def _runs(flags: Bools) -> list[tuple[int, int]]:
    """Return where flags stand in a row: the first and the one after the last of each."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


def _in_runs(flags: Bools, shortest: int) -> Bools:
    """Return which flags stand in a row of at least `shortest` of them."""
    kept = np.zeros(len(flags), dtype=bool)
    for start, end in _runs(flags):
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


def solar_days(daily: pl.DataFrame, clear_factor: float = 1.0) -> SolarDays:
    """Return generation and clearness by day of a frame with `date`, `generation_kwh` and `clear_kwh`.

    clear_factor: what `clear_kwh` was multiplied by, from what these panels generate under a clear sky.
    """
    clear = pl.col("clear_kwh") / clear_factor
    clearness = pl.when(clear > _LEAST_CLEAR_KWH).then(pl.col("generation_kwh") / clear)
    return SolarDays(
        daily.select("date", pl.col("generation_kwh").round(3), clearness=clearness.cast(pl.Float64).round(3)).sort(
            "date"
        )
    )


def by_day(slots: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Sum columns of half hours by AEST day; null where no half hour has a value."""
    return (
        slots.group_by(date=(pl.col("starts_at") + AEST_OFFSET).dt.date())
        .agg(pl.when(pl.col(name).is_not_null().any()).then(pl.col(name).sum()).alias(name) for name in columns)
        .sort("date")
    )
