"""Price demand charges: the highest half hour of general import in each calendar month (pricing rule 7)."""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.energy import BillingContext, Chosen, of_days
from toolkit.analytics.energy.bills.model import Line, Price, Quantity
from toolkit.analytics.energy.intervals.matrix import IntervalMatrix
from toolkit.analytics.energy.rates.model import DemandCharge
from toolkit.units import NANO


@dataclass(frozen=True, slots=True)
class MonthDemand:
    """Demand of one calendar month, as far as it is charged."""

    month: date
    days: int
    """Charged days of the month."""
    kw: Fraction | None
    """Chargeable kW, exact; None where no half hour of the window has a read."""

    @property
    def share(self) -> Fraction:
        """Return the charged days as a share of the days of the month."""
        return Fraction(self.days, calendar.monthrange(self.month.year, self.month.month)[1])


def demand_by_month(charge: DemandCharge, charged: IntervalMatrix, measured: IntervalMatrix) -> Iterator[MonthDemand]:
    """Yield the chargeable kW of each month of the charged days, by the highest half hour of the measured ones.

    Both as far as the charge's season holds.
    """
    inside = measured.inside(charge.bands)  # [day, half hour]
    # A month's highest half hour counts also from days that another plan is charged for (docs/pricing-rules.md, 7).
    months = np.where(_in_season(charge, measured), _months(measured), -1)
    for month, days in zip(*np.unique(_months(charged)[_in_season(charge, charged)], return_counts=True), strict=True):
        rows = months == month
        half_hours = measured.demand[rows][inside[rows]]
        highest = int(half_hours.max(initial=-1))
        # Without a read in an open window the month is unknown; where no window opens its demand is 0, or the least.
        unknown = bool(inside[rows].any()) and highest < 0
        kw = None if unknown else limited(charge, Fraction(max(highest, 0), NANO))
        yield MonthDemand(date(int(month) // 12, int(month) % 12 + 1, 1), int(days), kw)


def _in_season(charge: DemandCharge, matrix: IntervalMatrix) -> NDArray[np.bool_]:
    """Return [day], whether the charge applies."""
    return np.asarray(matrix.assigned((charge.span,)) == 0)


def _months(matrix: IntervalMatrix) -> NDArray[np.int64]:
    """Return [day], the calendar month as year × 12 + month − 1."""
    return np.array([day.year * 12 + day.month - 1 for day in matrix.dates], dtype=np.int64)


def limited(charge: DemandCharge, kw: Fraction) -> Fraction:
    """Return kW, at least the charge's least and at most its most demand (pricing rule 7)."""
    least = Fraction(charge.least) if charge.least is not None else kw
    most = Fraction(charge.most) if charge.most is not None else max(kw, least)
    return min(max(kw, least), most)


def demand_lines(context: BillingContext) -> Iterator[Line]:
    """Yield one line per demand charge, over the calendar months of the billing period (pricing rule 7)."""
    for charge in context.rates.demands:
        matrix = context.matrices[charge.time_zone]
        days: Chosen = np.asarray(matrix.assigned((charge.span,)) == 0)
        if not days.any():
            continue
        if matrix.untimed["general"][days].any():
            context.messages.problem(charge.label, "demand needs interval reads; some are of whole days")
        months = list(demand_by_month(charge, matrix, context.whole_period[charge.time_zone]))
        _report_demand(charge, months, context)
        yield _demand_line(charge, months, days, context)


def _demand_line(charge: DemandCharge, months: Sequence[MonthDemand], days: Chosen, context: BillingContext) -> Line:
    """Return the line of a demand charge: the sum over months of kW × days, or × the share of the month charged."""
    period, _ = of_days(context.matrices[charge.time_zone], days)
    known = [(month, month.kw) for month in months if month.kw is not None]
    quantity = sum((kw * (month.share if charge.monthly else month.days) for month, kw in known), Fraction(0))
    unit = "kW month" if charge.monthly else "kW day"
    return Line.priced(
        "demand",
        charge.label,
        period,
        Quantity(quantity, unit),
        Price(charge.price, "added"),
        tariff_period=charge.tariff_period,
    )


def _report_demand(charge: DemandCharge, months: Sequence[MonthDemand], context: BillingContext) -> None:
    """Note each month's demand; a month that cannot be measured is a problem (pricing rule 7)."""
    for month in months:
        if month.kw is None:
            reason = f"no half hour of its window was read in {month.month:%Y-%m}: not priced"
            context.messages.problem(charge.label, reason)
        else:
            context.messages.note(
                "month_demand", label=charge.label, kw=float(month.kw), month=month.month, days=month.days
            )
