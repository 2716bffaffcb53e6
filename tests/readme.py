"""Write the generated parts of the README and the reference: `python -m tests.readme`; a test keeps them true."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from tests.features import features
from tests.import_rules import MAY_IMPORT
from tests.reference import write
from toolkit.answers.wording.notes import WORDING
from toolkit.cli.root import toolkit
from toolkit.remedies import Remedy
from toolkit.store.views import VIEWS
from toolkit.tables.schema import STORED, Table

README = Path(__file__).parent.parent / "README.md"
DOCS = README.parent / "toolkit" / "docs"


def commands() -> Iterator[str]:
    yield "| command | what it does |"
    yield "|---|---|"
    for name, command in all_commands().items():
        subcommands = " \\| ".join(command.commands) if isinstance(command, click.Group) else ""
        yield f"| `toolkit {f'{name} {subcommands}'.strip()}` | {first_line(command)} |"


def all_commands() -> dict[str, click.Command]:
    """Load every command, by name, in the order of `toolkit --help`."""
    context = click.Context(toolkit)
    return {name: command for name in toolkit.list_commands(context) if (command := toolkit.get_command(context, name))}


def first_line(command: click.Command) -> str:
    return (command.help or "").strip().splitlines()[0]


def tables() -> Iterator[str]:
    yield from _tables(table for table in STORED if not table.internal)


def internal_tables() -> Iterator[str]:
    yield from _tables(table for table in STORED if table.internal)


def _tables(listed: Iterable[Table]) -> Iterator[str]:
    for table in listed:
        yield "<details>"
        yield f"<summary><code>{table.name}</code>: {table.meaning}</summary>"
        yield ""
        yield "| column | kind | unit | meaning |"
        yield "|---|---|---|---|"
        for column in table.columns:
            name = f"**{column.name}**" if column.name in table.key else column.name
            yield f"| {name} | {column.kind} | {column.unit} | {_cell(column.meaning)} |"
        for key in table.references:
            yield ""
            yield f"Foreign key: {', '.join(key.columns)} → `{key.table}`."
        yield ""
        yield "</details>"


def views() -> Iterator[str]:
    for name, view in VIEWS.items():
        yield "<details>"
        yield f"<summary><code>{name}</code>: {_cell(view.meaning)}</summary>"
        yield ""
        yield "| column | meaning |"
        yield "|---|---|"
        for column, meaning in view.columns.items():
            yield f"| {column} | {_cell(meaning)} |"
        yield ""
        yield "</details>"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def packages() -> Iterator[str]:
    yield "| package | may import |"
    yield "|---|---|"
    for package, allowed in MAY_IMPORT.items():
        yield f"| `{package}` | {', '.join(sorted(allowed)) or '–'} |"


def notes() -> Iterator[str]:
    yield "| code | sentence |"
    yield "|---|---|"
    for code, sentence in WORDING.items():
        worded = re.sub(r"{([A-Z_]+)}", lambda match: Remedy[match[1]].command, sentence)
        yield f"| `{code}` | {worded.replace('|', chr(92) + '|')} |"


PARTS = {
    "commands": commands,
    "tables": tables,
    "views": views,
    "internal tables": internal_tables,
    "notes": notes,
    "features": features,
    "packages": packages,
}


def pages() -> list[Path]:
    """The README and every reference page."""
    return [README, *sorted(DOCS.rglob("*.md"))]


def refreshed(text: str) -> str:
    """Replace every generated part of a page by what the code says now."""
    for name, lines in PARTS.items():
        body = "\n".join([f"<!-- {name} -->", *lines(), f"<!-- /{name} -->"])
        text = re.sub(rf"<!-- {name} -->.*?<!-- /{name} -->", lambda _, body=body: body, text, flags=re.DOTALL)
    return text


if __name__ == "__main__":
    write()
    for page in pages():
        page.write_text(refreshed(page.read_text()))
