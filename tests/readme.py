"""The parts of the README that are derived: `python -m tests.readme` writes them, a test keeps them true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from tests.features import features
from tests.test_architecture import MAY_IMPORT
from toolkit.cli.root import toolkit
from toolkit.tables.schema import STORED

README = Path(__file__).parent.parent / "README.md"


def commands() -> Iterator[str]:
    yield "| command | what it does |"
    yield "|---|---|"
    for name, command in toolkit.commands.items():
        subcommands = " \\| ".join(command.commands) if isinstance(command, click.Group) else ""
        yield f"| `toolkit {f'{name} {subcommands}'.strip()}` | {first_line(command)} |"


def first_line(command: click.Command) -> str:
    return (command.help or "").strip().splitlines()[0]


def tables() -> Iterator[str]:
    for table in STORED:
        yield "<details>"
        yield f"<summary><code>{table.name}</code>: {table.meaning}</summary>"
        yield ""
        yield "| column | kind | unit | meaning |"
        yield "|---|---|---|---|"
        for column in table.columns:
            name = f"**{column.name}**" if column.name in table.key else column.name
            yield f"| {name} | {column.kind} | {column.unit} | {column.meaning.replace('|', chr(92) + '|')} |"
        yield ""
        yield "</details>"


def rooms() -> Iterator[str]:
    yield "| folder | may import |"
    yield "|---|---|"
    for room, allowed in MAY_IMPORT.items():
        yield f"| `{room}` | {', '.join(sorted(allowed)) or '–'} |"


PARTS = {"commands": commands, "tables": tables, "features": features, "rooms": rooms}


def refreshed(text: str) -> str:
    """`text` with every derived part as the code has it now."""
    for name, lines in PARTS.items():
        body = "\n".join([f"<!-- {name} -->", *lines(), f"<!-- /{name} -->"])
        text = re.sub(rf"<!-- {name} -->.*?<!-- /{name} -->", lambda _, body=body: body, text, flags=re.DOTALL)
    return text


if __name__ == "__main__":
    README.write_text(refreshed(README.read_text()))
