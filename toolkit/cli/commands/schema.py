"""The JSON Schema of what each command prints with --json."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from types import UnionType
from typing import get_args, get_type_hints

import click

from toolkit.answers.base import Answer
from toolkit.answers.data import AppAddress, SandboxAddress
from toolkit.answers.schema import json_schema
from toolkit.answers.start import Shortcut
from toolkit.cli.root import COMMANDS, toolkit
from toolkit.errors import ChoiceRequiredError

FIRST_LINES: dict[str, type[Answer] | UnionType] = {"app": AppAddress | Shortcut, "sandbox": SandboxAddress}
"""What commands that run until Ctrl-C print first."""


@click.command()
@click.argument("words", nargs=-1, metavar="[COMMAND]")
@click.option("--json", "_as_json", is_flag=True, expose_value=False, help="A schema is JSON with or without this.")
def schema(words: tuple[str, ...]) -> None:
    """Print the JSON Schema of a command's answer.

    For example `toolkit schema spending`; without COMMAND, of every command.
    """
    name = " ".join(words)
    types = answer_types(*words[:1])
    if name and name not in types:
        raise ChoiceRequiredError(f"There is no command {name!r} that answers in JSON.", list(answer_types()))
    shown = json_schema(types[name]) if name else {name: json_schema(answer) for name, answer in types.items()}
    click.echo(json.dumps(shown, ensure_ascii=False, indent=2))


def answer_types(first: str | None = None) -> dict[str, type[Answer] | UnionType]:
    """Return the answer type of each command by its name; a sub-command's name has its group's before it.

    first: only of the command or group of this name, so that the others are not loaded. The type of a command with
    several kinds of answers is their union.
    """
    context = click.Context(toolkit)
    types: dict[str, type[Answer] | UnionType] = {}
    for entry in COMMANDS:
        if first not in (None, entry.name):
            continue
        command = toolkit.get_command(context, entry.name)
        assert command is not None
        for name, callback in _callbacks(command, entry.name):
            answer = FIRST_LINES.get(name) or get_type_hints(inspect.unwrap(callback)).get("return")
            kinds = get_args(answer) if isinstance(answer, UnionType) else (answer,)
            if answer is not None and all(isinstance(kind, type) and issubclass(kind, Answer) for kind in kinds):
                types[name] = answer
    return types


def _callbacks(command: click.Command, name: str) -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield a command's function, and those of its sub-commands."""
    if command.callback is not None:
        yield name, command.callback
    if isinstance(command, click.Group):
        for word, sub in command.commands.items():
            yield from _callbacks(sub, f"{name} {word}")
