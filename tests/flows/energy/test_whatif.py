"""`whatif`: changed reads through the same engine."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.flows.energy.homes import NMI, flat_plan, metered
from tests.meters import level
from tests.problems import names, places
from toolkit.answers.base import Note
from toolkit.errors import UsageError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.whatif import whatif
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.store import open_store

JULY = {"from_": date(2024, 7, 1), "to": date(2024, 7, 31)}


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return metered(tmp_path)


@pytest.fixture
def time_of_use(tmp_path: Path) -> str:
    """10 c by night, 50 c from 15 to 21 o'clock, 20 c else; GST on top."""
    windows = (("10", "0000", "0600"), ("20", "0600", "1500"), ("50", "1500", "2100"), ("20", "2100", "2359"))
    bands = [
        {"rates": [{"unitPrice": cents}], "type": "PEAK", "timeOfUse": [{"startTime": start, "endTime": end}]}
        for cents, start, end in windows
    ]
    plan = flat_plan("TOU", "30")
    plan["electricityContract"]["tariffPeriod"] = [{"dailySupplyCharge": "90", "timeOfUseRates": bands}]
    path = tmp_path / "tou.json"
    path.write_text(json.dumps(plan))
    return str(path)


def test_a_vehicle_by_night(ctx: Context, time_of_use: str):
    answer = whatif(ctx, "ev", kwh=8, plan=time_of_use, **JULY)
    # 31 × 8 kWh × 0.10 × 1.1
    assert answer.saving == Decimal("-27.28")
    assert answer.before == bill(ctx, BillingQuestion(plan=time_of_use, **JULY)).total
    assert answer.after == answer.before - answer.saving
    assert answer.energy.after.bought_kwh - answer.energy.before.bought_kwh == 248
    assert answer.payback_years is None


def test_gas_bills_beside_the_meter_do_not_need_the_meter_to_be_named(ctx: Context, time_of_use: str):
    alone = whatif(ctx, "ev", kwh=8, plan=time_of_use, **JULY)
    add_invoice(ctx, InvoiceForm("GAS", date(2024, 5, 1), date(2024, 6, 30), "100", energy=["4000"]))
    assert whatif(ctx, "ev", kwh=8, plan=time_of_use, **JULY).saving == alone.saving
    with pytest.raises(UsageError):
        whatif(replace(ctx, service_point="gas-bills"), "ev", kwh=8, plan=time_of_use, **JULY)


def test_half_of_the_peak_moved_and_left_out(ctx: Context, time_of_use: str):
    how = {"share": 0.5, "window": "15:00-21:00", "plan": time_of_use, **JULY}
    # 46.5 of 93 kWh: 51.15 − 25.58 (25.575, rounded) saved at the peak, 46.5 × 0.20 × 1.1 = 10.23 more by day
    assert whatif(ctx, "shift", to_window="10:00-14:00", **how).saving == Decimal("15.34")
    shed = whatif(ctx, "shift", **how)
    assert (shed.saving, shed.components["usage"]) == (Decimal("25.57"), Decimal("25.57"))


def test_a_battery_by_the_tariff_with_its_payback(ctx: Context, time_of_use: str):
    answer = whatif(ctx, "battery", kwh=3, kw=3, efficiency=1.0, price="$1,000", plan=time_of_use, **JULY)
    # filled by night, it gives the 3 kWh of each evening: 31 × 3 × 0.40 × 1.1, less what the first night adds
    assert answer.saving == Decimal("40.92")
    assert answer.yearly == Decimal("481.80")
    assert answer.payback_years == 2.1
    assert answer.assumption_codes == (
        "battery_assumed",
        "battery_tariff",
        "battery_supplies",
        "priced_as_requested",
        "part_of_year",
        "battery_without_foresight",
    )


def test_panels_without_any_of_ones_own(ctx: Context, time_of_use: str):
    answer = whatif(ctx, "solar", kw=3, plan=time_of_use, **JULY)
    assert answer.saving > 0
    assert answer.assumption_codes[0] == "panels_typical"


