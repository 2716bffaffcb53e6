"""Income and expenses of a household, with what the person stated, and the even payment that the year needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import msgspec
from msgspec.structs import replace

from toolkit.analytics.money.account_summary import name_of
from toolkit.analytics.money.accounts import CARDS, LOANS
from toolkit.analytics.money.edits.settings import own_names
from toolkit.analytics.money.parties import Person, people_called
from toolkit.analytics.money.statement.averages import (
    EvenPayment,
    OwnDebt,
    Owned,
    income_and_expenses,
    statement_days,
)
from toolkit.answers.base import Note
from toolkit.answers.energy.forecast import EvenPayments, Forecast, Instalments
from toolkit.answers.report.income_expenses import GAS_PAID, IncomeExpenses, StatementPer
from toolkit.errors import ToolkitError
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import fuel_of, service_points
from toolkit.flows.money.spending import accounts_as_set, classified
from toolkit.flows.money.summary import own_people, stored_days
from toolkit.flows.report.stated_lines import stated_lines_of
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

PER: StatementPer = "fortnight"


@dataclass(frozen=True, slots=True)
class EnergyForecast:
    """The forecast of one meter; None where there is none, for a reason. fuel: ELECTRICITY or GAS."""

    service_point_id: str
    fuel: str
    answer: Forecast | None
    reason: ToolkitError | None = None


def income_expenses(
    ctx: Context,
    *,
    from_: date | None = None,
    to: date | None = None,
    per: StatementPer = PER,
    forecasts: Sequence[EnergyForecast] | None = None,
) -> IncomeExpenses:
    """Answer income and expenses as averages a week, fortnight, month or year (AUD).

    from_, to: days of the transactions, inclusive; default: the 365 days that end with the last transaction. Lines
    that the person stated are marked, and counted where they have an amount. forecasts: of the home's meters, where
    they are known already.
    """
    with open_home(ctx) as (store, household):
        rows = classified(store, household).rows
        stored, owned = stored_days(store, household), _owned(store, household)
        stated = stated_lines_of(store, household.household_id).lines
    meters = energy_forecasts(ctx) if forecasts is None else forecasts
    even, missing = even_payment(meters, per)
    period = statement_days(stored, from_, to, ctx.today)
    answer = income_and_expenses(rows, owned, stated, even, period=period, per=per)
    notes = [Note("even_payment_without", fuels=" and ".join(missing))] if even and missing else []
    has_gas = any(meter.fuel == "GAS" for meter in meters)
    known = [note for note in answer.notes if not (has_gas and note.code == GAS_PAID)]
    return msgspec.structs.replace(answer, notes=(*known, *notes))


def _owned(store: Store, household: HouseholdRow) -> Owned:
    home = household.household_id
    accounts = accounts_as_set(store, home)
    return Owned(
        debts={
            account.account_id: OwnDebt(name_of(account) or account.account_id, account.product_category)
            for account in accounts
            if account.product_category in (*LOANS, *CARDS)
        },
        accounts={account.account_id: name for account in accounts if (name := name_of(account))},
        names=own_names(store.read("choices", home)),
        people=_people(store, household),
    )


def _people(store: Store, household: HouseholdRow) -> list[Person]:
    """Return the household's people by name; an adviser calls a household by the name of who lives in it."""
    return [
        person
        for person in people_called([*own_people(store, household.household_id), household.name])
        if person.surname
    ]


def energy_forecasts(ctx: Context) -> list[EnergyForecast]:
    """Return the forecast of each meter of the home, electricity first."""
    with open_home(ctx) as (store, household):
        points = [(point.id, fuel_of(point)) for point in service_points(store, household)]
    return [_forecast(ctx, *point) for point in points]


def _forecast(ctx: Context, service_point: str, fuel: str) -> EnergyForecast:
    try:
        return EnergyForecast(service_point, fuel, forecast(replace(ctx, service_point=service_point)))
    except ToolkitError as error:
        return EnergyForecast(service_point, fuel, None, error)


def even_payment(forecasts: Sequence[EnergyForecast], per: StatementPer) -> tuple[EvenPayment | None, list[str]]:
    """Return the even payments of all meters together, and the fuels that they leave out."""
    known = [each.answer.even_payments for each in forecasts if each.answer and each.answer.even_payments]
    missing = sorted({each.fuel.lower() for each in forecasts if not (each.answer and each.answer.even_payments)})
    if not known:
        return None, missing
    each = [per_meter(even, per) for even in known]
    p50, p90 = (sum(amounts, Decimal("0.00")) for amounts in zip(*((one.p50, one.p90) for one in each), strict=True))
    return EvenPayment(p50, p90), missing


def per_meter(even: EvenPayments, per: StatementPer) -> EvenPayment:
    """Return the even payments of one meter each week, fortnight, month or year."""
    return EvenPayment(_instalment(even.p50, even.year_p50, per), _instalment(even.p90, even.year_p90, per))


def _instalment(payments: Instalments, year: Decimal, per: StatementPer) -> Decimal:
    by_period = {"week": payments.weekly, "fortnight": payments.fortnightly, "month": payments.monthly, "year": year}
    return by_period[per]
