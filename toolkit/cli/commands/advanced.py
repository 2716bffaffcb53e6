"""Credentials of the service: kept in the keyring or a file that only you can read, never shown whole."""

from __future__ import annotations

import sys

import click

from toolkit.answers.data import Credentials, Setting
from toolkit.cli import options
from toolkit.cli.show import start as show
from toolkit.errors import UsageError
from toolkit.settings import CREDENTIALS, clear_credentials, save_credentials
from toolkit.settings import load as load_settings


@click.group()
def credentials() -> None:
    """Store, show or clear the service's address and credentials."""


def _answer() -> Credentials:
    stored = load_settings({}).origins
    return Credentials(
        credentials=tuple(
            Setting(name=name, value=str(stored[name].value or "") or None, origin=stored[name].origin)
            for name in CREDENTIALS
        )
    )


@credentials.command("set")
@click.option("--base-url", help="Address of the service.")
@click.option("--client-id", help="Client id.")
@click.option("--client-secret", help="Client secret; safer to type it when asked.")
@options.reports(show.credentials)
@options.debugged
def set_(**given: str | None) -> Credentials:
    """Store them: the secret in the system's keyring, else in a settings file that only you can read (mode 0600).

    On a terminal you are asked for what is not given; an empty answer leaves it as it is.
    """
    given_values = {
        f"TOOLKIT_{name.upper()}": _asked(name) if value is None else value for name, value in given.items()
    }
    kept = {name: value for name, value in given_values.items() if value}
    if not kept:
        raise UsageError("Nothing to store: give --base-url, --client-id or --client-secret.")
    save_credentials(kept)
    return _answer()


def _asked(name: str) -> str:
    """Return what is typed at the terminal; an empty text without a terminal. The question goes to stderr."""
    if not sys.stdin.isatty():
        return ""
    words = name.replace("_", " ").capitalize().replace("Base url", "Address of the service")
    typed: str = click.prompt(words, default="", show_default=False, hide_input=name == "client_secret", err=True)
    return typed.strip()


@credentials.command("show")
@options.reports(show.credentials)
@options.debugged
def show_() -> Credentials:
    """Show which are set and where each came from; secrets stay hidden."""
    return _answer()


@credentials.command("clear")
@options.reports(show.credentials)
@options.debugged
def clear() -> Credentials:
    """Delete the credentials from the keyring and the settings file."""
    clear_credentials()
    return _answer()
