"""Even payments in the report: of which meters they are, which one they leave out, and their sum."""

from __future__ import annotations

import csv
import html
import io
import re
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.flows.energy.homes import flat_plan, import_plans
from toolkit.charts.style import aud
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.report.money import NO_ENERGY_PAID
from toolkit.flows.report.stated_lines import StatedLine, add_stated_line
from toolkit.flows.report.write import MadeReport, ReportQuestion, make_report

QUARTERS = [date(2025, 6, 1), date(2025, 9, 1), date(2025, 12, 1), date(2026, 3, 1), date(2026, 6, 1)]
SINGLE = {"rates": [{"unitPrice": "0.02"}], "displayName": "Anytime"}
PERIOD = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharges": "1.00", "singleRate": SINGLE}
GAS = {"planId": "G@EME", "fuelType": "GAS", "gasContract": {"timeZone": "AEST", "tariffPeriod": [PERIOD]}}
LEFT_OUT = "Gas is not included in the even payments."


def made(ctx: Context, *sections: str) -> MadeReport:
    return make_report(ctx, ReportQuestion(sections, per="month"))


def said(ctx: Context, *sections: str) -> str:
    """The words of the report, a line an element."""
    return re.sub(r"\s*\n\s*", "\n", html.unescape(re.sub(r"<[^>]+>", "\n", made(ctx, *sections).page)))


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """A home without a meter file: four bills of each fuel, a plan for electricity alone, and stated pay."""
    ctx = Context(tmp_path / "home.db", date(2026, 6, 20))
    for first, after in pairwise(QUARTERS):
        add_invoice(ctx, InvoiceForm("ELECTRICITY", first, after - timedelta(1), "300", energy=["800"]))
        add_invoice(ctx, InvoiceForm("GAS", first, after - timedelta(1), "150", energy=["3000"]))
    import_plans(ctx, tmp_path, flat_plan("E@EME", "0.30"))
    set_home(ctx, plan_id="E@EME", plan_since=date(2025, 1, 1), postcode="3000")
    add_stated_line(ctx, StatedLine("income", "Pay", "5000", "month"))
    return ctx


def in_table(ctx: Context) -> dict[tuple[str, str], str]:
    """The amounts of even payments in the CSV."""
    rows = csv.DictReader(io.StringIO(made(ctx, "overview").csv))
    return {(row["section"], row["name"]): row["amount"] for row in rows if "even_payment" in row["section"]}


def test_the_table_beside_the_report_names_the_meters_of_the_even_payments(ctx: Context, tmp_path: Path) -> None:
    power = forecast(replace(ctx, service_point="electricity-bills")).even_payments
    assert power is not None
    usual, safe = (str(each.monthly) for each in (power.p50, power.p90))
    alone = {("even_payment", "Electricity"): usual, ("even_payment_p90", "Electricity"): safe}
    assert in_table(ctx) == {**alone, ("even_payment", "Gas"): "", ("even_payment_p90", "Gas"): ""}
    import_plans(ctx, tmp_path, GAS)
    set_home(ctx, plan_id="G@EME", plan_since=date(2025, 1, 1))
    gas = forecast(replace(ctx, service_point="gas-bills")).even_payments
    assert gas is not None
    both = {("even_payment", "Gas"): str(gas.p50.monthly), ("even_payment_p90", "Gas"): str(gas.p90.monthly)}
    assert in_table(ctx) == {**alone, **both}


def test_gas_that_the_bank_alone_shows_is_named_as_missing(tmp_path: Path) -> None:
    """$40.00 each month for gas and $100.00 for electricity, of which there are bills; all from the same retailer."""
    ctx = Context(tmp_path / "home.db", date(2026, 6, 20))
    paid = [f"{day:%d/%m/%Y}" for day in (date(2025, 7, 3), *(date(2025, month, 3) for month in range(8, 13)))]
    paid += [f"03/{month:02}/2026" for month in range(1, 7)]
    rows = [f"{day},-{amount},AGL {what}\n" for day in paid for amount, what in ((40, "GAS"), (100, "ELECTRICITY"))]
    (tmp_path / "bank.csv").write_text("Date,Amount,Description\n" + "".join(rows))
    load(ctx, [tmp_path / "bank.csv"])
    for first, after in pairwise(QUARTERS):
        add_invoice(ctx, InvoiceForm("ELECTRICITY", first, after - timedelta(1), "300", energy=["800"]))
    import_plans(ctx, tmp_path, flat_plan("E@EME", "0.30"))
    set_home(ctx, plan_id="E@EME", plan_since=date(2025, 1, 1), postcode="3000")
    add_stated_line(ctx, StatedLine("income", "Pay", "5000", "month"))

    known = "No gas bill and no gas meter data is stored: it is known from payments alone, $40.00 each month to"
    words = said(ctx, "overview", "year-ahead", "even-payments", "income-expenses")
    assert words.count(f"{LEFT_OUT} {known} AGL") == 3
    assert f"Gas: {known} AGL" in words
    assert "there is room" not in words
    assert in_table(ctx)["even_payment", "Gas"] == ""
    for first, after in pairwise(QUARTERS):
        add_invoice(ctx, InvoiceForm("GAS", first, after - timedelta(1), "150", energy=["3000"]))
    assert known not in said(ctx, "overview", "year-ahead", "even-payments", "income-expenses")


def test_energy_that_no_account_shows_is_not_a_zero(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home.db", date(2026, 6, 20))
    (tmp_path / "bank.csv").write_text("Date,Amount,Description\n03/06/2026,-30.00,WOOLWORTHS 1234\n")
    load(ctx, [tmp_path / "bank.csv"])
    words = said(ctx, "income-expenses")
    assert "\nEnergy\n–\nno payment found\n" in words
    assert NO_ENERGY_PAID in words
    add_stated_line(ctx, StatedLine("expense", "Power, paid by my son", "90", "month", section="energy"))
    assert NO_ENERGY_PAID not in said(ctx, "income-expenses")


def test_charts_and_bills_of_two_fuels_are_told_apart(ctx: Context) -> None:
    page = made(ctx).page
    titles = re.findall(r"<svg[^>]*>\s*<title[^>]*>([^<.]*)", page)
    assert [title for title in titles if title.lower().endswith("energy by month")] == [
        "Electricity: energy by month",
        "Gas: energy by month",
    ]
    assert len(set(titles)) == len(titles)
    assert '<th scope="row">1 Jun 2025 to 31 Aug 2025 (gas)</th>' in page
    assert "about the bill of 1 Jun 2025 to 31 Aug 2025 (electricity)" in page


def test_energy_of_bills_is_not_called_meter_data(ctx: Context) -> None:
    words = said(ctx, "year-ahead", "usage")
    assert "Bills to 31 May 2026." in words
    assert "Meter data to" not in words
    assert "with meter data" not in words


def test_even_payments_say_of_which_meters_they_are(ctx: Context, tmp_path: Path) -> None:
    alone = said(ctx, "overview", "even-payments", "income-expenses")
    assert "Electricity paid evenly each month, for a usual year" in alone
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
    assert "Electricity and gas paid evenly each month, for a usual year" in both
    usual = [power.p50.weekly + gas.p50.weekly, power.p50.fortnightly + gas.p50.fortnightly]
    usual += [power.p50.monthly + gas.p50.monthly, power.year_p50 + gas.year_p50]
    assert "\n".join(("Together, for a usual year", *map(aud, usual))) in both
