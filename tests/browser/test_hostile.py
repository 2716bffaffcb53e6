"""Texts that would do something are only text: on every page, whoever sent them.

`python -m tests.browser.test_hostile` tries every one of the 500 texts in every field, store by store (`--help`).
"""

from __future__ import annotations

import argparse
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import TODAY, launched, serving
from tests.browser.tour import tour, visitor
from tests.hostile import COUNT, marks, misread, stores, texts
from tests.hostile_home import filled, infest
from toolkit.pages.text import WORD_JOINER

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

NODES = """() => {
  const nodes = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (parent.closest('script, style') || !walker.currentNode.data.trim()) continue;
    const label = parent.closest('text');  // of a chart: a line each in a part of its own
    nodes.push(label ? label.textContent : walker.currentNode.data);
  }
  return nodes;
}"""
SPOKEN = """() => ['aria-label', 'aria-description', 'alt', 'title', 'placeholder'].flatMap(name =>
  [...document.querySelectorAll(`[${name}]`)].map(element => element.getAttribute(name)))"""
"""What is only spoken, or shown in a field: never Markdown, so nothing in it is escaped."""
DID = (
    '() => window.pwned || document.querySelector(\'[src*="evil.example"], [href*="evil.example"]\')?.outerHTML || null'
)

MOVED = """() => {
  const moved = [], width = document.documentElement.clientWidth;
  const main = document.querySelector('[data-testid=stMain]');
  if ([document.documentElement, main].some(each => each.scrollWidth > each.clientWidth)) moved.push('wide');
  const shown = 'h1, h2, h3, label, button:not([kind=elementToolbar], [kind=headerNoPadding]), [role=tab], '
    + '[data-testid=stMetricLabel], [data-testid=stMetricValue], [data-testid=stSidebarNavLink]';
  for (const element of document.querySelectorAll(shown)) {
    if (element.closest('[inert], details:not([open])')) continue;  // of another tab, or folded away
    const name = element.textContent.slice(0, 200);
    element.scrollIntoView({block: 'center', inline: 'center'});
    const {left, right, top, bottom} = element.getBoundingClientRect();
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!element.checkVisibility({visibilityProperty: true}) || left === right) {
      if (element.localName !== 'label') moved.push(`${name} is hidden`);  // some labels are only spoken
    } else if (left < 0 || right > width) moved.push(`${name} is out of sight`);
    else if (!at || !(element.contains(at) || at.contains(element))) moved.push(`${name} is covered`);
  }
  main.scrollTo(0, 0);
  return moved;
}"""
"""What a text has moved: the page is no wider than the window, and no figure, heading, label, button, tab or link is
hidden or covered. The buttons of a table and of the menu are drawn once the mouse is there."""
PAGE = """<body style="margin: 0"><div data-testid="stMain" style="height: 600px; overflow: auto">
  <h1>Plans</h1><div style="height: 2000px">%s</div><div data-testid="stMetricValue">$12.30</div>
  <details><summary>More</summary><label>Folded away</label></details><div inert hidden><h2>Another tab</h2></div>
</div></body>"""
"""What `MOVED` looks at, as a page has it, and a place for what a text becomes."""
TOGETHER = 20
"""Texts in a field that a household has once: all of them take 25 stores."""
TURNS = (range(3), range(3, 5))
"""Stores of the test, those of each of two browsers; each page is opened in each, on all of its tabs in turn."""


