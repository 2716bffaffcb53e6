"""The Plans page: one line for plans that cost the same, the yardstick, what speaks against a plan, how to switch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.meters import day as meter_day
from tests.meters import days, level, nem12, register
from tests.pages.seen import TODAY, beside, metrics, read
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.report.write import ReportQuestion, write_report
from toolkit.pages.energy.plans import NO_POSTCODE, NOT_USED
from toolkit.pages.text import plain


def plan(plan_id: str, price: str, **more: Any) -> dict[str, Any]:
    period = {"dailySupplyCharge": "1.00", "singleRate": {"rates": [{"unitPrice": price}]}}
    contract = {"tariffPeriod": [period], **more.pop("contract", {})}
    place = {"distributors": ["Ausgrid"], "includedPostcodes": ["2000"]}
    about = {"displayName": f"Plan {plan_id}", "fuelType": "ELECTRICITY", "lastUpdated": "2026-06-01T00:00:00Z"}
    return {"planId": plan_id, **about, "geography": place, "electricityContract": contract, **more}


def with_two_plans(db: Path, folder: Path, *, meter: str) -> Context:
    """A home with a year of reads of this meter, and two plans."""
    (folder / "meter.csv").write_text(level(meter, date(2025, 6, 19), 365))
    (folder / "plans.json").write_text(json.dumps([plan("MINE", "0.40"), plan("OTHER", "0.30")]))
    ctx = Context(db, TODAY)
    load(ctx, [folder / "meter.csv", folder / "plans.json"])
    return ctx


def home_on_mine(db: Path, folder: Path, plans: Sequence[object]) -> Path:
    """Add a year of reads and these plans to a home that is on the plan MINE; return its database."""
    (folder / "meter.csv").write_text(level("NZZZ000001", date(2025, 6, 19), 365))
    (folder / "plans.json").write_text(json.dumps(plans))
    ctx = Context(db, TODAY)
    load(ctx, [folder / "meter.csv", folder / "plans.json"])
    set_home(ctx, postcode="2000", network="Ausgrid", plan_id="MINE")
    return db


def test_a_place_that_is_refused_is_said_at_its_field_and_the_rest_stays(
    db: Path, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    ctx = with_two_plans(db, tmp_path, meter="NZZZ000001")
    set_home(ctx, postcode="2000", network="Ausgrid", plan_id="MINE")
    test = visit(db, "plans")
    before = metrics(test)
    assert before["Cheapest plan"] == "$1,846.90"
    test.text_input(key="plans-postcode").set_value("20x0").run()
    assert names(" ".join(beside(test, "Postcode")), "20x0", "four digits")
    test.text_input(key="plans-postcode").set_value("").run()
    test.text_input(key="plans-network").set_value("Ausgird").run()
    assert names(" ".join(beside(test, "plans-network")), "Ausgird", "Ausgrid")
    assert (metrics(test), NOT_USED in read(test)) == (before, True)
    test.text_input(key="plans-network").set_value("Ausgrid").run()
    assert (beside(test, "plans-network"), NOT_USED in read(test)) == ([], False)


def test_without_a_postcode_the_plans_of_the_network_are_said_to_be_that(
    db: Path, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """The meter's number says which network the home is on; the plans may have been looked up for another home."""
    ctx = with_two_plans(db, tmp_path, meter="4103000001")
    said = NO_POSTCODE.format(network="Ausgrid")
    assert said in read(visit(db, "plans"))
    set_home(ctx, postcode="2000")
    assert said not in read(visit(db, "plans"))


def bars(test: AppTest) -> list[str]:
    """Return the names of the plans in the chart, without the breaks of their lines."""
    chart = next(each for each in test.get("plotly_chart") if "What each plan costs" in each.proto.spec)
    return [name.replace("<br>", " ") for name in json.loads(chart.proto.spec)["layout"]["yaxis"]["ticktext"]]


