"""Homes without meter data: the energy on typed bills is what is priced, compared and forecast, and said to be so."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from tests.flows.energy.homes import NMI, flat_plan, import_plans
from tests.flows.energy.invoices import read
from toolkit.analytics.energy.intervals.billed import BILLED
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.energy.usage import usage
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import holdings
from toolkit.flows.household.settings import set_home
from toolkit.flows.invoices.edit import add_invoice, edit_invoice, remove_invoice
from toolkit.flows.invoices.form import InvoiceForm

TODAY = date(2026, 3, 20)
QUARTERS = [date(2025, 3, 1), date(2025, 6, 1), date(2025, 9, 1), date(2025, 12, 1), date(2026, 3, 1)]


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", TODAY)


def gas_plan(plan_id: str, cents: str) -> dict[str, object]:
    rate = {"rates": [{"unitPrice": cents}], "displayName": "Anytime"}
    period = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharges": "1.00", "singleRate": rate}
    return {"planId": plan_id, "fuelType": "GAS", "gasContract": {"timeZone": "AEST", "tariffPeriod": [period]}}


def type_a_year(ctx: Context, fuel: str, *energies: list[str]) -> list[str]:
    """Add a bill for each quarter from March 2025 to February 2026; return their ids."""
    added = []
    for first, after, energy in zip(QUARTERS, QUARTERS[1:], energies, strict=False):
        form = InvoiceForm(fuel=fuel, from_=first, to=after - timedelta(1), billed="100", energy=energy)
        added.append(add_invoice(ctx, form).changed or "")
    return added


def test_a_gas_home_with_typed_bills_and_nothing_else(ctx: Context, tmp_path: Path) -> None:
    """0.02 a MJ and 1.00 a day, each with GST: winter's 9200 MJ in 92 days are 202.40 + 101.20."""
    type_a_year(ctx, "GAS", ["3680"], ["9200"], ["5460"], ["1800"])
    import_plans(ctx, tmp_path, gas_plan("MINE@EME", "0.02"), gas_plan("CHEAP@EME", "0.01"))
    set_home(ctx, plan_id="MINE@EME", plan_since=date(2025, 1, 1), postcode="3000")
    assert holdings(ctx).meter

    winter = bill(ctx, BillingQuestion(date(2025, 6, 1), date(2025, 8, 31)))
    assert (winter.total, winter.unit, winter.missing_share) == (Decimal("303.60"), "MJ", 0)
    assert "energy_from_bills" in winter.note_codes

    latest = bill(ctx)
    assert (latest.from_, latest.to, latest.total) == (date(2025, 12, 1), date(2026, 2, 28), Decimal("138.60"))

    best = compare(ctx, BillingQuestion(), PlanFilters()).plans[0]
    # 365 days with 20140 MJ: half of 0.022 a MJ is saved
    assert (best.plan_id, best.saving) == ("CHEAP@EME", Decimal("221.54"))

    (point,) = usage(ctx).service_points
    assert (point.fuel, point.registers[0].quality[BILLED], point.coverage) == ("GAS", 365, 1.0)


def test_the_next_gas_bill_comes_from_earlier_ones(ctx: Context, tmp_path: Path) -> None:
    type_a_year(ctx, "GAS", ["3680"], ["9200"], ["5460"], ["1800"])
    import_plans(ctx, tmp_path, gas_plan("MINE@EME", "0.02"))
    set_home(ctx, plan_id="MINE@EME", plan_since=date(2025, 1, 1))
    ahead = forecast(ctx)
    assert (ahead.period.from_, ahead.period.to, ahead.period.source) == (
        *(date(2026, 3, 1), date(2026, 5, 31)),
        "invoices",
    )
    assert ahead.certain == Decimal("101.20")  # 92 days of supply
    assert ahead.p50 is not None
    assert ahead.p50 > ahead.certain
    assert (ahead.backtest.origins, ahead.p10, ahead.p90) == (3, None, None)  # those with a bill before them
    assert "energy_from_bills" in ahead.note_codes


def test_bills_of_two_seasons_are_no_lasting_change_of_use(ctx: Context, tmp_path: Path) -> None:
    """100, 33 and 50 MJ a day: the winter ahead is dearer than the bill before it, as that of last year was."""
    spans = (
        ("2025-06-01", "2025-09-30", "12000"),
        ("2025-10-01", "2026-01-31", "4000"),
        ("2026-02-01", "2026-05-31", "6000"),
    )
    for first, last, energy in spans:
        add_invoice(
            ctx, InvoiceForm("GAS", date.fromisoformat(first), date.fromisoformat(last), "300", energy=[energy])
        )
    import_plans(ctx, tmp_path, gas_plan("MINE@EME", "0.02"))
    set_home(ctx, plan_id="MINE@EME", plan_since=date(2025, 1, 1))
    later = Context(ctx.db, date(2026, 6, 20))
    ahead = forecast(later)
    before = bill(later, BillingQuestion(date(2026, 2, 1), date(2026, 5, 31)))
    assert ahead.change is None
    assert (ahead.period.from_, ahead.period.to) == (date(2026, 6, 1), date(2026, 9, 30))
    assert ahead.p50 is not None
    assert ahead.p50 > before.total


