"""The months and bills of a year ahead, and the even payments that cover them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from math import ceil

import numpy as np

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.forecast.futures import Pricer, Pricing
from toolkit.analytics.energy.forecast.history import Floats, Ints
from toolkit.analytics.energy.forecast.models import Expected, blended, expectations
from toolkit.analytics.energy.forecast.outlook import Prospect, drawn_futures, open_days
from toolkit.analytics.energy.forecast.periods import Cycle
from toolkit.analytics.energy.intervals.matrix import ROLES, Role
from toolkit.analytics.energy.pricing.model import aud
from toolkit.answers.energy.forecast import BillAhead, EvenPayments, Instalments, Method, MonthAhead
from toolkit.tables.cadences import in_month

__all__ = ["MONTHS", "Arrears", "YearAhead", "YearQuestion", "even_payments", "look_a_year_ahead"]

MONTHS = 12
_FUTURES, _FEW_FUTURES = 1000, 60
"""Fewer where a plan has charges that are priced future by future."""
_SHORT_LIVED: tuple[Method, ...] = ("run rate", "similar days")
"""Methods that know little of another season: their weight drops to half with every month ahead."""
_LASTING, _PASSING = 0.35, 0.94
"""Parts of an error that all months share, and that each has for itself; so that the p90 payments cover about nine
generated years in ten, and the ranges of months hold eight in ten."""
_UNEXPLAINED = 0.5
"""Share of the latter that absences never explain."""
_DRIFT_MONTHS = 24.0
"""Months in which the shared part's variance doubles."""
_STRETCH, _STRETCHES = 28, 13
"""Days of a stretch of the past, and how many of them show how often nobody is home."""
_LEAST_AT_HOME = 0.05
"""Of the use with somebody home: a logarithm needs more than zero."""


@dataclass(frozen=True, slots=True)
class Arrears:
    """What is owed, in AUD, and over how many months it is paid off."""

    amount: Decimal
    months: int


@dataclass(frozen=True, slots=True)
class YearQuestion:
    """How many months are asked for, how bills follow each other, and what is owed."""

    cycle: Cycle
    months: int = MONTHS
    arrears: Arrears | None = None


@dataclass(frozen=True, slots=True)
class YearAhead:
    """totals: [future, month], cents. bill_totals: [future, bill], cents."""

    months: tuple[Period, ...]
    totals: Ints
    bills: tuple[Period, ...]
    bill_totals: Ints

    def rows(self, next_bill: MonthAhead, *, ranged: bool) -> tuple[tuple[MonthAhead, ...], tuple[BillAhead, ...]]:
        """Return the months and the bills, the next bill as it is forecast by itself. ranged: with their ends."""
        months = [MonthAhead(*ahead) for ahead in _rows(self.months, self.totals, next_bill, ranged=ranged)]
        bills = [BillAhead(*ahead, None) for ahead in _rows(self.bills, self.bill_totals, next_bill, ranged=ranged)]
        return tuple(months), tuple(bills)


Ahead = tuple[date, date, Decimal | None, Decimal, Decimal | None]


def _rows(periods: Sequence[Period], totals: Ints, next_bill: MonthAhead, *, ranged: bool) -> list[Ahead]:
    out: list[Ahead] = []
    for n, period in enumerate(periods):
        if (period.first, period.last) == (next_bill.from_, next_bill.to):
            out.append((period.first, period.last, next_bill.p10, next_bill.p50, next_bill.p90))
            continue
        low, middle, high = (aud(round(float(end))) for end in np.quantile(totals[:, n], (0.1, 0.5, 0.9)))
        out.append((period.first, period.last, low if ranged else None, middle, high if ranged else None))
    return out


def look_a_year_ahead(
    prospect: Prospect, cycle: Cycle, period: Period, pricing: Pricing, spread: float, months: int = MONTHS
) -> YearAhead:
    """Simulate the months from the next bill's period on, and the bills that begin in them.

    spread: root mean squared error of a bill's open part, as a share of it. months: at least twelve are simulated.
    """
    count = max(months, MONTHS)
    ahead = [_month(period.first, n) for n in range(count)]
    bills = [period]
    while bills[-1].last < ahead[-1].last:
        bills.append(cycle.period_with(bills[-1].last + timedelta(1)))
    drawn_over = ahead
    while drawn_over[-1].last < bills[-1].last:
        drawn_over = [*drawn_over, _month(period.first, len(drawn_over))]
    slow = Pricer(prospect.history, bills, pricing).is_slow
    many = replace(pricing, futures=_FEW_FUTURES if slow else _FUTURES)
    chance = np.random.default_rng([pricing.seed, period.first.toordinal(), prospect.known, count])
    levels = _levels(chance, spread, _at_home_ratios(prospect), (many.futures, len(drawn_over)))
    drawn = drawn_futures(_over(prospect, drawn_over), drawn_over, many, levels)
    days = (ahead[-1].last - period.first).days + 1
    totals = Pricer(prospect.history, ahead, many).totals(drawn.within(slice(0, days)))
    if bills == ahead:
        return YearAhead(tuple(ahead), totals, tuple(bills), totals)
    billed = drawn.within(slice(0, (bills[-1].last - period.first).days + 1))
    return YearAhead(tuple(ahead), totals, tuple(bills), Pricer(prospect.history, bills, many).totals(billed))


