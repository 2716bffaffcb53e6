"""`plans`: fetch, list or show published plans, and type one from a bill."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from toolkit.answers.energy.plans import PlanFetch, PlanList, RateCard
from toolkit.cli import options
from toolkit.cli.output import say
from toolkit.cli.show import market as show
from toolkit.flows.household.context import Context
from toolkit.flows.plans.choice import plan_list
from toolkit.flows.plans.fetch import fetch as run_fetch
from toolkit.flows.plans.fetch import register
from toolkit.flows.plans.rate_card import plan_show
from toolkit.flows.plans.typed import new_plan
from toolkit.settings import load as load_settings


@click.group()
def plans() -> None:
    """Fetch, list or show published plans, or type one from a bill."""


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


@plans.command("new")
@click.argument("file", type=options.NamedPath(exists=True, dir_okay=False), metavar="FILE.toml")
@click.option("--from", "from_", type=options.Day(), help="First day of these prices; outranks the file's own.")
@options.reports(show.plan)
@options.data
def new(ctx: Context, file: Path, *, from_: date | None) -> RateCard:
    """Store a plan typed from a bill: FILE has its prices, as docs/commands.md shows.

    Prices of a plan that is stored already become its next version, which earlier bills do not use.
    """
    return new_plan(ctx, file, from_=from_)
