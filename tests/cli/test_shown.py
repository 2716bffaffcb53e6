"""Every command names a way to show its answer, and it exists."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from toolkit.cli.options import show_named
from toolkit.cli.root import toolkit


def commands(group: click.Group) -> Iterator[click.Command]:
    for command in group.commands.values():
        yield from commands(command) if isinstance(command, click.Group) else [command]


SHOWN = [command.callback.shown for command in commands(toolkit) if hasattr(command.callback, "shown")]


@pytest.mark.parametrize("shown", sorted(set(SHOWN)))
def test_what_shows_an_answer_exists(shown: str) -> None:
    assert callable(show_named(shown))


def test_nearly_every_command_reports() -> None:
    others = {command.name for command in commands(toolkit) if not hasattr(command.callback, "shown")}
    assert others == {"demo", "app", "sandbox"}
