"""Demand: the highest half hour of general import in each calendar month (contract section 4, rule 7)."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.grid import DayGrid
from toolkit.analytics.energy.rates.model import DemandCharge

NANO = 1_000_000_000


@dataclass(frozen=True, slots=True)
class MonthDemand:
    """kw: chargeable, exact; None where no half hour of the window has a read. share: of the month, by days."""

    month: date
    days: int
    kw: Fraction | None

    @property
    def share(self) -> Fraction:
        return Fraction(self.days, calendar.monthrange(self.month.year, self.month.month)[1])


def demand_by_month(charge: DemandCharge, grid: DayGrid, chosen: NDArray[np.bool_]) -> Iterator[MonthDemand]:
    """The chargeable kW of each calendar month among the chosen days of the grid."""
    inside = grid.inside(charge.bands)
    months = np.array([day.year * 12 + day.month - 1 for day in grid.dates])
    for month in np.unique(months[chosen]):
        rows = chosen & (months == month)
        expected = bool(inside[rows].any())
        found = grid.demand[rows][inside[rows]]
        highest = int(found.max(initial=-1))
        unknown = expected and highest < 0
        kw = None if unknown else limited(charge, Fraction(max(highest, 0), NANO))
        yield MonthDemand(date(int(month) // 12, int(month) % 12 + 1, 1), int(rows.sum()), kw)


def limited(charge: DemandCharge, kw: Fraction) -> Fraction:
    """Not below `min_demand`, not above `max_demand`."""
    least = Fraction(charge.least) if charge.least is not None else kw
    most = Fraction(charge.most) if charge.most is not None else max(kw, least)
    return min(max(kw, least), most)
