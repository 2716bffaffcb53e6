"""Every page and tab, light and dark, against the rules of WCAG 2.0 to 2.2 at levels A and AA, by axe-core.

Nothing that is written for programs is on any of them either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import axe_playwright_python
import pytest

from tests.browser.conftest import PROGRAM, TODAY, serving
from tests.browser.tour import settle, tour, visitor
from tests.meters import day, days, flat_plan, nem12, register
from toolkit import settings
from toolkit.flows.demo import demo
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.imports.load import load
from toolkit.flows.report.stated_lines import StatedLine, add_stated_line
from toolkit.flows.report.write import MAKERS, ReportQuestion, make_report
from toolkit.pages.lock import CLOSED, LOCKED
from toolkit.pages.server import passphrase

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("accessible")]

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
STREAMLIT = {
    ("list", "[data-testid=stSidebarNavItems]"): "1.67: the headings of the menu's groups stand in its lists",
    ("listitem", "[data-testid=stSidebarNavItems] li"): "1.67: and so its items in no list",
    (
        "target-size",
        "[data-testid=stDateInput] [role=spinbutton]",
    ): "1.67: day and month of a date, 18 by 20 px",
}
"""(rule, selector) of Streamlit's own markup that breaks a rule: version and why."""
BELOW_BAR = """() => {
  const bar = document.querySelector('[data-testid=stHeader]').getBoundingClientRect();
  return document.querySelector('h1').getBoundingClientRect().top >= bar.bottom;
}"""
"""Whether the title of a page is in sight, not behind the app's bar."""
LOCKED_BY_FILE = PROGRAM.replace(
    "today =",
    """
import threading, time
from toolkit.pages.server.launch_settings import renew
def wait():
    while not Path("lock").exists():
        time.sleep(0.1)
    renew()
threading.Thread(target=wait, daemon=True).start()
today =""",
)
"""The app, which is locked once there is a file `lock`."""
FOR_PROGRAMS = re.compile(
    r"\btoolkit [a-z]+|(?<![\w-])--[a-z]|[A-Z]{2,}_[A-Z]|\b[a-z]+_[a-z]|\b[0-9a-f]{8}-[0-9a-f]{4}|\b[0-9a-f]{12,}\b"
)
"""Commands, options, variables, codes and internal ids: on no page."""
WORDS = """() => {
  const texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    if (!walker.currentNode.parentElement.closest('[data-testid=stIconMaterial], style, script, noscript'))
      texts.push(walker.currentNode.data);
  return texts.join('\\n');
}"""
"""What is written on the page; icons are drawn from their names."""
VIOLATIONS = """async known => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"];
    const found = await axe.run(document, {runOnly: tags, resultTypes: ["violations"], elementRef: true});
    return found.violations.flatMap(({id, nodes}) => nodes.map(node => [
        id,
        known.find(([rule, selector]) => rule === id && node.element.matches(selector)) || null,
        node.html.slice(0, 200),
        node.failureSummary,
    ]));
}"""


def violations(page: Page, seen: set[tuple[str, str]]) -> list[str]:
    """Return what breaks a rule on the page as drawn; those of Streamlit's own are added to `seen` instead."""
    page.evaluate(AXE)
    ours = []
    for rule, known, markup, summary in page.evaluate(VIOLATIONS, [list(each) for each in STREAMLIT]):
        if known:
            seen.add(tuple(known))
        else:
            ours.append(f"{rule}: {markup}\n{summary}")
    return ours


def open_sections(page: Page) -> None:
    """Open each section of a page that is folded away."""
    sections = page.get_by_test_id("stMain").locator("details:not([open]) > summary")
    sections.evaluate_all("found => found.filter(each => each.checkVisibility()).forEach(each => each.click())")
    settle(page)


def popovers(page: Page, opened: set[str]) -> Iterator[str]:
    """Open each button of a page with something below it, of each name the first; yield the names once drawn."""
    for button in page.get_by_test_id("stMain").get_by_test_id("stPopover").get_by_role("button").all():
        name = button.inner_text()
        if name not in opened and button.is_visible() and button.is_enabled():
            opened.add(name)
            button.click()
            settle(page)
            yield name
            page.keyboard.press("Escape")
            settle(page)


