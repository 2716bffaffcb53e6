"""`compare`: every plan that the home can have. In a module of its own, so that it loads nothing that others need."""

from __future__ import annotations

from typing import Unpack

import click

from toolkit.answers.energy.plans import Comparison
from toolkit.cli import options
from toolkit.cli.show import market as show
from toolkit.flows.energy.compare import PlanFilters
from toolkit.flows.energy.compare import compare as run_compare
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context

COMPARED = 10


@click.command()
@click.option(
    "--plans", metavar="PLANS", help="File or folder of plans, or a stored plan's id [default: the published ones]."
)
@click.option(
    "--plan", metavar="PLAN", help="Today's plan: an id in the store, or a file [default: the one in force today]."
)
@click.option(
    "--top", type=click.IntRange(0), default=COMPARED, show_default=True, help="Number of plans to show; 0 for all."
)
@click.option("--postcode", help="Only plans offered at this postcode [default: the home's].")
@click.option(
    "--network", metavar="NAME", help="Electricity distributor of the home, such as Ausgrid [default: the home's]."
)
@click.option(
    "--customer", type=click.Choice(["residential", "business"]), help="Only plans for this kind of customer."
)
@click.option(
    "--eligibility",
    type=click.Choice(["all", "open"]),
    default="all",
    show_default=True,
    help="All plans, or only those open to everyone.",
)
@click.option("--green", type=click.FloatRange(0, 1), help="Minimum share of green energy, such as 0.1 for 10%.")
@options.pricing
@options.service_point
@options.period
@options.reports(show.compare)
@options.data
def compare(  # noqa: PLR0913  one parameter an option
    ctx: Context,
    *,
    plans: str | None,
    postcode: str | None,
    network: str | None,
    customer: str | None,
    eligibility: str,
    green: float | None,
    top: int,
    **question: Unpack[options.Billing],
) -> Comparison:
    """Compare the plans you could get, on your own meter data."""
    filters = PlanFilters(plans, postcode, network, customer, eligibility, green)
    return run_compare(ctx, BillingQuestion(**question), filters, top=top)
