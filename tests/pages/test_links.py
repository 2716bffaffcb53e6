"""Every link and button of the app that leads to a page opens the tab of it that it is about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Tab

from tests.meters import level
from tests.pages.seen import PLAN, TODAY
from tests.pages.test_overview import press, statement
from tests.pages.test_solar import meter_file
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.pages.entry import VIEWS

Visit = Callable[..., AppTest]
FIRST = None
LEADS_TO: Mapping[str, tuple[str, str | None]] = {
    "Accounts →": ("accounts", FIRST),
    "Add bank transactions to see where your money goes": ("data", "Files"),
    "Add files →": ("data", FIRST),
    "Add meter data to see when you use power": ("data", "Files"),
    "All households →": ("households", FIRST),
    "Choose your plan →": ("bills", "Which plan are you on?"),
    "Connect accounts →": ("data", "Connected accounts"),
    "Data →": ("data", "Your home"),
    "Energy bills →": ("bills", FIRST),
    "Enter the size of your panels on Data →": ("data", "Your home"),
    "Enter your postcode to see plans you can get": ("plans", FIRST),
    "Enter your postcode →": ("data", "Your home"),
    "Get current prices →": ("plans", FIRST),
    "Go to Accounts →": ("accounts", FIRST),
    "Go to Data →": ("data", FIRST),
    "I look after several households →": ("households", FIRST),
    "Look after several households →": ("households", FIRST),
    "Set up the service →": ("settings", "Data-sharing service"),
    "Solar →": ("solar", "Exports"),
    "Spending →": ("spending", FIRST),
    "Usage →": ("usage", FIRST),
    "Would panels pay? →": ("plans", FIRST),  # the home has no plans yet
}
"""Words of a link → page, and tab of it. Links with other words on other homes are in `SOMETIMES`."""
SOMETIMES = {
    "Choose your energy plan": {("bills", "Which plan are you on?"), ("data", "Energy plan")},
    "Go to Data →": {("data", FIRST), ("data", "Your home")},
}


def nothing(_: Path) -> None: ...


def bank_only(folder: Path) -> None:
    statement(folder, *((date(2026, month, 3), "-50.00", "CITY GYM CLUB") for month in range(1, 6)))


def renter(folder: Path) -> None:
    (folder / "meter.csv").write_text(level("4103012345", TODAY - timedelta(399), 399))


def with_solar(folder: Path) -> None:
    (folder / "meter.csv").write_text(meter_file())


def with_solar_and_plans(folder: Path) -> None:
    with_solar(folder)
    for number in (1, 2):
        plan = {"data": {**PLAN["data"], "planId": f"EXA10000{number}MRE"}}
        (folder / f"plan-{number}.json").write_text(json.dumps(plan))


def with_known_panels(folder: Path) -> None:
    with_solar(folder)


HOMES = [nothing, bank_only, renter, with_solar, with_known_panels, with_solar_and_plans]
MUST_LEAD = {
    nothing: {"Connect accounts →"},
    bank_only: {"Choose your energy plan"},
    renter: {"Add bank transactions to see where your money goes", "Choose your energy plan"},
    with_solar: {"Enter the size of your panels on Data →", "Solar →"},
    with_known_panels: {"Data →"},
    with_solar_and_plans: {"Choose your plan →"},
}
"""Links that must be among those of a home, so that no home is looked at in vain."""


def home(folder: Path, files: Callable[[Path], object]) -> Path:
    into = folder / "files"
    into.mkdir()
    files(into)
    ctx = Context(folder / "home.db", TODAY)
    if list(into.iterdir()):
        load(ctx, [into])
    if files is with_known_panels:
        set_home(ctx, panels_kw=5.0)
    return ctx.db


def groups_of_tabs(test: AppTest) -> Iterator[tuple[list[str], str]]:
    """Yield the names of each group of tabs on the page, and which of them is open."""
    blocks: list[Block] = [test.main]
    while blocks:
        block = blocks.pop(0)
        inner = [child for child in block.children.values() if isinstance(child, Block)]
        blocks += inner
        if names := [child.label for child in inner if isinstance(child, Tab)]:
            yield names, names[block.proto.tab_container.default_tab_index]


def links(test: AppTest) -> Iterator[tuple[str, str, str | None]]:
    """Yield words, page and tab of each link."""
    for link in test.page_link:
        asked = parse_qs(link.proto.query_string)
        yield link.proto.label.strip("*"), link.proto.page, asked.get("tab", [None])[0]


@pytest.mark.parametrize("files", HOMES, ids=lambda files: files.__name__)
def test_every_link_opens_the_tab_that_it_is_about(
    files: Callable[[Path], object], tmp_path: Path, visit: Visit
) -> None:
    db = home(tmp_path, files)
    found = set()
    for page in VIEWS:
        test = visit(db, page)
        assert not test.exception
        found |= set(links(test))
        for tab in [tab for names, _ in groups_of_tabs(test) for tab in names[1:]]:
            found |= set(links(visit(db, page, tab=tab)))
    assert {words for words, *_ in found} >= MUST_LEAD[files]
    for words, page, tab in found:
        assert (page, tab) in SOMETIMES.get(words, {LEADS_TO.get(words)}), words
        if tab is not None:
            opened = visit(db, page, tab=tab)
            assert [shown for names, shown in groups_of_tabs(opened) if tab in names] == [tab], words


def test_a_price_rise_on_the_overview_opens_what_comes_again(tmp_path: Path, visit: Visit) -> None:
    months = [date(2025, month, 1) for month in range(7, 13)] + [date(2026, month, 1) for month in range(1, 6)]
    gym = [(day, "-50.00" if day < date(2026, 4, 1) else "-60.00", "CITY GYM CLUB") for day in months]
    ctx = Context(tmp_path / "home.db", TODAY)
    load(ctx, [statement(tmp_path, *gym)])
    test = press(visit(ctx.db, "overview"), "go-price")
    assert test.title[0].value == "Coming up"
    assert [shown for _, shown in groups_of_tabs(test)] == ["Regular payments"]
