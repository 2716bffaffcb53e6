"""`import toolkit`: the whole public list, what renamed names do, and that answers are those of the commands."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

import toolkit
from tests.meters import flat_plan, level
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.energy.solar import ServicePointSolar
from toolkit.answers.energy.usage import ServicePointUsage

PUBLIC = """
    FrameError InputWarning backtest carbon cashflow chart classify compare compile_plan demo_database forecast
    load_duration open_store over_households plans_frame price price_all read_balances read_plans
    read_transactions read_usage reads reconcile recurring sample sample_plans solar spending table transactions
    typical_days usage usage_costs whatif
"""
NMI = "4103000001"


@pytest.fixture
def reads(tmp_path: Path) -> pl.DataFrame:
    """12 kWh in and 6 kWh out, evenly, on each of 100 days."""
    for suffix, value in (("E1", "0.25"), ("B1", "0.125")):
        (tmp_path / f"{suffix}.csv").write_text(level(NMI, date(2026, 1, 1), 100, value, suffix))
    return toolkit.read_usage(*sorted(tmp_path.glob("*.csv")))


def test_the_public_names_are_these() -> None:
    assert dir(toolkit) == PUBLIC.split()
    assert all(callable(getattr(toolkit, name)) for name in dir(toolkit))


@pytest.mark.parametrize(
    ("old", "new"), [("next_bill", "forecast"), ("service_point_usage", "usage"), ("InputProblem", "InputWarning")]
)
def test_a_renamed_name_warns_with_the_new_one(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"toolkit.{new}"):
        assert getattr(toolkit, old) is getattr(toolkit, new)


def test_the_old_name_of_the_zone_of_meter_files_warns(tmp_path: Path) -> None:
    """A table of local times: 1 January 2026, 00:00 in Perth (UTC+8) is 31 December, 16:00 UTC."""
    hours = "".join(f"01/01/2026 {hour:02}:00,1.0\n" for hour in range(24))
    (tmp_path / "usage.csv").write_text(f"Start,kWh\n{hours}")
    reads = toolkit.read_usage(tmp_path / "usage.csv", zone="Australia/Perth")
    assert str(reads.filter(pl.col("energy_nano") > 0)["starts_at"].min()) == "2025-12-31 16:00:00+00:00"
    with pytest.warns(DeprecationWarning, match="zone="):
        again = toolkit.read_usage(tmp_path / "usage.csv", timezone="Australia/Perth")
    assert again.equals(reads)


def test_any_other_name_is_unknown() -> None:
    with pytest.raises(AttributeError, match="prise"):
        getattr(toolkit, "prise")  # noqa: B009 - mypy refuses toolkit.prise


def test_a_line_that_is_left_out_is_warned_about(tmp_path: Path) -> None:
    (tmp_path / "plans.json").write_text(json.dumps([{"planId": "BAD", "electricityContract": 5}]))
    with pytest.warns(toolkit.InputWarning, match="electricity"):
        assert toolkit.read_plans(tmp_path / "plans.json") == []


def test_spending_is_that_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text('01/02/2026,"-45.60","SHOP","+1954.40"\n03/03/2026,"-4.40","CAFE","+1950.00"\n')
    transactions, accounts = toolkit.read_transactions(tmp_path / "bank.csv")
    answer = toolkit.spending(transactions, accounts, months=True, people=["Jo Citizen"])
    assert (answer.spent, [row.month for row in answer.rows]) == (Decimal("50.00"), ["2026-02", "2026-03"])
    assert toolkit.table(answer)["spent"].to_list() == [Decimal("50.00")]
    with toolkit.open_store(str(tmp_path / "new.db")) as store:
        assert store.count("transactions") == 0
    assert toolkit.classify(transactions, accounts).rows.height == 2


def test_usage_solar_and_forecast_answer_as_the_commands_do(reads: pl.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(flat_plan())
    (plan,) = toolkit.read_plans(tmp_path / "plan.json")
    used = toolkit.usage(reads)
    assert isinstance(used, ServicePointUsage)
    assert (used.service_point_id, used.fuel, used.import_kwh, used.export_kwh) == (NMI, "ELECTRICITY", 1200.0, 600.0)
    solar = toolkit.solar(reads, panels_kw=5.0, plan=plan)
    assert isinstance(solar, ServicePointSolar)
    assert (solar.export_kwh, solar.valued_on_plan) == (600.0, plan.plan_id)
    assert solar.feed_in_value is not None
    assert toolkit.solar(reads, panels_kw=5.0).feed_in_value is None
    bill = toolkit.forecast(reads, plan, today=date(2026, 4, 11))
    assert isinstance(bill, Forecast)
    assert (bill.service_point_id, bill.plan_id) == (NMI, plan.plan_id)
    assert (bill.period.from_, bill.period.to) == (date(2026, 4, 1), date(2026, 4, 30))
    april = toolkit.price(reads, plan, date(2026, 4, 1), date(2026, 4, 10))
    assert (bill.certain or Decimal(0)) > Decimal(april.total_minor) / 100  # and the supply of the other days
