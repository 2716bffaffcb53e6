"""A plan typed from a bill, of which a part was switched on or begun and left empty: it is asked for, not left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.flows.energy.homes import NMI, flat_plan, import_plans
from tests.flows.energy.invoices import read as read_meter
from tests.pages.seen import TODAY, beside, metrics, press
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm

Visit = Callable[..., AppTest]
ONE, BY_TIME = "One price at any time", "Prices by time of day"
TIERS = "Tiers (a price for the first units, another after)"
FORM = "typed-electricity"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """May 2026 at 24 kWh a day."""
    ctx = Context(tmp_path / "home.db", TODAY)
    read_meter(ctx, NMI, date(2026, 5, 1), 31, "0.5")
    return ctx


def sent(test: AppTest, kind: str, more: Sequence[str], typed: Mapping[str, str]) -> AppTest:
    """Fill the form and send it."""
    test.radio(key=f"{FORM}-kind").set_value(kind).run()
    test.button_group(key=f"{FORM}-more").set_value(list(more)).run()
    for field, value in {"name": "Mine", "supply": "100", "price-0": "30", **typed}.items():
        test.text_input(key=f"{FORM}-{field}").input(value)
    return press(test, "Save as my plan")


def plan_of(ctx: Context) -> str | None:
    return homes(ctx).households[0].plan_id


@pytest.mark.parametrize(
    ("kind", "more", "typed", "asked_at"),
    [
        (ONE, ["Demand charge"], {}, "demand-hours"),
        (ONE, ["Demand charge"], {"demand-hours": "3pm-9pm"}, "demand-hours"),
        (ONE, ["Controlled load"], {"load-supply": "5.2"}, "load-rest"),
        (ONE, ["Solar feed-in"], {}, "solar-rest"),
        (ONE, [TIERS], {}, "price-0-tier-1"),
        (ONE, ["Prices by season"], {}, "months-1"),
        (BY_TIME, [], {}, "hours-1"),
    ],
)
def test_what_was_switched_on_is_asked_for_at_its_field(
    ctx: Context, visit: Visit, kind: str, more: list[str], typed: dict[str, str], asked_at: str
) -> None:
    test = sent(visit(ctx.db, "data"), kind, more, typed)
    assert not test.exception
    assert beside(test, f"{FORM}-{asked_at}")
    assert plan_of(ctx) is None
    assert {field: test.text_input(key=f"{FORM}-{field}").value for field in typed} == typed


def test_a_discount_without_its_percentage_is_asked_for(ctx: Context, visit: Visit) -> None:
    test = sent(visit(ctx.db, "data"), ONE, ["Discount"], {})
    assert ["per cent" in warning.value for warning in test.warning] == [True]
    test.checkbox(key=f"{FORM}-earned").check()
    press(test, "Save as my plan")
    assert ["per cent" in warning.value for warning in test.warning] == [True]
    assert test.checkbox(key=f"{FORM}-earned").value
    assert plan_of(ctx) is None


def test_each_part_that_was_left_empty_is_asked_for_at_once(ctx: Context, visit: Visit) -> None:
    """The daily charge of the controlled load is no number, its price is missing; so is that of demand."""
    test = sent(visit(ctx.db, "data"), ONE, ["Controlled load", "Demand charge"], {"load-supply": "five"})
    fields = ("load-rest", "load-supply", "demand-hours")
    assert [len(beside(test, f"{FORM}-{field}")) for field in fields] == [1, 1, 1]


def test_a_season_with_one_price_needs_no_second(ctx: Context, visit: Visit) -> None:
    """May has the price of all months but November to March at any time: 31 days at 1.00, 744 kWh at 0.30."""
    summer = {"price-0": "40", "hours-0": "3pm-9pm", "months-0": "Nov-Mar", "price-1": "20", "months-1": "Nov-Mar"}
    test = visit(ctx.db, "data")
    test.date_input(key=f"{FORM}-since").set_value(date(2026, 1, 1))
    test = sent(test, BY_TIME, ["Prices by season"], {**summer, "price-1-1": "30"})
    assert not test.exception
    assert metrics(visit(ctx.db, "bills", tab="A past bill"))["Total"] == "$254.20"


def test_the_retailer_of_a_bill_that_comes_later_is_chosen(ctx: Context, tmp_path: Path, visit: Visit) -> None:
    import_plans(ctx, tmp_path, *(flat_plan(f"{name}1", "0.30", brandName=name) for name in ("Alpha", "Beta")))
    set_home(ctx, postcode="2000", network="Ausgrid")
    test = visit(ctx.db, "data")
    assert chosen_retailer(test) is None
    add_invoice(ctx, InvoiceForm("ELECTRICITY", date(2026, 5, 1), date(2026, 5, 31), "300", retailer="Beta"))
    assert chosen_retailer(test.run()) == "Beta"


def chosen_retailer(test: AppTest) -> object:
    return next(box.value for box in test.selectbox if box.label == "Retailer")
