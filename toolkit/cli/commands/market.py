"""The market: compare plans, try changes, check invoices, keep published plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolkit.cli import options
from toolkit.cli.output import Answer, say
from toolkit.cli.show import market as show

if TYPE_CHECKING:
    from toolkit.flows.context import Context

COMPARED = 10


@click.command()
@click.option("--plans", metavar="PATH", help="File or folder of plans [default: the stored published ones].")
@click.option("--top", type=click.IntRange(0), default=COMPARED, show_default=True, help="How many; 0 for all.")
@click.option("--postcode", help="Only plans offered there.")
@click.option("--network", metavar="NAME", help="Distribution network of the home, such as Ausgrid.")
@click.option("--customer", type=click.Choice(["residential", "business"]), help="Only plans for such customers.")
@options.pricing
@options.service_point
@options.period
@options.reports(show.compare)
@options.data
def compare(ctx: Context, **how: Any) -> Answer:
    """Price every plan on the home's own reads, cheapest first."""
    from toolkit.flows.compare import compare as run

    return run(ctx, **how)


@click.group()
def plans() -> None:
    """Published plans: fetch them from the public register, list them, show one as a rate card."""


@plans.command("fetch")
@click.option("--retailer", "retailers", multiple=True, metavar="NAME", help="Brand, or its place in the register.")
@click.option("--all", "all_", is_flag=True, help="Every retailer that is known here; takes many minutes.")
@click.option("--full", is_flag=True, help="Ask for every plan again, not only for what changed.")
@options.reports(show.fetched)
@options.data
def fetch(ctx: Context, **how: Any) -> Answer:
    """Read published plans from the public register. Safe to interrupt and to repeat."""
    from toolkit.flows.plans_fetch import fetch as run
    from toolkit.flows.plans_fetch import register

    with register(options.load_settings({})) as source:
        say(f"asking {source.base_url}")
        return run(ctx, source, **how, progress=say)


@plans.command("list")
@options.reports(show.plans)
@options.data
def list_(ctx: Context) -> Answer:
    """Stored plans, the latest version of each."""
    from toolkit.flows.plans import plan_list

    return plan_list(ctx)


@plans.command("show")
@click.argument("plan", required=False)
@options.service_point
@options.reports(show.plan)
@options.data
def show_(ctx: Context, plan: str | None) -> Answer:
    """PLAN (an id in the store, or a file; default: the one in force) as a rate card and week of prices."""
    from toolkit.flows.plan_card import plan_show

    return plan_show(ctx, plan=plan)


COMMANDS = (compare, plans)
