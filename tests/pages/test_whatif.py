"""What if on the page: battery sizes, several changes at once, off gas; and where too little was read for a year."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.meters import flat_plan, level
from tests.pages.seen import TODAY, metrics, read
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm


def test_from_a_few_days_no_year_is_shown(db: Path, tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    """7.5 kWh a day more at $0.33, on the 20 days that are read: 49.50."""
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2026, 5, 1), 20))
    (tmp_path / "plan.json").write_text(flat_plan())
    load(Context(db, TODAY), [tmp_path / "meter.csv", tmp_path / "plan.json"])
    set_home(Context(db, TODAY), postcode="4000")
    test = visit(db, "plans", tab="What if")
    next(choice for choice in test.button_group if choice.key == "whatif").set_value(["An electric vehicle"]).run()
    assert not test.exception
    assert metrics(test)["Extra cost"] == "$49.50"
    assert "Extra cost a year" not in metrics(test)
    assert names(read(test), "20 of 20 days", "28 days")
    assert names(read(test), f"{TODAY.day} {TODAY:%b %Y}")


@pytest.fixture
def home(db: Path, tmp_path: Path) -> Context:
    """12 kWh a day for a year to 31 May 2026 at 33 cents and $1.10 a day; gas as hot water, 100 MJ a day in May."""
    ctx = Context(db, TODAY)
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2025, 6, 1), 365))
    (tmp_path / "plan.json").write_text(flat_plan())
    period = {"dailySupplyCharge": "0.80", "singleRate": {"rates": [{"unitPrice": "0.03"}]}}
    gas = {"planId": "GAS", "fuelType": "GAS", "gasContract": {"timeZone": "AEST", "tariffPeriod": [period]}}
    (tmp_path / "gas.json").write_text(json.dumps(gas))
    load(ctx, [tmp_path / name for name in ("meter.csv", "plan.json", "gas.json")])
    set_home(ctx, postcode="2042", plan_id="FLAT@EME", plan_since=date(2025, 1, 1))
    return ctx


def asked(test: AppTest, *changes: str) -> AppTest:
    test = next(choice for choice in test.button_group if choice.key == "whatif").set_value(list(changes)).run()
    assert not test.exception
    return test


def test_a_home_without_solar_is_led_from_the_menu_to_what_panels_would_save(
    home: Context, visit: Callable[..., AppTest]
) -> None:
    (link,) = (link for link in visit(home.db, "overview").sidebar.get("page_link"))
    assert (link.proto.label, link.proto.query_string) == ("**Would panels pay? →**", "tab=What+if&change=solar")
    test = visit(home.db, "plans", tab="What if", change="solar")
    assert test.number_input(key="solar-kw").label == "Panels to add, kW"
    set_home(home, panels_kw=5.0)
    assert not visit(home.db, "overview").sidebar.get("page_link")


def test_several_changes_are_one_answer(home: Context, visit: Callable[..., AppTest]) -> None:
    """A vehicle's 7.5 kWh a day more; 30 % of six hours' 3 kWh is moved, which a flat plan does not reward."""
    test = asked(visit(home.db, "plans", tab="What if"), "An electric vehicle", "Use at another time")
    assert metrics(test)["Extra cost a year"] == "$903.41"  # 365 × 7.5 × 0.33, each month's bill rounded
    test = test.toggle(key="shift-saved").set_value(True).run()
    assert metrics(test)["Extra cost a year"] == "$794.98"  # less 365 × 0.9 × 0.33, once it is saved


def test_hours_that_are_refused_are_said_below_them_and_the_answer_before_stays(
    home: Context, visit: Callable[..., AppTest]
) -> None:
    """7.5 kWh a day more at $0.33; half an hour at 7 kW takes 3.5 kWh at most."""
    test = asked(visit(home.db, "plans", tab="What if"), "An electric vehicle")
    for ends, said in ((time(0, 30), "choose longer hours"), (time(6), "")):
        test = test.time_input(key="ev-until").set_value(ends).run()
        assert not test.exception
        assert metrics(test)["Extra cost a year"] == "$903.41"
        assert [names(warning.value, said) for warning in test.warning] == [True] * bool(said)
    test.time_input(key="ev-from").set_value(time(6))
    test = test.run()
    assert names(test.warning[0].value, "Choose an end that differs")
    assert test.number_input(key="ev-kwh").value == 7.5
    assert metrics(test)["Extra cost a year"] == "$903.41"


def test_battery_sizes_side_by_side(home: Context, visit: Callable[..., AppTest]) -> None:
    test = asked(visit(home.db, "plans", tab="What if"), "A battery")
    test = test.multiselect(key="sizes").set_value([5.0, 13.5]).run()
    test.number_input(key="size-5").set_value(4000)
    test = test.run()
    assert not test.exception
    table = next(frame.value for frame in test.dataframe if "kwh" in frame.value.columns)
    assert table["kwh"].to_list() == [5.0, 13.5]
    assert table["saving"].to_list() == [0.0, 0.0]  # one price and no sun
    assert table["price"].to_list()[0] == 4000


def test_off_gas(home: Context, visit: Callable[..., AppTest]) -> None:
    """100 MJ × 0.65 ÷ 3 ÷ 3.6 are 6.0185 kWh a day, 186.57 in May at 33 cents, 61.57; gas cost 27.28 + 102.30."""
    add_invoice(home, InvoiceForm("GAS", date(2026, 5, 1), date(2026, 5, 31), "129.58", energy=["3100"]))
    set_home(home, plan_id="GAS", plan_since=date(2025, 1, 1))
    test = asked(visit(home.db, "plans", tab="What if"), "Off gas")
    shown = metrics(test)
    assert shown["Bills before"] == "$286.44"  # 31 × 1.10 + 372 × 0.33, and 129.58
    assert shown["Bills after"] == "$218.43"