class Watch:
    """A page of a browser that asks nobody else for anything."""

    def __init__(self, browser: Browser) -> None:
        self.page = visitor(browser)
        self.did: list[str] = []
        self.page.on("request", lambda request: self._note(request.url))
        self.page.on("dialog", lambda dialog: self.did.append(dialog.message))

    def _note(self, url: str) -> None:
        if "evil.example" in url:
            self.did.append(url)

    def problems(self, address: str, seen: set[str], turn: int | None = None) -> Iterator[str]:
        """Yield what any page of the app at an address does with the texts, or shows as more than text.

        seen: takes the marks of the texts that any page shows. turn: as `tour` has it.
        """
        every = texts()
        for name in tour(self.page, address, turn):
            if did := self.page.evaluate(DID):
                yield f"{name}: {did}"
            yield from (f"{name}: {moved}" for moved in self.page.evaluate(MOVED))
            nodes = [node.replace(WORD_JOINER, "") for node in self.page.evaluate(NODES)]
            seen |= marks(nodes)
            yield from (f"{name}: {node!r}" for node in misread([*nodes, *self.page.evaluate(SPOKEN)], every))
            yield from (f"{name}: {text}" for text in self.page.get_by_test_id("stException").all_inner_texts())
        yield from self.did
        self.did.clear()


@pytest.mark.timeout(900)  # stores one after another
@pytest.mark.parametrize(
    "turns", [pytest.param(turns, marks=pytest.mark.xdist_group(f"stores from {turns.start}")) for turns in TURNS]
)
def test_no_page_reads_a_text_from_outside_as_more_than_text(chromium: Browser, tmp_path: Path, turns: range) -> None:
    db = filled(tmp_path / "demo.db", TODAY)
    seen: set[str] = set()
    watch = Watch(chromium)
    problems = []
    with serving(db, tmp_path) as address:
        for turn, order in islice(enumerate(stores(COUNT // TOGETHER)), turns.start, turns.stop):
            infest(db, order, together=TOGETHER, odd=turn == TURNS[-1][-1])
            problems += [f"{turn} {found}" for found in watch.problems(address, seen, turn)]
    assert problems == []
    assert len(seen) > 150  # tables hold only the rows in sight


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize(
    ("drawn", "moved"),
    [
        ("a text", []),
        ('<p style="position: fixed; inset: 0">over all</p>', ["Plans is covered", "$12.30 is covered"]),
        ('<p style="position: absolute; top: 0; left: 0; width: 99%; height: 99px">at the top', ["Plans is covered"]),
        ('<p style="width: 5000px">long</p>', ["wide"]),
        ("<style>h1 { display: none }</style>", ["Plans is hidden"]),
        ("<style>h1 { visibility: hidden }</style>", ["Plans is hidden"]),
        ("<style>h1 { position: relative; left: -900px; width: 300px }</style>", ["Plans is out of sight"]),
    ],
)
def test_what_hides_or_covers_a_figure_is_named(chromium: Browser, drawn: str, moved: list[str]) -> None:
    page = chromium.new_page()
    page.set_content(PAGE % drawn)
    assert page.evaluate(MOVED) == moved


def main() -> None:
    """Try all texts in every field, and print what is found."""
    from playwright.sync_api import sync_playwright

    count = COUNT // TOGETHER
    about = f"Try all {COUNT} texts in every field of {count} stores, on every page and tab; takes minutes a store."
    parser = argparse.ArgumentParser(prog="python -m tests.browser.test_hostile", description=about)
    numbers = range(1, count + 1)
    parser.add_argument(
        "first", nargs="?", type=int, default=1, choices=numbers, metavar="FIRST", help="store to begin with (1)"
    )
    first: int = parser.parse_args().first
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, launched(playwright) as browser:
        db = filled(Path(folder) / "demo.db", TODAY)
        as_filled = shutil.copy(db, Path(folder) / "filled.db")
        watch = Watch(browser)
        seen: set[str] = set()
        with serving(db, Path(folder)) as address:
            for number, order in islice(enumerate(stores(count), 1), first - 1, None):
                with sqlite3.connect(as_filled) as filled_one, sqlite3.connect(db) as shown:
                    filled_one.backup(shown)
                infest(db, order, together=TOGETHER, odd=number % 2 == 0)
                for found in watch.problems(address, seen):
                    print(f"{number}: {found}", flush=True)
                print(f"{number * TOGETHER} of {COUNT}; {len(seen)} seen", flush=True)


if __name__ == "__main__":
    main()
