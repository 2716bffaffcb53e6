"""`plans`: fetch, list or show published plans, and type one from a bill."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from toolkit.answers.energy.bills import Fuel
from toolkit.answers.energy.plans import PlanFetch, PlanList, RateCard
from toolkit.cli import options
from toolkit.cli.output import say
from toolkit.cli.show import market as show
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.plans.fetch import Watcher, register
from toolkit.flows.plans.fetch import fetch as run_fetch
from toolkit.flows.plans.here import Place, fetch_here
from toolkit.flows.plans.listed import ListFilters, plan_list
from toolkit.flows.plans.rate_card import plan_show
from toolkit.flows.plans.typed import new_plan, remove_typed_prices
from toolkit.settings import load as load_settings


@click.group()
def plans() -> None:
    """Fetch, list or show published plans, or type one from a bill."""


@plans.command("fetch")
@click.option("--here", is_flag=True, help="Only plans that this home could have, of every retailer.")
@click.option("--postcode", metavar="NNNN", help="With --here: this postcode instead of the home's.")
@click.option("--network", metavar="NAME", help="With --here: this electricity distributor instead of the home's.")
@click.option("--customer", type=click.Choice(["residential", "business"]), help="With --here: kind of customer.")
@click.option("--fuel", type=click.Choice(["electricity", "gas"]), help="With --here: fuel [default: the home's].")
@click.option(
    "--retailer", "retailers", multiple=True, metavar="NAME", help="Retailer's brand, or its code in the plan register."
)
@click.option("--all", "all_", is_flag=True, help="Every plan of every retailer; takes many minutes.")
@click.option("--full", is_flag=True, help="Fetch every plan again, not only those that changed.")
@options.reports(show.fetched)
@options.data
def fetch(
    ctx: Context, *, here: bool, retailers: tuple[str, ...], all_: bool, full: bool, **home: str | None
) -> PlanFetch:
    """Fetch published plans from the public plan register. Safe to interrupt and to repeat."""
    if not here and (given := [f"--{name}" for name, value in home.items() if value is not None]):
        raise UsageError(f"{given[0]} goes with --here.")
    if here + bool(retailers) + all_ > 1:
        raise UsageError("Use one of --here, --retailer and --all.")
    with register(load_settings({})) as source:
        say(f"requesting plans from {source.base_url}")
        if not here:
            return run_fetch(ctx, source, retailers=retailers, all_=all_, full=full, watcher=Watcher(say))
        fuels: dict[str | None, tuple[Fuel, ...]] = {"electricity": ("ELECTRICITY",), "gas": ("GAS",)}
        place = Place(home["postcode"], home["network"], home["customer"], fuels.get(home["fuel"], ()))
        return fetch_here(ctx, source, place, full=full, watcher=Watcher(say))


@plans.command("list")
@click.option("--retailer", metavar="WORDS", help="Only plans of retailers with these words in their brand.")
@click.option("--text", metavar="WORDS", help="Only plans with these words in name, brand, id or distributor.")
@click.option("--postcode", metavar="NNNN", help="Only plans for this postcode.")
@click.option("--address", metavar="TEXT", help="Only plans for the postcode in this address.")
@click.option(
    "--customer", type=click.Choice(["residential", "business"]), help="Only plans for this kind of customer."
)
@click.option("--fuel", type=click.Choice(["electricity", "gas"]), help="Only plans for this fuel.")
@click.option("--offered", is_flag=True, help="Only plans that the plan register still lists.")
@options.reports(show.plans)
@options.data
def list_(ctx: Context, *, fuel: str | None, offered: bool, **words: str | None) -> PlanList:
    """List stored plans, the latest version of each."""
    return plan_list(ctx, ListFilters(**words, fuel=fuel.upper() if fuel else None, offered=offered))


@plans.command("show")
@click.argument("plan", required=False)
@options.service_point
@options.reports(show.plan)
@options.data
def show_(ctx: Context, plan: str | None) -> RateCard:
    """Show PLAN (a stored plan's id, or a file; default: the one in force) as a rate card and week of prices."""
    return plan_show(ctx, plan=plan)


@plans.command("new")
@click.argument("file", type=options.NamedPath(exists=True, dir_okay=False), metavar="FILE.toml")
@click.option("--from", "from_", type=options.Day(), help="First day of these prices, in place of the day in the file.")
@options.reports(show.plan)
@options.data
def new(ctx: Context, file: Path, *, from_: date | None) -> RateCard:
    """Store a plan typed from a bill: FILE has its prices, in the form that docs/commands.md shows.

    Prices of a plan that is stored already become its next version, which earlier bills do not use.
    """
    return new_plan(ctx, file, from_=from_)


@plans.command("remove")
@click.argument("plan")
@click.option("--from", "from_", type=options.Day(), required=True, help="First day of the prices to remove.")
@options.reports(show.plan)
@options.data
def remove(ctx: Context, plan: str, *, from_: date) -> RateCard:
    """Remove the prices of PLAN that were typed with a wrong first day; its other prices stay."""
    return remove_typed_prices(ctx, plan, from_)
