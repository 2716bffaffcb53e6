"""Data in: connect, sync, status, import, household."""

from __future__ import annotations

import webbrowser
from datetime import date
from pathlib import Path
from typing import Any, TypedDict, Unpack

import click
from msgspec.structs import replace

from toolkit.answers.consents import Connected, EndedConsent
from toolkit.answers.data import ImportReport
from toolkit.answers.households import Households, PackagedConcessions
from toolkit.answers.sync import Sync
from toolkit.cli import options
from toolkit.cli.output import say
from toolkit.cli.show import data as show
from toolkit.flows.consent.connect import connect as run_connect
from toolkit.flows.consent.disconnect import end_consent
from toolkit.flows.consent.service import service
from toolkit.flows.energy.concessions import packaged_concessions
from toolkit.flows.household import merge as moves
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.household.settings import archive, plan_named, set_home
from toolkit.flows.imports.columns import parsed_columns
from toolkit.flows.imports.load import file_kinds, load
from toolkit.flows.sync.listen import listen as run_listen
from toolkit.flows.sync.listen import open_listener
from toolkit.flows.sync.run import sync as run_sync
from toolkit.settings import Settings
from toolkit.settings import load as load_settings
from toolkit.units import DEFAULT_ZONE

KINDS = ("nem12", "nem13", "usage-csv", "greenbutton", "inverter", "bank-csv", "ofx", "qif", "plans")


