"""Demand of many charges at once: the highest half hour of each month in each window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.compare.home import DayRanges, Home
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
    """Return the chargeable demand of every demand charge of the market (pricing rule 7)."""
    rows, ranges = market.columns.demands, home.ranges
    by_window = [home.highest(clock, bands) for clock, bands in market.rows.windows.items]
    highest = np.array([highest for highest, _ in by_window])[rows.window]
    possible = np.array([possible for _, possible in by_window])[rows.window]
    active = ranges.active[rows.days]
    months = _months(ranges)
    # All arrays are [row, range]; reduceat over `months` makes them [row, month], over `periods` [row, period].
    top = np.maximum.reduceat(np.where(active, highest, -1), months, axis=1)
    expected = np.logical_or.reduceat(active & possible, months, axis=1)
    charged = np.minimum(np.maximum(np.maximum(top, 0), rows.least[:, None]), rows.most[:, None])
    lengths = np.where(rows.monthly[:, None], ranges.shares, ranges.lengths) * active
    by_month = charged * np.add.reduceat(lengths, months, axis=1)
    periods = np.searchsorted(ranges.periods[months], np.arange(ranges.count))
    quantity = np.add.reduceat(by_month, periods, axis=1)
    return Demand(quantity, np.asarray((~expected | (top >= 0)).all(axis=1)))


def _months(ranges: DayRanges) -> Ints:
    """Return the first range of each calendar month of each billing period."""
    keys = ranges.periods * (12 * 10_000) + ranges.months
    return np.concatenate([[0], np.flatnonzero(np.diff(keys)) + 1])
