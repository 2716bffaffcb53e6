"""Plans of a home whose postcode several distributors supply: the meter number says which, else the person is asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.meters import level
from tests.pages.seen import TODAY, metrics, read
from toolkit.flows.desk.figures import work_out
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.energy.high_bill import cheaper_plan
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.report.write import ReportQuestion, write_report

Visit = Callable[..., AppTest]
QUESTION = "Which distributor supplies your home?"
OF_NO_NETWORK = "NZZZ000001"
OF_UNITED = "6407000001"
"""United Energy allocated the meter numbers that begin with 6407."""


def published(plan_id: str, price: str, *networks: str) -> dict[str, Any]:
    """A plan for Richmond at one price for all energy, supply $1.00 a day, without GST."""
    period = {"dailySupplyCharge": "1.00", "singleRate": {"rates": [{"unitPrice": price}]}}
    place = {"distributors": list(networks), "includedPostcodes": ["3121"]}
    about = {"displayName": f"Plan {plan_id}", "brandName": "Quoll", "fuelType": "ELECTRICITY"}
    dated = {"lastUpdated": "2026-06-01T00:00:00Z"}
    return {"planId": plan_id, **about, **dated, "geography": place, "electricityContract": {"tariffPeriod": [period]}}


@pytest.fixture
def at_richmond(tmp_path: Path) -> Callable[[str], Context]:
    """Makes a home at 3121 with a year of reads, 12 kWh a day, on a plan at 50 cents without GST."""

    def made(meter: str) -> Context:
        ctx = Context(tmp_path / "home" / "household.db", TODAY)
        (tmp_path / "meter.csv").write_text(level(meter, date(2025, 6, 19), 365))
        plans = [
            published("CITI", "0.30", "Citipower"),
            published("UNITED", "0.40", "United Energy"),
            published("OWN", "0.50", "Citipower", "United Energy"),
        ]
        (tmp_path / "plans.json").write_text(json.dumps(plans))
        load(ctx, [tmp_path / "meter.csv", tmp_path / "plans.json"])
        set_home(ctx, postcode="3121", plan_id="OWN")
        return ctx

    return made


def savings(ctx: Context) -> list[Decimal | None]:
    return [each.amount for each in work_out(ctx).insights if each.kind == "saving"]


def test_the_meter_number_says_which_network_it_is_and_nothing_is_asked(
    at_richmond: Callable[[str], Context], visit: Visit
) -> None:
    ctx = at_richmond(OF_UNITED)
    test = visit(ctx.db, "plans")
    assert not test.exception
    assert (QUESTION in read(test), "Plan CITI" in read(test)) == (False, False)
    # 365 × $1.10 + 4380 kWh × 44 c; 11 c less with GST
    assert metrics(test)["Cheapest plan"] == "$2,328.70"
    assert (work_out(ctx).saving, savings(ctx)) == (Decimal("481.80"), [Decimal("481.80")])


def test_without_it_the_network_is_asked_for_once_and_kept_with_the_home(
    at_richmond: Callable[[str], Context], visit: Visit
) -> None:
    ctx = at_richmond(OF_NO_NETWORK)
    test = visit(ctx.db, "plans")
    assert not test.exception
    assert QUESTION in read(test)
    assert "Your postcode is in the area of 2 distributors, and plans of all of them are listed here" in read(test)
    box = test.selectbox(key="home-network")
    assert (box.value, box.options) == (None, ["Citipower", "United Energy"])
    # 365 × $1.10 + 4380 kWh × 33 c
    assert metrics(test)["Cheapest plan"] == "$1,846.90"
    assert "You would save" not in metrics(test)

    box.select("United Energy").run()
    assert any("United Energy" in done.value for done in test.success)
    test = visit(ctx.db, "plans")
    assert (QUESTION in read(test), "Plan CITI" in read(test)) == (False, False)
    assert metrics(test)["Cheapest plan"] == "$2,328.70"
    assert [home.network for home in homes(ctx).households] == ["United Energy"]
    assert savings(ctx) == [Decimal("481.80")]


def test_no_saving_is_named_elsewhere_before_the_network_is_known(
    at_richmond: Callable[[str], Context], tmp_path: Path
) -> None:
    ctx = at_richmond(OF_NO_NETWORK)
    assert compare(ctx).open_networks == ("Citipower", "United Energy")
    assert compare(ctx, filters=PlanFilters(network="Citipower")).open_networks == ()
    worked_out = work_out(ctx)
    assert (worked_out.saving, savings(ctx), cheaper_plan(ctx)) == (None, [None], None)
    # each row of the answer has its own: 365 days, 12 kWh, 22, 11 and 0 c less with GST
    assert [row.saving for row in compare(ctx).plans] == [Decimal("963.60"), Decimal("481.80"), Decimal("0.00")]
    (asked,) = [str(each.text) for each in worked_out.insights if each.kind == "saving"]
    assert "(Citipower, United Energy)" in asked
    out = tmp_path / "report.html"
    write_report(ctx, out, ReportQuestion(sections=("plans",)))
    report = out.read_text()
    assert (
        "it is not known which distributor supplies this home (Citipower, United Energy; it is on the bill)" in report
    )
    assert "less a year" not in report
    set_home(ctx, network="United Energy")
    write_report(ctx, out, ReportQuestion(sections=("plans",)))
    assert "$481.80 less a year" in out.read_text()


def test_plans_of_one_network_alone_leave_nothing_to_ask(at_richmond: Callable[[str], Context], tmp_path: Path) -> None:
    ctx = at_richmond(OF_NO_NETWORK)
    (tmp_path / "one.json").write_text(json.dumps([published("ONE", "0.30", "Citipower")]))
    answer = compare(ctx, filters=PlanFilters(plans=str(tmp_path / "one.json")))
    assert (answer.open_networks, "network_missing" in answer.note_codes) == ((), False)
