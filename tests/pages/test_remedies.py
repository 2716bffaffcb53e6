"""A page names fields and buttons: no command, option or environment variable of the command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolkit
from toolkit.pages.remedies import for_page

COMMAND = re.compile(r"\btoolkit [a-z]+|(?<![\w-])--[a-z]|TOOLKIT_")
PACKAGE = Path(toolkit.__file__).parent
COMMAND_LINE_ONLY = (
    "flows/data/",
    "flows/demo.py",
    "flows/forget/",
    "flows/household/moved_accounts.py",
    "flows/household/merge.py",
    "flows/money/accounts.py",
    "flows/money/overrides.py",
    "flows/money/rules.py",
    "flows/sync/listen.py",
    "store/integrity.py",
)
"""Their sentences answer commands that have no page."""
VARIABLE = re.compile(r"TOOLKIT_[A-Z_]+")
"""A literal that is only a variable's name: part of a sentence that is tried as a whole below."""


def literals(source: str) -> Iterator[str]:
    """Every text of a module but its docstrings; an inserted value is `X`."""
    tree = ast.parse(source)
    passed = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            passed |= {id(part) for part in ast.walk(node) if part is not node}
    for node in ast.walk(tree):
        if id(node) in passed:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def sentences() -> list[str]:
    """Sentences that name a command, of every module that a page may ask."""
    found = []
    for folder in ("flows", "analytics", "importers", "sync", "store"):
        for file in sorted((PACKAGE / folder).rglob("*.py")):
            if not file.relative_to(PACKAGE).as_posix().startswith(COMMAND_LINE_ONLY):
                found += [text for text in literals(file.read_text(encoding="utf-8")) if COMMAND.search(text)]
    return [text for text in dict.fromkeys(found) if not VARIABLE.fullmatch(text)]


@pytest.mark.parametrize("text", sentences())
def test_no_message_of_a_page_names_a_command(text: str) -> None:
    assert not COMMAND.search(for_page(text))


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            "Today's plan is not known, so savings are not: `toolkit household set --plan ID`.",
            "Today's plan is not known, so savings are not: choose your energy plan on the Data page.",
        ),
        (
            "Service point 4103000001 has no reads yet: import a meter file, or `toolkit sync`.",
            "Service point 4103000001 has no reads yet: add a meter file or select Update on the Data page.",
        ),
        (
            "TOOLKIT_CLIENT_ID: not set. Set it in the environment or with `toolkit credentials set`.",
            "The data-sharing service is not set up on this computer: ask the person who set up this app.",
        ),
        ("The coffee--table shop", "The coffee--table shop"),
    ],
)
def test_a_remedy_names_the_field_or_button(message: str, shown: str) -> None:
    assert for_page(message) == shown
