"""Every page of the app, and every tab on it, as a visitor sees them one after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.browser import script_runs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

WAIT = 90_000
BY_BUTTON = ("too-high",)
"""Pages that are in no menu."""


def visitor(browser: Browser, *, scheme: str = "light", width: int = 1280, height: int = 800) -> Page:
    """Return a new page of the browser; scheme: light or dark, width and height in pixels."""
    page = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height}).new_page()
    page.set_default_timeout(WAIT)
    script_runs.ScriptRuns(page)
    return page


UNCHANGED = """() => new Promise((resolve) => {
  let timer = setTimeout(resolve, 300);
  new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(resolve, 300); }).observe(
    document.body, { subtree: true, childList: true, characterData: true, attributes: true });
})"""
"""Resolves once nothing on the page has changed for 300 ms."""


def settle(page: Page) -> None:
    """Wait until the page is drawn, its charts included."""
    script_runs.wait(page, WAIT)
    page.wait_for_function("!document.querySelector('[data-testid=stPlotlyChart]:not(:has(.main-svg))')")
    page.evaluate(UNCHANGED)


def _is_in_sight(link: Locator) -> bool:
    """Return whether a link of the menu can be clicked: a menu that is folded away stands left of the window."""
    box = link.bounding_box()
    return box is not None and box["x"] >= 0


def open_first_household(page: Page) -> None:
    """Choose the first row of the list of households, and open it."""
    page.get_by_test_id("stDataFrame").first.click(position={"x": 18, "y": 55})
    settle(page)
    page.get_by_test_id("stButton").get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("heading", name="Overview", exact=True).wait_for()
    settle(page)


def tour(page: Page, address: str, turn: int | None = None) -> Iterator[str]:
    """Open each page and each of its tabs; yield their names, such as `spending` and `spending budgets`, once drawn.

    address: of the app, with its token; of several households the first is opened from their list. turn: open each
    page as it comes and one more tab of it, another in each turn, in place of all.
    """
    page.goto(address)
    page.get_by_role("heading", level=1).first.wait_for()
    settle(page)
    if page.get_by_role("heading", name="Households", exact=True).is_visible():
        yield "households"
        open_first_household(page)
    links = page.get_by_test_id("stSidebarNavLink")
    paths = [urlsplit(link).path.strip("/") for link in links.evaluate_all("links => links.map(link => link.href)")]
    for place, path in enumerate([*paths, *BY_BUTTON]):
        if path not in BY_BUTTON and _is_in_sight(links.nth(place)):
            links.nth(place).click()
            page.wait_for_url(f"**/{path}?*")
        else:  # in no menu, or the menu is folded away
            page.goto(urlsplit(page.url)._replace(path=f"/{path}").geturl())
        page.get_by_role("heading", level=1).first.wait_for()
        settle(page)
        name = path or "overview"
        tabs = page.get_by_role("tab").all_inner_texts()
        if not tabs or turn is not None:
            yield name
        for number, tab in enumerate(tabs):
            if turn is None or 0 < number == turn % len(tabs):
                page.get_by_role("tab").nth(number).click()
                settle(page)
                yield f"{name} {tab.lower()}"
