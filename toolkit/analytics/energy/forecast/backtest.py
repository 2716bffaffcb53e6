"""How such forecasts would have fared on the household's own past bills, and what range follows from that.

Every past bill is forecast from the day at which as much of it was metered as is of the next one now, with what was
known then: the change of use, if one showed, and the models' weights by the bills that were over. Past bills are
recomputed from the reads at today's prices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.forecast.changes import LastingChange
from toolkit.analytics.energy.forecast.futures import Drawn, Pricer, Pricing, days_of
from toolkit.analytics.energy.forecast.history import YEAR, History, Ints
from toolkit.analytics.energy.forecast.models import ModelErrors
from toolkit.analytics.energy.forecast.outlook import Prospect, UnitPrices, look_ahead, open_days, worth_of
from toolkit.analytics.energy.pricing.model import aud
from toolkit.answers.energy.forecast import Backtest, PastForecast

__all__ = [
    "MIN_PERIODS",
    "Origin",
    "Spread",
    "origins",
    "past_forecasts",
    "recent_errors",
    "track_record",
    "usual_share",
]

MIN_PERIODS = 9
"""Fewest past periods from which separate 10 % and 90 % ends can be known: ceil((n + 1) × 0.9) ≤ n."""

MAX_ORIGINS = 18
MIN_HISTORY = 56
_FUTURES = 15
_RECENT = 28
_USUAL, _USUAL_COUNT, _RECENT_COUNT = 0.10, 6.0, 4.0
"""Root mean squared error of the open part of a bill that is usual among homes, and the past bills it counts for."""
_VARIED = 0.1
"""Standard deviation of the days over their mean from which a home is like others."""
_NEW_LEVEL = 0.16
"""What the level of use is uncertain by, four weeks after a lasting change."""
_REACH = 1.45
"""Root mean squared errors from the middle to each end: errors have longer tails than a normal distribution."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A past bill: cents as recomputed, as forecast, as the same days last year would have given (None: unknown).

    worth: cents of the energy that was open then, bought and sold together. least: the bill if nothing more had been
    bought; None where the home exports. of_today: whether it is of the use that continues, so that its error shows what
    to expect.
    """

    period: Period
    actual: int
    middle: int
    worth: float
    naive: int | None
    least: int | None = None
    of_today: bool = True
    models: ModelErrors | None = None

    @property
    def error(self) -> int:
        """Forecast less bill, in cents."""
        return self.middle - self.actual

    @property
    def score(self) -> float:
        """How far the bill lay above the forecast, as a share of what was open."""
        return -self.error / self.worth if self.worth > 0 else 0.0


def origins(
    history: History, past: Sequence[Period], metered_share: float, pricing: Pricing, prices: UnitPrices
) -> list[Origin]:
    """Return the latest past periods that are fully metered and have eight weeks before them, oldest first."""
    quick = replace(pricing, futures=_FUTURES, later=())
    sound = [period for period in past if _sound(history, period, metered_share)]
    out: list[Origin] = []
    for period in sound[-MAX_ORIGINS:]:
        known = _known(history, period, metered_share)
        tested = [origin.models for origin in out if origin.models is not None]
        prospect = Prospect.of(history, known, open_days(history, known, period), tested)
        out.append(_origin(prospect, period, quick, prices))
    return out


def _sound(history: History, period: Period, share: float) -> bool:
    known = _known(history, period, share)
    within = all(history.is_metered(day) for day in days_of(period))
    return within and int(history.complete[: max(known, 0)].sum()) >= MIN_HISTORY


def _known(history: History, period: Period, share: float) -> int:
    return history.row(period.first) + min(round(share * period.days), period.days - 1)


def _origin(prospect: Prospect, period: Period, pricing: Pricing, prices: UnitPrices) -> Origin:
    history = prospect.history
    pricer = Pricer(history, [period], pricing)
    totals = look_ahead(prospect, period, pricing).totals
    rows = np.arange(period.days, dtype=np.int64) + history.row(period.first)
    is_open = np.isin(rows, prospect.targets)
    bought = np.stack([np.ones(len(rows)), np.where(is_open, 0.0, 1.0)])
    both = Drawn(np.stack([rows, rows]), {"general": bought, "controlled": bought})
    actual, least = pricer.totals(both)[:, 0].tolist()
    exports = bool(history.use.energy["export"][: prospect.known].any())
    return Origin(
        period,
        actual,
        int(totals[len(totals) // 2]),
        worth_of(prospect.expected, prices),
        _naive(history, prospect.known, rows, pricer),
        None if exports else least,
        models=prospect.errors(int(rows[-1]), prices),
    )


def _naive(history: History, known: int, rows: Ints, pricer: Pricer) -> int | None:
    """The bill if the days not yet metered went as the same days a year before."""
    rows = np.where(rows < known, rows, rows - YEAR)
    if rows.min() < 0 or not history.metered[rows].all():
        return None
    return int(pricer.totals(Drawn.as_they_were(rows))[0, 0])


def recent_errors(
    history: History, known: int, tested: Sequence[ModelErrors], prices: UnitPrices, change: LastingChange | None
) -> list[float]:
    """Return by what shares the last four and the last two weeks lay above what was expected before them.

    Only weeks of the use that continues: what a named change explains widens no range.
    """
    out = []
    for weeks in (_RECENT, _RECENT // 2):
        begin = known - weeks
        targets = np.arange(begin, known)
        targets = targets[history.metered[targets]] if begin >= MIN_HISTORY else targets[:0]
        if targets.size < weeks // 2 or (change is not None and begin < change.row + weeks // 2):
            continue
        prospect = Prospect.of(history, begin, targets, tested)
        errors = prospect.errors(known - 1, prices).errors
        out.append(-sum(prospect.weights[method] * error for method, error in errors.items()))
    return out


@dataclass(frozen=True, slots=True)
class Spread:
    """How far bills fall from their forecasts: the root mean squared error, as a share of what is open of a bill."""

    share: float

    @classmethod
    def of(
        cls,
        past: Sequence[Origin],
        recent: Sequence[float] = (),
        days_since_change: int | None = None,
        usual_share: float = 1.0,
    ) -> Spread:
        """Return the spread of the errors on past bills, with what is usual among homes as if seen on a few bills.

        recent: errors of the last weeks; where they are large, the last bills count for more. usual_share: how much of
        what is usual counts, see `usual_share`.
        """
        scores = [min(abs(origin.score), 1.0) for origin in past if origin.of_today]
        usual = (_USUAL * usual_share) ** 2
        if days_since_change is not None:  # the new level is known from few days
            usual += (_NEW_LEVEL * usual_share) ** 2 * 28 / max(days_since_change, 7)
        everything = (_USUAL_COUNT * usual + sum(score**2 for score in scores)) / (_USUAL_COUNT + len(scores))
        last = [*scores[-2:], *(min(abs(score), 1.0) for score in recent)]
        lately = (_RECENT_COUNT * usual + sum(score**2 for score in last)) / (_RECENT_COUNT + len(last))
        return cls(sqrt(max(everything, lately)))

    def bounds(self, middle: int, worth: float) -> tuple[int, int]:
        """Return the cents below and above which one bill in ten should end."""
        reach = round(_REACH * self.share * worth)
        return middle - reach, middle + reach


def usual_share(history: History, known: int) -> float:
    """Return how much of what is usual among homes counts for one: less where its days hardly differ, at least none."""
    energy = history.use.energy
    days = (energy["general"] + energy["controlled"] + energy["export"])[:known][history.metered[:known]][-365:]
    return min(1.0, float(days.std() / days.mean()) / _VARIED) if days.size and days.mean() > 0 else 0.0


def past_forecasts(past: Sequence[Origin], usual: float = 1.0) -> list[PastForecast]:
    """Return each past period as it was forecast, with the range that the others give."""
    out = []
    for number, origin in enumerate(past):
        low: int | None = None
        high: int | None = None
        if len(past) >= MIN_PERIODS:
            low, high = _range_of(past, number, usual)
        p10, p90 = (None if end is None else aud(end) for end in (low, high))
        first, last = origin.period.first, origin.period.last
        out.append(PastForecast(first, last, p10, aud(origin.middle), p90, aud(origin.actual)))
    return out


def _range_of(past: Sequence[Origin], number: int, usual: float) -> tuple[int, int]:
    """Return the range of a past bill by the errors of the others, with the ones just before it as recent."""
    others = [*past[number + 1 :], *past[:number]]
    origin = past[number]
    low, high = Spread.of(others, usual_share=usual).bounds(origin.middle, origin.worth)
    return low if origin.least is None else min(max(low, origin.least), origin.middle), high


def track_record(past: Sequence[Origin], usual: float = 1.0) -> Backtest:
    """Return the errors of the past forecasts, and the share of past bills inside the range that the others give."""
    if not past:
        return Backtest(0)
    wrong, billed = sum(abs(origin.error) for origin in past), sum(abs(origin.actual) for origin in past)
    known = [(abs(origin.error), abs(origin.naive - origin.actual)) for origin in past if origin.naive is not None]
    naive = sum(error for _, error in known)
    skill = round(1 - sum(error for error, _ in known) / naive, 4) if naive else None
    return Backtest(
        len(past),
        mae=aud(round(wrong / len(past))),
        wape=round(wrong / billed, 4) if billed else None,
        bias=aud(round(sum(origin.error for origin in past) / len(past))),
        coverage=_coverage(past, usual),
        skill=skill,
    )


def _coverage(past: Sequence[Origin], usual: float) -> float | None:
    if len(past) < MIN_PERIODS:
        return None
    ranges = (_range_of(past, number, usual) for number in range(len(past)))
    inside = sum(low <= origin.actual <= high for origin, (low, high) in zip(past, ranges, strict=True))
    return round(inside / len(past), 4)
