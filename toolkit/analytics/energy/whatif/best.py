"""The cheapest plan that a home can have without a change, and the cheapest one with it, on the one pricing engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from toolkit.analytics.energy.bills import prepare
from toolkit.analytics.energy.bills.concessions import credited
from toolkit.analytics.energy.pricing import Market, Priced, price_market
from toolkit.analytics.energy.rates import Rates
from toolkit.analytics.energy.whatif.changes import Changed, Home
from toolkit.analytics.energy.whatif.profile import Profile

MOST_RERUNS = 4
"""Plans for which a battery is run anew by their own prices: each takes about half a second of a year's half hours."""

_GST = 1.1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan. before, after: whether the home can have it without and with the change."""

    name: str
    rates: Rates
    before: bool
    after: bool


@dataclass(frozen=True, slots=True)
class Cheapest:
    """A plan and its total in cents."""

    candidate: Candidate
    cents: int


@dataclass(frozen=True, slots=True)
class Candidates:
    """Plans compiled for pricing; the home's own plan is the last."""

    plans: Sequence[Candidate]
    market: Market

    @classmethod
    def of(cls, plans: Sequence[Candidate]) -> Candidates:
        """Compile the plans, today's own last."""
        return cls(plans, Market.of([plan.rates for plan in plans]))

    def priced(self, home: Home, profile: Profile) -> Priced:
        """Price a profile on every plan."""
        usage = prepare(profile.reads(), zone=home.zone, unit=home.rates.unit)
        return credited(price_market(self.market, usage, home.periods, home.options), home.concessions)

    def cheapest(self, priced: Priced, *, after: bool) -> Cheapest | None:
        """Return the cheapest plan with a complete total that can be had without (after: with) the change."""
        totals = priced.totals
        for n in np.argsort(totals, kind="stable").tolist():
            allowed = self.plans[n].after if after else self.plans[n].before
            if allowed and not priced.reasons(n):
                return Cheapest(self.plans[n], int(totals[n]))
        return None


def cheapest_with(
    candidates: Candidates,
    home: Home,
    tried: Sequence[Changed],
    rerun: Callable[[Home], Sequence[Changed]] | None,
    storage_kwh: float,
) -> tuple[Cheapest | None, int]:
    """Return the cheapest plan with the change, and on how many plans a battery was run anew.

    tried: ways on today's plan, the first the same on every plan. rerun: the ways on another plan, for a battery: they
    are tried where the most that `storage_kwh` could still earn by its prices would make it the cheapest.
    """
    priced = candidates.priced(home, tried[0].profile)
    best = candidates.cheapest(priced, after=True)
    if rerun is None or best is None:
        return best, 0
    days = sum(period.days for period in home.periods)
    least = priced.totals - np.array([_most_earned(plan.rates, storage_kwh, days) for plan in candidates.plans])
    runs = 0
    for n in np.argsort(least, kind="stable").tolist():
        if least[n] >= best.cents or runs == MOST_RERUNS:
            break
        plan = candidates.plans[n]
        if not plan.after or priced.reasons(n):
            continue
        on_plan, runs = replace(home, rates=plan.rates), runs + 1
        cents = min(on_plan.bill(way.profile).total_minor for way in rerun(on_plan))
        if cents < best.cents:
            best = Cheapest(plan, cents)
    return best, runs


def _most_earned(rates: Rates, storage_kwh: float, days: int) -> int:
    """Return cents that a full cycle a day between the lowest and the highest price would earn, demand included."""
    prices = [float(rate.blocks[0].price) for period in rates.periods for rate in period.rates if rate.blocks]
    spread = max(prices, default=0.0) - min(prices, default=0.0)
    demand = sum(float(charge.price) * (1 if not charge.monthly else 1 / 30) for charge in rates.demands)
    return round(days * 100 * _GST * (spread * storage_kwh + demand * storage_kwh / 2))
