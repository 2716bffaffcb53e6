"""Texts that would do something, in every field that another can fill: what each page hands to the browser is escaped.

The browser's part is tests/browser/test_hostile.py; `python -m tests.browser.test_hostile` tries all texts in every
field.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from datetime import date
from itertools import islice
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.hostile import COUNT, marks, misread, stores, texts
from tests.hostile_home import HOME, filled, infest
from toolkit.pages.entry import VIEWS
from toolkit.pages.server.launch_settings import in_address
from toolkit.pages.text import plain

TODAY = date(2026, 6, 20)
TOGETHER, STORES = 20, 2
"""Texts in a field that a household has once, and stores; each has all 500 in the fields with many rows."""
LONGEST = 3_000
"""Characters of one element of a page at most: the texts in it are cut."""
IN_MARKDOWN = ("markdown", "caption", "title", "header", "subheader", "info", "success", "warning", "error")
LABELLED = ("button", "selectbox", "text_input", "multiselect", "checkbox", "radio", "metric", "expander", "tabs")
CHOICES = ("selectbox", "multiselect")
LISTS = (("plans", "tab", "All plans"), ("coming-up", "tab", "Regular payments"), ("data", "tab", "Stored data"))
"""Tabs with many rows: page, parameter of the address, tab."""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("hostile-pages") / "home" / "household.db", TODAY)


@pytest.mark.timeout(600)
def test_no_page_hands_a_text_to_the_browser_that_is_not_escaped(db: Path, visit: Callable[..., AppTest]) -> None:
    seen: set[str] = set()
    every = texts()
    problems: list[str] = []
    for number, order in enumerate(islice(stores(COUNT // TOGETHER), STORES)):
        infest(db, order, together=TOGETHER, odd=number > 0)
        for page, query in [*((page, {}) for page in VIEWS), *((page, {name: tab}) for page, name, tab in LISTS)]:
            test = visit(db, page, household=lambda: in_address(HOME), **query)
            if page == "spending":
                test.session_state["every-transaction"] = True
                test.run()
            written, cells = list(in_markdown(test)), [*in_tables(test), *among_choices(test)]
            seen |= marks([*written, *cells])
            problems += [f"{number} {page}: {error.value}" for error in test.exception]
            problems += [f"{number} {page}: {text!r}" for text in misread(written, every, written=plain)]
            problems += [f"{number} {page}: {text!r}" for text in misread(cells, every)]
            problems += [f"{number} {page}: {text[:200]!r}" for text in [*written, *cells] if not is_readable(text)]
    assert problems == []
    assert len(seen) > COUNT * 0.9  # all but a few that no row in sight has


def in_markdown(test: AppTest) -> Iterator[str]:
    """Yield what a page draws as Markdown: sentences, headings, labels."""
    for kinds, part in ((IN_MARKDOWN, "value"), (LABELLED, "label")):
        yield from (str(getattr(element, part, "")) for kind in kinds for element in test.get(kind))


def among_choices(test: AppTest) -> Iterator[str]:
    """Yield what can be chosen on a page, which is drawn as it is."""
    yield from (option for kind in CHOICES for element in test.get(kind) for option in getattr(element, "options", ()))


def in_tables(test: AppTest) -> Iterator[str]:
    """Yield the texts in the cells of a page's tables, which are drawn as they are."""
    for table in (*test.dataframe, *test.data_editor):
        values = table.value
        for name in values.columns:
            yield from (cell for cell in values[name] if isinstance(cell, str))


def is_readable(text: str) -> bool:
    """Whether a text is cut, and shows control and direction characters as signs."""
    unseen = {char for char in text if unicodedata.category(char)[0] == "C"} - {"\n", "\u2060"}
    return len(text) <= LONGEST and not unseen
