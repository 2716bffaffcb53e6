"""Texts from outside that would do something are only text: on the terminal and in exports."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.hostile import filled, infest, marks, texts

TODAY = date(2026, 6, 20)
LISTS = (
    ("transactions", "--limit", "2000"),
    ("spending",),
    ("spending", "--by", "merchant"),
    ("recurring",),
    ("cashflow",),
    ("accounts", "list"),
    ("household", "list"),
    ("invoices", "list"),
    ("status",),
    ("plans", "list"),
    ("compare",),
    ("bill",),
    ("reconcile",),
    ("forecast",),
    ("insights",),
    ("desk",),
    ("fees",),
)
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?", re.IGNORECASE)


@pytest.fixture(scope="module")
def infested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's database with a text in every free field."""
    db = filled(tmp_path_factory.mktemp("hostile") / "demo.db", TODAY)
    infest(db, texts())
    return db


def unprintable(text: str) -> Iterator[str]:
    """Yield the control, format and direction characters of a text, but for line ends."""
    return (f"U+{ord(char):04X}" for char in text if unicodedata.category(char)[0] == "C" and char not in "\n\u2060")


@pytest.mark.parametrize("command", LISTS, ids=" ".join)
def test_a_terminal_gets_no_control_character(infested: Path, run: Run, command: tuple[str, ...]) -> None:
    ended = run(*command, "--db", infested, "--today", TODAY)
    assert set(unprintable(ended.out + ended.err)) == set()


def test_an_export_holds_no_formula_and_its_views_no_markup(infested: Path, run: Run, tmp_path: Path) -> None:
    ended = run("export", "--out", tmp_path / "out", "--datasette", "--db", infested)
    assert ended.code == 0, ended.err
    written = sorted((tmp_path / "out").glob("*.csv"))
    assert written
    assert [found for path in written for found in formulas(path)] == []
    described = json.loads((tmp_path / "out" / "metadata.json").read_text())
    assert marks([json.dumps(described)]) == set()  # what Datasette renders as HTML holds nothing from outside


def formulas(path: Path) -> list[str]:
    """Return the cells of a CSV that a spreadsheet would run."""
    usual = csv.field_size_limit(1_000_000)
    try:
        with path.open(newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
    finally:
        csv.field_size_limit(usual)  # of the whole process: the importers' tests rely on it
    return [cell[:60] for cell in cells if cell.startswith(FORMULA) and not NUMBER.fullmatch(cell)]
