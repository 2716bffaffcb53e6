"""A gas home with typed bills alone: the form asks what a gas bill has, and no page shows days that nobody read."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.seen import metrics
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm

Visit = Callable[..., AppTest]
TODAY = date(2026, 6, 20)
BILLS = (
    (date(2025, 12, 1), date(2026, 2, 28), "120.00", "1800"),
    (date(2026, 3, 1), date(2026, 5, 31), "150.00", "3680"),
)
"""First and last day, dollars and MJ: 20 MJ a day in 90 days, then 40 in 92."""


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    ctx = Context(tmp_path / "gas.db", TODAY)
    for first, last, billed, energy in BILLS:
        add_invoice(ctx, InvoiceForm("GAS", first, last, billed, energy=[energy]))
    return ctx


def labels(test: AppTest, key: str) -> list[str]:
    return [field.label.replace("\\", "") for field in test.text_input if (field.key or "").startswith(key)]


@pytest.mark.parametrize(
    ("fuel", "asked", "not_asked"),
    [
        ("GAS", {"Energy used, MJ"}, {"Controlled load, MJ", "Solar exported, MJ"}),
        ("ELECTRICITY", {"Energy used, kWh", "Controlled load, kWh", "Solar exported, kWh"}, set()),
    ],
)
def test_the_form_asks_for_the_energy_that_the_fuel_has(
    tmp_path: Path, visit: Visit, fuel: str, asked: set[str], not_asked: set[str]
) -> None:
    test = visit(tmp_path / "empty.db", "bills")
    test.radio(key="new-bill-0-fuel").set_value(fuel).run()
    shown = set(labels(test, "new-bill-0"))
    assert asked <= shown
    assert not not_asked & shown


def test_a_home_with_gas_alone_is_asked_for_gas_bills(ctx: Context, visit: Visit) -> None:
    assert visit(ctx.db, "bills").radio(key="new-bill-0-fuel").value == "GAS"


def test_the_last_bill_stands_beside_the_one_before(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "overview")
    assert not test.exception
    shown = {metric.label: (metric.value, metric.delta) for metric in test.metric}
    assert shown["Last gas bill"][0] == "$150.00"
    assert shown["Gas a day"][0] == "40.0 MJ"
    assert names(shown["Last gas bill"][1], "25")  # 150 against 120
    assert names(shown["Gas a day"][1], "100")  # 40 MJ against 20


def test_no_day_is_drawn_that_nobody_read(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "usage")
    assert not test.exception
    assert metrics(test)["Used"] == "5,480 MJ"
    (chart,) = test.get("plotly_chart")
    assert chart.proto.id.endswith("-usage-by-month")


def test_the_figures_lead_to_the_bills_that_they_come_from(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "usage", tab="Day by day")
    (reads,) = [frame.value for frame in test.dataframe if {"from", "to", "energy"} <= set(frame.value.columns)]
    shown = reads[["from", "to", "energy"]].itertuples(index=False, name=None)
    assert [(first.isoformat()[:10], last.isoformat()[:10], round(energy, 6)) for first, last, energy in shown] == [
        ("2026-03-01", "2026-05-31", 3680.0),
        ("2025-12-01", "2026-02-28", 1800.0),
    ]


def test_energy_that_is_no_number_is_refused_without_an_internal_name(tmp_path: Path, visit: Visit) -> None:
    test = visit(tmp_path / "empty.db", "bills")
    test.date_input(key="new-bill-0-first").set_value(date(2026, 5, 1))
    test.date_input(key="new-bill-0-last").set_value(date(2026, 5, 31))
    test.text_input(key="new-bill-0-billed").set_value("100")
    test.text_input(key="new-bill-0-general").set_value("1.2.3")
    next(button for button in test.button if button.label == "Save this bill").click().run()
    [warning] = test.warning
    assert "'1.2.3'" in re.sub(r"\\(.)", r"\1", warning.value)  # as it was typed, not as general=1.2.3
    assert test.text_input(key="new-bill-0-general").value == "1.2.3"
