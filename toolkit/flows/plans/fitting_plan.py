"""Which of several plans of one name gives the amount of the newest bill that names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from msgspec import structs

from toolkit.analytics.energy.reconcile.verdict import tolerance_of
from toolkit.answers.energy.bills import Fuel
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

    Plans that agree and have the same prices differ in controlled load alone: that of a home without it is the one
    without. None where no plan agrees, or plans of different prices do, or reads or bill are not stored.
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
        if abs(priced.total - billed.billed) * 100 <= tolerance_of(len(priced.lines)):
            agreeing[plan] = priced.total
    if len({(plan.by_time, plan.demand, plan.supply, plan.usage) for plan in agreeing}) != 1:
        return None
    chosen = min(agreeing, key=lambda plan: plan.controlled_load)
    return FittingPlan(chosen.plan_id, billed.from_, billed.to, billed.billed, agreeing[chosen])