@pytest.mark.parametrize(
    ("change", "how", "named"),
    [
        ("wind", {}, "'wind'.*battery, solar, ev, shift"),
        ("battery", {}, "--kwh"),
        ("battery", {"kwh": 5, "efficiency": 1.2}, "--efficiency"),
        ("solar", {"kw": -1}, "--kw"),
        ("ev", {"kwh": 80, "kw": 2}, "80 kWh .* 2 kW"),
        ("ev", {"window": "late"}, "--window 'late'"),
        ("shift", {}, "--window"),
        ("shift", {"window": "10:00-11:00", "share": 2}, "--share"),
        ("shift", {"window": "10:00-10:00"}, "--window '10:00-10:00'"),
        ("ev", {"price": "cheap"}, "--price: 'cheap'"),
        ("ev", {"price": "-5"}, "--price"),
        ("battery", {"kwh": 10, "kw": 1e10}, "--kw .*1,000"),
        ("battery", {"kwh": 1e300}, "--kwh .*24,000"),
        ("battery", {"kwh": float("nan")}, "--kwh"),
        ("battery", {"kwh": 10, "efficiency": 1e-9}, r"--efficiency .*0\.01"),
        ("solar", {"kw": 1e20}, "--kw .*1,000"),
        ("solar", {"kw": float("inf")}, "--kw .*1,000"),
        ("ev", {"kwh": 7, "kw": 1e20}, "--kw .*1,000"),
        ("ev", {"kwh": 1e20, "kw": 7}, "--kwh .*24,000"),
    ],
)
def test_a_question_that_makes_no_sense(ctx: Context, time_of_use: str, change: str, how: dict, named: str):
    with pytest.raises(UsageError, match=named):
        whatif(ctx, change, plan=time_of_use, **JULY, **how)


@pytest.mark.parametrize(
    ("change", "how"),
    [
        ("battery", {"kwh": 24_000, "kw": 1000, "efficiency": 0.01}),
        ("solar", {"kw": 1000}),
        ("ev", {"kwh": 6000, "kw": 1000}),
    ],
)
def test_the_most_that_can_be_asked_for_is_answered(ctx: Context, time_of_use: str, change: str, how: dict):
    answer = whatif(ctx, change, plan=time_of_use, **JULY, **how)
    assert answer.after == answer.before - answer.saving
    if change == "ev":
        assert answer.saving == Decimal("-20460.00")  # 31 × 6,000 kWh × 0.10 × 1.1


def test_what_was_left_out_is_listed(ctx: Context, tmp_path: Path):
    """A plan that cannot be read beside the one that is used, and two reads of one dial that share days."""
    plans = tmp_path / "plans"
    plans.mkdir()
    (plans / "good.json").write_text(json.dumps(flat_plan("GOOD", "30")))
    (plans / "bad.json").write_text(json.dumps({"planId": "BAD", "electricityContract": 5}))
    spans = (("20240701", "20240721", "20240801"), ("20240711", "20240801", "20240802"))
    dial = "250,{0},11,1,11,11,M9,E,100,{1},A,,,120,{2},A,,,20,KWH,20241001,{3}000000,"
    rows = [dial.format(NMI, *span) for span in spans]
    (tmp_path / "dial.csv").write_text("\n".join(["100,NEM13,202408020000,MDP,RET", *rows, "900", ""]))
    load(ctx, [tmp_path / "dial.csv"])
    answer = whatif(ctx, "ev", plan=str(plans), **JULY)
    assert places(answer.problems) == [
        ("bad.json:1", "rejected"),
        (f"{NMI} 11 2024-07-01 to 2024-07-20", "warning"),
    ]
    assert answer.problems == bill(ctx, BillingQuestion(plan=str(plans), **JULY)).problems


def test_energy_without_a_price_on_either_side_is_listed(ctx: Context, tmp_path: Path):
    """A price from 06:00 to 24:00 alone: 93 kWh of the month are used by night; a half of them is moved away."""
    plan = flat_plan("DAY", "30")
    window = {"startTime": "0600", "endTime": "2359"}
    day = {"rates": [{"unitPrice": "30"}], "type": "PEAK", "displayName": "Day", "timeOfUse": [window]}
    plan["electricityContract"]["tariffPeriod"] = [{"dailySupplyCharge": "90", "timeOfUseRates": [day]}]
    (tmp_path / "day.json").write_text(json.dumps(plan))
    how = {"window": "00:00-06:00", "to_window": "10:00-12:00", "plan": str(tmp_path / "day.json")}
    said = [problem.reason for problem in whatif(ctx, "shift", share=0.5, **how, **JULY).problems]
    after, before = said
    assert names(after, "46.500 kWh", "2024-07-01", "2024-07-31")
    assert names(before, "93.000 kWh", "2024-07-01", "2024-07-31")
    assert len(whatif(ctx, "shift", share=1, **how, **JULY).problems) == 1


