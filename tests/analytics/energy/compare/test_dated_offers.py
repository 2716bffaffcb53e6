"""Whose dates carry a year: on any plan but the household's own, the year of the reads makes no difference."""

from __future__ import annotations

import json
import os
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.analytics.energy.bills.built import flat, meter_days, reads_frame
from tests.command_line import Run, command_line
from tests.meters import level
from toolkit.analytics.energy.bills import Options, Period, prepare, price
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.rates import compile_plan
from toolkit.analytics.energy.rates.compile import compile_for_store
from toolkit.tables.rows.plans import read_plan

EXAMPLES = int(os.environ.get("BILL_EXAMPLES", "150"))
YEARS = range(2022, 2029)
REGISTERS = {"general": "0.5", "controlled": "0.25", "export": "0.125"}

day = st.dates(date(2022, 6, 1), date(2028, 6, 30))
lengths = st.sampled_from([30, 180, 363, 364, 365, 366, 700, 2000])


@st.composite
def dates(draw: st.DrawFn) -> dict[str, str]:
    first = draw(day)
    ends = {"start_date": str(first), "end_date": str(first + timedelta(draw(lengths)))}
    seasons = [{"start_date": "04-01", "end_date": "09-30"}, {"start_date": "04-20", "end_date": "04-09"}, {}]
    return draw(st.sampled_from([ends, ends, ends, {"start_date": ends["start_date"]}, *seasons]))


prices = st.sampled_from(["0.05", "0.11", "0.30"])
loads = st.builds(lambda p, d: {"single_rate": {"rates": [{"unit_price": p}]}, **d}, prices, dates())
feed_ins = st.builds(
    lambda p, w, d: {"single_tariff": {"rates": [{"unit_price": p, **w}]}, "payer_type": "RETAILER", **d},
    prices,
    st.sampled_from([{}, {"volume": "2"}]),
    dates(),
)
discounts = st.builds(
    lambda r, d: {"type": "GUARANTEED", "method_u_type": "percentOfUse", "percent_of_use": {"rate": r}, **d},
    st.sampled_from(["0.10", "0.05"]),
    dates(),
)
contracts = st.builds(
    lambda c, f, d: flat("0.20", supply="1.00", controlled_load=c, solar_feed_in_tariff=f, discounts=d),
    st.lists(loads, max_size=3),
    st.lists(feed_ins, max_size=3),
    st.lists(discounts, max_size=2),
)


@cache
def usage_of(year: int) -> Any:
    """The same every day from 31 March to 1 June, in clock time without daylight saving."""
    rows = [row for role, kwh in REGISTERS.items() for row in meter_days(date(year, 3, 31), 62, kwh, role=role)]
    return prepare(reads_frame(rows), zone="Australia/Brisbane")


@pytest.mark.slow
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
@given(contracts, day)
def test_the_same_reads_cost_the_same_in_any_year_by_both_engines(contract: dict[str, Any], today: date):
    plan = read_plan({"plan_id": "P", "electricity_contract": contract})
    rates = compile_plan(plan, "ELECTRICITY", on=today)
    stored = compile_for_store(plan, "ELECTRICITY")
    assert stored.by_day[stored.number_on(today)] == rates
    amounts = set()
    for year in YEARS:
        usage = usage_of(year)
        periods = [Period(date(year, 4, 1), date(year, 4, 30)), Period(date(year, 5, 1), date(year, 5, 31))]
        bill = price(usage, rates, periods)
        assert price_market(Market.of([rates]), usage, periods, Options()).totals.tolist() == [bill.total_minor]
        amounts.add(tuple(sorted(bill.components_minor().items())))
    assert len(amounts) == 1


def offered(plan_id: str, **more: Any) -> dict[str, Any]:
    """$1.10 a day, general use 33 c, controlled load 11 c with GST, the last dated 2024."""
    single = {"rateBlockUType": "singleRate", "singleRate": {"rates": [{"unitPrice": "0.30"}]}}
    single["dailySupplyCharge"] = "1.00"
    load = {"rateBlockUType": "singleRate", "singleRate": {"rates": [{"unitPrice": "0.10"}]}}
    dated = {"startDate": "2024-01-01", "endDate": "2024-12-31", **load}
    contract = {"tariffPeriod": [single], "controlledLoad": [dated]}
    geography = {"distributors": ["Ausgrid"], "includedPostcodes": ["2000"]}
    named = {"planId": plan_id, "displayName": plan_id, "fuelType": "ELECTRICITY", "geography": geography}
    return {**named, "electricityContract": contract, **more}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """10 kWh of controlled load a day in March 2026, the plans A and B; the home is on A."""
    monkeypatch.setenv("TOOLKIT_DB", str(tmp_path / "home.db"))
    call = command_line(monkeypatch, capsys)
    meter, plans = tmp_path / "meter.csv", tmp_path / "plans.json"
    meter.write_text(level("4103000001", date(2026, 2, 28), 33, str(10 / 48), suffix="E2"))
    plans.write_text(json.dumps([offered("A"), offered("B")]))
    call("import", meter, "--controlled-load", "E2")
    call("import", plans)
    call("household", "set", "--plan", "A", "--postcode", "2000")
    return call


MARCH = ("--from", "2026-03-01", "--to", "2026-03-31", "--today", "2026-04-05", "--json")


@pytest.mark.slow
def test_by_command_another_plans_dates_are_no_limit_and_the_own_ones_are(run: Run):
    components = {plan: run("bill", "--plan", plan, *MARCH).json["components"] for plan in ("A", "B")}
    supply = {"supply": "34.10"}
    assert components == {"A": supply | {"usage": "102.30"}, "B": supply | {"controlled_load": "34.10"}}  # of 310 kWh
    answer = run("compare", *MARCH).json
    assert {row["plan_id"]: row["total"] for row in answer["plans"]} == {"A": "136.40", "B": "68.20"}
    assert answer["current"]["total"] == run("bill", *MARCH).json["total"] == "136.40"


@pytest.mark.slow
def test_no_saving_rests_on_days_that_todays_plan_has_no_controlled_load_price_for(run: Run):
    """A and B have the same prices: without A's controlled load on 1 March the difference would be a false saving."""
    answer = run("compare", *MARCH).json
    assert {row["plan_id"]: row["saving"] for row in answer["plans"]} == {"A": None, "B": None}
    assert "current_plan_dated" in answer["note_codes"]
    run("household", "set", "--plan", "B")
    assert {row["saving"] for row in run("compare", *MARCH).json["plans"]} == {None}


@pytest.mark.slow
def test_a_saving_is_shown_where_todays_plan_covers_the_days(run: Run, tmp_path: Path):
    cheaper = offered("C")
    cheaper["electricityContract"]["tariffPeriod"][0]["dailySupplyCharge"] = "0.90"
    lasting = offered("D")
    lasting["electricityContract"]["controlledLoad"][0]["endDate"] = "2026-12-31"
    (tmp_path / "more.json").write_text(json.dumps([cheaper, lasting]))
    run("import", tmp_path / "more.json")
    run("household", "set", "--plan", "D")
    savings = {row["plan_id"]: row["saving"] for row in run("compare", *MARCH).json["plans"]}
    assert (savings["C"], savings["D"]) == ("3.41", "0.00")  # 31 days × 10 c × 1.1
