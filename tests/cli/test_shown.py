"""Every command answers in JSON too, and the list of commands says what each one says of itself."""

from __future__ import annotations

from collections.abc import Iterator

import click

from toolkit.cli.root import COMMANDS, toolkit


def commands(group: click.Group) -> Iterator[click.Command]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from commands(command) if isinstance(command, click.Group) else [command]


def test_every_command_answers_in_json_too() -> None:
    without = [c.name for c in commands(toolkit) if "--json" not in {o for p in c.params for o in p.opts}]
    assert without == []


def test_the_list_of_commands_shows_the_first_line_of_each_help() -> None:
    for entry in COMMANDS:
        command = toolkit.get_command(click.Context(toolkit), entry.name)
        assert command is not None
        assert (command.name, (command.help or "").strip().splitlines()[0]) == (entry.name, entry.help)
