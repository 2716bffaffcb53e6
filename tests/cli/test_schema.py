"""`toolkit schema`: every command that answers in JSON describes its answer."""

from __future__ import annotations

import json

import click
import jsonschema_rs
import pytest

from tests.command_line import Run
from toolkit.cli.commands.schema import answer_types
from toolkit.cli.root import toolkit


def test_the_schema_of_one_command_lists_its_keys(run: Run) -> None:
    schema = json.loads(run("schema", "spending").out)
    jsonschema_rs.meta.validate(schema)
    answer = schema["$defs"]["Spending"]
    assert {"from", "to", "by", "rows", "spent", "problems"} <= set(answer["properties"])
    assert answer["properties"]["pending"]["description"].startswith("Pending expenses")


def test_without_a_command_every_schema_is_listed(run: Run) -> None:
    schemas = json.loads(run("schema").out)
    assert set(schemas) == set(answer_types())
    for schema in schemas.values():
        jsonschema_rs.meta.validate(schema)


@pytest.mark.parametrize("words", [("nothing",), ("household",)])
def test_a_word_that_is_not_a_command_lists_the_commands(run: Run, words: tuple[str, ...]) -> None:
    ended = run("schema", *words)
    assert ended.code == 2
    assert "spending" in ended.err


def test_every_command_that_prints_json_has_an_answer_type() -> None:
    assert json_commands() - {"schema"} == set(answer_types())


def json_commands() -> set[str]:
    """Return the names of the commands with --json, sub-commands with their group's name before them."""
    context = click.Context(toolkit)
    found = set()
    for name in toolkit.list_commands(context):
        command = toolkit.get_command(context, name)
        subs = command.commands if isinstance(command, click.Group) else {}
        every = {name: command, **{f"{name} {word}": sub for word, sub in subs.items()}}
        found |= {word for word, entry in every.items() if any("--json" in param.opts for param in entry.params)}
    return found
