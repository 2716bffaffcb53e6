"""The command `spending`, on its own: it is answered without loading what the other commands about money need."""

from __future__ import annotations

from datetime import date

import click

from toolkit.answers.money import Against, By, Spending
from toolkit.cli import options
from toolkit.cli.show import money as show
from toolkit.flows.household.context import Context
from toolkit.flows.money.summary import spending as run_spending


@click.command()
@click.option(
    "--by",
    type=click.Choice(["category", "merchant", "account", "tag", "person"]),
    default="category",
    show_default=True,
    help="What each row of the answer groups.",
)
@click.option("--months", is_flag=True, help="Split every row by month.")
@click.option("--pending", is_flag=True, help="Include pending transactions.")
@click.option(
    "--against", type=click.Choice(["previous", "last-year"]), help="Compare with the period before, or a year before."
)
@options.period
@options.reports(show.spending)
@options.data
def spending(  # noqa: PLR0913  one parameter an option
    ctx: Context,
    *,
    by: By,
    months: bool,
    pending: bool,
    against: Against | None,
    from_: date | None,
    to: date | None,
) -> Spending:
    """Show where the money goes, by category, merchant, account, tag or person."""
    return run_spending(ctx, by=by, months=months, pending=pending, from_=from_, to=to, against=against)
