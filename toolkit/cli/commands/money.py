"""Where the money goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolkit.cli import options
from toolkit.cli.output import Answer
from toolkit.cli.show import money as show

if TYPE_CHECKING:
    from toolkit.flows.context import Context


@click.command()
@click.option(
    "--by", type=click.Choice(["category", "merchant", "account"]), default="category", help="One row for each."
)
@click.option("--months", is_flag=True, help="One row a month.")
@click.option("--pending", is_flag=True, help="Count pending rows too.")
@options.period
@options.reports(show.spending)
@options.data
def spending(ctx: Context, **how: Any) -> Answer:
    """Money out by category, merchant or account; refunds reduce it, own transfers are left out."""
    from toolkit.flows.spending import spending as run

    return run(ctx, **how)


@click.command()
@click.option("--account", metavar="ID", help="One account.")
@click.option("--category", metavar="CODE", help="One category, primary or secondary.")
@click.option("--search", metavar="TEXT", help="Words in description, merchant or reference.")
@click.option("--limit", type=click.IntRange(1), default=None, help="Newest so many.")
@options.period
@options.reports(show.transactions)
@options.data
def transactions(ctx: Context, **how: Any) -> Answer:
    """The rows behind the sums."""
    from toolkit.flows.transactions import transactions as run

    return run(ctx, **how)


COMMANDS = (spending, transactions)
