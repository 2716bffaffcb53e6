"""Demand charges: the highest half hour of general import in each calendar month (pricing rule 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from toolkit.analytics.energy.pricing.market import DayRanges, Home, Market
from toolkit.analytics.energy.pricing.model import exact_cents
from toolkit.analytics.energy.pricing.rows import rounded
from toolkit.analytics.energy.pricing.tables import MONTH_UNITS, Bools, Ints
from toolkit.analytics.energy.rates.model import DemandCharge
from toolkit.units import NANO


class MonthDemand(NamedTuple):
    """Demand of one calendar month, as far as it is charged."""

    month: date
    days: int
    """Charged days of the month."""
    share: Fraction
    """The same days as a share of the month."""
    kw: Fraction | None
    """Chargeable kW, exact; None where no half hour of the window has a read."""


@dataclass(frozen=True, slots=True)
class DemandAmounts:
    """Demand charges. Axis `month` numbers the calendar months of each billing period."""

    months: Ints
    """[month], its first range."""
    highest: Ints
    """[row, month], highest half hour in 10^-9 kW; -1 where no half hour was read."""
    known: Bools
    """[row, month], whether it was read, no window opens, or no day is charged."""
    cents: Ints
    """[row, period]."""

    def by_month(self, charge: DemandCharge, row: int, days: int, ranges: DayRanges, period: int) -> list[MonthDemand]:
        """Return the charged months of a billing period. days: the row of `MarketTables.days` when it applies."""
        out = []
        ends = [*self.months[1:].tolist(), len(ranges.starts)]
        for n, (first, end) in enumerate(zip(self.months.tolist(), ends, strict=True)):
            own = ranges.active[days, first:end]
            if ranges.periods[first] == period and own.any():
                number, shares = int(ranges.months[first]), int(ranges.shares[first:end][own].sum())
                highest = Fraction(max(int(self.highest[row, n]), 0), NANO)
                out.append(
                    MonthDemand(
                        month=date(number // 12, number % 12 + 1, 1),
                        days=int(ranges.lengths[first:end][own].sum()),
                        share=Fraction(shares, MONTH_UNITS),
                        kw=limited(charge, highest) if self.known[row, n] else None,
                    )
                )
        return out


def limited(charge: DemandCharge, kw: Fraction) -> Fraction:
    """Return kW, at least the charge's least and at most its most demand (pricing rule 7)."""
    least = Fraction(charge.least) if charge.least is not None else kw
    most = Fraction(charge.most) if charge.most is not None else max(kw, least)
    return min(max(kw, least), most)


def demand_quantity(charge: DemandCharge, months: Sequence[MonthDemand]) -> Fraction:
    """Return the sum over known months of kW × days, or × the share of the month charged."""
    known = [(month, month.kw) for month in months if month.kw is not None]
    return sum((kw * (month.share if charge.monthly else month.days) for month, kw in known), Fraction(0))


def demand_amounts(market: Market, home: Home) -> DemandAmounts:
    """Price the demand charges of all plans, of which at least one has such a charge.

    A month's highest half hour counts also from days that another plan is charged for.
    """
    demands, rows, ranges = market.columns.demands, market.tables.demand, home.ranges
    keys = ranges.periods * (12 * 10_000) + ranges.months
    # [month], the first range of each calendar month of each billing period: a month is measured within its bill.
    months = np.concatenate([[0], np.flatnonzero(np.diff(keys)) + 1])
    by_window = [home.highest(clock, bands) for clock, bands in market.tables.windows]
    highest = np.array([highest for highest, _ in by_window])[rows.window]
    possible = np.array([possible for _, possible in by_window])[rows.window]
    covering = ranges.covering[rows.days]
    # All arrays are [row, range]; reduceat over `months` makes them [row, month], over `periods` [row, period].
    top = np.maximum.reduceat(np.where(covering, highest, -1), months, axis=1)
    expected = np.logical_or.reduceat(covering & possible, months, axis=1)
    lengths = np.where(demands.monthly[:, None], ranges.shares, ranges.lengths) * ranges.active[rows.days]
    charged_days = np.add.reduceat(lengths, months, axis=1)
    known = ~expected | (top >= 0) | (charged_days == 0)
    charged = np.minimum(np.maximum(np.maximum(top, 0), rows.least[:, None]), rows.most[:, None]) * known
    periods = np.searchsorted(ranges.periods[months], np.arange(ranges.count))
    quantity = np.add.reduceat(charged * charged_days, periods, axis=1)
    amounts = DemandAmounts(months, top, np.asarray(known), rounded(quantity, rows.price, demands.divisor))
    _price_exactly(market, amounts, ranges)
    return amounts


def _price_exactly(market: Market, amounts: DemandAmounts, ranges: DayRanges) -> None:
    """Overwrite the cents of charges with a price or limit that arrays do not hold."""
    for row in market.columns.demands.exact:
        charge, days = market.demand(row), int(market.tables.demand.days[row])
        for period in range(ranges.count):
            months = amounts.by_month(charge, row, days, ranges, period)
            amounts.cents[row, period] = exact_cents(demand_quantity(charge, months), charge.price, "added")
