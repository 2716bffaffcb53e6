"""Plans of a home that has not said where it is: another home of the database has had those of its place fetched."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from streamlit.testing.v1 import AppTest

from tests.meters import level
from tests.pages.seen import TODAY, metrics, read
from toolkit.flows.desk.figures import work_out
from toolkit.flows.energy.high_bill import cheaper_plan
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.household.settings import plan_named, set_home
from toolkit.flows.imports.load import load
from toolkit.flows.report.material import NO_PLACE
from toolkit.flows.report.write import ReportQuestion, write_report
from toolkit.pages.server import launch_settings as launched

Visit = Callable[..., AppTest]
QUESTION = "Where is this home?"


def published(plan_id: str, price: str, network: str, postcode: str) -> dict[str, Any]:
    """A plan at one price for all energy, supply $1.00 a day, without GST."""
    period = {"dailySupplyCharge": "1.00", "singleRate": {"rates": [{"unitPrice": price}]}}
    place = {"distributors": [network], "includedPostcodes": [postcode]}
    about = {"displayName": f"Plan {plan_id}", "brandName": "Quoll", "fuelType": "ELECTRICITY"}
    dated = {"lastUpdated": "2026-06-01T00:00:00Z"}
    return {"planId": plan_id, **about, **dated, "geography": place, "electricityContract": {"tariffPeriod": [period]}}


def home_with_reads(ctx: Context, folder: Path, name: str, meter: str) -> Context:
    """Add a home with a year of reads, 12 kWh a day."""
    (folder / f"{meter}.csv").write_text(level(meter, date(2025, 6, 19), 365))
    added = next(home.id for home in add_home(ctx, name).households if home.name == name)
    mine = replace(ctx, household=added)
    load(mine, [folder / f"{meter}.csv"])
    return mine


@pytest.fixture
def tom(tmp_path: Path) -> Context:
    """A home in Queensland that has not said so, beside one in New South Wales with a plan of its own place."""
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    elena = home_with_reads(ctx, tmp_path, "Elena", "NZZZ000001")
    set_home(elena, postcode="2150")
    (tmp_path / "plans.json").write_text(
        json.dumps([published("NSW", "0.30", "Endeavour", "2150"), published("QLD", "0.40", "Energex", "4032")])
    )
    load(elena, [tmp_path / "plans.json"])
    return home_with_reads(ctx, tmp_path, "Tom", "NZZZ000002")


def seen(visit: Visit, ctx: Context, page: str) -> AppTest:
    return visit(ctx.db, page, household=lambda: launched.in_address(ctx.household or ""))


def test_plans_asks_for_the_postcode_and_compares_nothing_before(tom: Context, visit: Visit) -> None:
    test = seen(visit, tom, "plans")
    assert not test.exception
    assert QUESTION in read(test)
    assert [field.label for field in test.text_input] == ["Postcode of the home"]
    assert ("Cheapest plan" in metrics(test), "Plan NSW" in read(test)) == (False, False)
    set_home(tom, postcode="4032")
    test = seen(visit, tom, "plans")
    assert QUESTION not in read(test)
    # 365 × $1.10 + 4380 kWh × 44 c
    assert metrics(test)["Cheapest plan"] == "$2,328.70"


def test_ones_own_plan_is_chosen_among_those_of_the_place(tom: Context, visit: Visit) -> None:
    test = seen(visit, tom, "bills")
    assert QUESTION in read(test)
    assert not any(box.label == "Retailer" for box in test.selectbox)
    set_home(tom, postcode="4032")
    test = seen(visit, tom, "bills")
    assert QUESTION not in read(test)
    test.selectbox(key="my-retailer-ELECTRICITY").select("Quoll").run()
    (plans,) = [box.options for box in test.selectbox if box.label == "Plan"]
    assert [name.split(":")[0] for name in plans] == ["Plan QLD"]


def test_the_postcode_is_left_to_set_up_before_the_plan(tom: Context, visit: Visit) -> None:
    def left() -> list[str]:
        links = [each.proto.label for each in seen(visit, tom, "overview").main if each.type == "page_link"]
        return [label for label in links if "postcode" in label or "your energy plan" in label]

    assert left()[:2] == ["Enter your postcode to see plans you can get", "Choose your energy plan"]
    set_home(tom, postcode="4032")
    assert left()[:1] == ["Choose your energy plan"]


def test_a_report_asks_for_the_postcode_and_lists_no_plan_of_another_state(tom: Context, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    write_report(tom, out, ReportQuestion(sections=("plans",)))
    assert (NO_PLACE in out.read_text(), "Plan NSW" in out.read_text()) == (True, False)
    set_home(tom, postcode="4032")
    write_report(tom, out, ReportQuestion(sections=("plans",)))
    assert (NO_PLACE in out.read_text(), "Plan QLD" in out.read_text()) == (False, True)


def test_no_saving_is_named_before_it_is_known_where_the_home_is(tom: Context, tmp_path: Path) -> None:
    (tmp_path / "own.json").write_text(json.dumps(published("OWN", "0.50", "Energex", "4032")))
    set_home(tom, plan_id=plan_named(tom, str(tmp_path / "own.json")))

    def savings() -> list[Decimal | None]:
        return [each.amount for each in work_out(tom).insights if each.kind == "saving"]

    assert (savings(), work_out(tom).saving, cheaper_plan(tom)) == ([], None, None)
    set_home(tom, postcode="4032")
    # 4380 kWh at 11 c less with GST
    assert (savings(), work_out(tom).saving) == ([Decimal("481.80")], Decimal("481.80"))
    assert cheaper_plan(tom).plan.plan_id == "QLD"
