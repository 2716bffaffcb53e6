"""A folder of meters on a folder of plans: each pair as one bill would price it, or with a reason."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import toolkit
from tests.meters import level
from tests.problems import names

FIRST, LAST = date(2026, 3, 1), date(2026, 3, 10)


def plan_file(plan_id: str, daily: str, price: str | None) -> dict[str, Any]:
    rates = [{"unitPrice": price}] if price else []
    period = {
        "displayName": "All year",
        "startDate": "01-01",
        "endDate": "12-31",
        "dailySupplyCharge": daily,
        "rateBlockUType": "singleRate",
        "singleRate": {"displayName": "Anytime", "rates": rates},
    }
    contract = {"pricingModel": "SINGLE_RATE", "timeZone": "AEST", "tariffPeriod": [period]}
    head = {"planId": plan_id, "displayName": plan_id.title(), "brandName": "Example", "fuelType": "ELECTRICITY"}
    return {"data": {**head, "lastUpdated": "2026-01-01T00:00:00Z", "electricityContract": contract}}


@pytest.fixture
def priced(tmp_path: Path) -> pl.DataFrame:
    meters, plans = tmp_path / "meters", tmp_path / "plans"
    meters.mkdir()
    plans.mkdir()
    (meters / "one.csv").write_text(level("4103000001", FIRST, 10, "0.5"))
    (meters / "two.csv").write_text(level("4103000002", FIRST, 5))
    for plan in (
        plan_file("DEAR", "1.00", "0.40"),
        plan_file("CHEAP", "1.00", "0.20"),
        plan_file("EMPTY", "1.00", None),
    ):
        (plans / f"{plan['data']['planId']}.json").write_text(json.dumps(plan))
    return toolkit.price_all(toolkit.read_usage(meters), toolkit.read_plans(plans), FIRST, LAST)


def test_every_pair_is_there_cheapest_first_with_its_components(priced: pl.DataFrame) -> None:
    """One: 10 days at $1.00 and 240 kWh; two: 10 days at $1.00 and 60 kWh of five days; each plus 10 % GST."""
    columns = ("service_point_id", "plan_id", "total", "supply", "usage", "missing_share")
    assert priced.filter(pl.col("reason").is_null()).select(columns).rows() == [
        ("4103000001", "CHEAP", Decimal("63.80"), Decimal("11.00"), Decimal("52.80"), 0.0),
        ("4103000001", "DEAR", Decimal("116.60"), Decimal("11.00"), Decimal("105.60"), 0.0),
        ("4103000002", "CHEAP", Decimal("24.20"), Decimal("11.00"), Decimal("13.20"), 0.5),
        ("4103000002", "DEAR", Decimal("37.40"), Decimal("11.00"), Decimal("26.40"), 0.5),
    ]


def test_neither_the_order_of_homes_nor_the_other_homes_change_a_bill(tmp_path: Path) -> None:
    """Two homes at once, in either order, cost what each costs by itself."""
    (tmp_path / "one.csv").write_text(level("4103000001", FIRST, 10, "0.5"))
    (tmp_path / "two.csv").write_text(level("4103000002", FIRST, 5))
    (tmp_path / "plan.json").write_text(json.dumps(plan_file("CHEAP", "1.00", "0.20")))
    plans = toolkit.read_plans(tmp_path / "plan.json")
    one, two = (toolkit.read_usage(tmp_path / name) for name in ("one.csv", "two.csv"))

    def bills(*homes: pl.DataFrame) -> pl.DataFrame:
        return toolkit.price_all(pl.concat(homes), plans, FIRST, LAST).sort("service_point_id")

    assert bills(two, one).equals(bills(one, two))
    assert pl.concat([bills(one), bills(two)]).equals(bills(one, two))


def test_what_cannot_be_priced_is_listed_with_its_reason(priced: pl.DataFrame) -> None:
    unpriced = priced.filter(pl.col("reason").is_not_null())
    assert unpriced["plan_id"].to_list() == ["EMPTY", "EMPTY"]
    assert unpriced["total"].to_list() == [None, None]
    assert all(unpriced["reason"])


def test_a_pair_without_reads_has_no_total(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(level("4103000001", FIRST, 10, "0.5"))
    (tmp_path / "plan.json").write_text(json.dumps(plan_file("CHEAP", "1.00", "0.20")))
    reads, plans = toolkit.read_usage(tmp_path / "one.csv"), toolkit.read_plans(tmp_path / "plan.json")
    (row,) = toolkit.price_all(reads, plans, date(2025, 1, 1), date(2025, 1, 31)).rows(named=True)
    assert row["total"] is None
    assert row["reason"]


def test_plans_of_another_fuel_are_listed_and_the_others_priced(tmp_path: Path) -> None:
    """10 days at $1.00 and 240 kWh at 20 c, plus 10 % GST."""
    (tmp_path / "one.csv").write_text(level("4103000001", FIRST, 10, "0.5"))
    gas = {"planId": "GAS", "displayName": "Warm", "fuelType": "GAS", "gasContract": {"tariffPeriod": []}}
    plans = tmp_path / "plans"
    plans.mkdir()
    for number, plan in enumerate((gas, plan_file("CHEAP", "1.00", "0.20"))):
        (plans / f"{number}.json").write_text(json.dumps(plan))
    rows = toolkit.price_all(toolkit.read_usage(tmp_path / "one.csv"), toolkit.read_plans(plans), FIRST, LAST)
    assert rows.select("plan_id", "name", "total", "missing_share").rows() == [
        ("CHEAP", "Cheap", Decimal("63.80"), 0.0),
        ("GAS", "Warm", None, None),
    ]
    cheap, gas_reason = rows["reason"]
    assert (cheap, names(gas_reason, "electricity")) == (None, True)


def test_a_pair_without_a_supply_charge_has_no_total(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(level("4103000001", FIRST, 10, "0.5"))
    (tmp_path / "plan.json").write_text(json.dumps(plan_file("BARE", "", "0.20")))
    reads, plans = toolkit.read_usage(tmp_path / "one.csv"), toolkit.read_plans(tmp_path / "plan.json")
    (row,) = toolkit.price_all(reads, plans, FIRST, LAST).rows(named=True)
    assert row["total"] is None
    assert names(row["reason"], "10")
