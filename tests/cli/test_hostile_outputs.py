"""Texts from outside that would do something are only text: on the terminal, in reports, exports and notebooks."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from tests.command_line import Run
from tests.hostile import marks, misread, texts
from tests.hostile_home import HOME, filled, infest
from toolkit.charts import spending as spending_charts
from toolkit.charts.svg.drawing import svg
from toolkit.flows.household.context import Context
from toolkit.flows.money.summary import spending
from toolkit.store import open_store

TODAY = date(2026, 6, 20)
LISTS = (
    ("transactions", "--limit", "2000"),
    ("transactions", "--search", "q1"),
    *(("spending", "--by", by) for by in ("category", "merchant", "account", "tag", "person")),
    ("recurring",),
    ("cashflow",),
    ("accounts", "list"),
    ("household", "list"),
    ("invoices", "list"),
    ("status",),
    ("plans", "list"),
    ("plans", "show"),
    ("compare", "--top", "0"),
    ("bill", "--against", "previous"),
    ("reconcile",),
    ("forecast",),
    ("insights",),
    ("desk",),
    ("fees",),
    ("networth",),
    ("review", "--year", "2026"),
    ("rules", "list"),
    ("rules", "review"),
    ("rules", "categories"),
    ("budget", "list"),
    ("as-told", "list"),
    ("usage",),
    ("solar",),
)
WITHOUT_HOUSEHOLD = ("desk", "household")
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
OF_HTML = [hostile for hostile in texts() if set("<&") & set(hostile.lead)]
"""Texts that HTML would read; what begins with other signs, such as # and *, payees are cleaned of."""
NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?", re.IGNORECASE)


@pytest.fixture(scope="module")
def infested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's database with a text in every free field."""
    db = filled(tmp_path_factory.mktemp("hostile") / "demo.db", TODAY)
    infest(db, texts(), odd=True)
    return db


class Markup(HTMLParser):
    """Text nodes of a page, and what in it would do something."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.active: list[str] = []
        self._label: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note scripts, frames, handlers and addresses of elsewhere."""
        if tag == "text":
            self._label = ""
        if tag in ("script", "iframe", "object", "embed", "form", "base", "marquee", "video"):
            self.active.append(tag)
        for name, value in attrs:
            outside = name in ("src", "href", "action") and not (value or "").startswith(("#", "data:image/"))
            if name.startswith("on") or outside:
                self.active.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        """Note a text node; of a chart's label, a line each in a part of its own, the whole."""
        if self._label is None:
            self.texts.append(data)
        else:
            self._label += data

    def handle_endtag(self, tag: str) -> None:
        """Note the label of a chart."""
        if tag == "text" and self._label is not None:
            self.texts.append(self._label)
            self._label = None


def unprintable(text: str) -> Iterator[str]:
    """Yield the control, format and direction characters of a text, but for line ends."""
    return (f"U+{ord(char):04X}" for char in text if unicodedata.category(char)[0] == "C" and char not in "\n\u2060")


@pytest.mark.parametrize("command", LISTS, ids=" ".join)
def test_a_terminal_gets_no_control_character(infested: Path, run: Run, command: tuple[str, ...]) -> None:
    home = () if command[0] in WITHOUT_HOUSEHOLD else ("--household", HOME)
    ended = run(*command, *home, "--db", infested, "--today", TODAY)
    assert ended.code in (0, 3), ended.err
    assert set(unprintable(ended.out + ended.err)) == set()


def test_json_on_a_terminal_has_escapes_and_means_the_same(infested: Path, run: Run) -> None:
    ended = run("transactions", "--limit", "2000", "--household", HOME, "--db", infested, "--json")
    assert set(unprintable(ended.out)) == set()
    said = "".join(row["description"] or "" for row in ended.json["transactions"])
    assert [char for char in "\x1b\x7f\x9b\xad\u061c\u200b\u202e\u2066\ufeff" if char not in said] == []


def test_a_long_cell_moves_no_other_out_of_sight(infested: Path, run: Run) -> None:
    ended = run("transactions", "--limit", "2000", "--household", HOME, "--db", infested, "--today", TODAY)
    head = next(line for line in ended.out.splitlines() if line.startswith("id "))
    assert head.index("category") < 4 * 102  # four cells of at most 100 characters, and two spaces behind each


def test_a_report_shows_texts_as_text(infested: Path, run: Run, tmp_path: Path) -> None:
    out, table = tmp_path / "report.html", tmp_path / "report.csv"
    ended = run("report", "--out", out, "--csv", table, "--today", TODAY, "--db", infested, "--household", HOME)
    assert ended.code == 0, ended.err
    page = Markup()
    page.feed(out.read_text())
    assert page.active == []
    assert len(marks(page.texts)) > 5
    assert list(misread(page.texts, OF_HTML)) == []
    assert set(unprintable(out.read_text())) == set()
    assert formulas(table) == []


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


def test_a_notebook_shows_texts_as_text(infested: Path) -> None:
    shown = Markup()
    with open_store(infested) as store, pl.Config(tbl_rows=-1, tbl_cols=-1, fmt_str_lengths=200):
        shown.feed(store.read("transactions")._repr_html_())
    assert shown.active == []
    assert len(marks(shown.texts)) > 400
    answer = spending(Context(infested, TODAY, HOME), months=True)
    figure = spending_charts.by_category(answer.rows.frame(), names=answer.category_names)
    drawn = svg(figure)
    page = Markup()
    page.feed(drawn)
    assert page.active == []
    assert list(misread(page.texts, OF_HTML)) == []
