"""What needs attention."""

from __future__ import annotations

from datetime import date

import click

from toolkit.answers.insights import Insights
from toolkit.cli import options
from toolkit.cli.show import desk as show
from toolkit.flows.desk.insights import decide
from toolkit.flows.desk.insights import insights as run_insights
from toolkit.flows.household.context import Context


@click.group(invoke_without_command=True)
@options.unless_subcommand
@options.reports(show.insights)
@options.data
def insights(ctx: Context) -> Insights:
    """List what needs attention in a household, most important first."""
    return run_insights(ctx)


@insights.command("done")
@click.argument("insight", metavar="ID")
@options.reports(show.insights)
@options.data
def done(ctx: Context, insight: str) -> Insights:
    """Mark an insight as done: it is not shown again while its cause stays the same."""
    return decide(ctx, insight)


@insights.command("later")
@click.argument("insight", metavar="ID")
@click.option("--until", type=options.Day(), required=True, help="First day on which it is shown again.")
@options.reports(show.insights)
@options.data
def later(ctx: Context, insight: str, *, until: date) -> Insights:
    """Hide an insight until a day."""
    return decide(ctx, insight, until=until)
