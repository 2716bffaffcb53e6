"""Demand of many charges at once: the highest half hour of each month in each window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.compare.home import Home, Runs
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
    rows, runs = market.columns.demands, home.runs
    found = [home.highest(clock, bands) for clock, bands in market.rows.windows.items]
    highest = np.array([highest for highest, _ in found])[rows.window]
    possible = np.array([possible for _, possible in found])[rows.window]
    active = runs.active[rows.days]
    months = _months(runs)
    top = np.maximum.reduceat(np.where(active, highest, -1), months, axis=1)
    expected = np.logical_or.reduceat(active & possible, months, axis=1)
    charged = np.minimum(np.maximum(np.maximum(top, 0), rows.least[:, None]), rows.most[:, None])
    lengths = np.where(rows.monthly[:, None], runs.shares, runs.lengths) * active
    by_month = charged * np.add.reduceat(lengths, months, axis=1)
    periods = np.searchsorted(runs.periods[months], np.arange(runs.count))
    quantity = np.add.reduceat(by_month, periods, axis=1)
    return Demand(quantity, np.asarray((~expected | (top >= 0)).all(axis=1)))


def _months(runs: Runs) -> Ints:
    """The first run of each calendar month of each billing period."""
    keys = runs.periods * (12 * 10_000) + runs.months
    return np.concatenate([[0], np.flatnonzero(np.diff(keys)) + 1])
