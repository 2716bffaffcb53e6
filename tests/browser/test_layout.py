"""The first screen of a laptop holds the figures and the first chart of a page, and a phone cuts no figure off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, urlsplit

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.conftest import TODAY, launched, serving
from tests.browser.tour import settle, visitor
from toolkit.flows.demo import demo
from toolkit.flows.household.context import Context
from toolkit.pages.widgets import AS_TABLE

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("layout")]

LAPTOP, PHONE = (1280, 800), (390, 844)
PAGES = {
    "overview": "/",
    "spending": "/spending",
    "financial year": "/spending?tab=Financial+year",
    "cash flow": "/coming-up?tab=Cash+flow",
    "next bill": "/bills",
    "plans": "/plans",
    "what if": "/plans?tab=What+if",
    "usage": "/usage",
    "day by day": "/usage?tab=Day+by+day",
    "month by month": "/usage?tab=Month+by+month",
    "solar": "/solar",
}
ENDS = """() => {
  const places = [...document.querySelectorAll('[data-testid=stMetric], [data-testid=stPlotlyChart]')];
  const first = places.findIndex(place => place.matches('[data-testid=stPlotlyChart]'));
  return places.slice(0, first + 1).map(place => Math.round(place.getBoundingClientRect().bottom));
}"""
CUT_OFF = """() => [
  ...[...document.querySelectorAll('[data-testid=stMetric] *, [data-testid=stMain] [data-testid^=stPageLink] *')]
    .filter(part => part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== 'visible'),
  ...[...document.querySelectorAll('[role=tab][aria-selected=true]')]
    .filter(tab => tab.getBoundingClientRect().right > innerWidth),
].map(part => part.innerText)"""
"""Texts of figures and links that are wider than their place, and an open tab that is not in sight."""
OVERLAPPING = """() => [...document.querySelectorAll('.xaxislayer-above,.yaxislayer-above,.legend')].flatMap(layer => {
  const texts = [...layer.querySelectorAll('text')].filter(text => text.textContent.trim());
  const boxes = texts.map(text => text.getBoundingClientRect());
  const shared = (one, two, start, end) => Math.min(one[end], two[end]) - Math.max(one[start], two[start]);
  const meets = (one, two) => shared(one, two, 'left', 'right') > 1 && shared(one, two, 'top', 'bottom') > 3;
  return texts.filter((_, place) => boxes.slice(place + 1).some(box => meets(box, boxes[place])))
    .map(text => text.textContent);
})"""
"""Labels of an axis or a legend that lie on another one of it; lines of text have some room above and below."""
FOCUSED = """() => {
  const part = document.activeElement, style = getComputedStyle(part);
  const isControl = part.matches('a, button, input, summary, [role=button], [role=combobox], [role=tab]');
  const name = isControl ? part.getAttribute('aria-label') || part.innerText || '' : '';
  return [name, style.outlineStyle !== 'none' || style.boxShadow !== 'none' || !isControl];
}"""
"""Name of the control that the keyboard is on, and whether that shows; Chromium also stops at what can be scrolled."""
MOST_KEYS, LAST = 80, "My bill is too high"
"""Keys pressed at most, and the name of the last button of the Overview."""


class Seen(NamedTuple):
    """A page in both windows."""

    ends: list[int]
    """Pixels from the top at which its figures, and behind them its first chart, end on a laptop."""
    cut_off: list[str]
    overlapping: list[str]


@pytest.fixture(scope="module")
def overview(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The Overview of the demo family, once what needs attention is worked out."""
    folder = tmp_path_factory.mktemp("layout")
    db = folder / "demo" / "household.db"
    demo(Context(db, TODAY))
    with sync_playwright() as playwright, launched(playwright) as browser, serving(db, folder) as address:
        page = visitor(browser)
        page.goto(address)
        page.get_by_role("button", name="Done").first.wait_for()
        settle(page)
        yield page


@pytest.fixture(scope="module")
def pages(overview: Page) -> dict[str, Seen]:
    """Each page in both windows."""
    start = urlsplit(overview.url)
    return {name: seen_at(overview, start, place) for name, place in PAGES.items()}


def seen_at(page: Page, start: SplitResult, place: str) -> Seen:
    """Open a page in the window of a laptop, then make that as narrow as a phone."""
    path, _, query = place.partition("?")
    page.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})
    page.goto(start._replace(path=path, query="&".join(filter(None, [start.query, query]))).geturl())
    page.locator("[data-testid=stPlotlyChart] .main-svg").first.wait_for()
    settle(page)
    ends = page.evaluate(ENDS)
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    settle(page)
    return Seen(ends, page.evaluate(CUT_OFF), page.evaluate(OVERLAPPING))


def test_the_keyboard_reaches_and_opens_what_the_overview_offers(overview: Page) -> None:
    reached: list[str] = []
    while len(reached) < MOST_KEYS and not any(LAST in name for name in reached):
        overview.keyboard.press("Tab")
        name, is_seen = overview.evaluate(FOCUSED)
        assert is_seen, name
        reached.append(name)
    for part in ("Usage", "Compare plans", "Done", "Remind me later", "Energy bills →", AS_TABLE):
        assert any(part in name for name in reached), part
    overview.keyboard.press("Enter")
    overview.get_by_role("heading", name=LAST, exact=True).wait_for()
    overview.go_back()


def test_the_keyboard_opens_what_a_row_of_a_table_stands_for(overview: Page) -> None:
    overview.get_by_test_id("stSidebarNavLink").filter(has_text="Spending").click()
    overview.get_by_role("heading", name="Spending", exact=True).wait_for()
    settle(overview)
    overview.get_by_test_id("stDataFrame").locator("canvas").first.focus()
    for key in ("ArrowDown", "Shift+Space"):
        overview.keyboard.press(key)
    settle(overview)
    overview.get_by_role("button", name="Show all").wait_for()
    overview.get_by_test_id("stSidebarNavLink").filter(has_text="Overview").click()
    overview.get_by_role("heading", name="Overview", exact=True).wait_for()
    settle(overview)


def test_figures_and_the_first_chart_end_in_the_first_screen_of_a_laptop(pages: dict[str, Seen]) -> None:
    assert all(len(seen.ends) > 1 for seen in pages.values())
    assert {name: seen.ends for name, seen in pages.items() if max(seen.ends) > LAPTOP[1]} == {}


def test_a_phone_cuts_no_figure_and_no_link_off(pages: dict[str, Seen]) -> None:
    assert {name: seen.cut_off for name, seen in pages.items() if seen.cut_off} == {}


def test_no_label_of_a_chart_lies_on_another_one_on_a_phone(pages: dict[str, Seen]) -> None:
    assert {name: seen.overlapping for name, seen in pages.items() if seen.overlapping} == {}