@pytest.mark.timeout(900)
def test_no_page_breaks_a_rule_in_light_or_dark(chromium: Browser, tmp_path: Path) -> None:
    db = tmp_path / "demo" / "household.db"
    demo(Context(db, TODAY))
    seen: set[tuple[str, str]] = set()
    ours: list[str] = []
    words: list[str] = []
    with serving(db, tmp_path) as address:
        page = visitor(chromium)
        opened: set[str] = set()
        for name in tour(page, address):
            open_sections(page)
            written = page.evaluate(WORDS).replace(str(tmp_path), "")
            words += [f"{name}: {found}" for found in FOR_PROGRAMS.findall(written)]
            for scheme in ("dark", "light"):
                page.emulate_media(color_scheme=scheme)
                settle(page)
                background = page.evaluate(
                    "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
                )
                assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 24, 31)"}[scheme]
                ours += [f"{name} ({scheme}): {violation}" for violation in violations(page, seen)]
            for button in popovers(page, opened):
                for scheme in ("dark", "light"):
                    page.emulate_media(color_scheme=scheme)
                    settle(page)
                    ours += [f"{name}, {button} ({scheme}): {violation}" for violation in violations(page, seen)]
    assert len(opened) >= 4
    assert not ours, "\n".join(ours)
    assert words == []
    assert seen == set(STREAMLIT)  # what a new version of Streamlit mended leaves the list


def test_what_opens_over_a_page_breaks_no_rule(chromium: Browser, tmp_path: Path) -> None:
    db = tmp_path / "two" / "household.db"
    for name in ("Quolls", "Wombats"):
        add_home(Context(db, TODAY), name)
    with serving(db, tmp_path) as address:
        for scheme in ("light", "dark"):
            page = visitor(chromium, scheme=scheme)
            page.goto(address)
            page.get_by_role("heading", name="Households", exact=True).wait_for()
            settle(page)
            page.get_by_test_id("stDataFrame").first.click(position={"x": 18, "y": 55})
            page.get_by_text("Delete …").click()
            page.get_by_role("button", name="Delete", exact=True).wait_for()
            settle(page)
            assert violations(page, set()) == []


def test_what_asks_before_sharing_ends_or_data_is_deleted_breaks_no_rule(chromium: Browser, tmp_path: Path) -> None:
    db = tmp_path / "demo" / "household.db"
    demo(Context(db, TODAY))
    with serving(db, tmp_path) as address:
        page = visitor(chromium)
        page.goto(address.replace("/?", "/data?tab=Connected+accounts&"))
        for button, title in (("End sharing", "End sharing?"), ("Delete its data", "Delete its data?")):
            page.get_by_role("button", name=button, exact=True).first.click()
            page.get_by_role("dialog").get_by_text(title).wait_for()
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                settle(page)
                assert violations(page, set()) == [], (button, scheme)
            page.keyboard.press("Escape")
            page.get_by_role("dialog").wait_for(state="detached")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_without_data_with_an_error_and_locked_break_no_rule(
    chromium: Browser, tmp_path: Path, scheme: str
) -> None:
    db = tmp_path / "home" / "household.db"
    page = visitor(chromium, scheme=scheme)

    def look(heading: str) -> None:
        page.get_by_role("heading", name=heading, exact=True).first.wait_for()
        settle(page)
        assert violations(page, set()) == [], heading
        assert page.evaluate(BELOW_BAR), heading

    with serving(db, tmp_path, program=LOCKED_BY_FILE) as address:
        page.goto(address)
        look("Overview")
        add_home(Context(db, TODAY), "Quolls")
        page.goto(address.replace("/?", "/data?tab=Your+home&"))
        page.get_by_role("textbox", name="Postcode", exact=True).fill("12")
        page.get_by_role("button", name="Save", exact=True).first.click()
        page.get_by_test_id("stAlert").first.wait_for()
        look("Data")
        settings.save_choices({"TOOLKIT_PASSPHRASE": passphrase.hashed("correct horse battery")})
        page.goto(address)
        look(CLOSED)
        page.get_by_role("textbox", name="Passphrase").fill("wrong")
        page.get_by_role("button", name="Open", exact=True).click()
        page.get_by_test_id("stAlert").wait_for()
        look(CLOSED)
        settings.save_choices({"TOOLKIT_PASSPHRASE": None})
        add_home(Context(db, TODAY), "Wombats")
        page.goto(address)
        look("Households")
        (tmp_path / "lock").touch()
        look(LOCKED)


def test_the_report_breaks_no_rule(chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text(
        '01/02/2026,"-45.60","CITY GYM","+100.00"\n02/02/2026,"+80.00","SALARY ACME","+180.00"\n'
    )
    (tmp_path / "meter.csv").write_text(
        nem12(register(), *(day(when, [0.25] * 48) for when in days("2025-02-01", 390)))
    )
    (tmp_path / "plan.json").write_text(flat_plan())
    ctx = Context(tmp_path / "home" / "household.db", date(2026, 3, 1))
    load(ctx, [tmp_path])
    add_stated_line(ctx, StatedLine("debt", "Aunt", "25", "week", "1800", "50", None))
    made = make_report(ctx, ReportQuestion(list(MAKERS), opening="Dear family", closing="Call me."))
    (tmp_path / "report.html").write_text(made.page)
    page = visitor(chromium)
    page.goto((tmp_path / "report.html").as_uri())
    assert page.locator("svg[role=img]").count() >= 4
    assert violations(page, set()) == []
