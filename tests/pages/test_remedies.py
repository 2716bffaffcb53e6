"""A page names fields and buttons: no command, option or environment variable of the command line."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import toolkit
from toolkit.answers.base import Note
from toolkit.answers.wording.notes import WORDING
from toolkit.errors import ChoiceRequiredError, ImportFailedError, PlanRequiredError, PricingError, UsageError
from toolkit.flows.report.material import PLAIN_NOTES, worded
from toolkit.pages.text import message
from toolkit.remedies import FIELDS, Message, Remedy, field_of, page_wording, without_remedies
from toolkit.store.views import VIEWS
from toolkit.tables.schema import STORED

COMMAND = re.compile(r"\btoolkit [a-z]+|(?<![\w-])--[a-z]|TOOLKIT_")
PACKAGE = Path(toolkit.__file__).parent
COMMAND_LINE_ONLY = (
    "flows/data/",
    "flows/demo.py",
    "flows/fleet/",
    "flows/forget/",
    "flows/household/moved_accounts.py",
    "flows/household/merge.py",
    "flows/sync/listen.py",
)
"""Their sentences answer commands that have no page."""
VARIABLE = re.compile(r"TOOLKIT_[A-Z_]+")
"""A literal that is only a setting's name."""
COLUMN_MEANINGS = {
    *(column.meaning for table in STORED for column in table.columns),
    *(view.meaning for view in VIEWS.values()),
    *(meaning for view in VIEWS.values() for meaning in view.columns.values()),
}
"""What the reference and Datasette say of columns and views; no page shows them."""


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


def literals_of_pages() -> list[str]:
    """Texts that name a command, an option or a setting, of every module whose messages a page may show."""
    found = []
    for folder in ("flows", "analytics", "importers", "sync", "store", "api", "wire", "answers"):
        for file in sorted((PACKAGE / folder).rglob("*.py")):
            if not file.relative_to(PACKAGE).as_posix().startswith(COMMAND_LINE_ONLY):
                found += [text for text in literals(file.read_text(encoding="utf-8")) if COMMAND.search(text)]
    return [text for text in dict.fromkeys(found) if not VARIABLE.fullmatch(text)]


def test_only_the_table_of_remedies_names_commands() -> None:
    assert [text for text in literals_of_pages() if text not in FIELDS and text not in COLUMN_MEANINGS] == []


@pytest.mark.parametrize("remedy", Remedy, ids=lambda remedy: remedy.name)
def test_a_remedy_names_commands_only_for_the_command_line(remedy: Remedy) -> None:
    assert COMMAND.search(remedy.command.replace("{setting}", "TOOLKIT_BASE_URL"))
    assert not COMMAND.search(remedy.page)


def test_no_field_of_a_page_is_an_option() -> None:
    assert not [label for label in FIELDS.values() if COMMAND.search(label)]
    assert field_of("--kwh").page == FIELDS["--kwh"]


@pytest.mark.parametrize("code", [code for code, sentence in WORDING.items() if re.search(r"{[A-Z]", sentence)])
def test_a_note_with_a_remedy_names_it_for_its_reader(code: str) -> None:
    sentence = WORDING[code]
    named = [remedy.command for remedy in Remedy if f"{{{remedy.name}}}" in sentence]
    fields = [name for text in (sentence, *named) for _, name, _, _ in Formatter().parse(text)]
    note = Note(code, **{name: 1 for name in fields if name and name.islower()})
    assert COMMAND.search(str(note))
    assert not COMMAND.search(note.page)


def test_messages_keep_both_wordings_when_they_are_joined() -> None:
    inner = Message("No plan: ", Remedy.SET_PLAN, ".")
    assert inner == f"No plan: {Remedy.SET_PLAN.command}."
    assert inner.page == f"No plan: {Remedy.SET_PLAN.page}."
    assert Message("Because: ", UsageError(inner)).page == f"Because: {inner.page}"
    assert page_wording(PricingError("P", inner)) == inner.page
    assert page_wording(ImportFailedError("a.csv", inner)) == f"a.csv: {inner.page}"
    assert page_wording(ChoiceRequiredError(inner, ["A"])).startswith(inner.page)
    assert page_wording(Message("Why: ", PlanRequiredError(inner, ["PLAN1@EME"]))) == f"Why: {inner.page}"
    assert page_wording(Note("current_plan_incomplete", reason=inner)).count(inner.page) == 1
    assert pickle.loads(pickle.dumps(inner)).page == inner.page


def test_a_page_shows_the_wording_for_pages() -> None:
    error = UsageError(Message("On 2026-07-01: ", Remedy.ADD_READS))
    assert message(error) == f"On 1 Jul 2026: {Remedy.ADD_READS.page}"
    assert message("The coffee--table shop") == "The coffee--table shop"


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (Message("No bill is stored: ", Remedy.GET_INVOICES, "."), "No bill is stored."),
        (Message("It rained. ", Remedy.FETCH_PLANS, "."), "It rained."),
        (Message("No price on 1:00; ", Remedy.SET_PLAN, ". It was dry."), "No price on 1:00. It was dry."),
        (
            Message("The size is not known: ", Message("or: ", Remedy.FILE_CLOCK.with_(zone="X", file="Y")), "."),
            "The size is not known.",
        ),
        ("It rained.", "It rained."),
    ],
)
def test_who_gets_a_report_reads_what_is_so_without_what_to_do_in_the_app(text: str, fact: str) -> None:
    assert without_remedies(text) == fact
    assert without_remedies(UsageError(text)) == fact


@pytest.mark.parametrize("code", sorted(PLAIN_NOTES))
def test_no_note_of_a_report_names_a_page_or_a_button(code: str) -> None:
    names = {name for _, name, _, _ in Formatter().parse(WORDING[code]) if name and name.islower()}
    shown = worded(Note(code, **dict.fromkeys(names, 3)))
    assert not re.search(r"\b(page|select|import|enter|update)\b", shown, re.IGNORECASE)
