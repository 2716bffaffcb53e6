"""One bill looked at from one day: what is certain, and the totals of many futures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

import numpy as np

from toolkit.analytics.energy.bills import Bill, IntervalMatrix, Options, Period, price_matrices
from toolkit.analytics.energy.bills.fees_and_discounts import Concession, with_concessions
from toolkit.analytics.energy.forecast.draws import Ints, draw
from toolkit.analytics.energy.forecast.history import History, Matrices, levelled
from toolkit.analytics.energy.intervals.quality import yearly_energy
from toolkit.analytics.energy.rates import Rates, Span
from toolkit.analytics.energy.rates.model import PlanTimeZone

__all__ = ["Biller", "Outlook", "Pricing", "days_of", "look_ahead", "year_energy"]


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
        return self.at(0.9) - self.at(0.1)


def look_ahead(history: History, known: int, period: Period, pricing: Pricing) -> Outlook:
    """The bill of `period` as it looks when only the first `known` days of the history are."""
    chance = np.random.default_rng([pricing.seed, period.first.toordinal(), known])
    rows = draw(history, known, days_of(period), pricing.futures, chance)
    biller = Biller(history, levelled(history, known), period, pricing)
    same = bool((rows == rows[0]).all())
    bills = [biller.bill(row) for row in (rows[:1] if same else rows)]
    ranked = sorted(bills, key=lambda bill: bill.total_minor)
    return Outlook(np.array([bill.total_minor for bill in ranked], dtype=np.int64), ranked[len(ranked) // 2])


def days_of(period: Period) -> list[date]:
    return [period.first + timedelta(n) for n in range(period.days)]


class Biller:
    """Prices one period many times over, its days being rows of the matrices."""

    def __init__(self, history: History, matrices: Matrices, period: Period, pricing: Pricing) -> None:
        self._matrices, self._period, self._pricing = matrices, period, pricing
        self._yearly = year_energy(history, pricing.rates, period)
        self._seasons: dict[PlanTimeZone, dict[tuple[Span, ...], Ints]] = {clock: {} for clock in matrices}

    def bill(self, rows: Ints) -> Bill:
        matrices = {clock: self._future(clock, rows) for clock in self._matrices}
        options = self._pricing.options
        priced = price_matrices(matrices, self._pricing.rates, [self._period], options=options, yearly=self._yearly)
        return with_concessions(priced, self._pricing.concessions) if self._pricing.concessions else priced

    def _future(self, clock: PlanTimeZone, rows: Ints) -> IntervalMatrix:
        """Which season a day is in hangs on its date alone, so that is found out once and shared by all futures."""
        period, holidays = self._period, self._pricing.options.holidays
        drawn = self._matrices[clock].resampled(rows, period.first)
        sliced = replace(drawn, holidays=holidays, _assigned=self._seasons[clock])
        return replace(sliced, _sliced={(period.first, period.last, holidays): sliced})


def year_energy(history: History, rates: Rates, period: Period) -> Decimal | None:
    """Energy of the year up to the period's end, where the plan's supply charge depends on it; else None."""
    if not any(tariff.supply and tariff.supply.banded for _, tariff in rates.tariffs()):
        return None
    return yearly_energy(history.matrices[history.clock], min(period.last, history.first + timedelta(history.days - 1)))
