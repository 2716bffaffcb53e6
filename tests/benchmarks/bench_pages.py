"""The pages over 100,000 transactions and two years of 5-minute reads, in Chromium, beside a bare Streamlit app.

A first page counts from the start of the process to what is seen; a change of page from the click in the menu. Every
page is drawn once before its changes are timed.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, NamedTuple

from playwright.sync_api import sync_playwright

from tests.benchmarks.harness import Result, Times, exactly, summary
from tests.benchmarks.many_rows import TODAY, make
from tests.browser.conftest import launched, serving
from tests.browser.tour import settle, visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STARTS, CHANGES = 5, 30
TITLE, COMPLETE, SLOWEST, CHART_AFTER = 0.25, 0.8, 1.5, 1.2
"""Seconds that are meant."""
FIRST_SEEN = """
window.firstSeen = {};
const looked = {text: '[data-testid=stMetricValue]', chart: '[data-testid=stPlotlyChart] .main-svg'};
const look = () => {
  for (const [name, selector] of Object.entries(looked))
    if (!(name in firstSeen) && document.querySelector(selector)) firstSeen[name] = Date.now() / 1000;
  requestAnimationFrame(look);
};
look();
"""
CHANGE = """async title => {
  const links = [...document.querySelectorAll('[data-testid=stSidebarNavLink]')];
  const link = links.find(one => one.innerText.trim().endsWith(title));
  const began = performance.now();
  const frame = () => new Promise(requestAnimationFrame);
  link.click();
  while (document.querySelector('h1')?.innerText.trim() !== title) await frame();
  const titled = performance.now();
  const ready = '[data-testid=stApp][data-test-script-state=notRunning]';
  const undrawn = '[data-testid=stPlotlyChart]:not(:has(.main-svg))';
  while (!document.querySelector(ready) || document.querySelector(undrawn)) await frame();
  return [(titled - began) / 1000, (performance.now() - began) / 1000];
}"""


class FirstPage(NamedTuple):
    """Seconds from the start of the process until figures, and until a chart, are seen."""

    text: float
    chart: float


class Change(NamedTuple):
    """Seconds from a click in the menu until the title is seen, and until all of the page is."""

    page: str
    title: float
    complete: float


@contextmanager
def bare(folder: Path) -> Iterator[str]:
    """Serve the bare app; yield its address once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--server.headless=true", f"--server.port={port}", "--server.fileWatcherType=none"]
    options += ["--server.address=127.0.0.1", "--browser.gatherUsageStats=false"]
    script = str(Path(__file__).with_name("bare_app.py"))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", script, *options],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
    ) as process:
        try:
            while True:
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.005)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=20)


def first_page(browser: Browser, app: Callable[[], AbstractContextManager[str]]) -> FirstPage:
    """Start an app and open it, in a browser that holds nothing of it."""
    page = visitor(browser)
    page.add_init_script(FIRST_SEEN)
    began = time.time()
    with app() as address:
        page.goto(address)
        page.wait_for_function("window.firstSeen.chart && window.firstSeen.text")
        seen = page.evaluate("window.firstSeen")
    page.context.close()
    return FirstPage(seen["text"] - began, seen["chart"] - began)


def changes(browser: Browser, app: Callable[[], AbstractContextManager[str]], count: int) -> list[Change]:
    """Go from page to page by the menu, each drawn once before."""
    page = visitor(browser)
    with app() as address:
        page.goto(address)
        page.get_by_test_id("stMetricValue").first.wait_for()
        settle(page)
        titles = titles_of(page)
        for title in titles:
            page.evaluate(CHANGE, title)
            settle(page)
        timed = []
        for title in islice(cycle(titles), count):
            timed.append(Change(title, *page.evaluate(CHANGE, title)))
            settle(page)
    page.context.close()
    return timed


def titles_of(page: Page) -> list[str]:
    """Return the titles in the menu, the open page last: a click on it would change nothing."""
    listed = [each.inner_text().strip().splitlines()[-1] for each in page.get_by_test_id("stSidebarNavLink").all()]
    return [*listed[1:], listed[0]]


def results(repeats: int) -> Iterator[Result]:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # both apps start with compiled modules, as installed ones do
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright, launched(playwright) as browser:
        folder = Path(scratch)
        kept = os.environ.get("BENCH_PAGES_DB")
        db = Path(kept) if kept else make(folder / "many.db")

        def ours() -> AbstractContextManager[str]:
            return serving(db, folder, TODAY)

        def theirs() -> AbstractContextManager[str]:
            return bare(folder)

        starts = [(first_page(browser, ours), first_page(browser, theirs)) for _ in range(STARTS)]
        text, plain = (summary([start[place].text for start in starts]) for place in (0, 1))
        what = "100,000 transactions, two years of 5-minute reads"
        yield Result(f"{what}: text and figures of the first page", text, plain, "bare Streamlit app", 1.5)
        after = summary([max(0.0, start[0].chart - start[0].text) for start in starts])
        yield Result(f"{what}: its chart after them", after, exactly(CHART_AFTER), "the goal", 1)
        yield from _changes(what, changes(browser, ours, CHANGES), changes(browser, theirs, CHANGES))


def _changes(what: str, ours: list[Change], theirs: list[Change]) -> Iterator[Result]:
    titles, complete = ([getattr(each, kind) for each in ours] for kind in ("title", "complete"))
    bare_complete = summary([each.complete for each in theirs])
    yield Result(f"{what}: change of page, title", summary(titles), exactly(TITLE), "the goal", 1)
    yield Result(f"{what}: change of page, complete", summary(complete), exactly(COMPLETE), "the goal", 1)
    yield Result(f"{what}: change of page, complete", summary(complete), bare_complete, "bare Streamlit app")
    slow = quantiles(complete, n=20)[-1]
    yield Result(f"{what}: change of page, complete, 95th percentile", exactly(slow), exactly(SLOWEST), "the goal", 1)
    for page in dict.fromkeys(each.page for each in ours):
        own = [each.complete for each in ours if each.page == page]
        yield Result(f"{what}: to {page}, complete", Times(min(own), median(own)), bare_complete, "bare Streamlit app")