class _Kind(click.Choice[str]):
    """A kind of file: built in, or of an installed package, which `--help` does not look for."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value in file_kinds() else super().convert(value, param, ctx)


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=options.NamedPath())
@click.option("--as", "kind", type=_Kind(KINDS), help="Kind of the files [default: recognised by content].")
@click.option("--account", metavar="NAME", help="Account of the transactions, where the file does not name one.")
@click.option(
    "--timezone", metavar="ZONE", help=f"IANA time zone of the service point or account [default: {DEFAULT_ZONE}]."
)
@click.option(
    "--columns",
    metavar="FIELD=COLUMN,…",
    help="Columns of a bank's CSV: date=…,amount=…,description=… (or debit=…,credit=…), by header or as #2.",
)
@click.option(
    "--controlled-load",
    multiple=True,
    metavar="SUFFIX",
    help="Suffix of the meter register for controlled load, such as E2. Repeat for several.",
)
@click.option(
    "--service-point", metavar="ID", help="Meter that the inverter is connected to, where several are stored."
)
@options.new_household
@options.reports(show.load)
@options.data
def import_(  # noqa: PLR0913  one parameter an option
    paths: tuple[Path, ...],
    ctx: Context,
    *,
    kind: str | None,
    account: str | None,
    timezone: str | None,
    columns: str | None,
    controlled_load: tuple[str, ...],
    new: bool,
) -> ImportReport:
    """Import meter data, bank exports and published plans."""

    def run(home: Context) -> ImportReport:
        return load(
            home,
            paths,
            kind=kind,
            account=account,
            timezone=timezone,
            controlled_load=controlled_load,
            columns=None if columns is None else parsed_columns(columns),
            progress=say,
        )

    return options.asking_if_new(ctx, run, new=new)


@click.command()
@click.option("--email", help="Email of the person who gives consent.")
@click.option("--name", help="Name of that person.")
@click.option("--institution", metavar="ID", help="Bank or retailer; skips choosing it on the page.")
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening it.")
@click.option("--invite", is_flag=True, help="Print a link to send to the person, and do not wait.")
@click.option("--end-user", metavar="ID", help="Use an end user who has already consented.")
@click.option(
    "--renew", metavar="CONSENT", help="Consent or arrangement to renew, with the same person and institution."
)
@click.option(
    "--wait",
    type=click.IntRange(1, 3600),
    default=600,
    show_default=True,
    help="Seconds to wait for the consent to be given.",
)
@options.new_household
@options.reports(show.connect)
@options.data
def connect(  # noqa: PLR0913  one parameter an option
    ctx: Context,
    *,
    email: str | None,
    name: str | None,
    institution: str | None,
    no_browser: bool,
    invite: bool,
    end_user: str | None,
    renew: str | None,
    wait: int,
    new: bool,
) -> Connected:
    """Ask a person for consent to share their accounts."""

    def print_address(url: str) -> None:
        say(f"open {url}")

    def open_address(url: str) -> None:
        if not webbrowser.open(url):
            print_address(url)

    with service(load_settings({})) as client:

        def run(home: Context) -> Connected:
            return run_connect(
                home,
                client,
                open_browser=print_address if no_browser else open_address,
                email=email,
                name=name,
                institution=institution,
                end_user=end_user,
                renew=renew,
                invite=invite,
                wait=wait,
                progress=say,
            )

        return options.asking_if_new(ctx, run, new=new)


@click.command()
@click.argument("consent")
@options.reports(show.disconnect)
@options.data
def disconnect(ctx: Context, consent: str) -> EndedConsent:
    """End a consent at the service; data already here stays."""
    with service(load_settings({})) as client:
        return end_consent(ctx, client, consent)


@click.command()
@click.option("--full", is_flag=True, help="Read everything again, not only what is new.")
@click.option("--only", type=click.Choice(["banking", "energy"]), help="Fetch only banking or only energy data.")
@click.option(
    "--listen",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Keep running, and listen for webhooks on this port of this machine.",
)
@options.reports(show.sync)
@options.data
def sync(ctx: Context, *, full: bool, only: str | None, listen: int | None) -> Sync:
    """Pull what is new for every connected person."""
    settings = load_settings({})
    if listen is not None:
        return _listen(ctx, settings, listen, everything=not full and only is None)
    with service(settings) as client:
        return run_sync(ctx, client, full=full, only=only, end_user=settings.end_user, progress=say)


def _listen(ctx: Context, settings: Settings, port: int, *, everything: bool) -> Sync:
    if not everything:
        raise click.UsageError("--listen pulls what messages name: leave out --full and --only.")
    with open_listener(ctx, settings, port) as listener, service(settings) as client:
        return run_listen(ctx, client, listener, end_user=settings.end_user, progress=say)


@click.group()
def household() -> None:
    """Add, describe, merge, archive or list households."""


@household.command("list")
@options.reports(show.households)
@options.data
def list_(ctx: Context) -> Households:
    """List all households."""
    return homes(ctx)


@household.command("add")
@click.argument("name")
@options.reports(show.households)
@options.data
def add(ctx: Context, name: str) -> Households:
    """Add a household called NAME."""
    return add_home(ctx, name)


class HomeFacts(TypedDict):
    """Options of `household set` that are facts of the home; None where not given."""

    postcode: str | None
    network: str | None
    timezone: str | None
    customer_type: str | None
    panels_kw: float | None
    arrays: tuple[str, ...] | None
    inverter_kw: float | None
    battery_kwh: float | None
    plan_id: str | None
    plan_since: date | None
    embedded_network: bool | None
    billing: str | None
    note: str | None
    follow_up: date | None
    purpose: str | None


@household.command("set")
@click.option("--name", help="A new name.")
@click.option("--postcode", help="Postcode of the home.")
@click.option("--network", help="Electricity distributor, such as Ausgrid.")
@click.option("--timezone", "--zone", "timezone", metavar="ZONE", help="IANA time zone, such as Australia/Brisbane.")
@click.option("--customer", "customer_type", type=click.Choice(["residential", "business"]), help="Kind of customer.")
@click.option("--panels-kw", type=click.FloatRange(min=0), help="Rated size of the solar panels in kW.")
@click.option(
    "--array",
    "arrays",
    multiple=True,
    metavar="KW:FACING:TILT",
    callback=lambda _ctx, _option, texts: texts or None,
    help="Panels that face one way: kW, direction, tilt in degrees, such as 4.4:north-east:22. "
    "Repeat for several; empty removes them.",
)
@click.option("--inverter-kw", type=click.FloatRange(min=0), help="Rated output of the solar inverter in kW.")
@click.option("--battery-kwh", type=click.FloatRange(min=0), help="Capacity of the battery in kWh; 0 means no battery.")
@click.option(
    "--plan", "plan_id", metavar="PLAN", help="Plan that the home is on: a stored plan's id, or a file with one plan."
)
@click.option(
    "--person",
    "persons",
    multiple=True,
    metavar="NAME",
    help="Name of a person in the household; transfers in this name are between own accounts. "
    "Repeat for several; empty removes them.",
)
@click.option("--since", "plan_since", type=options.Day(), help="First day on that plan.")
@click.option(
    "--embedded-network/--no-embedded-network",
    default=None,
    help="Whether the building sells the power to the home (an embedded network).",
)
@click.option("--billing", type=click.Choice(["monthly", "two-monthly", "quarterly"]), help="How often bills come.")
@click.option("--note", metavar="TEXT", help="Your own note about the household; empty deletes it.")
@click.option("--follow-up", type=options.DayOrNone(), help="Day to look at it again; empty deletes it.")
@click.option("--purpose", metavar="TEXT", help="What the client agreed to; empty deletes it.")
@click.option(
    "--concession",
    "concessions",
    multiple=True,
    metavar="TEXT",
    help=(
        'As on the bill: "NAME: 285 a year", "NAME: 17.5% above 171.60 a year" or "NAME: 5% of usage", with ", gas", '
        '", from DATE" or ", to DATE" behind it; or the id of a packaged one. "NAME:" forgets it, empty forgets all.'
    ),
)
@options.reports(show.households)
@options.data
def set_(
    ctx: Context,
    *,
    name: str | None,
    persons: tuple[str, ...],
    concessions: tuple[str, ...],
    **facts: Unpack[HomeFacts],
) -> Households:
    """Set facts about the home that files do not contain. Only the options given change."""
    if plan := facts["plan_id"]:
        facts["plan_id"] = plan_named(ctx, plan)
    return set_home(ctx, name=name, persons=persons, concessions=concessions, **facts)


@household.command("concessions")
@click.option("--state", metavar="STATE", help="Only those of one state or territory, such as VIC.")
@options.reports(show.packaged_concessions)
@options.data
def concessions_(ctx: Context, *, state: str | None) -> PackagedConcessions:
    """List packaged energy concessions: who may hold them, figures, source and dates."""
    return packaged_concessions(ctx, state)


@household.command("archive")
@click.argument("name", required=False)
@options.reports(show.households)
@options.data
def archive_(ctx: Context, name: str | None) -> Households:
    """Archive household NAME (id or name): its data stays, but it is not synced, and `desk` does not list it."""
    return archive(replace(ctx, household=name or ctx.household), archived=True)


@household.command("unarchive")
@click.argument("name", required=False)
@options.reports(show.households)
@options.data
def unarchive_(ctx: Context, name: str | None) -> Households:
    """Bring archived household NAME (id or name) back."""
    return archive(replace(ctx, household=name or ctx.household), archived=False)


@household.command("merge")
@click.argument("into", required=False, metavar="[A]")
@click.argument("other", required=False, metavar="[B]")
@click.option("--undo", is_flag=True, help="Undo the latest merge; possible until the next sync.")
@options.reports(show.households)
@options.data
def merge(ctx: Context, into: str | None, other: str | None, *, undo: bool) -> Households:
    """Move everything of household B into A (id or name); B is removed."""
    if undo and into is None:
        return moves.undo_move(ctx)
    if undo or into is None or other is None:
        raise click.UsageError("Name two households, or --undo alone.")
    return moves.merge(ctx, into, other)
