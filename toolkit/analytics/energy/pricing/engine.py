"""Price plans for one household: every charge of every plan and billing period at once, to the cent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from toolkit.analytics.energy.intervals.matrix import IntervalMatrix, yearly_energy
from toolkit.analytics.energy.intervals.prepare import Usage
from toolkit.analytics.energy.pricing.charges import Charges
from toolkit.analytics.energy.pricing.lines import BillReader
from toolkit.analytics.energy.pricing.market import Home, Market
from toolkit.analytics.energy.pricing.model import COMPONENTS, Bill, Options
from toolkit.analytics.energy.pricing.tables import Bools, Ints
from toolkit.analytics.energy.rates.model import PlanTimeZone, Rates
from toolkit.answers.base import Period
from toolkit.problems import Problem


@dataclass(frozen=True, slots=True)
class Priced:
    """A market priced for one household."""

    charges: Charges
    cents: Ints
    """[plan, component of COMPONENTS]."""
    incomplete: Bools
    """[plan], whether some of its energy or demand has no price."""
    unsupplied: Ints
    """[plan], days of `days` without a daily supply charge."""
    days: int
    """Days of all billing periods."""
    _bills: dict[int, Bill] = field(default_factory=dict)

    @property
    def plans(self) -> Sequence[Rates]:
        """Return the plans."""
        return self.charges.market.plans

    @property
    def totals(self) -> Ints:
        """Return [plan], cents."""
        return np.asarray(self.cents.sum(axis=1))

    def bill(self, number: int) -> Bill:
        """Return the bill of a plan, its lines read from the arrays (cached)."""
        if number not in self._bills:
            self._bills[number] = BillReader(self.charges, number).bill()
        return self._bills[number]

    def problems(self, number: int) -> tuple[Problem, ...]:
        """Return what is missing from a plan's total, days without a published supply charge included.

        A bill only notes such days; in a comparison a plan must not rank first because it leaves a charge out.
        """
        rates, free = self.plans[number], int(self.unsupplied[number])
        problems = self.bill(number).unpriceable if self.incomplete[number] else rates.problems
        reason = f"no daily supply charge is published for {free} of the {self.days} days"
        return (*problems, Problem(rates.plan_id, reason)) if free else problems

    def reasons(self, number: int) -> list[str]:
        """Return why a plan's total is incomplete; an empty list where it is complete."""
        rejected = (problem.reason for problem in self.problems(number) if problem.severity == "rejected")
        return list(dict.fromkeys(rejected))


def price_market(
    market: Market,
    usage: Usage,
    periods: Sequence[Period],
    options: Options | None = None,
    whole_periods: Sequence[Period] | None = None,
) -> Priced:
    """Price every plan of the market on the household's reads, over billing periods in order.

    whole_periods: the billing period of each of `periods`, where another plan is in force on the rest of it.
    """
    chosen = options or Options()
    ranges = market.ranges(periods, whole_periods)
    matrices = {
        clock: usage.matrix(*clock).sliced(ranges.first, ranges.last, chosen.holidays) for clock in market.tables.clocks
    }
    years: dict[PlanTimeZone, Decimal | None] = {}

    def yearly(time_zone: PlanTimeZone) -> Decimal | None:
        if chosen.yearly is not None:
            return chosen.yearly
        if time_zone not in years:
            years[time_zone] = yearly_energy(usage.matrix(time_zone), ranges.last)
        return years[time_zone]

    return price_home(market, Home(matrices, ranges, yearly), chosen)


def home_of(
    market: Market,
    matrices: Mapping[PlanTimeZone, IntervalMatrix],
    periods: Sequence[Period],
    options: Options,
    yearly: Decimal | None,
) -> Home:
    """Return a household of one plan's market from matrices by the time zone that windows are read on.

    Every matrix counts days in the plan's own time zone, so that a row is the same day in all of them.
    """
    ranges = market.ranges(periods)
    own = {
        clock: matrices[clock[0]].sliced(ranges.first, ranges.last, options.holidays) for clock in market.tables.clocks
    }
    return Home(own, ranges, lambda _: yearly)


def price_home(market: Market, home: Home, options: Options) -> Priced:
    """Price every plan of the market on a household's energy by day and time of day."""
    charges = Charges(market, home, options)
    sums, discount = charges.sums, COMPONENTS.index("discount")
    for plan in market.columns.exact_discounts:
        sums[plan * len(COMPONENTS) + discount] = list(BillReader(charges, plan).discounts())
    by_plan = sums.reshape(len(market.plans), len(COMPONENTS), home.ranges.count)
    # [plan, component, period] → [plan, component]. einsum: `sum` loops over the last axis, which is short here.
    cents = np.asarray(np.einsum("pcn->pc", by_plan))
    days = sum(period.days for period in home.ranges.billed_periods)
    return Priced(charges, cents, charges.incomplete(), charges.unsupplied(), days)
