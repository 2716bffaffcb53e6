"""A person walks all pages: everything is drawn, nothing fails, nothing leaves this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Error as PlaywrightError

from tests.browser.conftest import TODAY, serving
from tests.browser.script_runs import ScriptRuns
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

HOSTILE = "![x](https://evil.example/i) [a](//evil.example) www.evil.example <img src=x> :material/delete: $x^2$"
CHARTS = {
    "Overview": 2,
    "Spending": 2,
    "Coming up": 0,
    "Accounts": 0,
    "Energy bills": 1,
    "Plans": 0,
    "Usage": 1,
    "Solar": 1,
    "Data": 0,
}
TABS = (
    ("Coming up", "Cash flow", 1),
    ("Energy bills", "A past bill", 2),
    ("Plans", "Hour by hour", 1),
    ("Plans", "What if", 0),
    ("Usage", "What it costs", 1),
    ("Usage", "Hour by hour", 1),
    ("Usage", "Day by day", 1),
    ("Usage", "Month by month", 1),
    ("Solar", "Is it working?", 1),
    ("Data", "Stored data", 0),
)
"""Page, tab, charts in it."""
FAILURES = ("stException", "stAlertContentError", "stAlertContentWarning")
WAIT = 60_000


class Watched:
    """A page of the browser, with every request and every script error that it saw."""

    def __init__(self, browser: Browser, scheme: str) -> None:
        self.page: Page = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900}).new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self._runs = ScriptRuns(self.page)

    def open(self, address: str, household: str) -> None:
        self.page.goto(address)
        self.page.get_by_role("heading", name="Households", exact=True).wait_for(timeout=WAIT)
        self.choose(household)
        self.page.get_by_role("heading", name="Overview", exact=True).wait_for(timeout=WAIT)
        self._runs.wait(WAIT)

    def choose(self, household: str) -> None:
        self.page.get_by_test_id("stSidebar").get_by_role("combobox").click()
        self.page.get_by_role("option", name=household, exact=True).click()

    def go(self, title: str) -> None:
        self.page.get_by_test_id("stSidebarNavLink").filter(has_text=title).click()
        self.page.get_by_role("heading", name=title, exact=True).wait_for(timeout=WAIT)
        self._runs.wait(WAIT)

    def show(self, tab: str) -> None:
        self.page.get_by_role("tab", name=tab, exact=True).click()
        self.page.wait_for_url("**tab=**", timeout=WAIT)
        self._runs.wait(WAIT)

    def drawn(self, at_least: int) -> int:
        charts = self.page.locator(".js-plotly-plot .main-svg:first-child")
        if at_least:
            try:
                charts.nth(at_least - 1).wait_for(state="attached", timeout=WAIT)
            except PlaywrightError as error:
                raise AssertionError(self.page.get_by_test_id("stApp").inner_text()) from error
        return charts.count()

    def failures(self) -> list[str]:
        return [text for name in FAILURES for text in self.page.get_by_test_id(name).all_inner_texts()]

    def hosts(self) -> set[str]:
        parts = [urlsplit(url) for url in self.requests]
        return {part.hostname or "" for part in parts if part.scheme not in ("data", "blob")}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_walk_through_all_pages(address: str, chromium: Browser, scheme: str) -> None:
    seen = Watched(chromium, scheme)
    seen.open(address, "Priya Sharma")
    for title, charts in CHARTS.items():
        seen.go(title)
        assert seen.drawn(charts) >= charts, title
        assert seen.failures() == [], title
        assert "token=" in seen.page.url
    for title, tab, charts in TABS:
        seen.go(title)
        seen.show(tab)
        assert seen.drawn(charts) >= charts, tab
        assert seen.failures() == [], tab
    background = seen.page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 24, 31)"}[scheme]
    assert seen.errors == []
    assert seen.hosts() == {"127.0.0.1"}


def test_files_go_in_and_out(hostile_address: str, chromium: Browser, tmp_path: Path) -> None:
    """Through the guard, the browser's own policy and Streamlit's protection against forged uploads."""
    bank = tmp_path / "bank.csv"
    bank.write_text('19/06/2026,"-42.50","=EVIL() https://evil.example","+1000.00"\n')
    seen = Watched(chromium, "light")
    seen.page.goto(hostile_address)
    seen.go("Data")
    seen.page.locator("input[type=file]").first.set_input_files(bank)
    seen.page.get_by_text("bank.csv").first.wait_for(timeout=WAIT)
    seen.page.get_by_role("button", name="Import", exact=True).click()
    seen.page.get_by_text("1 transaction").wait_for(timeout=WAIT)
    seen.go("Spending")
    seen.page.get_by_text("Every transaction").click()
    opened = seen.page.get_by_test_id("stExpander").filter(has_text="Every transaction")
    with seen.page.expect_download(timeout=WAIT) as download:
        opened.get_by_role("button", name="Download as CSV").click(timeout=WAIT)
    written = Path(download.value.path()).read_text()
    assert ",'=EVIL()" in written
    assert seen.failures() == []
    assert seen.hosts() == {"127.0.0.1"}


def test_names_from_outside_are_only_text(hostile_address: str, chromium: Browser) -> None:
    seen = Watched(chromium, "light")
    seen.page.goto(hostile_address)
    caption = seen.page.get_by_test_id("stSidebar").get_by_test_id("stCaptionContainer").first
    caption.wait_for(timeout=WAIT)
    assert caption.inner_text().replace("\u2060", "").strip() == HOSTILE
    assert caption.locator("a, img, svg, .katex, [data-testid=stIconMaterial]").count() == 0
    assert seen.hosts() == {"127.0.0.1"}


def test_without_the_token_the_browser_sees_no_page(address: str, chromium: Browser) -> None:
    seen = Watched(chromium, "light")
    answer = seen.page.goto(address.partition("?")[0])
    assert answer is not None
    assert answer.status == 403
    assert "Priya" not in seen.page.content()


def test_a_household_chosen_just_before_a_page_is_opened_stays_chosen(address: str, chromium: Browser) -> None:
    """The click on a page comes while the app still draws what was chosen."""
    seen = Watched(chromium, "light")
    seen.open(address, "Priya Sharma")
    for title, household in [("Spending", "Mia Tran"), ("Overview", "Priya Sharma"), ("Overview", "Mia Tran")] * 3:
        seen.choose(household)
        seen.go(title)
        assert seen.page.locator(".household-name").inner_text() == household


def test_a_household_that_is_renamed_while_it_is_on_screen_stays_there(chromium: Browser, tmp_path: Path) -> None:
    """The browser sends the name that its field shows, which no household has any more."""
    db = tmp_path / "home" / "household.db"
    for name in ("Quolls", "Wombats"):
        add_home(Context(db, TODAY), name)
    with serving(db, tmp_path) as url:
        seen = Watched(chromium, "light")
        seen.open(url, "Quolls")
        seen.go("Households")
        table = seen.page.get_by_test_id("stDataFrame").first
        table.click(position={"x": 18, "y": 55})
        seen.page.get_by_role("textbox", name="Name", exact=True).fill("Quokkas")
        seen.page.get_by_role("button", name="Save", exact=True).click()
        seen.page.get_by_text("Quokkas is saved.").wait_for(timeout=WAIT)
        table.click(position={"x": 18, "y": 90})
        seen.page.get_by_role("heading", name="Wombats", exact=True).wait_for(timeout=WAIT)
        seen.go("Overview")
        assert seen.page.locator(".household-name").inner_text() == "Quokkas"
