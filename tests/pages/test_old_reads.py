"""Figures of meter data that ended long ago show its last day, and nothing of today is said by them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.meters import level
from tests.pages.seen import PLAN, TODAY, metrics, read
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load

Visit = Callable[..., AppTest]
ENERGY_PAGES = ("overview", "bills", "plans", "usage")
COUNTS = {"Plans priced", "Correct", "Differ", "Cannot be checked"}


@pytest.fixture
def ended(tmp_path: Path) -> Callable[..., Path]:
    """A home with 400 days of 12 kWh that ended so many days before `TODAY`."""

    def made(age: int, billing: str = "monthly") -> Path:
        last = TODAY - timedelta(age)
        (tmp_path / "meter.csv").write_text(level("4103012345", last - timedelta(399), 400))
        (tmp_path / "plan.json").write_text(json.dumps(PLAN))
        ctx = Context(tmp_path / "home.db", TODAY)
        load(ctx, [tmp_path / "meter.csv", tmp_path / "plan.json"])
        set_home(ctx, postcode="4870", plan_id="EXA100001MRE", plan_since="2025-01-01", billing=billing)
        return ctx.db

    return made


def notes(test: AppTest) -> dict[str, str]:
    """What stands under each figure, in sight."""
    return {metric.label: metric.delta for metric in test.metric}


@pytest.mark.parametrize("page", ENERGY_PAGES)
def test_every_figure_of_old_reads_shows_its_last_day(page: str, ended: Callable[..., Path], visit: Visit) -> None:
    test = visit(ended(46), page, tab="A past bill")  # to 5 May 2026; the last whole month is April
    assert not test.exception
    shown = {label: note for label, note in notes(test).items() if label not in COUNTS}
    assert shown
    assert [label for label, note in shown.items() if not note.endswith(("5 May 2026", "30 Apr 2026"))] == []


@pytest.mark.parametrize("page", ENERGY_PAGES)
def test_figures_of_newer_reads_show_no_day_more(page: str, ended: Callable[..., Path], visit: Visit) -> None:
    assert not [note for note in notes(visit(ended(45), page)).values() if "data to" in note]


def test_past_the_limit_there_is_no_next_bill_and_no_saving_a_year(ended: Callable[..., Path], visit: Visit) -> None:
    db = ended(46)
    overview, bills, plans = (visit(db, page) for page in ("overview", "bills", "plans"))
    assert metrics(overview)["Next power bill"] == "Not known"
    assert "Best guess" not in metrics(bills)
    why = "Meter data ends on 5 May 2026, 46 days before 20 Jun 2026: too long ago to forecast the next bill"
    assert why in read(bills)
    past = visit(db, "bills", tab="A past bill")
    assert metrics(past)["Total"] == "$151.80"  # April: 30 days at $1.00 and 12 kWh at $0.30, with GST
    assert not [label for label in metrics(plans) if "a year" in label]
    whatif = visit(db, "plans", tab="What if")
    assert not [label for label in metrics(whatif) if "a year" in label]
    assert "6 May 2025 to 5 May 2026" in notes(whatif)["Saved"]
    assert notes(plans)["You would save"].startswith("over 365 days")


def test_up_to_the_limit_of_longer_bills_the_next_one_shows_its_date(ended: Callable[..., Path], visit: Visit) -> None:
    """April to June has 91 days."""
    test = visit(ended(80, "quarterly"), "overview")
    assert metrics(test)["Next power bill"] != "Not known"
    assert notes(test)["Next power bill"].endswith("data to 1 Apr 2026")
    assert date(2026, 4, 1) == TODAY - timedelta(80)