def test_a_partly_read_night_charges_its_part(ctx: Context, time_of_use: str):
    """Reads end on 10 August at midnight AEST, two hours into the window that begins at 22:00 there."""
    range_ = {"from_": date(2024, 8, 9), "to": date(2024, 8, 10)}
    answer = whatif(ctx, "ev", kwh=8, kw=1, window="22:00-06:00", plan=time_of_use, **range_)
    # from 9 August 22:00: 2 + 6 kWh; from 10 August 22:00: 2 of 8 hours, so 2 of 8 kWh; and 6 from the 8th's night
    assert answer.energy.after.bought_kwh - answer.energy.before.bought_kwh == 16
    assert answer.assumptions[1] == Note("vehicle_partly_read", partly=1, days=2, given=2.0, wanted=8.0)


def test_days_without_reads_charge_nothing(ctx: Context, time_of_use: str):
    with open_store(ctx.db) as store, store.transaction():
        store.delete("register_days", {"date": "2024-07-05"})
    answer = whatif(ctx, "ev", kwh=8, plan=time_of_use, **JULY)
    assert answer.energy.after.bought_kwh - answer.energy.before.bought_kwh == 30 * 8
    assert answer.assumptions[1] == Note("vehicle_days_without_reads", without=1, days=31)


def test_a_night_of_daylight_saving_is_a_whole_one(tmp_path: Path, time_of_use: str):
    """6 October 2024: Sydney's clocks leave out 02:00 to 03:00, so five hours are the whole window."""
    ctx = Context(tmp_path / "spring.db", date(2024, 10, 20))
    meter = tmp_path / "spring.csv"
    meter.write_text(level(NMI, date(2024, 10, 1), 12))
    load(ctx, [meter])
    span = {"from_": date(2024, 10, 3), "to": date(2024, 10, 9)}
    answer = whatif(ctx, "ev", kwh=6, kw=1, plan=time_of_use, **span)
    # an hour less on the 6th; on the 9th the next night's first hour lies before midnight on the plan's clock, AEST
    assert answer.energy.after.bought_kwh - answer.energy.before.bought_kwh == 7 * 6 - 1 + 1
    assert answer.assumptions[1] == Note("vehicle_short_nights", kwh=1.0)


@pytest.fixture
def on_demand(tmp_path: Path) -> str:
    """20 c always, and 50 c per kW and day for the highest half hour from 15 to 21 o'clock of a month; GST on top."""
    plan = flat_plan("DEMAND", "20")
    charge = {"amount": "50", "measureUnit": "KW", "startTime": "15:00", "endTime": "21:00"}
    plan["electricityContract"]["tariffPeriod"][0]["demandCharges"] = [charge]
    path = tmp_path / "demand.json"
    path.write_text(json.dumps(plan))
    return str(path)


def test_a_battery_holds_the_demand_of_each_month(ctx: Context, on_demand: str):
    """0.5 kW all day: 1.5 kWh over the six hours take half of it off; nothing is lost on the way."""
    answer = whatif(ctx, "battery", kwh=1.5, kw=2, efficiency=1.0, plan=on_demand, **JULY)
    # 31 days × 0.25 kW × 0.50 × 1.1 = 4.2625, to the watt
    assert float(answer.components["demand"]) == pytest.approx(4.26, abs=0.02)
    assert answer.way == "demand"
    assert [way.way for way in answer.ways] == ["self-consumption", "tariff", "demand"]
    assert [way.saving for way in answer.ways][:2] == [0, 0]
    assert answer.ways[2].saving == answer.saving
    assert Note("battery_lowers_demand", before="0.5", after="0.3") in answer.assumptions
    assert "battery_demand" in answer.assumption_codes
    assert Note("battery_without_foresight", saving=Decimal("0.00")) in answer.assumptions
