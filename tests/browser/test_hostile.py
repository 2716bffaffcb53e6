"""Texts that would do something are only text: on every page, whoever sent them.

`python -m tests.browser.test_hostile` tries every one of the 500 texts in every field, store by store.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import TODAY, launched, serving
from tests.browser.tour import tour, visitor
from tests.hostile import Hostile, filled, infest, marks, misread, texts

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

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
DID = (
    '() => window.pwned || document.querySelector(\'[src*="evil.example"], [href*="evil.example"]\')?.outerHTML || null'
)


def problems(browser: Browser, db: Path, folder: Path, chosen: list[Hostile], seen: set[str]) -> Iterator[str]:
    """Yield what any page of the app over a database does with the texts, or shows as more than text.

    seen: takes the marks of the texts that any page shows.
    """
    page = visitor(browser)
    outside: list[str] = []
    page.on("request", lambda request: outside.append(request.url) if "evil.example" in request.url else None)
    page.on("dialog", lambda dialog: outside.append(dialog.message))
    with serving(db, folder) as address:
        for name in tour(page, address):
            if did := page.evaluate(DID):
                yield f"{name}: {did}"
            nodes = page.evaluate(NODES)
            seen |= marks(nodes)
            yield from (f"{name}: {node!r}" for node in misread(nodes, chosen))
            yield from (f"{name}: {text}" for text in page.get_by_test_id("stException").all_inner_texts())
    yield from outside


def test_no_page_reads_a_text_from_outside_as_more_than_text(chromium: Browser, tmp_path: Path) -> None:
    db = filled(tmp_path / "demo.db", TODAY)
    chosen = texts()
    infest(db, chosen)
    seen: set[str] = set()
    assert list(problems(chromium, db, tmp_path, chosen, seen)) == []
    assert len(seen) > 50  # tables hold only the rows in sight


if __name__ == "__main__":
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, launched(playwright) as browser:
        clean = filled(Path(folder) / "demo.db", TODAY)
        every = texts()
        for start in range(0, len(every), 20):
            store = shutil.copy(clean, Path(folder) / f"hostile-{start}.db")
            infest(Path(store), [*every[start:], *every[:start]])
            for found in problems(browser, Path(store), Path(folder), every, set()):
                print(f"{start}: {found}", flush=True)
            print(f"{start + 20} of {len(every)}", flush=True)
