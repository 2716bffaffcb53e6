"""Notes: every code has a sentence, every use names the figures of its sentence, and dates are worded at the edge."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from string import Formatter

from tests.problems import names
from toolkit.answers.base import Note, sentences
from toolkit.answers.wording.notes import WORDING
from toolkit.remedies import Remedy

PACKAGE = Path(__file__).parents[2] / "toolkit"


def uses() -> Iterator[tuple[str, set[str]]]:
    """Every note that the package makes with a literal code, or one of two: its code and the names of its figures."""
    for text in (path.read_text() for path in PACKAGE.rglob("*.py")):
        tree = ast.parse(text if "ote(" in text else "")  # most files make no note, and parsing them takes seconds
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if name in ("note", "Note") and call.args:
                code = call.args[0]
                named = [code.body, code.orelse] if isinstance(code, ast.IfExp) else [code]
                for each in named:
                    if isinstance(each, ast.Constant):
                        yield each.value, {keyword.arg or "" for keyword in call.keywords}


def placeholders(sentence: str) -> set[str]:
    """The figures of a sentence and of its remedies, whose names are in capitals."""
    named = {name for _, name, _, _ in Formatter().parse(sentence) if name}
    remedies = [Remedy[name].command for name in named if name.isupper()]
    return {name for name in named if name.islower()}.union(*map(placeholders, remedies))


def test_every_note_names_the_figures_of_its_sentence() -> None:
    found = list(uses())
    assert len(found) > 50
    assert [(code, figures) for code, figures in found if placeholders(WORDING[code]) != figures] == []


def test_every_sentence_belongs_to_a_code_that_is_used() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE / "answers" / "wording"]
    source = "".join(path.read_text() for path in files)
    assert [code for code in WORDING if f'"{code}"' not in source] == []


def test_dates_are_iso_in_json_and_local_for_people() -> None:
    note = Note("no_whole_month", first=date(2026, 7, 1), last=date(2026, 7, 9))
    assert names(note, "2026-07-01", "2026-07-09")
    assert names(note.local(), "1 Jul 2026", "9 Jul 2026")
    month = Note("month_demand", label="Demand", kw=1.5, month=date(2026, 7, 1), days=1)
    assert names(month, "Demand", "1.500 kW", "2026-07", "1 day")
    assert names(month.local(), "Demand", "1.500 kW", "Jul 2026", "1 day")


def test_figures_keep_their_type_and_open_ends_show_as_such() -> None:
    note = Note("not_on_offer", label="2026-07-01", first=None, last=date(2026, 7, 1))
    assert names(note.local(), "2026-07-01", "…", "1 Jul 2026")
    price = Note("above_quota", label="Anytime", price=Decimal("0.310"), unit="kWh")
    assert price.figures["price"] == Decimal("0.310")
    assert names(price, "Anytime", "0.310 AUD per kWh")


def test_notes_are_equal_by_code_and_figures() -> None:
    one, same = Note("occasional_fees", count=1), Note("occasional_fees", count=1)
    assert (one == same, hash(one) == hash(same)) == (True, True)
    assert one != Note("occasional_fees", count=2)
    assert sentences([one, same, "As it is."]) == [str(one), "As it is."]
