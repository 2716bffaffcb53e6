"""Even payments in the report: of which meters they are, which one they leave out, and their sum."""

from __future__ import annotations

import html
import re
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

from msgspec.structs import replace

from tests.flows.energy.homes import flat_plan, import_plans
from toolkit.charts.style import aud
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.report.stated_lines import StatedLine, add_stated_line
from toolkit.flows.report.write import ReportQuestion, make_report

QUARTERS = [date(2025, 6, 1), date(2025, 9, 1), date(2025, 12, 1), date(2026, 3, 1), date(2026, 6, 1)]
SINGLE = {"rates": [{"unitPrice": "0.02"}], "displayName": "Anytime"}
PERIOD = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharges": "1.00", "singleRate": SINGLE}
GAS = {"planId": "G@EME", "fuelType": "GAS", "gasContract": {"timeZone": "AEST", "tariffPeriod": [PERIOD]}}
LEFT_OUT = "Gas is not included in the even payments."


def said(ctx: Context, *sections: str) -> str:
    """The words of the report, a line an element."""
    page = make_report(ctx, ReportQuestion(sections, per="month")).page
    return re.sub(r"\s*\n\s*", "\n", html.unescape(re.sub(r"<[^>]+>", "\n", page)))


def test_even_payments_say_of_which_meters_they_are(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home.db", date(2026, 6, 20))
    for first, after in pairwise(QUARTERS):
        add_invoice(ctx, InvoiceForm("ELECTRICITY", first, after - timedelta(1), "300", energy=["800"]))
        add_invoice(ctx, InvoiceForm("GAS", first, after - timedelta(1), "150", energy=["3000"]))
    import_plans(ctx, tmp_path, flat_plan("E@EME", "0.30"))
    set_home(ctx, plan_id="E@EME", plan_since=date(2025, 1, 1), postcode="3000")
    add_stated_line(ctx, StatedLine("income", "Pay", "5000", "month"))

    alone = said(ctx, "overview", "even-payments", "income-expenses")
    assert "Electricity paid evenly each month: enough in a usual year" in alone
    assert "Energy paid evenly" not in alone
    assert alone.count(LEFT_OUT) == 3  # in each of the sections
    assert "Even payments for electricity of $" in alone
    assert "there is room" not in alone  # for gas as well, nobody can say
    assert "Together" not in alone

    import_plans(ctx, tmp_path, GAS)
    set_home(ctx, plan_id="G@EME", plan_since=date(2025, 1, 1))
    power, gas = (forecast(replace(ctx, service_point=id_)).even_payments for id_ in ("electricity-bills", "gas-bills"))
    assert power is not None
    assert gas is not None
    both = said(ctx, "overview", "even-payments", "income-expenses")
    assert LEFT_OUT not in both
    assert "Even payments for electricity and gas of $" in both
    assert ", and there is room for them." in both
    assert "Electricity and gas paid evenly each month: enough in a usual year" in both
    usual = [power.p50.weekly + gas.p50.weekly, power.p50.fortnightly + gas.p50.fortnightly]
    usual += [power.p50.monthly + gas.p50.monthly, power.year_p50 + gas.year_p50]
    assert "\n".join(("Together, for a usual year", *map(aud, usual))) in both
