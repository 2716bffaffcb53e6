"""Plans as a frame, to filter before pricing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import polars as pl

from toolkit.analytics.energy.plans.in_force import last_day
from toolkit.analytics.energy.plans.offers import PlanHeader
from toolkit.tables.rows.plans import Plan

_SCHEMA = {
    "index": pl.Int64(),
    "plan_id": pl.String(),
    "version": pl.String(),
    "name": pl.String(),
    "retailer": pl.String(),
    "fuel_type": pl.String(),
    "customer_type": pl.String(),
    "plan_type": pl.String(),
    "pricing_model": pl.String(),
    "networks": pl.List(pl.String()),
    "effective_from": pl.Date(),
    "effective_to": pl.Date(),
    "as_of": pl.Date(),
    "offered": pl.Boolean(),
}


def plans_frame(plans: Sequence[Plan], *, today: date) -> pl.DataFrame:
    """Return what is known of plans apart from their prices, a row for each, in their order.

    Columns: `index` (place in `plans`, to choose those to price), `plan_id`, `version` (content hash), `name`,
    `retailer`, `fuel_type` (ELECTRICITY, GAS, DUAL), `customer_type`, `plan_type` (MARKET, STANDING, REGULATED),
    `pricing_model` (SINGLE_RATE, TIME_OF_USE …; of a dual plan that of electricity), `networks` (distributors),
    `effective_from`, `effective_to`, `as_of` (date of the prices), `offered` (whether it can be taken up on `today`).
    Dates are AEST; null where the plan does not say.
    """
    return pl.DataFrame([_row(index, plan, today) for index, plan in enumerate(plans)], schema=_SCHEMA, orient="row")


def _row(index: int, plan: Plan, today: date) -> tuple[object, ...]:
    first, last = plan.first_day, last_day(plan.effective_to)
    contract = plan.electricity_contract or plan.gas_contract or {}
    model = contract.get("pricing_model")
    return (
        *(index, plan.plan_id, plan.version, plan.name, plan.retailer, plan.fuel_type, plan.customer_type),
        *(plan.plan_type, model if isinstance(model, str) else None, list(plan.distributors)),
        *(first, last, PlanHeader.of(plan).as_of),
        (first is None or first <= today) and (last is None or today <= last),
    )
