"""Demand of many charges at once: the highest half hour of each month in each window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.compare.home import Home, demand_by_run
from toolkit.analytics.energy.compare.market import DemandRow, Market

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Demand:
    """home: its runs. highest, possible: [window, run]. active: [days, run]."""

    home: Home
    highest: Ints
    possible: Bools
    active: Bools

    @classmethod
    def of(cls, market: Market, home: Home) -> Demand:
        found = [demand_by_run(home, clock, bands) for clock, bands in market.rows.windows.items]
        season, number = market.days.T
        return cls(
            home=home,
            highest=np.array([highest for highest, _ in found]),
            possible=np.array([possible for _, possible in found]),
            active=np.asarray(home.assigned[season] == number[:, None]),
        )

    def quantity(self, rows: Sequence[DemandRow]) -> Ints:
        """[row, period] → 10^-9 kW × days, or × `MONTH_UNITS` of a month where charged by the month."""
        monthly = np.array([row.monthly for row in rows])
        least = np.array([0 if row.least is None else row.least for row in rows])
        most = np.array([np.iinfo(np.int64).max if row.most is None else row.most for row in rows])
        out = np.zeros((len(rows), self.home.count), dtype=np.int64)
        for runs in self._months():
            active = self.active[[row.days for row in rows]][:, runs]
            highest = np.where(active, self.highest[[row.window for row in rows]][:, runs], -1).max(axis=1)
            kw = np.minimum(np.maximum(np.maximum(highest, 0), least), most)
            days = (active * self.home.lengths[runs]).sum(axis=1)
            shares = (active * self.home.shares[runs]).sum(axis=1)
            out[:, self.home.periods[runs[0]]] += kw * np.where(monthly, shares, days)
        return out

    def known(self, rows: Sequence[DemandRow]) -> Bools:
        """[row] → whether every month with an open window has a reading in it."""
        known = np.ones(len(rows), dtype=bool)
        for runs in self._months():
            active = self.active[[row.days for row in rows]][:, runs]
            windows = [row.window for row in rows]
            highest = np.where(active, self.highest[windows][:, runs], -1).max(axis=1)
            possible = (active & self.possible[windows][:, runs]).any(axis=1)
            known &= ~possible | (highest >= 0)
        return known

    def _months(self) -> list[Ints]:
        """The runs of each calendar month of each billing period."""
        keys = self.home.periods * (12 * 10_000) + self.home.months
        return [np.flatnonzero(keys == key) for key in np.unique(keys)]