def _month(first: date, number: int) -> Period:
    return Period(in_month(first, number), in_month(first, number + 1) - timedelta(1))


def _over(prospect: Prospect, periods: Sequence[Period]) -> Prospect:
    """Return the prospect of several months: each month's own, what only knows today's season counting ever less."""
    history, known = prospect.history, prospect.known
    targets, parts = [], []
    for n, period in enumerate(periods):
        rows = open_days(history, known, period)
        models = expectations(history, known, rows, prospect.change)
        kept = {
            method: prospect.weights.get(method, 0.1) * (0.5**n if method in _SHORT_LIVED else 1.0) for method in models
        }
        total = sum(kept.values())
        parts.append(blended(models, {method: weight / total for method, weight in kept.items()}))
        targets.append(rows)
    joined: Expected = {role: np.concatenate([part[role] for part in parts]) for role in ROLES}
    main: Method = "season and level"
    return replace(prospect, targets=np.concatenate(targets), models={main: joined}, weights={main: 1.0})


def _levels(
    chance: np.random.Generator, spread: float, at_home: Floats, shape: tuple[int, int]
) -> Mapping[Role, Floats]:
    """Draw role → [future, month], what the open days' energy is multiplied by.

    at_home: what absences leave of the use, of which each month draws one.
    """
    growth = np.sqrt(1 + np.arange(shape[1]) / _DRIFT_MONTHS)
    lasting = spread * _LASTING * chance.standard_normal((shape[0], 1)) * growth
    # Past errors hold the absences too: what these explain is not drawn twice.
    passing = spread * _PASSING
    passing = np.sqrt(max(passing**2 - np.log(at_home).var(), (passing * _UNEXPLAINED) ** 2))
    more = np.exp(lasting + passing * chance.standard_normal(shape))
    used = more * at_home[chance.integers(0, len(at_home), shape)]
    # More use, or less sun, is more bought and less sold: the errors add up in the bill.
    return {"general": used, "controlled": used, "export": 1 / more}


def _at_home_ratios(prospect: Prospect) -> Floats:
    """Return [stretch of four weeks of the past], its energy over that with somebody home on every day of it.

    What is expected of a day is with somebody home; over a year the usual absences count too.
    """
    history, known = prospect.history, prospect.known
    energy = history.use.energy["general"] + history.use.energy["controlled"]
    metered, at_home = history.metered[:known], history.at_home(known)
    usual = energy[:known][at_home][-_STRETCH * _STRETCHES :]
    ratios = []
    for end in range(known, prospect.since + _STRETCH - 1, -_STRETCH)[:_STRETCHES]:
        days = slice(end - _STRETCH, end)
        present, home = energy[days][metered[days]], energy[days][at_home[days]]
        home = home if len(home) >= _STRETCH // 4 else usual
        if present.size and home.size and home.mean() > 0:
            ratios.append(present.mean() / home.mean())
    return np.clip(ratios, _LEAST_AT_HOME, 1.0) if ratios else np.ones(1)


def even_payments(year: YearAhead, arrears: Arrears | None = None) -> EvenPayments:
    """Return the payments that cover the first twelve months, with the arrears' share for as long as they last."""
    sums = year.totals[:, :MONTHS].sum(axis=1)
    middle, high = (aud(round(float(end))) for end in np.quantile(sums, (0.5, 0.9)))
    return EvenPayments(
        p50=_instalments(middle, arrears),
        p90=_instalments(high, arrears),
        year_p50=middle,
        year_p90=high,
        arrears=arrears.amount.quantize(Decimal("0.01")) if arrears else None,
        over_months=arrears.months if arrears else None,
    )


def _instalments(year: Decimal, arrears: Arrears | None) -> Instalments:
    """Return 52, 26 or 12 payments a year, rounded up; none where the year earns more than it costs."""
    owed = arrears.amount * MONTHS / arrears.months if arrears else Decimal(0)
    weekly, fortnightly, monthly = (
        Decimal(ceil(max(year + owed, Decimal(0)) * 100 / times)) / 100 for times in (52, 26, MONTHS)
    )
    return Instalments(weekly, fortnightly, monthly)
