"""Demand of many charges at once: the highest half hour of each month in each window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.compare.columns import Demands
from toolkit.analytics.energy.compare.home import Home, demand_by_run
from toolkit.analytics.energy.compare.market import Market

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Demand:
    """quantity: [row, period], 10^-9 kW × days, or × `MONTH_UNITS` of a month where charged by the month.

    known: [row], whether every month with an open window has a reading in it.
    """

    quantity: Ints
    known: Bools


def demand_of(market: Market, home: Home) -> Demand:
    rows = market.columns.demands
    found = [demand_by_run(home, clock, bands) for clock, bands in market.rows.windows.items]
    highest = np.array([highest for highest, _ in found])[rows.window]
    possible = np.array([possible for _, possible in found])[rows.window]
    season, number = market.days[rows.days].T
    active = home.assigned[season] == number[:, None]
    quantity = np.zeros((len(rows.plan), home.count), dtype=np.int64)
    known = np.ones(len(rows.plan), dtype=bool)
    for runs in _months(home):
        here = active[:, runs]
        top = np.where(here, highest[:, runs], -1).max(axis=1)
        known &= ~(here & possible[:, runs]).any(axis=1) | (top >= 0)
        quantity[:, home.periods[runs[0]]] += _charged(rows, top) * _length(rows, home, here, runs)
    return Demand(quantity, known)


def _charged(rows: Demands, highest: Ints) -> Ints:
    return np.asarray(np.minimum(np.maximum(np.maximum(highest, 0), rows.least), rows.most))


def _length(rows: Demands, home: Home, active: Bools, runs: Ints) -> Ints:
    days = (active * home.lengths[runs]).sum(axis=1)
    shares = (active * home.shares[runs]).sum(axis=1)
    return np.asarray(np.where(rows.monthly, shares, days))


def _months(home: Home) -> list[Ints]:
    """The runs of each calendar month of each billing period."""
    keys = home.periods * (12 * 10_000) + home.months
    return [np.flatnonzero(keys == key) for key in np.unique(keys)]
