"""What the days to come are expected to bring, from what was known on a day: models, their weights, drawn days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from toolkit.analytics.energy.bills import Bill, Period
from toolkit.analytics.energy.forecast.changes import LastingChange, lasting_change
from toolkit.analytics.energy.forecast.futures import Drawn, Pricer, Pricing, candidates, days_of
from toolkit.analytics.energy.forecast.history import Floats, History, Ints
from toolkit.analytics.energy.forecast.models import Expected, ModelErrors, blended, expectations, weights_of
from toolkit.analytics.energy.intervals.matrix import ROLES, Role
from toolkit.answers.energy.forecast import Method

__all__ = ["Outlook", "Prospect", "UnitPrices", "drawn_futures", "look_ahead", "open_days", "unit_prices"]

UnitPrices = Mapping[Role, float]
"""Cents per 10^-9 kWh or MJ, feed-in negative, as the home's last year cost."""

_SPOILT = 14
"""Days after a change during which its size is still being learnt."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """What the first `known` days of a history let one expect.

    weights: of the models, by the past bills that were over by then and are of the same use.
    """

    history: History
    known: int
    change: LastingChange | None
    weights: Mapping[Method, float]
    models: Mapping[Method, Expected]
    targets: Ints
    """Rows of the open days."""

    @classmethod
    def of(
        cls,
        history: History,
        known: int,
        targets: Ints,
        past: Sequence[ModelErrors],
        change: LastingChange | None = None,
    ) -> Prospect:
        """Look at the first `known` days. change: the last one that they show, where it is known already."""
        # Bills of different seasons differ in steps, which are no change of use.
        found = change or (None if history.from_bills else lasting_change(history, known))
        models = expectations(history, known, targets, found)
        tested = [each for each in past if each.last < known and (found is None or each.known >= found.row + _SPOILT)]
        return cls(history, known, found, weights_of(list(models), tested), models, targets)

    @property
    def expected(self) -> Expected:
        """Return the energy of each open day."""
        return blended(self.models, self.weights)

    @property
    def since(self) -> int:
        """Return the row of the first day of the use that continues."""
        return self.change.row if self.change else 0

    def errors(self, last: int, prices: UnitPrices) -> ModelErrors:
        """Return how the models fared once the targets are metered. last: row of the bill's last day."""
        worth = worth_of(self.expected, prices)
        if worth <= 0:  # an empty meter
            return ModelErrors(self.known, last, {})
        actual = {role: self.history.use.energy[role][self.targets].sum() for role in ROLES}
        errors = {
            method: sum(prices[role] * float(by_role[role].sum() - actual[role]) for role in ROLES) / worth
            for method, by_role in self.models.items()
        }
        return ModelErrors(self.known, last, errors)


def worth_of(expected: Expected, prices: UnitPrices) -> float:
    """Return what the energy of the open days comes to in cents, bought and sold together."""
    return sum(abs(prices[role]) * float(expected[role].sum()) for role in ROLES)


def unit_prices(history: History, known: int, pricing: Pricing) -> UnitPrices:
    """Return what each kind of energy cost on the last year of the first `known` days, demand charges included."""
    days = min(known, 365)
    last = history.first + timedelta(known - 1)
    period = Period(last - timedelta(days - 1), last)
    rows = np.arange(known - days, known)
    of_today = Pricing(pricing.rates, pricing.options, pricing.seed, pricing.futures, pricing.concessions)
    lines = Pricer(history, [period], of_today).bill(Drawn.as_they_were(rows)).components_minor()
    cents: Mapping[Role, int] = {
        "general": lines.get("usage", 0) + lines.get("demand", 0),
        "controlled": lines.get("controlled_load", 0),
        "export": lines.get("feed_in", 0),
    }
    energy = {role: float(history.use.energy[role][rows].sum()) for role in ROLES}
    if not cents["controlled"] and energy["controlled"]:  # billed as usage (pricing rule 8)
        shared = cents["general"] / (energy["general"] + energy["controlled"])
        return {"general": shared, "controlled": shared, "export": _each(cents["export"], energy["export"])}
    return {role: _each(cents[role], energy[role]) for role in ROLES}


def _each(cents: int, energy: float) -> float:
    return cents / energy if energy else 0.0


def open_days(history: History, known: int, period: Period) -> Ints:
    """Return the rows of the period's days that are not metered among the first `known`."""
    rows = np.arange(period.days, dtype=np.int64) + history.row(period.first)
    at = np.clip(rows, 0, max(history.days - 1, 0))
    return rows[(rows < 0) | (rows >= known) | ~history.metered[at]]


@dataclass(frozen=True, slots=True)
class Outlook:
    """totals: cents of every future, in rising order. middle: the bill of the median one."""

    totals: Ints
    middle: Bill


def look_ahead(prospect: Prospect, period: Period, pricing: Pricing) -> Outlook:
    """Return the bill of one period as it looks on a day."""
    drawn = drawn_futures(prospect, [period], pricing)
    if bool((drawn.rows == drawn.rows[0]).all()):
        drawn = drawn.of(0)
    pricer = Pricer(prospect.history, [period], pricing)
    totals = pricer.totals(drawn)[:, 0]
    ranked = np.argsort(totals, kind="stable")
    return Outlook(totals[ranked], pricer.bill(drawn.of(int(ranked[len(ranked) // 2]))))


def drawn_futures(
    prospect: Prospect, periods: Sequence[Period], pricing: Pricing, levels: Mapping[Role, Floats] | None = None
) -> Drawn:
    """Draw days for the periods: metered days are themselves, others days of their kind at the level to be expected.

    levels: role → [future, period], times the open days' energy.
    """
    history, known, futures = prospect.history, prospect.known, pricing.futures
    chance = np.random.default_rng([pricing.seed, periods[0].first.toordinal(), known])
    days = [day for period in periods for day in days_of(period)]
    number = np.repeat(np.arange(len(periods)), [period.days for period in periods])
    rows = np.empty((futures, len(days)), dtype=np.int64)
    pooled = {role: np.zeros(len(days)) for role in ROLES}
    energy, is_open = history.use.energy, np.zeros(len(days), dtype=np.bool_)
    at_open = set(prospect.targets.tolist())
    for place, day in enumerate(days):
        row = history.row(day)
        if row not in at_open:
            rows[:, place] = row
            continue
        is_open[place] = True
        pool = candidates(history, known, day, prospect.since)
        rows[:, place] = pool[chance.integers(0, len(pool), futures)]
        for role in ROLES:
            pooled[role][place] = energy[role][pool].mean()
    as_expected = np.ones((futures, len(periods)))
    scales = {
        role: _scales(prospect.expected[role], pooled[role], is_open, number)[None]
        * np.where(is_open, (levels or {}).get(role, as_expected)[:, number], 1.0)
        for role in ROLES
        if energy[role][:known].any()
    }
    return Drawn(rows, scales)


def _scales(expected: Floats, pooled: Floats, is_open: np.ndarray, number: Ints) -> Floats:
    """Return [day], what to multiply drawn days by, so that each period's open days are expected to sum up right."""
    scales = np.ones(len(pooled))
    wanted = np.zeros(len(pooled))
    wanted[is_open] = expected
    for period in np.unique(number[is_open]):
        own = is_open & (number == period)
        if pooled[own].sum() > 0:
            scales[own] = wanted[own].sum() / pooled[own].sum()
    return scales
