"""Every command names a way to show its answer, and it exists."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from toolkit.cli.options import SHOWN, show_named
from toolkit.cli.root import toolkit


def commands(group: click.Group) -> Iterator[click.Command]:
    for command in group.commands.values():
        yield from commands(command) if isinstance(command, click.Group) else [command]


@pytest.mark.parametrize("shown", sorted(SHOWN))
def test_what_shows_an_answer_exists(shown: str) -> None:
    assert callable(show_named(shown))


def test_every_command_answers_in_json_too() -> None:
    without = [c.name for c in commands(toolkit) if "--json" not in {o for p in c.params for o in p.opts}]
    assert without == []
