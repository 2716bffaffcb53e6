"""The text of a file of rules: one rule a line, as a person would say it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolkit.analytics.money.edits.settings import PAYEE_RULE, shown_name
from toolkit.problems import Problem
from toolkit.tables.reference.categories import code_named
from toolkit.tables.schema.journal import OverrideRow

HEAD = """\
# Spending rules. Of the rules that fit a transaction, the last one counts.
# Text:  words anywhere in its description, payee or reference, or /a regular expression/
# Payee: the whole name of the payee
"""
LONGEST = 1_000
_KINDS = {"text": "rule", "payee": PAYEE_RULE}
_RULE = re.compile(r"(?P<kind>text|payee)\s*:\s*(?P<pattern>.+?)\s+(?:→|=>|=)\s+(?P<category>[^=→]+)", re.IGNORECASE)
"""The last arrow or equals sign counts: a pattern may have others."""


class FileRule(NamedTuple):
    """A rule of a file. kind: `rule` or `payee`, as decisions call it."""

    line: int
    kind: str
    pattern: str
    category: str


def written_rules(rules: Iterable[OverrideRow], names: Mapping[str, str]) -> str:
    """Return rules as text. names: category code → the household's own name for it."""
    words = {kind: word.capitalize() for word, kind in _KINDS.items()}
    lines = (
        f"{words[rule.kind]}: {_one_line(pattern)} = {_category(rule.value, names)}"
        for rule in rules
        for pattern in (rule.subject.split("\n") if rule.kind == PAYEE_RULE else [rule.subject])
    )
    return "\n".join([HEAD, *lines, ""])


def read_rules(text: str, name: str) -> tuple[list[FileRule], list[Problem]]:
    """Return the rules of a file and what cannot be read, by `name:line`."""
    rules, problems = [], []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        written = line.strip()
        if not written or written.startswith("#"):
            continue
        match = _RULE.fullmatch(written) if len(written) <= LONGEST else None
        if match is None:
            reason = "is not a rule such as “Text: woolworths = Groceries” or “Payee: Aldi = Groceries”"
            problems.append(Problem(f"{name}:{number}", f"{written[:60]!r} {reason}"))
            continue
        rules.append(FileRule(number, _KINDS[match["kind"].lower()], match["pattern"], match["category"].strip()))
    return rules, problems


def _one_line(pattern: str) -> str:
    return " ".join(pattern.split()) if not pattern.startswith("/") else pattern.replace("\n", r"\n")


def _category(code: str, names: Mapping[str, str]) -> str:
    """Return the name to show where it leads back to the code, else the code."""
    name = shown_name(code, dict(names))
    return name if names.get(code) or code_named(name) == code else code
