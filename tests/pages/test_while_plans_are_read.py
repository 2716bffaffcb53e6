"""Figures of plans while published plans are still being read in the background: none is shown as the last word."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from threading import Event

import pytest
from streamlit.testing.v1 import AppTest

from tests.meters import level
from tests.pages.seen import TODAY, metrics, read
from toolkit.flows.desk.figures import work_out
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.pages.server import background
from toolkit.pages.server.background import Job

Visit = Callable[..., AppTest]


def published(plan_id: str, price: str) -> dict[str, object]:
    """A plan for Sydney at one price for all energy, supply $1.00 a day, without GST."""
    period = {"dailySupplyCharge": "1.00", "singleRate": {"rates": [{"unitPrice": price}]}}
    place = {"distributors": ["Ausgrid"], "includedPostcodes": ["2000"]}
    about = {"displayName": f"Plan {plan_id}", "brandName": "Quoll", "fuelType": "ELECTRICITY"}
    dated = {"lastUpdated": "2026-06-01T00:00:00Z"}
    return {"planId": plan_id, **about, **dated, "geography": place, "electricityContract": {"tariffPeriod": [period]}}


@pytest.fixture
def ctx(db: Path, tmp_path: Path) -> Context:
    """A home with a year of reads, 12 kWh a day, on a plan at 40 cents beside one at 30."""
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2025, 6, 19), 365))
    (tmp_path / "plans.json").write_text(json.dumps([published("MINE", "0.40"), published("OTHER", "0.30")]))
    ctx = Context(db, TODAY)
    load(ctx, [tmp_path / "meter.csv", tmp_path / "plans.json"])
    set_home(ctx, postcode="2000", plan_id="MINE")
    return ctx


@contextmanager
def reading(db: Path) -> Iterator[Job]:
    """Plans are being read in the background, 120 of 400 so far."""
    end = Event()

    def work(job: Job) -> None:
        job.say("120 of 400 plans read")
        end.wait(60)

    job = background.start(f"plans {db}", "Reading published plans", work)
    try:
        yield job
    finally:
        end.set()
        job.wait(60)


def test_plans_names_no_saving_until_all_plans_are_read(ctx: Context, visit: Visit) -> None:
    # 4380 kWh at 11 c less with GST
    assert metrics(visit(ctx.db, "plans"))["You would save"] == "$481.80"
    with reading(ctx.db):
        test = visit(ctx.db, "plans")
        assert not test.exception
        shown = metrics(test)
        assert ("Cheapest plan" in shown, "You would save" in shown) == (False, False)
        # 365 × $1.10 + 4380 kWh × 33 c
        assert shown["Cheapest plan so far"] == "$1,846.90"
        assert "Still getting plans: 120 of 400 plans read." in read(test)
        assert "The cheapest plan so far is Plan OTHER" in read(test)
        assert not any("How to switch" in box.label for box in test.expander)
    assert metrics(visit(ctx.db, "plans"))["You would save"] == "$481.80"


def test_overview_names_the_saving_as_one_that_may_change(ctx: Context, visit: Visit) -> None:
    work_out(ctx)
    words = "Plans are still being read (120 of 400 plans read), so this may change."
    assert words not in read(visit(ctx.db, "overview"))
    with reading(ctx.db):
        test = visit(ctx.db, "overview")
        assert "You could save about $482 a year" in read(test)
        assert words in read(test)


def test_the_call_and_the_report_wait_for_all_plans(ctx: Context, visit: Visit) -> None:
    asked = "Am I on your best plan? Your own plan Plan OTHER"
    assert asked in read(visit(ctx.db, "too-high"))
    with reading(ctx.db):
        test = visit(ctx.db, "too-high")
        assert asked not in read(test)
        assert "Still getting plans: 120 of 400 plans read." in read(test)
        assert "Still getting plans: 120 of 400 plans read." in read(visit(ctx.db, "report"))
