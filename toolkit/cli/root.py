"""The list of commands, in the order in which a newcomer meets them."""

from __future__ import annotations

import signal
from importlib import import_module
from typing import NamedTuple

import click

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


class Entry(NamedTuple):
    """A command: its name, the module in `cli.commands` and the function there, and the first line of its help."""

    name: str
    module: str
    function: str
    help: str


COMMANDS = (
    Entry("demo", "start", "demo", "Try everything with an invented household; nothing leaves this machine."),
    Entry("app", "start", "app", "Open the app in a browser; only this machine can reach it."),
    Entry("sandbox", "start", "sandbox", "Serve the data-sharing service with invented households."),
    Entry("doctor", "start", "doctor", "Check settings, files, database, connection and data."),
    Entry("import", "data", "import_", "Import meter data, bank exports and published plans."),
    Entry("connect", "data", "connect", "Ask a person for consent to share their accounts."),
    Entry("disconnect", "data", "disconnect", "End a consent at the service; data already here stays."),
    Entry("sync", "data", "sync", "Pull what is new for every connected person."),
    Entry("status", "households.status", "status", "Show households, consents, files and how fresh the data is."),
    Entry("household", "data", "household", "Add, describe, merge, archive or list households."),
    Entry(
        "insights", "households.insights", "insights", "List what needs attention in a household, most important first."
    ),
    Entry("desk", "households.desk", "desk", "List all households with their figures as last calculated."),
    Entry("accounts", "money.accounts", "accounts", "List, link or correct bank accounts."),
    Entry(
        "spending",
        "money.summary",
        "spending",
        "Show where the money goes, by category, merchant, account, tag or person.",
    ),
    Entry("transactions", "money.spending", "transactions", "List transactions."),
    Entry("recurring", "money.spending", "recurring", "List subscriptions, bills and pay that come regularly."),
    Entry("cashflow", "money.spending", "cashflow", "Project account balances, with their range and lowest point."),
    Entry("budget", "money.spending", "budget", "Set budgets by category, and see how spending compares."),
    Entry(
        "review",
        "money.spending",
        "review",
        "Review a financial year against the one before: spending, income, largest expenses.",
    ),
    Entry("fees", "money.spending", "fees", "Show fees and interest by account and financial year."),
    Entry("networth", "money.accounts", "networth", "Show what you have less what you owe, by month."),
    Entry("rules", "money.rules", "rules", "Set categories and confirm transfers by hand."),
    Entry("undo", "money.rules", "undo", "Undo your latest decision of any kind."),
    Entry("usage", "energy", "usage", "Show when energy is used and what it costs by time of day."),
    Entry("bill", "energy", "bill", "Price meter data on a plan, line by line."),
    Entry("forecast", "energy", "forecast", "Forecast the next bill and the year ahead, with range and track record."),
    Entry("solar", "energy", "solar", "Estimate what solar generates, how much of it is used at home, and its value."),
    Entry("compare", "compare", "compare", "Compare the plans you could get, on your own meter data."),
    Entry(
        "whatif",
        "whatif",
        "whatif",
        "Calculate what a battery, solar, an electric vehicle, other hours or leaving gas would save.",
    ),
    Entry("invoices", "invoices", "invoices", "List, add, correct or remove energy bills kept by hand."),
    Entry("reconcile", "invoices", "reconcile", "Check invoices against meter data and the plan in force."),
    Entry("plans", "plans", "plans", "Fetch, list or show published plans, or type one from a bill."),
    Entry("export", "keep", "export", "Write the stored data to CSV, Parquet or NDJSON files."),
    Entry("backup", "keep", "backup", "Copy the database and check the copy."),
    Entry("restore", "keep", "restore", "Replace the database with a checked copy."),
    Entry("forget", "keep", "forget", "Delete data for good, backups included."),
    Entry("report", "report", "report", "Write a report to hand over, with the sections you choose."),
    Entry("as-told", "report", "stated_lines", "Keep income, expenses and debts as the person stated them."),
    Entry("fleet", "keep", "fleet", "Run an analysis over many households side by side."),
    Entry("notebooks", "keep", "notebooks", "Write the notebooks of this package to a folder, to open in Jupyter."),
    Entry("schema", "schema", "schema", "Print the JSON Schema of a command's answer."),
    Entry("credentials", "advanced", "credentials", "Store, show or clear the service's address and credentials."),
)


class LazyGroup(click.Group):
    """A group that loads the module of a command only when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click calls it so
        """Return the names of the commands in order."""
        return [entry.name for entry in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click calls it so
        """Load a command's module and return the command; None for an unknown name."""
        for entry in COMMANDS:
            if entry.name == cmd_name:
                command: click.Command = getattr(import_module(f"toolkit.cli.commands.{entry.module}"), entry.function)
                # polars, once loaded, handles SIGINT with SA_RESTART: the system would resume a wait for a lock, and
                # Ctrl-C would not end it.
                if hasattr(signal, "siginterrupt"):
                    signal.siginterrupt(signal.SIGINT, True)
                return command
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  click calls it so
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(entry.name, entry.help) for entry in COMMANDS])


@click.group(
    "toolkit", cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback when a command fails.")
@click.version_option(package_name="finance-energy-toolkit", prog_name="toolkit")
@click.pass_context
def toolkit(ctx: click.Context) -> None:
    """Where does the money go, what will the next power bill be, is there a better plan, what does the solar earn?"""
    if ctx.invoked_subcommand is None:
        click.echo(FIRST_STEPS, nl=False)
