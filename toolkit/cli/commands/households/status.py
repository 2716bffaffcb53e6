"""What is stored; a module of its own, so that it loads nothing heavy."""

from __future__ import annotations

import click

from toolkit.answers.households import Status
from toolkit.cli import options
from toolkit.cli.show import data as show
from toolkit.flows.household.context import Context
from toolkit.flows.household.status import status as run_status


@click.command()
@options.reports(show.status)
@options.data
def status(ctx: Context) -> Status:
    """Show households, consents, files and how fresh the data is."""
    return run_status(ctx)
