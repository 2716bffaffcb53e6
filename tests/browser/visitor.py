"""Somebody at the pages of the app, and the commands that have to give the same figures."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tests.browser.conftest import PROGRAM, TODAY, serving
from tests.browser.script_runs import ScriptRuns

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WAIT = 90_000
Scheme = Literal["light", "dark"]


class Visitor:
    """Somebody at the pages, who sees buttons, fields and figures."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.is_narrow = page.viewport_size is not None and page.viewport_size["width"] < 768
        page.set_default_timeout(WAIT)
        self._runs = ScriptRuns(page)

    def settle(self) -> None:
        self._runs.wait(WAIT)

    def go(self, title: str) -> None:
        link = self.page.get_by_test_id("stSidebarNavLink").filter(has_text=title).first
        if self.is_narrow:
            self.page.get_by_test_id("stExpandSidebarButton").click()
        link.click()
        if self.is_narrow and (close := self.page.get_by_test_id("stSidebarCollapseButton")).is_visible():
            close.locator("button").click()  # else the menu lies over the page
        self.page.get_by_role("heading", name=title, exact=True).wait_for()
        self.settle()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()
        self.settle()

    def look_at(self, tab: str) -> None:
        self.page.get_by_role("tab", name=tab).click()
        self.settle()

    def fill(self, name: str, text: str) -> None:
        self.page.get_by_role("textbox", name=name).first.fill(text)

    def date(self, name: str, digits: str) -> None:
        """Type a date, day first."""
        group = self.page.get_by_role("group", name=name, exact=True).first
        group.get_by_role("spinbutton").first.click()
        self.page.keyboard.type(digits)
        self.page.keyboard.press("Tab")
        self.settle()

    def choose(self, name: str, option: str) -> None:
        field = self.page.get_by_role("combobox", name=re.compile(name)).first
        field.scroll_into_view_if_needed()
        self.settle()  # a list that opens while the page still scrolls is closed at once
        field.click()
        self.page.get_by_role("option").filter(has_text=option).first.click()
        self.settle()

    def wait_for(self, text: str) -> None:
        self.page.get_by_text(text).first.wait_for()
        self.settle()

    def figure(self, label: str) -> float:
        """The number of a figure on the page."""
        metric = self.page.get_by_test_id("stMetric").filter(has=self.page.get_by_text(label, exact=True)).first
        shown = metric.get_by_test_id("stMetricValue").inner_text()
        return float(re.sub(r"[^\d.-]", "", shown.replace("−", "-")))

    def text(self) -> str:
        return self.page.get_by_test_id("stMain").inner_text().replace("\u2060", "")

    def add_files(self, *paths: Path) -> None:
        """Choose files, and wait until they are uploaded."""
        self.page.locator("input[type=file]").first.set_input_files(paths)
        self.page.get_by_test_id("stFileChipName").nth(len(paths) - 1).wait_for(state="attached")
        self.page.get_by_test_id("stFileChipIconSpinner").first.wait_for(state="detached")
        self.settle()

    def download(self, button: str, to: Path) -> Path:
        """Save what a button downloads in a file, and return that."""
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name=button, exact=True).click()
        download.value.save_as(to)
        return to

    def failures(self) -> list[str]:
        kinds = ("stException", "stAlertContentError", "stAlertContentWarning")
        return [text for kind in kinds for text in self.page.get_by_test_id(kind).all_inner_texts()]

    def fetch_plans(self, postcode: str) -> None:
        self.go("Plans")
        self.fill("Postcode of the home", postcode)
        self.press("Get the plans for this address")
        self.wait_for("The published plans are stored.")


def home_db(folder: Path) -> Path:
    """Return the database that `visiting` opens."""
    return folder / "home" / "household.db"


@contextmanager
def visiting(
    browser: Browser,
    folder: Path,
    *,
    today: date = TODAY,
    scheme: Scheme = "light",
    width: int = 1280,
    program: str = PROGRAM,
) -> Iterator[Visitor]:
    """The app over a database of this folder, opened in a new browser. width: px. program: what starts the app."""
    with serving(home_db(folder), folder, today, program=program) as address:
        page = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 1100}).new_page()
        visitor = Visitor(page)
        page.goto(address)
        page.get_by_role("heading", name="Overview", exact=True).wait_for()
        visitor.settle()
        try:
            yield visitor
        except Exception:
            for shown in page.context.pages:
                print(f"{shown.url}\n{shown.get_by_test_id('stApp').inner_text()}")
            raise


def command(db: Path, name: str, *options: str) -> dict[str, Any]:
    asked = [sys.executable, "-m", "toolkit", name, *options, "--db", str(db), "--json"]
    answered = subprocess.run(asked, check=True, capture_output=True, text=True)
    return json.loads(answered.stdout)
