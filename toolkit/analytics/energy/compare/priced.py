"""A market priced for one household: totals and components of every plan, to the cent what a bill gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from toolkit.analytics.energy.bills.model import COMPONENTS, Bill, Options, Period
from toolkit.analytics.energy.bills.pricing import price
from toolkit.analytics.energy.compare.arithmetic import Ints
from toolkit.analytics.energy.compare.lines import Lines
from toolkit.analytics.energy.compare.market import Home, Market
from toolkit.analytics.energy.intervals.prepare import Usage
from toolkit.analytics.energy.rates.model import Rates
from toolkit.errors import Problem


class Bills(Mapping[int, Bill]):
    """Bills of some plans by plan number, each priced on first access."""

    def __init__(self, make: Callable[[int], Bill], numbers: Iterable[int]) -> None:
        self._make, self._numbers = make, sorted(numbers)
        self._asked = set(self._numbers)
        self._made: dict[int, Bill] = {}

    def __getitem__(self, number: int) -> Bill:
        if number not in self._asked:
            raise KeyError(number)
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    def __contains__(self, number: object) -> bool:
        return number in self._asked

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


@dataclass(frozen=True, slots=True)
class Priced:
    """A market priced for one household."""

    plans: Sequence[Rates]
    cents: Ints
    """[plan, component of COMPONENTS]."""
    alone: Mapping[int, Bill]
    """Bills by plan number: of plans with energy without a price, and of those that only `bills.price` prices."""
    unsupplied: Ints
    """[plan], days of `days` without a daily supply charge."""
    days: int
    """Days of all billing periods."""

    @property
    def totals(self) -> Ints:
        """Return [plan], cents."""
        return np.asarray(self.cents.sum(axis=1))

    def problems(self, number: int) -> tuple[Problem, ...]:
        """Return what is missing from a plan's total, days without a published supply charge included.

        A bill only notes such days; in a comparison a plan must not rank first because it leaves a charge out.
        """
        bill, rates, free = self.alone.get(number), self.plans[number], int(self.unsupplied[number])
        problems = rates.problems if bill is None else bill.unpriceable
        reason = f"no daily supply charge is published for {free} of the {self.days} days"
        return (*problems, Problem(rates.plan_id, reason)) if free else problems

    def reasons(self, number: int) -> list[str]:
        """Return why a plan's total is incomplete; an empty list where it is complete."""
        rejected = (problem.reason for problem in self.problems(number) if problem.severity == "rejected")
        return list(dict.fromkeys(rejected))


def price_market(market: Market, usage: Usage, periods: Sequence[Period], options: Options | None = None) -> Priced:
    """Price every plan of the market on the household's reads, to the same cents as `bills.price`."""
    chosen = options or Options()
    first, last = periods[0].first, periods[-1].last
    matrices = {
        time_zone: usage.matrix(time_zone).sliced(first, last, chosen.holidays) for time_zone in market.time_zones
    }
    cents = np.zeros((len(market.plans), len(COMPONENTS)), dtype=np.int64)
    unsupplied = np.zeros(len(market.plans), dtype=np.int64)
    engine, incomplete = set(market.alone), set[int]()
    if matrices:
        lines = Lines(market, Home(matrices, market.ranges(periods)), chosen, usage)
        cents = lines.cents()
        unsupplied = lines.unsupplied
        engine |= set(np.flatnonzero(lines.needs_bill_engine).tolist())
        incomplete = set(np.flatnonzero(lines.incomplete).tolist())
    bills = Bills(lambda n: price(usage, market.plans[n], periods, options=chosen), engine | incomplete)
    for n in engine:
        by_name = bills[n].components_minor()
        cents[n] = [by_name.get(name, 0) for name in COMPONENTS]
        unsupplied[n] = _days_without_supply(bills[n])
    days = sum(period.days for period in periods)
    return Priced(market.plans, cents, bills, unsupplied, days)


def _days_without_supply(bill: Bill) -> int:
    charged = sum(line.quantity for line in bill.lines if line.component == "supply")
    return int(sum(period.days for period in bill.periods) - charged)
