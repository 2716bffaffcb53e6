"""The market: compare plans, try changes, check invoices, keep published plans."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TypedDict, Unpack

import click

from toolkit.answers.energy.invoices import Reconciliation
from toolkit.answers.energy.plans import Comparison, PlanFetch, PlanList, RateCard
from toolkit.answers.energy.whatif import WhatIf
from toolkit.cli import options
from toolkit.cli.output import say
from toolkit.cli.show import market as show
from toolkit.flows.energy.compare import PlanFilters
from toolkit.flows.energy.compare import compare as run_compare
from toolkit.flows.energy.reconcile import reconcile as run_reconcile
from toolkit.flows.energy.whatif import whatif as run_whatif
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.plans.choice import plan_list
from toolkit.flows.plans.fetch import fetch as run_fetch
from toolkit.flows.plans.fetch import register
from toolkit.flows.plans.rate_card import plan_show
from toolkit.settings import load as load_settings

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
@click.option("--postcode", help="Only plans offered there.")
@click.option("--network", metavar="NAME", help="Distribution network of the home, such as Ausgrid.")
@click.option("--customer", type=click.Choice(["residential", "business"]), help="Only plans for such customers.")
@click.option(
    "--eligibility",
    type=click.Choice(["all", "open"]),
    default="all",
    show_default=True,
    help="open: leave out plans that not everyone may take.",
)
@click.option("--green", type=click.FloatRange(0, 1), help="Least share of green energy, such as 0.1.")
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


@click.command()
@click.option("--billed", metavar="AMOUNT", help="Total of a paper bill with GST; --from and --to are its days.")
@options.service_point
@options.period
@options.reports(show.reconcile)
@options.data
def reconcile(ctx: Context, *, billed: str | None, from_: date | None, to: date | None) -> Reconciliation:
    """Check invoices against meter data and the plan in force."""
    return run_reconcile(ctx, billed=billed, from_=from_, to=to)


@click.group()
def whatif() -> None:
    """Work out what a battery, solar, a vehicle or other hours would save."""


class ChangeOptions(TypedDict):
    """Options that every change has."""

    plan: str | None
    price: str | None
    from_: date | None
    to: date | None


def change(command: Callable[..., WhatIf]) -> Callable[..., None]:
    """Add the options of every change, and print its answer."""
    plan = click.option("--plan", metavar="PLAN", help="Plan id in the store, or a file [default: today's].")
    price = click.option("--price", metavar="AMOUNT", help="Cost of the change, for the payback.")
    reported = options.reports(show.whatif)(options.data(command))
    return plan(price(options.service_point(options.period(reported))))


@whatif.command("battery")
@click.option("--kwh", type=click.FloatRange(min=0, min_open=True), required=True, help="Usable size.")
@click.option("--kw", type=click.FloatRange(min=0, min_open=True), help="Power [default: half of the size an hour].")
@click.option(
    "--efficiency",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.9,
    show_default=True,
    help="Share of the stored energy that comes back.",
)
@change
def battery(
    ctx: Context, *, kwh: float, kw: float | None, efficiency: float, **shared: Unpack[ChangeOptions]
) -> WhatIf:
    """A battery, run for self-consumption or by the tariff, whichever is cheaper."""
    return run_whatif(ctx, "battery", kwh=kwh, kw=kw, efficiency=efficiency, **shared)


@whatif.command("solar")
@click.option("--kw", type=click.FloatRange(min=0, min_open=True), required=True, help="Rated size of more panels.")
@change
def solar(ctx: Context, *, kw: float, **shared: Unpack[ChangeOptions]) -> WhatIf:
    """More panels."""
    return run_whatif(ctx, "solar", kw=kw, **shared)


@whatif.command("ev")
@click.option("--kwh", type=click.FloatRange(min=0, min_open=True), help="Energy a day [default: 7.5].")
@click.option("--kw", type=click.FloatRange(min=0, min_open=True), help="Power of the charger [default: 7].")
@click.option("--window", metavar="HH:MM-HH:MM", help="When it charges [default: 00:00-06:00].")
@change
def ev(
    ctx: Context, *, kwh: float | None, kw: float | None, window: str | None, **shared: Unpack[ChangeOptions]
) -> WhatIf:
    """An electric vehicle, charged at home in a window."""
    return run_whatif(ctx, "ev", kwh=kwh, kw=kw, window=window, **shared)


@whatif.command("shift")
@click.option("--share", type=click.FloatRange(0, 1, min_open=True), required=True, help="Share of that use, 0 to 1.")
@click.option("--window", metavar="HH:MM-HH:MM", required=True, help="Hours in which less is used.")
@click.option("--to-window", metavar="HH:MM-HH:MM", help="Hours in which it is used instead [default: not at all].")
@change
def shift(ctx: Context, *, share: float, window: str, to_window: str | None, **shared: Unpack[ChangeOptions]) -> WhatIf:
    """Use at another time of the day, or less use."""
    return run_whatif(ctx, "shift", share=share, window=window, to_window=to_window, **shared)


@click.group()
def plans() -> None:
    """Fetch, list or show published plans."""


@plans.command("fetch")
@click.option("--retailer", "retailers", multiple=True, metavar="NAME", help="Brand, or its place in the register.")
@click.option("--all", "all_", is_flag=True, help="Every retailer that the register lists; takes many minutes.")
@click.option("--full", is_flag=True, help="Ask for every plan again, not only for what changed.")
@options.reports(show.fetched)
@options.data
def fetch(ctx: Context, *, retailers: tuple[str, ...], all_: bool, full: bool) -> PlanFetch:
    """Read published plans from the public register. Safe to interrupt and to repeat."""
    with register(load_settings({})) as source:
        say(f"requesting plans from {source.base_url}")
        return run_fetch(ctx, source, retailers=retailers, all_=all_, full=full, progress=say)


@plans.command("list")
@options.reports(show.plans)
@options.data
def list_(ctx: Context) -> PlanList:
    """Stored plans, the latest version of each."""
    return plan_list(ctx)


@plans.command("show")
@click.argument("plan", required=False)
@options.service_point
@options.reports(show.plan)
@options.data
def show_(ctx: Context, plan: str | None) -> RateCard:
    """PLAN (an id in the store, or a file; default: the one in force) as a rate card and week of prices."""
    return plan_show(ctx, plan=plan)
