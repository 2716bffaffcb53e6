"""Commands that export, back up, restore or delete stored data, and write reports."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click

from toolkit.answers.data import Backup, Exported, Fleet, Restored, WrittenNotebooks
from toolkit.answers.forget import AllowedAgain, Forgotten
from toolkit.cli import options
from toolkit.cli.output import printable, say
from toolkit.cli.show import keep as show
from toolkit.errors import ToolkitError
from toolkit.fleet import Cluster
from toolkit.flows.consent.disconnect import withdraw
from toolkit.flows.consent.service import service
from toolkit.flows.data.backup import backup as run_backup
from toolkit.flows.data.backup import restore as run_restore
from toolkit.flows.data.export import export as run_export
from toolkit.flows.data.notebooks import write_notebooks
from toolkit.flows.fleet.kernels import Analysis
from toolkit.flows.fleet.run import FleetQuestion
from toolkit.flows.fleet.run import fleet as run_fleet
from toolkit.flows.forget.forget import allow_again as lift
from toolkit.flows.forget.forget import forget as run_forget
from toolkit.flows.household.context import Context
from toolkit.settings import load as load_settings

FORMATS = ("csv", "parquet", "ndjson")
pem_file = options.NamedPath(dir_okay=False, exists=True)


@click.command()
@click.option("--out", type=options.NamedPath(file_okay=False), required=True, help="Folder to write to.")
@click.option("--format", type=click.Choice(FORMATS), default="csv", show_default=True, help="Kind of file.")
@click.option("--datasette", is_flag=True, help="Also write metadata.json, which describes the database to Datasette.")
@options.reports(show.export)
@options.data
def export(ctx: Context, out: Path, format: str, *, datasette: bool) -> Exported:  # noqa: A002  the option's name
    """Write the stored data to CSV, Parquet or NDJSON files."""
    return run_export(ctx, out, format=format, datasette=datasette)


@click.command()
@click.option("--out", type=options.NamedPath(file_okay=False), required=True, help="Folder to write to.")
@options.reports(show.notebooks)
@options.debugged
def notebooks(out: Path) -> WrittenNotebooks:
    """Write the notebooks of this package to a folder, to open in Jupyter."""
    return write_notebooks(out)


@click.command()
@click.option(
    "--out", type=options.NamedPath(dir_okay=False), help="File to write [default: a new one in the data folder]."
)
@options.reports(show.backup)
@options.data
def backup(ctx: Context, out: Path | None) -> Backup:
    """Copy the database and check the copy."""
    return run_backup(ctx, out=out)


@click.command()
@click.argument("source", type=options.NamedPath(dir_okay=False))
@options.reports(show.restore)
@options.data
def restore(ctx: Context, source: Path) -> Restored:
    """Replace the database with a checked copy."""
    return run_restore(ctx, source)


@click.command()
@click.option("--consent", metavar="ID", help="Data of one consent (consent or arrangement id).")
@click.option(
    "--household",
    metavar="ID",
    help="All of a household (id, name, end user id or email); with another option, limits it to this household.",
)
@click.option("--file", metavar="NAME", help="Data of one imported file (name or hash).")
@click.option("--account", metavar="ID", help="One account (id or name).")
@click.option("--service-point", metavar="ID", help="One service point (id or NMI).")
@click.option("--allow-again", metavar="ID", help="Let the next sync fetch again what was deleted under that id.")
@click.option("--yes", is_flag=True, help="Do not ask first; needed without a terminal.")
@click.option("--record", type=options.NamedPath(dir_okay=False), help="HTML file to write: what was deleted and when.")
@click.option("--reference", metavar="TEXT", help="Your reference, for the record.")
@options.reports(show.forget)
@options.debugged
@click.option("--db", type=options.NamedPath(dir_okay=False), help="Database [default: $TOOLKIT_DB].")
def forget(
    *,
    allow_again: str | None,
    db: Path | None,
    yes: bool,
    record: Path | None,
    reference: str | None,
    **named: str | None,
) -> Forgotten | AllowedAgain:
    """Delete data for good, backups included."""
    ctx = options.context(db, None, None, None)
    if allow_again is not None:
        if yes or any(value is not None for value in (record, reference, *named.values())):
            raise click.UsageError("--allow-again deletes nothing and cannot be combined with other options.")
        return lift(ctx, allow_again)
    if reference is not None and record is None:
        raise click.UsageError("--reference is for the record: add --record FILE.html.")
    if not yes and not sys.stdin.isatty():
        raise click.UsageError("`toolkit forget` deletes for good and cannot ask without a terminal: add --yes.")
    settings = load_settings({})
    with ExitStack() as stack:
        client = stack.enter_context(service(settings)) if settings.base_url and settings.client_secret else None
        return run_forget(
            ctx,
            **named,
            withdraw=partial(withdraw, client) if client else None,
            confirm=None if yes else _confirm,
            record=record,
            reference=reference,
            progress=say,
        )


def _confirm(question: str) -> None:
    if not click.confirm(printable(question), err=True):
        raise ToolkitError("Nothing was deleted.")


@click.command()
@click.option(
    "--analysis", type=click.Choice(get_args(Analysis)), default="spending", show_default=True, help="Analysis to run."
)
@click.option(
    "--input",
    "folder",
    type=options.NamedPath(file_okay=False),
    help="Folder of Parquet partitions to use instead of the database.",
)
@click.option("--keep", type=options.NamedPath(file_okay=False), help="New folder for the partitions, which are kept.")
@click.option("--out", type=options.NamedPath(dir_okay=False), help="Also write the rows to this Parquet file.")
@click.option(
    "--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="Worker processes on this machine."
)
@click.option("--scheduler", metavar="ADDRESS", help="Address of a Dask scheduler to use instead of this machine.")
@click.option("--tls-ca", type=pem_file, help="Of a scheduler with TLS: its certificate authority (PEM).")
@click.option("--tls-cert", type=pem_file, help="Of a scheduler with TLS: your certificate (PEM).")
@click.option("--tls-key", type=pem_file, help="Of a scheduler with TLS: your key (PEM).")
@options.reports(show.fleet)
@options.data
def fleet(
    ctx: Context, *, analysis: Analysis, folder: Path | None, keep: Path | None, out: Path | None, **cluster: Any
) -> Fleet:
    """Run an analysis over many households side by side."""
    return run_fleet(ctx, FleetQuestion(analysis, folder, out, keep), Cluster(**cluster))
