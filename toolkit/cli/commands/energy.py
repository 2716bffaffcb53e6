"""Power and gas: usage, bills, the next bill, solar."""

from __future__ import annotations

from datetime import date
from typing import Unpack

import click

from toolkit.answers.energy.bills import Bill
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.energy.solar import Solar
from toolkit.answers.energy.usage import Usage
from toolkit.cli import options
from toolkit.cli.show import energy as show
from toolkit.flows.energy.against import bill_against
from toolkit.flows.energy.bill import bill as run_bill
from toolkit.flows.energy.forecast import ForecastOptions
from toolkit.flows.energy.forecast import forecast as run_forecast
from toolkit.flows.energy.solar import solar as run_solar
from toolkit.flows.energy.usage import usage_and_costs
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context


@click.command()
@options.service_point
@options.period
@options.reports(show.usage)
@options.data
def usage(ctx: Context, *, from_: date | None, to: date | None) -> Usage:
    """Show when energy is used and what it costs by time of day."""
    return usage_and_costs(ctx, from_=from_, to=to)


@click.command()
@click.option(
    "--plan", metavar="PLAN", help="Plan: a stored plan's id, a file or a folder [default: the one in force]."
)
@options.pricing
@options.service_point
@options.period
@click.option("--by-day", is_flag=True, help="Also show the energy that each price covers, day by day.")
@click.option("--reads", type=options.Day(), help="Also show each read of that day and its price.")
@click.option(
    "--against",
    type=options.Against(),
    metavar="previous|last-year|D..D",
    help="Also explain the difference from the bill before, the same time last year, or those days.",
)
@options.reports(show.bill)
@options.data
def bill(
    ctx: Context,
    *,
    by_day: bool,
    reads: date | None,
    against: options.AgainstBill | None,
    **question: Unpack[options.Billing],
) -> Bill:
    """Price meter data on a plan, line by line."""
    asked = BillingQuestion(**question)
    if against is None:
        return run_bill(ctx, asked, by_day=by_day, reads=reads)
    return bill_against(ctx, asked, against, by_day=by_day, reads=reads)


@click.command()
@click.option("--plan", metavar="PLAN", help="Plan: a stored plan's id, or a file [default: the one in force].")
@click.option(
    "--switch-on", type=options.Day(), help="First day to price on --plan; earlier days are priced on today's plan."
)
@click.option("--fuel", type=options.FuelName(), help="Fuel to forecast, where the home has both.")
@click.option("--months", type=click.IntRange(0, 36), default=12, show_default=True, help="Months to look ahead.")
@click.option("--arrears", type=options.Amount(), help="AUD owed, to be paid off with the even payments.")
@click.option(
    "--over", type=click.IntRange(1, 120), metavar="MONTHS", help="Months over which the arrears are paid off."
)
@options.service_point
@options.reports(show.forecast)
@options.data
def forecast(ctx: Context, **asked: Unpack[ForecastOptions]) -> Forecast:
    """Forecast the next bill and the year ahead, with range and track record."""
    return run_forecast(ctx, **asked)


@click.command()
@click.option(
    "--panels-kw",
    type=click.FloatRange(min=0, min_open=True),
    help="Rated size of the panels in kW [default: as stored].",
)
@click.option("--postcode", help="Postcode of the home [default: as stored].")
@options.service_point
@options.period
@options.reports(show.solar)
@options.data
def solar(ctx: Context, *, panels_kw: float | None, postcode: str | None, from_: date | None, to: date | None) -> Solar:
    """Estimate what solar generates, how much of it is used at home, and its value."""
    return run_solar(ctx, panels_kw=panels_kw, postcode=postcode, from_=from_, to=to)
