"""A plan as a page: reached by its address, from the list and from the comparison."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.flows.plans.test_plan_facts import FREE_AT_NOON, other
from tests.pages.seen import TODAY, metrics, problems, read
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load

Visit = Callable[..., AppTest]
HOSTILE = "<b>Best</b> [plan](https://evil.example) $x^2$"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    named = other("ODD", displayName=HOSTILE, description=HOSTILE, geography={"distributors": ["Ausgrid"]})
    (tmp_path / "plans.json").write_text("\n".join(map(json.dumps, [FREE_AT_NOON, named])))
    load(ctx, [tmp_path / "plans.json"])
    set_home(ctx, postcode="2042")
    return ctx.db


def test_the_address_names_the_plan(db: Path, visit: Visit) -> None:
    test = visit(db, "plans", plan="FREE@EME")
    assert not test.exception
    shown = metrics(test)
    assert (shown["Term"], shown["Exit fee"], shown["Daily charge"]) == ("1 year", "$50.00", "$1.10")
    text = read(test)
    for expected in ("Sunny Hours", "11:00–14:00", "A card is needed.", "13 24 61", "https://example.com/join"):
        assert expected in text
    assert "javascript" not in text


def test_texts_of_a_plan_stay_texts(db: Path, visit: Visit) -> None:
    test = visit(db, "plans", plan="ODD")
    assert HOSTILE in read(test)
    assert not test.exception


def test_what_cannot_be_priced_is_listed_with_the_plans_name(db: Path, visit: Visit, tmp_path: Path) -> None:
    demand = {"rateBlockUType": "demandCharges", "demandCharges": [{"displayName": "Peak demand", "amount": "0.30"}]}
    contract = FREE_AT_NOON["electricityContract"]
    contract = {**contract, "tariffPeriod": [*contract["tariffPeriod"], demand]}
    given = other("KW123@EME", displayName="Evening Saver", electricityContract=contract)
    (tmp_path / "demand.json").write_text(json.dumps(given))
    load(Context(db, TODAY), [tmp_path / "demand.json"])
    test = visit(db, "plans", plan="KW123@EME")
    assert [problem.startswith("Evening Saver: Peak demand: ") for problem in problems(test)] == [True]


def test_a_feed_in_price_has_no_gst_and_tiers_are_said(db: Path, visit: Visit, tmp_path: Path) -> None:
    """The first 10 kWh a day at $0.33 with GST, then $0.22; exports at 5 cents."""
    usage = {"period": "P1D", "rates": [{"unitPrice": "0.30", "volume": 10}, {"unitPrice": "0.20"}]}
    feed_in = {"tariffUType": "singleTariff", "singleTariff": {"rates": [{"unitPrice": "0.05"}]}}
    contract = {
        "tariffPeriod": [{"dailySupplyCharge": "1.00", "singleRate": usage}],
        "solarFeedInTariff": [{"payerType": "RETAILER", "scheme": "OTHER", **feed_in}],
    }
    (tmp_path / "tiers.json").write_text(json.dumps(other("TIERS@EME", electricityContract=contract)))
    load(Context(db, TODAY), [tmp_path / "tiers.json"])
    text = read(visit(db, "plans", plan="TIERS@EME"))
    general, exports = (next(line for line in text.splitlines() if price in line) for price in ("33.00 c/", "5.00 c/"))
    assert ("GST" in general, "tier" in general) == (True, True)
    assert ("GST" in exports, "tier" in exports) == (False, False)


@pytest.mark.parametrize("name", ["nothing", "/etc/passwd", "../plans.json"])
def test_an_address_that_names_no_stored_plan_says_so(db: Path, visit: Visit, name: str) -> None:
    test = visit(db, "plans", plan=name)
    assert len(test.warning) == 1
    assert not test.metric


def test_the_list_is_filtered_and_the_way_back_leads_to_it(db: Path, visit: Visit) -> None:
    test = visit(db, "plans", tab="All plans")
    assert "2 plans" in read(test)
    next(field for field in test.text_input if field.key == "list-text").set_value("sunny").run()
    assert "1 plan." in read(test)
    test.query_params["plan"] = "ODD"
    test.run()
    next(button for button in test.button if button.key == "plan-back").click().run()
    assert "plan" not in test.query_params
    assert "1 plan." in read(test)
    assert next(field for field in test.text_input if field.key == "list-text").value == "sunny"
    next(field for field in test.text_input if str(field.key).startswith("list-address")).set_value("nowhere").run()
    assert len(test.warning) == 1


def test_times_of_one_price_are_said_in_words_though_it_was_published_with_more_decimals_once(
    db: Path, visit: Visit, tmp_path: Path
) -> None:
    """$0.186364 and $0.18636364 are 20.5 c with GST, as bills print it."""
    windows = [("Peak", "0.186364", "15:00", "20:59"), ("Off peak", "0.18636364", "21:00", "14:59")]
    rates = [
        {
            "type": "PEAK" if name == "Peak" else "OFF_PEAK",
            "displayName": name,
            "rates": [{"unitPrice": price}],
            "timeOfUse": [
                {"startTime": first, "endTime": last, "days": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]}
            ],
        }
        for name, price, first, last in windows
    ]
    contract = {
        "tariffPeriod": [{"dailySupplyCharge": "1.00", "rateBlockUType": "timeOfUseRates", "timeOfUseRates": rates}]
    }
    (tmp_path / "flat.json").write_text(json.dumps(other("FLAT@EME", electricityContract=contract)))
    load(Context(db, TODAY), [tmp_path / "flat.json"])
    test = visit(db, "plans", plan="FLAT@EME")
    assert "General use: 20.50 c/kWh with GST at any time of the week." in read(test)
