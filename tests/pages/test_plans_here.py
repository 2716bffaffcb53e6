"""The published plans of the home's own address, from a database with nothing in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from tests.pages.seen import PLAN, TODAY, press, read
from toolkit.flows.consent.sandbox import sandbox
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.plans.listed import plan_list
from toolkit.pages.energy.published_plans import DONE
from toolkit.pages.server import background

Visit = Callable[..., AppTest]


@pytest.fixture(scope="module")
def register_url() -> Iterator[str]:
    with sandbox(seed=1, today=TODAY, households=1, years=1) as running:
        yield running.register_url


def test_from_nothing_the_postcode_leads_to_the_plans(
    tmp_path: Path, visit: Visit, register_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLKIT_REGISTER_URL", register_url)
    db = tmp_path / "new" / "household.db"
    test = visit(db, "plans")
    field = next(field for field in test.text_input if "Postcode" in field.label)
    field.set_value("20x2")
    test = press(test, "Get the plans for this address")
    assert "20x2" in read(test)
    assert background.job(f"plans {db}") is None
    next(field for field in test.text_input if "Postcode" in field.label).set_value("2042")
    press(test, "Get the plans for this address")
    job = background.job(f"plans {db}")
    assert job is not None
    assert job.wait(120)
    assert job.error is None
    ctx = Context(db, TODAY)
    assert [home.postcode for home in homes(ctx).households] == ["2042"]
    plans = plan_list(ctx).plans
    assert 20 < len(plans) < 600
    assert {plan.customer_type for plan in plans} == {"RESIDENTIAL"}
    test = visit(db, "plans")
    assert "2042" in read(test)
    assert not any("Postcode of the home" in field.label for field in test.text_input)

    # What came of it is said until the page is left.
    assert DONE in [success.value for success in test.run().success]
    for page in ("data", "plans"):
        test._page_hash = calc_hash(page)
        test = test.run()
    assert DONE not in [success.value for success in test.success]
    assert background.job(f"plans {db}") is None


def test_a_postcode_without_plans_is_said_and_can_be_changed(
    tmp_path: Path, visit: Visit, register_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLKIT_REGISTER_URL", register_url)
    db = tmp_path / "new" / "household.db"
    test = visit(db, "plans")
    next(field for field in test.text_input if "Postcode" in field.label).set_value("0872")
    press(test, "Get the plans for this address")
    job = background.job(f"plans {db}")
    assert job is not None
    assert job.wait(120)
    assert [note.code for note in job.answer.notes][:1] == ["no_plans_here"]
    test = visit(db, "plans")
    assert any("0872" in warning.value for warning in test.warning)
    assert not test.success


@pytest.mark.parametrize(("updated", "days"), [("2026-05-01", None), ("2026-04-20", 61)])
def test_overview_offers_newer_prices_where_they_are_old(
    tmp_path: Path, visit: Visit, updated: str, days: int | None
) -> None:
    (tmp_path / "plan.json").write_text(json.dumps({"data": {**PLAN["data"], "lastUpdated": f"{updated}T00:00:00Z"}}))
    (tmp_path / "bank.csv").write_text("Date,Description,Amount\n01/06/2026,Shop,-10.00\n")
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    load(ctx, [tmp_path / "plan.json", tmp_path / "bank.csv"])
    set_home(ctx, postcode="2042")
    test = visit(ctx.db, "overview")
    assert ("20 Apr 2026" in read(test)) == (days is not None)
    assert any("2042" in button.label for button in test.button) == (days is not None)
