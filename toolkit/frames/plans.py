"""Plans as a frame, to filter before pricing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import polars as pl

from toolkit.analytics.energy.plans.in_force import last_day
from toolkit.analytics.energy.plans.offers import PlanHeader
from toolkit.frames.checks import checked
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


@checked
def plans_frame(plans: Sequence[Plan], *, today: date) -> pl.DataFrame:
    """Return what is known of plans apart from their prices, to choose those to price.

    Args:
        plans: The plans, from `toolkit.read_plans`.
        today: The day for which `offered` is worked out.

    Returns:
        A row for each plan, in their order; null where the plan does not say. Dates are AEST.

    Columns:
        index (Int64): Place in `plans`.
        plan_id (String): Plan.
        version (String): Hash of its content: two versions of one plan differ.
        name (String): Its name.
        retailer (String): Who sells it.
        fuel_type (String): ELECTRICITY, GAS or DUAL.
        customer_type (String): RESIDENTIAL or BUSINESS.
        plan_type (String): MARKET, STANDING or REGULATED.
        pricing_model (String): SINGLE_RATE, TIME_OF_USE …; of a dual plan that of electricity.
        networks (List(String)): Electricity distributors, or gas networks, that it is offered on.
        effective_from (Date): First day of its prices.
        effective_to (Date): Last day on which it is offered.
        as_of (Date): Date of the prices.
        offered (Boolean): Whether it can be taken up on `today`.

    Examples:
        >>> known = toolkit.plans_frame(plans, today=date(2026, 6, 30))
        >>> single = known.filter(pl.col("offered"), pl.col("pricing_model") == "SINGLE_RATE")
        >>> single.select("index", "name", "plan_type").head(2)
        shape: (2, 3)
        ┌───────┬────────────────┬───────────┐
        │ index ┆ name           ┆ plan_type │
        │ ---   ┆ ---            ┆ ---       │
        │ i64   ┆ str            ┆ str       │
        ╞═══════╪════════════════╪═══════════╡
        │ 0     ┆ Lyrebird Saver ┆ STANDING  │
        │ 5     ┆ Lyrebird Peak  ┆ MARKET    │
        └───────┴────────────────┴───────────┘
        >>> chosen = [plans[place] for place in single["index"]]
        >>> len(plans), len(chosen)
        (60, 24)
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