def test_a_bill_is_checked_with_its_own_energy(ctx: Context, tmp_path: Path) -> None:
    first, *_ = type_a_year(ctx, "GAS", ["3680"])
    import_plans(ctx, tmp_path, gas_plan("MINE@EME", "0.02"))
    set_home(ctx, plan_id="MINE@EME", plan_since=date(2025, 1, 1))
    edit_invoice(ctx, first, InvoiceForm(billed="182.16"))  # 3680 × 0.022 + 92 × 1.10
    (checked,) = reconcile(ctx).invoices
    assert (checked.verdict, checked.recomputed) == ("agrees", Decimal("182.16"))


def test_electricity_by_use_on_a_flat_plan_with_controlled_load(ctx: Context, tmp_path: Path) -> None:
    """90 days from December: general 900 + 450 at 33 c, controlled load 180 at 11 c, supply 99 c a day."""
    energy = ["peak=900", "off-peak=450", "controlled load=180", "solar=10"]
    type_a_year(ctx, "ELECTRICITY", ["1"], ["1"], ["1"], energy)
    plan = flat_plan("FLAT@EME", "30")
    plan["electricityContract"]["controlledLoad"] = [{"singleRate": {"rates": [{"unitPrice": "10"}]}}]
    import_plans(ctx, tmp_path, plan)
    priced = bill(ctx, BillingQuestion(plan="FLAT@EME"))
    assert {name: amount for name, amount in priced.components.items() if amount} == {
        "supply": Decimal("89.10"),
        "usage": Decimal("445.50"),
        "controlled_load": Decimal("19.80"),
    }


def test_a_plan_by_time_of_use_needs_meter_data(ctx: Context, tmp_path: Path) -> None:
    type_a_year(ctx, "ELECTRICITY", ["1000"], ["1000"], ["1000"], ["1000"])
    bands = [
        {"type": name, "rates": [{"unitPrice": price}], "timeOfUse": [{"days": DAYS, "startTime": a, "endTime": b}]}
        for name, price, a, b in (("PEAK", "40", "15:00", "21:00"), ("OFF_PEAK", "20", "21:00", "15:00"))
    ]
    period = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharges": "90", "timeOfUseRates": bands}
    timed = {"planId": "TIMED@EME", "fuelType": "ELECTRICITY", "electricityContract": {"tariffPeriod": [period]}}
    import_plans(ctx, tmp_path, timed, flat_plan("FLAT@EME", "30"), flat_plan("LOW@EME", "25"))
    set_home(ctx, plan_id="FLAT@EME", plan_since=date(2025, 1, 1), postcode="2000")
    answer = compare(ctx, BillingQuestion(), PlanFilters())
    assert [plan.plan_id for plan in answer.plans] == ["LOW@EME", "FLAT@EME"]
    assert [plan.plan_id for plan in answer.unpriced] == ["TIMED@EME"]


DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]


def test_meter_data_takes_the_place_of_the_bills(ctx: Context, tmp_path: Path) -> None:
    type_a_year(ctx, "ELECTRICITY", ["1000"], ["1000"], ["1000"], ["1000"])
    assert [point.service_point_id for point in usage(ctx).service_points] == ["electricity-bills"]
    read(ctx, NMI, date(2026, 2, 1), 10, "0.5")
    (point,) = usage(ctx).service_points
    assert (point.service_point_id, point.from_, point.used) == (NMI, date(2026, 2, 1), 240.0)
    assert BILLED not in point.registers[0].quality


def test_bills_of_named_meters_are_apart_and_go_with_the_bill(ctx: Context) -> None:
    first, *_ = type_a_year(ctx, "GAS", ["3680"])
    edit_invoice(ctx, first, InvoiceForm(service_point="5310 1234 567"))
    type_a_year(ctx, "ELECTRICITY", ["1000"])
    assert [point.service_point_id for point in usage(ctx).service_points] == ["53101234567", "electricity-bills"]
    remove_invoice(ctx, first)
    assert [point.service_point_id for point in usage(ctx).service_points] == ["electricity-bills"]


def test_a_bill_without_energy_is_no_meter(ctx: Context) -> None:
    add_invoice(ctx, InvoiceForm(fuel="GAS", from_=QUARTERS[0], to=QUARTERS[1] - timedelta(1), billed="100"))
    assert usage(ctx).service_points == ()
    assert not holdings(ctx).meter
