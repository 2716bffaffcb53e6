"""Lines that are not energy: demand, recurring fees, metering, discounts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

from toolkit.analytics.energy.bills.demand import MonthDemand, demand_by_month
from toolkit.analytics.energy.bills.energy import BillingContext, Chosen, of_days
from toolkit.analytics.energy.bills.model import Component, Line, Price, Quantity
from toolkit.analytics.energy.rates.model import DemandCharge, Discount
from toolkit.analytics.energy.rates.parsing.durations import DayCount

_BASES: dict[str, frozenset[Component]] = {
    "bill": frozenset(("supply", "usage", "controlled_load", "demand")),
    "use": frozenset(("usage", "controlled_load")),
    "over": frozenset(("usage",)),
}


def demand_lines(context: BillingContext) -> Iterator[Line]:
    """One line per demand charge, over the calendar months of the billing period (pricing rule 7)."""
    for charge in context.rates.demands:
        matrix = context.matrices[charge.clock]
        days: Chosen = np.asarray(matrix.assigned((charge.span,)) == 0)
        if not days.any():
            continue
        if matrix.untimed["general"][days].any():
            context.messages.problem(charge.label, "demand needs interval reads; some are of whole days")
        months = list(demand_by_month(charge, matrix, context.whole_period[charge.clock]))
        _report_demand(charge, months, context)
        yield _demand_line(charge, months, days, context)


def _demand_line(charge: DemandCharge, months: Sequence[MonthDemand], days: Chosen, context: BillingContext) -> Line:
    period, _ = of_days(context.matrices[charge.clock], days)
    known = [(month, month.kw) for month in months if month.kw is not None]
    quantity = sum((kw * (month.share if charge.monthly else month.days) for month, kw in known), Fraction(0))
    unit = "kW month" if charge.monthly else "kW day"
    return Line.priced("demand", charge.label, period, Quantity(quantity, unit), Price(charge.price, "added"))


def _report_demand(charge: DemandCharge, months: Sequence[MonthDemand], context: BillingContext) -> None:
    for month in months:
        if month.kw is None:
            reason = f"no half hour of its window was read in {month.month:%Y-%m}: not priced"
            context.messages.problem(charge.label, reason)
        else:
            context.messages.note(
                "month_demand", label=charge.label, kw=float(month.kw), month=month.month, days=month.days
            )


def recurring_lines(context: BillingContext) -> Iterator[Line]:
    """Membership and other recurring fees, and metering charges (pricing rule 11)."""
    matrix = context.matrices[context.rates.clock]
    days = DayCount.of(matrix.dates)
    for charge in context.rates.recurring:
        quantity = Quantity(charge.every.fits(days), str(charge.every))
        yield Line.priced(charge.component, charge.label, context.period, quantity, Price(charge.price, charge.gst))


def discount_lines(lines: Sequence[Line], context: BillingContext) -> Iterator[Line]:
    """Percentages added up by what they apply to, on the billing period's lines with GST (pricing rule 10)."""
    earned = [d for d in context.rates.discounts if _counts(d, context) and _days_held(d, context)]
    for base in ("bill", "use"):
        together = [discount for discount in earned if discount.base == base]
        if together and (amount := _sum(lines, base)):
            yield _discount(together, Fraction(amount, 100), context)
    for discount in earned:
        beyond = _amount_beyond(lines, discount, context.share) if discount.base == "over" else Fraction(0)
        if beyond:
            yield _discount([discount], beyond, context)


def _counts(discount: Discount, context: BillingContext) -> bool:
    """Whether the chosen option counts it; what hangs on a condition is said."""
    wanted = context.options.discounts
    if discount.guaranteed or wanted == "none":
        return wanted != "none"
    context.messages.note("condition_assumed" if wanted == "all" else "condition_not_met", label=discount.label)
    return wanted == "all"


def _days_held(discount: Discount, context: BillingContext) -> int:
    days = int((context.matrices[context.rates.clock].assigned((discount.span,)) == 0).sum())
    if 0 < days < context.period.days:
        context.messages.note("discount_on_some_days", label=discount.label, days=days, period_days=context.period.days)
    return days


def _sum(lines: Sequence[Line], base: str) -> int:
    return sum(line.amount_minor for line in lines if line.component in _BASES[base])


def _amount_beyond(lines: Sequence[Line], discount: Discount, share: Fraction) -> Fraction:
    """The part of the usage amount, in AUD, that lies beyond the period's share of the threshold's energy."""
    energy = sum((line.quantity for line in lines if line.component == "usage"), Fraction(0))
    beyond = max(energy - Fraction(discount.threshold) * share, Fraction(0))
    return Fraction(_sum(lines, "over"), 100) * beyond / energy if energy else Fraction(0)


def _discount(together: Sequence[Discount], base: Fraction, context: BillingContext) -> Line:
    """Quantity: the AUD it applies to (by days where it holds on some only); price: the share given back."""
    share = sum((discount.share for discount in together), Decimal(0))
    by_days = sum((Fraction(d.share) * _days_held(d, context) for d in together), Fraction(0)) / context.period.days
    quantity = base * by_days / Fraction(share) if share else Fraction(0)
    label = " + ".join(discount.label for discount in together)
    return Line.priced("discount", label, context.period, Quantity(quantity, "$"), Price(-share, "included"))
