"""Figures of a household that depend on the day: worked out by the flows of the pages, and stored with that day."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from msgspec.structs import replace

from toolkit.analytics.insights import Known, OldMeter, insights_of
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.energy.invoices import CheckedInvoice
from toolkit.answers.energy.plans import Comparison
from toolkit.answers.insights import DeskLowPoint
from toolkit.answers.money import Cashflow
from toolkit.errors import ToolkitError
from toolkit.flows.desk.stored import Figures, basis_of, row_of, stored_figures
from toolkit.flows.energy.compare import compare
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.energy.solar import solar
from toolkit.flows.household.billing_periods import data_age
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import ServicePoint, fuel_of, service_points
from toolkit.flows.household.status import status
from toolkit.flows.invoices.to_pay import bills_to_pay
from toolkit.flows.money.accounts import list_accounts
from toolkit.flows.money.cashflow import cashflow
from toolkit.flows.money.recurring import recurring
from toolkit.flows.plans.here import plan_prices

P = ParamSpec("P")
R = TypeVar("R")

_at_work: defaultdict[tuple[Path, str], threading.Lock] = defaultdict(threading.Lock)
"""By database and household: held while its figures are worked out."""


def current_figures(ctx: Context) -> Figures:
    """Return the household's figures for today: stored ones where nothing has changed since, else worked out now.

    Where another thread is working them out, its figures are waited for.
    """
    with open_home(ctx) as (_, household):
        home = household.household_id
    with _at_work[ctx.db, home]:
        return _current_figures(ctx, home)


def _current_figures(ctx: Context, home: str) -> Figures:
    ctx = replace(ctx, household=home)
    with open_home(ctx) as (store, _):
        basis = basis_of(store, [home])[home]
        if (known := stored_figures(store, home)) and known[1] == basis and known[0].as_of == ctx.today:
            return known[0]
    figures = work_out(ctx)
    with open_home(ctx) as (store, _):
        # The basis from before: what changed meanwhile is in some figures and not in others, so they are out of date.
        # `cashflow` and others bring roll-ups up to date, which the basis does not contain.
        store.upsert("household_figures", [row_of(home, figures, basis)])
    return figures


def is_current(ctx: Context) -> bool:
    """Return whether the household's stored figures are of today and of the data as it is."""
    with open_home(ctx) as (store, household):
        known = stored_figures(store, household.household_id)
        if known is None or known[0].as_of != ctx.today:
            return False
        return known[1] == basis_of(store, [household.household_id])[household.household_id]


def work_out(ctx: Context) -> Figures:
    """Work out a household's figures by the flows of the pages; what one of them cannot answer is None."""
    with open_home(ctx) as (store, household):
        points = service_points(store, household)
    meters = [_Meter.of(ctx, point) for point in points]
    bills = _if_known(reconcile, ctx)
    known_bills = {meter.id: meter.forecast for meter in meters if meter.forecast}
    cash = _if_known(cashflow, ctx, forecasts=known_bills)
    payments = _if_known(recurring, ctx, forecasts=known_bills)
    accounts = _if_known(list_accounts, ctx)
    panels = _if_known(solar, ctx)
    bank_to = max((each.to for each in accounts.accounts if each.to), default=None) if accounts else None
    (stored,) = (answer := status(ctx)).households
    checked: Sequence[CheckedInvoice] = bills.invoices if bills else ()
    known = Known(
        today=ctx.today,
        bills=checked,
        to_pay=_if_known(bills_to_pay, ctx) or (),
        fuels={point.id: fuel_of(point) for point in points},
        comparisons=[meter.comparison for meter in meters if meter.comparison],
        cash_flow=cash,
        recurring=payments.recurring if payments else (),
        consents=stored.consents,
        ended_consents=frozenset(problem.where for problem in answer.problems),
        old_meters=[meter.old for meter in meters if meter.old],
        solar=panels.service_points if panels else (),
        bank_data_to=bank_to,
    )
    days = [meter.last for meter in meters if meter.last] + ([bank_to] if bank_to else [])
    forecasts = sorted((each.forecast for each in meters if each.forecast), key=lambda bill: bill.fuel != "ELECTRICITY")
    savings = [_saving(meter.comparison) for meter in meters if meter.comparison]
    verdicts = [bill.verdict for bill in checked if bill.verdict != "cannot check"]
    return Figures(
        as_of=ctx.today,
        data_to=max(days, default=None),
        next_bill=next((bill.p50 for bill in forecasts if bill.p50 is not None), None),
        saving=sum((saving for saving in savings if saving is not None), Decimal(0)) if any(savings) else None,
        low_point=_low_point(cash),
        bills_that_differ=verdicts.count("differs") if verdicts else None,
        insights=insights_of(known),
        next_bills=[_next_bill_alone(bill) for bill in forecasts],
    )


@dataclass(frozen=True, slots=True)
class _Meter:
    """What the flows answer about one service point; None where they cannot."""

    id: str
    last: date | None
    old: OldMeter | None
    comparison: Comparison | None
    forecast: Forecast | None

    @classmethod
    def of(cls, ctx: Context, point: ServicePoint) -> _Meter:
        """Ask the flows about a service point."""
        mine = replace(ctx, service_point=point.id)
        age = _if_known(data_age, mine)
        if age is None:
            return cls(point.id, None, None, None, None)
        old = OldMeter(point.id, fuel_of(point), age.last_read) if age.is_past_limit else None
        # Without its place the cheapest plan may be one of another state.
        prices = _if_known(plan_prices, ctx)
        compared = _if_known(compare, mine) if prices and prices.place_known else None
        return cls(point.id, age.last_read, old, compared, _if_known(forecast, mine))


def _if_known(flow: Callable[Concatenate[Context, P], R], ctx: Context, *args: P.args, **options: P.kwargs) -> R | None:
    """Return the answer of a flow; None where it has too little to go on."""
    try:
        return flow(ctx, *args, **options)
    except ToolkitError:
        return None


def _next_bill_alone(forecast: Forecast) -> Forecast:
    return replace(forecast, months=(), bills=(), even_payments=None, smoothing=None, notes=(), problems=())


def _saving(compared: Comparison) -> Decimal | None:
    """Return what the best plan saves a year, 0 where today's is the best; None where no yearly figure is known."""
    if not compared.yearly or compared.named_saving is None:
        return None
    return max(compared.named_saving, Decimal(0))


def _low_point(cash: Cashflow | None) -> DeskLowPoint | None:
    low = cash.low_point if cash else None
    return DeskLowPoint(low.date, low.p10, low.p50) if low and low.p50 is not None else None
