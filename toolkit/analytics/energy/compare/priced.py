"""A market priced for one household: totals and components of every plan, to the cent what a bill gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.model import COMPONENTS, Bill, Options, Period
from toolkit.analytics.energy.bills.pricing import price
from toolkit.analytics.energy.bills.usage import Usage
from toolkit.analytics.energy.compare.home import Home
from toolkit.analytics.energy.compare.lines import Lines
from toolkit.analytics.energy.compare.market import Market

Ints = NDArray[np.int64]


class Bills(Mapping[int, Bill]):
    """Bills of some plans by number, each made when it is asked for."""

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
    """[plan, component of COMPONENTS] → cents. alone: bills of the plans that need a word of their own, by number.

    That is where energy has no price, or where only `bills.price` can tell what is due.
    """

    cents: Ints
    alone: Mapping[int, Bill]

    @property
    def totals(self) -> Ints:
        return np.asarray(self.cents.sum(axis=1))


def price_market(market: Market, usage: Usage, periods: Sequence[Period], options: Options | None = None) -> Priced:
    """Every plan of the market on the household's reads. Same cents as `bills.price`, plan by plan."""
    chosen = options or Options()
    first, last = periods[0].first, periods[-1].last
    grids = {clock: usage.grid(clock).framed(first, last, chosen.holidays) for clock in market.clocks}
    cents = np.zeros((len(market.plans), len(COMPONENTS)), dtype=np.int64)
    engine, incomplete = set(market.alone), set[int]()
    if grids:
        lines = Lines(market, Home(grids, market.runs(periods)), chosen, usage)
        cents = lines.cents()
        engine |= set(np.flatnonzero(lines.unsure).tolist())
        incomplete = set(np.flatnonzero(lines.incomplete).tolist())
    bills = Bills(lambda n: price(usage, market.plans[n], periods, options=chosen), engine | incomplete)
    for n in engine:
        by_name = bills[n].components_minor()
        cents[n] = [by_name.get(name, 0) for name in COMPONENTS]
    return Priced(cents, bills)
