"""A home with power and gas: both on the first page, and a page for each that says where its figures are from."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace
from streamlit.testing.v1 import AppTest

from tests.flows.energy.homes import flat_plan, import_plans
from tests.pages.seen import metrics
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm

Visit = Callable[..., AppTest]
QUARTERS = [date(2025, 6, 1), date(2025, 9, 1), date(2025, 12, 1), date(2026, 3, 1), date(2026, 6, 1)]


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """Four typed gas bills and nothing else, on the only gas plan."""
    ctx = Context(tmp_path / "gas.db", date(2026, 6, 20))
    for first, after, energy in zip(QUARTERS, QUARTERS[1:], ("9200", "5460", "1800", "3680"), strict=False):
        add_invoice(ctx, InvoiceForm("GAS", first, after - timedelta(1), "150", energy=[energy]))
    single = {"rates": [{"unitPrice": "0.02"}], "displayName": "Anytime"}
    period = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharges": "1.00", "singleRate": single}
    gas = {"planId": "G@EME", "fuelType": "GAS", "gasContract": {"timeZone": "AEST", "tariffPeriod": [period]}}
    import_plans(ctx, tmp_path, gas)
    set_home(ctx, plan_id="G@EME", plan_since=date(2025, 1, 1), postcode="3000")
    return ctx


@pytest.mark.parametrize("page", ["overview", "bills", "too-high", "plans", "usage", "solar"])
def test_a_gas_home_with_bills_alone_sees_every_page(ctx: Context, visit: Visit, page: str) -> None:
    test = visit(ctx.db, page)
    assert not test.exception
    assert not test.error
    shown = [metric.label for metric in test.metric]
    assert "Meter data" not in shown
    if page == "overview":
        assert {"Next gas bill", "Gas a day"} <= set(shown)


def test_bills_have_a_tab_for_each_subject(ctx: Context, visit: Visit) -> None:
    assert len(visit(ctx.db, "bills").tabs) == 4


def test_both_fuels_and_their_sum(ctx: Context, tmp_path: Path, visit: Visit) -> None:
    for first, after in pairwise(QUARTERS):
        add_invoice(ctx, InvoiceForm("ELECTRICITY", first, after - timedelta(1), "300", energy=["800"]))
    meters = "electricity-bills", "gas-bills"
    unpriced = visit(ctx.db, "overview")  # the gas plan alone prices no power
    assert not unpriced.exception
    assert "Power and gas" not in metrics(unpriced)
    import_plans(ctx, tmp_path, flat_plan("E@EME", "0.30"))
    set_home(ctx, plan_id="E@EME", plan_since=date(2025, 1, 1))
    power, gas = (forecast(replace(ctx, service_point=meter)).p50 for meter in meters)
    assert power is not None
    assert gas is not None
    test = visit(ctx.db, "overview")
    assert not test.exception
    assert f"{power + gas:,.2f}" in metrics(test)["Power and gas"]
    drawn = [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in test.get("plotly_chart")]
    titles = [title for title in drawn if "nergy by month" in title]
    assert titles == ["Electricity: energy by month", "Gas: energy by month"]
