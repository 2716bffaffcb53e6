"""Simulated totals of one bill; future days are drawn from the household's own past."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

import numpy as np

from toolkit.analytics.energy.bills import Bill, IntervalMatrix, Options, Period
from toolkit.analytics.energy.bills.concessions import Concession, with_concessions
from toolkit.analytics.energy.forecast.history import YEAR, Flags, History, Ints, Matrices, levelled
from toolkit.analytics.energy.intervals.matrix import yearly_energy
from toolkit.analytics.energy.pricing import Market, Priced, price_home
from toolkit.analytics.energy.pricing.market import Home
from toolkit.analytics.energy.rates import Rates
from toolkit.analytics.energy.rates.model import PlanTimeZone

__all__ = ["Biller", "Outlook", "Pricing", "candidates", "days_of", "look_ahead", "year_energy"]


_AROUND = 21
"""Days: further away the season is another one (measured: with the last weeks whatever the season, solar homes' errors
are a third larger)."""

_RECENT = (28, 84)
_FEWEST = 5


@dataclass(frozen=True, slots=True)
class Pricing:
    """How bills are priced, and how many futures with which seed. concessions: the account's."""

    rates: Rates
    options: Options
    seed: int = 0
    futures: int = 101
    concessions: Sequence[Concession] = ()


@dataclass(frozen=True, slots=True)
class Outlook:
    """totals: cents of every future, in rising order. middle: the bill of the median one."""

    totals: Ints
    middle: Bill

    def at(self, share: float) -> int:
        """The total below which that share of the futures lies, in cents."""
        return int(self.totals[round(share * (len(self.totals) - 1))])

    @property
    def spread(self) -> int:
        """Cents between the totals that one future in ten lies below and above."""
        return self.at(0.9) - self.at(0.1)


def look_ahead(history: History, known: int, period: Period, pricing: Pricing) -> Outlook:
    """The bill of `period` as it looks when only the first `known` days of the history are."""
    chance = np.random.default_rng([pricing.seed, period.first.toordinal(), known])
    rows = draw(history, known, days_of(period), pricing.futures, chance)
    biller = Biller(history, levelled(history, known), period, pricing)
    same = bool((rows == rows[0]).all())
    futures = rows[:1] if same else rows
    totals = np.array([biller.total(row) for row in futures], dtype=np.int64)
    ranked = np.argsort(totals, kind="stable")
    return Outlook(totals[ranked], biller.bill(futures[ranked[len(ranked) // 2]]))


def days_of(period: Period) -> list[date]:
    """Return the days of a period in order."""
    return [period.first + timedelta(n) for n in range(period.days)]


class Biller:
    """Prices one period many times over, its days being rows of the matrices."""

    def __init__(self, history: History, matrices: Matrices, period: Period, pricing: Pricing) -> None:
        self._matrices, self._period, self._pricing = matrices, period, pricing
        yearly = year_energy(history, pricing.rates, period)
        self._yearly: Callable[[PlanTimeZone], Decimal | None] = lambda _: yearly
        self._market = Market.of([pricing.rates])

    def total(self, rows: Ints) -> int:
        """Return the total of the period in cents. rows: [day of the period] → row of the matrices."""
        if self._pricing.concessions:
            return self.bill(rows).total_minor
        return int(self.priced(rows).totals[0])

    def bill(self, rows: Ints) -> Bill:
        """Return the bill of the period. rows: as in `total`."""
        bill = self.priced(rows).bill(0)
        return with_concessions(bill, self._pricing.concessions) if self._pricing.concessions else bill

    def priced(self, rows: Ints) -> Priced:
        """Price the period. rows: as in `total`."""
        matrices = {clock: self._future(clock[0], rows) for clock in self._market.tables.clocks}
        home = Home(matrices, self._market.ranges([self._period]), self._yearly)
        return price_home(self._market, home, self._pricing.options)

    def _future(self, time_zone: PlanTimeZone, rows: Ints) -> IntervalMatrix:
        drawn = self._matrices[time_zone].resampled(rows, self._period.first)
        return replace(drawn, holidays=self._pricing.options.holidays)


def year_energy(history: History, rates: Rates, period: Period) -> Decimal | None:
    """Energy of the year up to the period's end, where the plan's supply charge depends on it; else None."""
    if not any(tariff.supply and tariff.supply.banded for _, tariff in rates.tariffs()):
        return None
    return yearly_energy(
        history.matrices[history.time_zone], min(period.last, history.first + timedelta(history.days - 1))
    )


def draw(history: History, known: int, days: Sequence[date], futures: int, chance: np.random.Generator) -> Ints:
    """[future, day] → row of `levelled(history, known)`.

    A metered day among the known is itself in every future. Any other day is drawn from its candidates.
    """
    rows = np.empty((futures, len(days)), dtype=np.int64)
    for place, day in enumerate(days):
        at = history.row(day)
        if 0 <= at < known and history.metered[at]:
            rows[:, place] = at
        else:
            pool = candidates(history, known, day)
            rows[:, place] = pool[chance.integers(0, len(pool), futures)]
    return rows


def candidates(history: History, known: int, day: date) -> Ints:
    """Return the rows that may substitute `day`: complete days of its kind (weekday; weekend or holiday).

    From within three weeks of the day itself, as they were, and of the same day in earlier years, at today's level.
    Where these are too few: the last four, then twelve weeks, then any day of its kind, then any day.
    """
    alike = history.complete[:known] & (history.weekend[:known] == history.is_weekend(day))
    rows = np.arange(known)
    target = history.row(day)
    earlier = alike & _near_other_years(rows, target, known)
    lately = alike & (np.abs(rows - target) <= _AROUND)
    near = np.concatenate([np.flatnonzero(earlier) + history.days, np.flatnonzero(lately)])
    if len(near) >= _FEWEST:
        return near
    for pool in (*(alike & (rows >= known - recent) for recent in _RECENT), alike, history.complete[:known]):
        if int(pool.sum()) >= _FEWEST:
            return np.flatnonzero(pool)
    return np.flatnonzero(history.metered[:known])


def _near_other_years(rows: Ints, target: int, known: int) -> Flags:
    """Within three weeks of the target shifted by whole years into the past."""
    near = np.zeros(known, dtype=np.bool_)
    for back in range(YEAR, target + _AROUND + 1, YEAR):
        near |= np.abs(rows - (target - back)) <= _AROUND
    return near
