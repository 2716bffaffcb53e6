"""Which of several plans of one name gives the amount of the newest bill that names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

from msgspec import structs

from toolkit.analytics.energy.pricing.model import aud
from toolkit.analytics.energy.reconcile.billed_invoice import NOT_GENERAL
from toolkit.analytics.energy.reconcile.verdict import at_stated_energy, tolerance_of
from toolkit.answers.energy.bills import Bill, Fuel
from toolkit.answers.energy.invoice_list import Invoice
from toolkit.answers.energy.plans import PriceSummary
from toolkit.errors import ToolkitError
from toolkit.flows.energy.bill import bill
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import service_points
from toolkit.flows.invoices.edit import list_invoices
from toolkit.flows.plans.my_plan import PlanToChoose

MOST_PRICED = 20
"""Retailers give one name to a plan's variants: by tariff, controlled load and network."""


@dataclass(frozen=True, slots=True)
class FittingPlan:
    """The plan whose prices give the amount of a bill. Amounts in AUD with GST."""

    plan_id: str
    first: date
    last: date
    billed: Decimal
    total: Decimal
    """What the bill comes to on the plan."""


def fitting_plan(ctx: Context, fuel: Fuel, named: Sequence[PlanToChoose]) -> FittingPlan | None:
    """Price the newest bill that names a plan on each plan of that name, and return the one that agrees with it.

    Plans that agree and have the same prices differ in controlled load, or name times of day that cost the same: that
    of a home without it is the one without, and the one of fewer times. None where no plan agrees, or plans of
    different prices do, or reads or bill are not stored.
    """
    billed = next(
        (each for each in reversed(list_invoices(ctx).invoices) if each.plan_name and each.fuel == fuel), None
    )
    if billed is None or billed.from_ is None or billed.to is None or billed.billed is None:
        return None
    with open_home(ctx) as (store, household):
        points = [point.id for point in service_points(store, household, fuel=fuel)]
    point = billed.service_point_id if billed.service_point_id in points else next(iter(points), None)
    if point is None:
        return None
    mine = structs.replace(ctx, service_point=point)
    asked = BillingQuestion(from_=billed.from_, to=billed.to, period="whole")
    agreeing: dict[PlanToChoose, Decimal] = {}
    for plan in named[:MOST_PRICED]:
        try:
            priced = bill(mine, replace(asked, plan=plan.plan_id))
        except ToolkitError:  # no reads of these days, or no prices: it cannot be compared with the bill
            continue
        total = _of_billed_energy(priced, billed)
        if abs(total - billed.billed) * 100 <= tolerance_of(len(priced.lines)):
            agreeing[plan] = total
    same = {(_varies(plan.prices), plan.prices.demand, plan.prices.supply, plan.prices.usage) for plan in agreeing}
    if len(same) != 1:
        return None
    chosen = min(agreeing, key=lambda plan: (not plan.fits, plan.prices.controlled_load, plan.prices.by_time))
    return FittingPlan(chosen.plan_id, billed.from_, billed.to, billed.billed, agreeing[chosen])


def _varies(prices: PriceSummary) -> bool:
    """Return whether prices differ by time of day; some plans list two times of one price."""
    return prices.by_time and (prices.usage is None or prices.usage[0] != prices.usage[1])


def _of_billed_energy(priced: Bill, billed: Invoice) -> Decimal:
    """Return the total for the energy that the bill states, where it does; else for what was read.

    Reads may be missing, and bills count the meter's days, whose midnight differs from the plan's in summer.
    """
    read = sum(line.quantity for line in priced.lines if line.component == "usage")
    stated = sum(each.quantity for each in billed.energy if each.register not in NOT_GENERAL)
    if not read or not stated:
        return priced.total
    total, usage = (int(100 * each) for each in (priced.total, priced.components["usage"]))
    return aud(at_stated_energy(total, usage, read=Fraction(read), stated=Fraction(stated)))
