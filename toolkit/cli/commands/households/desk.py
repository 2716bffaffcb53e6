"""All households in a table."""

from __future__ import annotations

import click

from toolkit.answers.insights import Desk
from toolkit.cli import options
from toolkit.cli.output import say
from toolkit.cli.show import desk as show
from toolkit.flows.desk.desk import desk as run_desk
from toolkit.flows.household.context import Context


@click.command()
@click.option("--refresh", is_flag=True, help="Recalculate what has changed first; takes a few seconds a household.")
@options.reports(show.desk)
@options.data
def desk(ctx: Context, *, refresh: bool) -> Desk:
    """List all households with their figures as last calculated."""
    if refresh:
        from toolkit.flows.desk.refresh import bring_up_to_date

        bring_up_to_date(ctx, progress=say)
    return run_desk(ctx)
