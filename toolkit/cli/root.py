"""The list of commands, in the order in which a newcomer meets them."""

from __future__ import annotations

import click

from toolkit.cli.commands import accounts, advanced, data, energy, keep, market, money, start

FIRST_STEPS = """\
toolkit: personal finance and energy for Australian households.

Look around with invented data (nothing to set up, nothing leaves this machine):
  toolkit demo

Use your own files (meter data, bank exports, published plans):
  toolkit import FILE…          then  toolkit usage,  toolkit spending,  toolkit bill --plan PLAN

Use your accounts with the data-sharing service:
  toolkit credentials set       then  toolkit connect,  toolkit sync

See it on screen:
  toolkit app

All commands: toolkit --help
"""


class InOrder(click.Group):
    """A group that lists its commands as they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click calls it so
        return list(self.commands)


@click.group(cls=InOrder, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback when a command fails.")
@click.version_option(package_name="finance-energy-toolkit", prog_name="toolkit")
@click.pass_context
def toolkit(ctx: click.Context) -> None:
    """Where does the money go, what will the next power bill be, is there a better plan, what does the solar earn?"""
    if ctx.invoked_subcommand is None:
        click.echo(FIRST_STEPS, nl=False)


for module in (start, data, accounts, money, energy, market, keep, advanced):
    for command in module.COMMANDS:
        toolkit.add_command(command)
