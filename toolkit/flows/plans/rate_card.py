"""`plans show`: one plan as a rate card and as a week of prices."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import get_args

import msgspec
import polars as pl

from toolkit.analytics.energy.plans.details import (
    FREE,
    free_hours,
    fuel_terms,
    plan_description,
    plan_links,
    plan_phones,
)
from toolkit.analytics.energy.plans.in_force import ChosenPlan, own_feed_in
from toolkit.analytics.energy.rates import compile_plan
from toolkit.analytics.energy.rates.card import MapRole, price_map, price_seasons, rate_card
from toolkit.answers.energy.plans import CardRates, FreeUse, FuelCard, PriceRun, PriceWeek, RateCard
from toolkit.errors import ChoiceRequiredError, ToolkitError, UsageError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.compare import year_to_last_read
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context, choose_household, open_home
from toolkit.flows.household.service_points import billed_point, fuel_of
from toolkit.flows.plans.choice import (
    MOST_CHOICES,
    is_subscribed,
    latest,
    open_plans,
    plan_in_force,
    plans_at,
    stored_plan_id,
    stored_plans,
)
from toolkit.remedies import Message, Remedy
from toolkit.tables.rows.plans import Fuel, Plan
from toolkit.tables.schema.energy import PUBLISHED


def plan_show(ctx: Context, *, plan: str | None = None) -> RateCard:
    """Return one plan with every price, with and without GST, its week by season, and what cannot be priced.

    plan: a plan id in the store, or the path of a file with one plan; default the one in force, which has its account's
    own feed-in, closed or not, as its bills have. Raises UsageError where the plan is unknown, ChoiceRequiredError
    where several are meant.
    """
    chosen, versions, offered = _find(ctx, plan)
    details, feed_in = chosen.plan, own_feed_in(chosen)
    fuels = [_fuel(details, fuel, feed_in, chosen.priced_for(ctx.today)) for fuel in details.fuels]
    return RateCard(
        plan_id=details.plan_id,
        name=details.name,
        retailer=details.retailer,
        customer_type=details.customer_type,
        plan_type=details.plan_type,
        distributors=tuple(details.distributors),
        effective_from=details.effective_from,
        effective_to=details.effective_to,
        last_updated=details.last_updated,
        versions=versions,
        offered=offered,
        description=plan_description(details),
        phones=plan_phones(details),
        links=plan_links(details),
        fuels=tuple(msgspec.structs.replace(card, free_use=_free_use(ctx, plan, card)) for card in fuels),
        notes=tuple(dict.fromkeys(chosen.notes)),
        problems=(*chosen.problems, *details.problems),
    )


def _find(ctx: Context, wanted: str | None) -> tuple[ChosenPlan, int, bool | None]:
    """Return the plan, how many versions of it are stored, and whether it is on offer (None: it was not published)."""
    if wanted and Path(wanted).exists():
        return _only(wanted), 0, None
    with open_plans(ctx) as (store, home):
        in_force = None
        if wanted is None:
            household = choose_household(store, ctx)
            point = billed_point(store, household, ctx.service_point)
            in_force = plan_in_force(store, household, point, ctx.today)
        named = in_force.plan.plan_id if in_force else stored_plan_id(store, home, str(wanted))
        known = stored_plans(store, home, {"plan_id": named}) if named else []
        subscribed = is_subscribed(store, home, str(named))
        published = store.tuples("plans", ("vanished_at",), where={"household_id": PUBLISHED, "plan_id": str(named)})
        offered = any(gone is None for (gone,) in published) if published else None
    if not known:
        raise UsageError(Message(f"{wanted!r} is neither a stored plan's id nor a file. ", Remedy.LIST_PLANS, "."))
    return in_force or ChosenPlan(known[-1], own=False, subscribed=subscribed), len(known), offered


def _only(path: str) -> ChosenPlan:
    plans, problems = plans_at(Path(path))
    newest = latest(plans)
    if len(newest) == 1:
        return ChosenPlan(newest[0], own=False, problems=tuple(problems))
    if not newest:
        raise UsageError(f"{path} contains no plan ({'; '.join(problem.reason for problem in problems[:3])}).")
    raise ChoiceRequiredError(
        f"{path} holds {len(newest)} plans: import it, then name one by its id.",
        [plan.plan_id for plan in newest[:MOST_CHOICES]],
    )


def _fuel(plan: Plan, fuel: Fuel, feed_in: str | None, on: date | None) -> FuelCard:
    rates = compile_plan(plan, fuel, feed_in=feed_in, on=on)
    prices = CardRates(rate_card(rates))
    return FuelCard(
        fuel=fuel,
        unit=rates.unit,
        clock=rates.time_zone,
        rates=prices,
        terms=fuel_terms(plan, fuel),
        free_hours=free_hours(prices),
        free_use=None,
        weeks=tuple(
            PriceWeek(role, season, price_runs(price_map(rates, role=role, on=season)))
            for role in get_args(MapRole)
            for season in price_seasons(rates, role=role)
        ),
        notes=tuple(dict.fromkeys(rates.notes)),
        problems=tuple(rates.problems),
    )


def _free_use(ctx: Context, plan: str | None, card: FuelCard) -> FreeUse | None:
    """Return what the home used in the free hours in the year to its last read, as a bill on the plan prices it."""
    if not card.free_hours:
        return None
    try:
        with open_home(ctx) as (store, household):
            point = billed_point(store, household, ctx.service_point)
            if fuel_of(point) != card.fuel:
                return None
            question = year_to_last_read(store, household, point, BillingQuestion(plan=plan), ctx.today).question
        lines = [line for line in bill(ctx, question).lines if line.component == "usage"]
    except ToolkitError:
        return None
    free = [line for line in lines if abs(Decimal(line.unit_price)) <= FREE]
    names = {line.price_label for line in free}
    used, of_it, every = (
        sum(line.quantity for line in some)
        for some in ([line for line in lines if line.price_label in names], free, lines)
    )
    if question.from_ is None or question.to is None:
        return None
    return FreeUse(question.from_, question.to, used, of_it, of_it / every if every else None)


def price_runs(week: pl.DataFrame) -> tuple[PriceRun, ...]:
    """Join half-hours of one price that follow each other on a day. week: as `price_map` returns it."""
    runs = []
    rows = week.select("weekday", "cents", "label", "minute").iter_rows()
    for (weekday, cents, label), run in groupby(rows, key=lambda row: row[:3]):
        minutes = [minute for *_, minute in run]
        price = None if cents is None else f"{Decimal(f'{cents:.6f}').scaleb(-2).normalize():f}"
        runs.append(PriceRun(weekday, _clock(minutes[0]), _clock(minutes[-1] + 30), price, label))
    return tuple(runs)


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"
