"""First steps: the demo, the embedded service, the app, the doctor."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import date
from pathlib import Path

import click

from toolkit.answers.base import to_json
from toolkit.answers.data import AppAddress, Checkup
from toolkit.answers.start import Demo
from toolkit.cli import options
from toolkit.cli.output import emit, exit_code, say
from toolkit.cli.show import start as show
from toolkit.cli.show.start import sandbox as shown
from toolkit.errors import ToolkitError
from toolkit.flows.consent.sandbox import sandbox as running
from toolkit.flows.data.doctor.run import doctor as examine
from toolkit.flows.data.shortcut import has_shortcut, write_shortcut
from toolkit.flows.demo import demo as run_demo
from toolkit.flows.household.context import Context, prepare
from toolkit.settings import load as load_settings

PORT = click.IntRange(0, 65_535)


@click.command()
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the invented household.")
@click.option("--no-app", is_flag=True, help="Print the answers and stop.")
@click.option("--port", type=PORT, help="Port of the app [default: a free one].")
@click.option("--no-browser", is_flag=True, help="Do not open the app in a browser.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")
@options.debugged
@click.option("--db", type=options.NamedPath(dir_okay=False), help="Database [default: one of its own].")
@click.option("--today", type=options.Today(), help="The day on which the invented life ends [default: today].")
def demo(  # noqa: PLR0913  one parameter an option
    *, seed: int, no_app: bool, port: int | None, no_browser: bool, as_json: bool, db: Path | None, today: date | None
) -> Demo:
    """Try everything with an invented household; nothing leaves this machine."""
    ctx = options.context(db or load_settings({}).data_dir / "demo" / "demo.db", today, None, None)
    answer = run_demo(ctx, seed=seed, progress=say)
    emit(answer, as_json=as_json, show=show.demo)
    if no_app:
        raise SystemExit(exit_code(answer))
    _open_app(ctx.db, port=port, open_browser=not no_browser, as_json=False, today=today)
    return answer


@click.command()
@click.option("--port", type=PORT, help="Port [default: a free one].")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--shortcut", is_flag=True, help="Write an icon that starts the app on the default database, then exit.")
@click.option("--json", "as_json", is_flag=True, help="Print the address first, as a JSON object on one line.")
@options.debugged
@click.option("--db", type=options.NamedPath(dir_okay=False), help="Database [default: $TOOLKIT_DB].")
def app(*, port: int | None, no_browser: bool, shortcut: bool, as_json: bool, db: Path | None) -> None:
    """Open the app in a browser; only this machine can reach it."""
    if shortcut:
        emit(write_shortcut(), as_json=as_json, show=show.shortcut)
        return
    ctx = options.context(db, None, None, None)
    _open_app(ctx.db, port=port, open_browser=not no_browser, as_json=as_json)


def _open_app(db: Path, *, port: int | None, open_browser: bool, as_json: bool, today: date | None = None) -> None:
    from toolkit.pages.server.launch import launch  # Streamlit, which `doctor` and `sandbox` need not load

    def announce(url: str) -> None:
        if as_json:
            click.echo(to_json(AppAddress(url=url), indent=None))
        else:
            say(f"The app is at {url}\nStop it with Ctrl-C.")
            if not has_shortcut():
                say("To start it by an icon from now on: toolkit app --shortcut")

    with suppress(ToolkitError):  # the pages say what is wrong with the database
        prepare(Context(db, date.min, progress=say))
    launch(db, port=port, open_browser=open_browser, announce=announce, today=today)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on (this machine only).")
@click.option("--port", type=PORT, default=0, help="Port [default: a free one].")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the invented households.")
@click.option("--households", type=click.IntRange(1, 500), default=3, show_default=True, help="Number of households.")
@click.option("--years", type=click.IntRange(1, 10), default=2, show_default=True, help="Years of history.")
@click.option("--today", type=options.Today(), help="The service's day [default: today].")
@click.option("--tls", is_flag=True, help="Serve over TLS with certificates of its own; mutual TLS for consents.")
@click.option("--state", type=options.NamedPath(dir_okay=False), help="File that keeps the state between runs.")
@click.option(
    "--faults",
    type=options.NamedPath(exists=True, dir_okay=False),
    help="JSON list of faults: path, status, headers, times …",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print addresses and credentials first, as a JSON object on one line."
)
@options.debugged
def sandbox(  # noqa: PLR0913  one parameter an option
    *,
    host: str,
    port: int,
    seed: int,
    households: int,
    years: int,
    today: date | None,
    tls: bool,
    state: Path | None,
    faults: Path | None,
    as_json: bool,
) -> None:
    """Serve the data-sharing service with invented households."""
    served = running(
        host=host,
        port=port,
        seed=seed,
        households=households,
        years=years,
        today=today or options.context(None, None, None, None).today,
        tls=tls,
        state=state,
        faults=faults,
    )
    try:
        with served as address:
            click.echo(to_json(address, indent=None) if as_json else "\n".join(shown(address)))
            threading.Event().wait()
    except KeyboardInterrupt:
        say("Stopped.")


@click.command()
@options.reports(show.doctor)
@options.data
def doctor(ctx: Context) -> Checkup:
    """Check settings, files, database, connection and data."""
    settings = load_settings({})
    named = settings if settings.db == ctx.db else load_settings({"TOOLKIT_DB": str(ctx.db)})
    return examine(ctx, named)
