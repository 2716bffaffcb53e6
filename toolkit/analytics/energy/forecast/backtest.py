"""How such forecasts would have fared on the household's own past bills, and what range follows from that.

Every past bill is forecast from the day at which as much of it was metered as is of the next one now. Past bills are
recomputed from the reads at today's prices. The range is split conformal: errors over the futures' own spread, their
finite-sample quantiles laid around the middle forecast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.forecast.history import YEAR, History, Ints
from toolkit.analytics.energy.forecast.outlook import Biller, Pricing, days_of, look_ahead
from toolkit.analytics.energy.pricing.model import aud
from toolkit.answers.energy.forecast import Backtest

__all__ = ["MIN_PERIODS", "Origin", "origins", "range_around", "track_record"]

MIN_PERIODS = 9
"""Fewest past periods from which separate 10 % and 90 % ends can be known: ceil((n + 1) × 0.9) ≤ n."""

MAX_ORIGINS = 18
MIN_HISTORY = 60
_FUTURES = 15
_LEAST_SPREAD = 0.1
"""Of the bill: the days of a dial read are all alike, and futures drawn from them spread far too little."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A past bill: cents as recomputed, as forecast, as the same days last year would have given (None: unknown)."""

    period: Period
    actual: int
    middle: int
    spread: int
    naive: int | None

    @property
    def error(self) -> int:
        """Forecast less bill, in cents."""
        return self.middle - self.actual

    @property
    def score(self) -> float:
        """How far the bill lay above the forecast, in spreads."""
        return -self.error / _scale(self.middle, self.spread)


def _scale(middle: int, spread: int) -> float:
    return max(float(spread), _LEAST_SPREAD * abs(middle), 1.0)


def origins(history: History, past: Sequence[Period], metered_share: float, pricing: Pricing) -> list[Origin]:
    """The latest past periods that are fully metered and have 60 days before them, oldest first."""
    quick = replace(pricing, futures=_FUTURES)
    sound = [period for period in past if _sound(history, period, metered_share)]
    return [_origin(history, period, metered_share, quick) for period in sound[-MAX_ORIGINS:]]


def _sound(history: History, period: Period, share: float) -> bool:
    known = _known(history, period, share)
    within = all(history.is_metered(day) for day in days_of(period))
    return within and int(history.complete[: max(known, 0)].sum()) >= MIN_HISTORY


def _known(history: History, period: Period, share: float) -> int:
    return history.row(period.first) + min(round(share * period.days), period.days - 1)


def _origin(history: History, period: Period, share: float, pricing: Pricing) -> Origin:
    known = _known(history, period, share)
    ahead = look_ahead(history, known, period, pricing)
    biller = Biller(history, history.matrices, period, pricing)
    actual = biller.bill(_rows(history, period)).total_minor
    return Origin(period, actual, ahead.at(0.5), ahead.spread, _naive(history, known, period, biller))


def _rows(history: History, period: Period) -> Ints:
    return np.arange(period.days, dtype=np.int64) + history.row(period.first)


def _naive(history: History, known: int, period: Period, biller: Biller) -> int | None:
    """The bill if the days not yet metered went as the same days a year before."""
    rows = _rows(history, period)
    rows = np.where(rows < known, rows, rows - YEAR)
    if rows.min() < 0 or not history.metered[rows].all():
        return None
    return biller.bill(rows).total_minor


def range_around(middle: int, spread: int, past: Sequence[Origin]) -> tuple[int, int]:
    """Cents below and above which one bill in ten should end, from the scores of the past; `middle` lies between."""
    scores, scale = [origin.score for origin in past], _scale(middle, spread)
    low, high = np.quantile(scores, (0.1, 0.9), method="weibull")  # the (n + 1) p-th of n: right for one more draw
    return middle + round(min(float(low), 0.0) * scale), middle + round(max(float(high), 0.0) * scale)


def track_record(past: Sequence[Origin]) -> Backtest:
    """Return the errors of the past forecasts, and the share of past bills inside the range that the others give."""
    if not past:
        return Backtest(0)
    wrong, billed = sum(abs(origin.error) for origin in past), sum(abs(origin.actual) for origin in past)
    return Backtest(
        len(past),
        mae=aud(round(wrong / len(past))),
        wape=round(wrong / billed, 4) if billed else None,
        bias=aud(round(sum(origin.error for origin in past) / len(past))),
        coverage=_coverage(past),
        skill=_skill(past),
    )


def _coverage(past: Sequence[Origin]) -> float | None:
    if len(past) < MIN_PERIODS:
        return None
    inside = 0
    for number, origin in enumerate(past):
        low, high = range_around(origin.middle, origin.spread, [*past[:number], *past[number + 1 :]])
        inside += low <= origin.actual <= high
    return round(inside / len(past), 4)


def _skill(past: Sequence[Origin]) -> float | None:
    known = [(abs(origin.error), abs(origin.naive - origin.actual)) for origin in past if origin.naive is not None]
    naive = sum(error for _, error in known)
    return round(1 - sum(error for error, _ in known) / naive, 4) if naive else None
