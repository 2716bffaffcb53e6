"""Credentials of the service: kept in the keyring or a file that only you can read, never shown whole."""

from __future__ import annotations

import click

from toolkit.cli import options
from toolkit.cli.output import Answer
from toolkit.cli.show import start as show


@click.group()
def credentials() -> None:
    """Keep, show (hidden) or clear the service's address, client id and secret."""


def _answer() -> Answer:
    from toolkit.settings import show_credentials

    return {"credentials": show_credentials(options.load_settings({}))}


@credentials.command("set")
@click.option("--base-url", prompt="Address of the service", help="Address of the service.")
@click.option("--client-id", prompt="Client id", help="Client id.")
@click.option(
    "--client-secret", prompt="Client secret", hide_input=True, help="Client secret; better typed when asked."
)
@options.reports(show.credentials)
@options.debugged
def set_(base_url: str, client_id: str, client_secret: str) -> Answer:
    """Keep them: the secret in the system's keyring, else in a settings file of mode 0600."""
    from toolkit.settings import save_credentials

    given = (base_url, client_id, client_secret)
    names = ("TOOLKIT_BASE_URL", "TOOLKIT_CLIENT_ID", "TOOLKIT_CLIENT_SECRET")
    save_credentials(dict(zip(names, given, strict=True)))
    return _answer()


@credentials.command("show")
@options.reports(show.credentials)
@options.debugged
def show_() -> Answer:
    """Which are set and where each came from; secrets hidden."""
    return _answer()


@credentials.command("clear")
@options.reports(show.credentials)
@options.debugged
def clear() -> Answer:
    """Forget what was kept in keyring and settings file."""
    from toolkit.settings import clear_credentials

    clear_credentials()
    return _answer()


COMMANDS: tuple[click.Command, ...] = (credentials,)