def test_what_a_comparison_says(db: Path, tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    """12 kWh a day: mine 365 × 1.10 + 4380 × 0.44 = 2328.70; twins 1847.25... at 30 c; the yardstick 2569.60."""
    exit_fee = {"fees": [{"type": "EXIT", "term": "FIXED", "amount": "60.00"}]}
    seniors = {"eligibility": [{"type": "SENIOR_CARD", "information": "Seniors"}]}
    plans = [
        plan("MINE", "0.40", contract=exit_fee),
        *(plan(name, "0.30") for name in ("TWIN-A", "TWIN-B", "TWIN-C")),
        plan("SENIORS", "0.20", contract=seniors),
        plan("STANDING", "0.45", type="STANDING"),
    ]
    test = visit(home_on_mine(db, tmp_path, plans), "plans")
    assert not test.exception
    shown = metrics(test)
    assert (shown["Your plan"], shown["Cheapest plan"], shown["You would save"]) == (
        "$2,328.70",
        "$1,846.90",
        "$481.80",
    )
    assert [bar for bar in bars(test) if "SENIORS" in bar] == []  # its condition may not hold
    assert names(" ".join(bars(test)), "TWIN-A", "Plan MINE", "Plan STANDING")
    assert shown["Standing offer"] == "$2,569.60"
    standing = next(each for each in test.metric if each.label == "Standing offer")
    assert "9%" in standing.delta
    listed = next(frame.value for frame in test.dataframe if "why_not" in frame.value)
    twins = listed.filter(like="name").squeeze().tolist()
    assert [name for name in twins if "TWIN" in name] == ["Plan TWIN-A"]
    assert "and 2 more" in listed["more"].tolist()
    assert "seniors card" in read(test)
    assert "$60.00" in read(test)
    assert "10 business days" in read(test)


def test_the_list_says_how_many_of_the_priced_plans_it_holds_and_shows_all(
    db: Path, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """Twelve plans and today's: ten are listed, and by a button all. Prices of June 2024 are two years old."""
    dated = {"lastUpdated": "2024-06-01T00:00:00Z", "brandName": "Bright"}
    plans = [plan("MINE", "0.40"), *(plan(f"P{cents}@EME", f"0.{cents}", **dated) for cents in range(20, 32))]
    test = visit(home_on_mine(db, tmp_path, plans), "plans")
    assert metrics(test)["Plans priced"] == "13"
    cheapest = next(each for each in test.metric if each.label == "Cheapest plan")
    assert cheapest.delta == plain("Plan P20@EME (Bright), prices as of 1 Jun 2024")  # a note is Markdown
    assert "The 10 cheapest plans" in [each.value for each in test.subheader]
    assert "(Bright). Its prices are as of 1 Jun 2024. Ask the retailer" in read(test)
    assert "The newest prices are as of 1 Jun 2026." in read(test)
    assert names(read(test), "Bright on Energy Made Easy (energymadeeasy.gov.au)", "Energy & Water Ombudsman NSW")
    test.button(key="every-plan").click().run()
    assert "Every plan" in [each.value for each in test.subheader]
    listed = next(frame.value for frame in test.dataframe if "total" in frame.value)
    assert len([name for name in listed["name"] if name.startswith("Plan ")]) == 13


def test_a_cheapest_plan_that_is_the_standing_offer_is_explained(
    db: Path, tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """The same total stood twice among the figures, as the cheapest plan and as the standing offer, without a word."""
    said = "The cheapest plan is itself a standing offer"
    plans = [plan("MINE", "0.40"), plan("STANDING", "0.30", type="STANDING")]
    path = home_on_mine(db, tmp_path, plans)
    test = visit(path, "plans")
    shown = metrics(test)
    # 365 × $1.10 + 4380 kWh × 33 c
    assert (shown["Cheapest plan"], shown["Standing offer"]) == ("$1,846.90", "$1,846.90")
    assert said in read(test)
    write_report(Context(path, TODAY), tmp_path / "report.html", ReportQuestion(sections=("plans",)))
    assert said.lower() in (tmp_path / "report.html").read_text().lower()
    (tmp_path / "cheaper.json").write_text(json.dumps([plan("CHEAPER", "0.29")]))
    load(Context(path, TODAY), [tmp_path / "cheaper.json"])
    assert said not in read(visit(path, "plans"))


@pytest.mark.parametrize(
    ("kept", "on_plans", "on_usage"),
    [
        (range(25, 365), "Meter data: 25 days missing of 365, as it begins on 14 Jul 2025.", ""),
        ([*range(100), *range(110, 365)], "Meter data: 10 days missing of 365.", "10 days missing"),
    ],
)
def test_missing_reads_are_counted_as_on_usage_and_those_before_the_first_are_told_apart(
    db: Path, tmp_path: Path, visit: Callable[..., AppTest], kept: Iterable[int], on_plans: str, on_usage: str
) -> None:
    """Plans said "6.8% of this time" where Usage, which begins with the first read, said 100%."""
    rows = [meter_day(when, ["0.25"] * 48) for n, when in enumerate(days("2025-06-19", 365)) if n in kept]
    (tmp_path / "meter.csv").write_text(nem12(register(), *rows))
    (tmp_path / "plans.json").write_text(json.dumps([plan("MINE", "0.40")]))
    ctx = Context(db, TODAY)
    load(ctx, [tmp_path / "meter.csv", tmp_path / "plans.json"])
    set_home(ctx, postcode="2000", plan_id="MINE")
    assert on_plans in read(visit(db, "plans"))
    covered = next(each for each in visit(db, "usage").metric if each.label == "Meter data")
    assert covered.delta == on_usage
