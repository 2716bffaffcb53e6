"""`compare`: every plan on the home's own reads, to the cent what `bill` gives."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.bills.test_bill_flow import TODAY, flat_plan, import_plans, nem12
from toolkit.errors import StoreError
from toolkit.flows.bill import bill
from toolkit.flows.compare import compare
from toolkit.flows.context import Context
from toolkit.flows.homes import set_home
from toolkit.flows.load import load

NMI = "NZZZ000001"  # of no network that the number tells


def plan(plan_id: str, cents: str, *networks: str, **more: object) -> dict[str, object]:
    return flat_plan(plan_id, cents, geography={"distributors": list(networks), "includedPostcodes": ["2000"]}, **more)


def demand_plan() -> dict[str, object]:
    made = plan("DEMAND", "10", "Ausgrid")
    charge = {"amount": "20", "startTime": "0000", "endTime": "0000", "days": []}
    made["electricityContract"]["tariffPeriod"][0]["demandCharges"] = [charge]
    return made


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """12 kWh a day from 15 May to 10 August 2024, and six stored plans."""
    ctx = Context(tmp_path / "home.db", TODAY)
    meter = tmp_path / "meter.csv"
    meter.write_text(nem12(NMI, date(2024, 5, 15), 88))
    load(ctx, [meter])
    discount = {"type": "CONDITIONAL", "methodUType": "percentOfBill", "percentOfBill": {"rate": "0.10"}}
    cheap = plan("B-CHEAP", "20", "Ausgrid", customerType="RESIDENTIAL")
    cheap["electricityContract"]["discounts"] = [discount]
    import_plans(
        ctx,
        tmp_path,
        plan("A-DEAR", "40", "Ausgrid", customerType="RESIDENTIAL"),
        cheap,
        plan("C-BUSINESS", "25", "Ausgrid", customerType="BUSINESS"),
        plan("D-ELSEWHERE", "15", "Energex"),
        demand_plan(),
        {"planId": "GAS", "fuelType": "GAS", "gasContract": {"tariffPeriod": []}},
    )
    return ctx


JUNE_AND_JULY = {"from_": date(2024, 6, 1), "to": date(2024, 7, 31)}


def test_cheapest_first_and_what_bill_gives(ctx: Context):
    answer = compare(ctx, network="Ausgrid", top=0, **JUNE_AND_JULY)
    assert [row["plan_id"] for row in answer["plans"]] == ["B-CHEAP", "C-BUSINESS", "A-DEAR"]
    assert (answer["priced"], answer["other_networks"]) == (3, 1)
    for row in answer["plans"]:
        alone = bill(ctx, plan=row["plan_id"], **JUNE_AND_JULY)
        assert (row["total"], row["components"]) == (alone["total"], alone["components"])


def test_a_plan_that_cannot_be_priced_whole_is_not_ranked(ctx: Context):
    (entry,) = compare(ctx, network="Ausgrid", **JUNE_AND_JULY)["unpriced"]
    assert entry["plan_id"] == "DEMAND"
    assert "no window" in entry["reason"]
    assert entry["total"] == bill(ctx, plan="DEMAND", **JUNE_AND_JULY)["total"]


def test_filters(ctx: Context):
    def ids(**how: object) -> list[str]:
        return [row["plan_id"] for row in compare(ctx, top=0, **JUNE_AND_JULY, **how)["plans"]]

    assert ids(network="Energex") == ["D-ELSEWHERE"]
    assert ids(network="ausgrid", customer="residential") == ["B-CHEAP", "A-DEAR"]
    assert ids(network="Ausgrid", postcode="2001") == []
    assert len(ids(network="Ausgrid", postcode="2000")) == 3
    assert len(compare(ctx, network="Ausgrid", top=1, **JUNE_AND_JULY)["plans"]) == 1


def test_an_unknown_network_is_said_and_answered_by_network(ctx: Context):
    answer = compare(ctx, **JUNE_AND_JULY)
    assert any("network is not known" in note for note in answer["notes"])
    assert [(entry["network"], entry["plan_id"]) for entry in answer["by_network"]] == [
        ("Ausgrid", "B-CHEAP"),
        ("Energex", "D-ELSEWHERE"),
    ]


def test_saving_against_todays_plan_and_what_hangs_on_conditions(ctx: Context):
    set_home(ctx, plan_id="A-DEAR", network="Ausgrid")
    answer = compare(ctx, **JUNE_AND_JULY)
    assert answer["network"] == "Ausgrid"
    assert answer["current"]["plan_id"] == "A-DEAR"
    cheapest = answer["plans"][0]
    # 61 days × 12 kWh × (0.40 − 0.20) × 1.1 = 161.04; a tenth of supply 60.39 and usage 161.04 hangs on a condition
    assert cheapest["saving"] == Decimal("161.04")
    assert cheapest["conditional"] == Decimal("22.14")


def test_default_range_is_the_last_year_of_reads(ctx: Context):
    answer = compare(ctx, network="Ausgrid")
    assert (answer["from"], answer["to"]) == (date(2024, 5, 15), date(2024, 7, 31))


def test_plans_at_a_path_and_none_at_all(ctx: Context, tmp_path: Path):
    path = tmp_path / "one.json"
    path.write_text(json.dumps(flat_plan("ELSE", "30")))
    assert [row["plan_id"] for row in compare(ctx, plans=str(path), **JUNE_AND_JULY)["plans"]] == ["ELSE"]
    empty = Context(tmp_path / "empty.db", TODAY)
    load(empty, [tmp_path / "meter.csv"])
    with pytest.raises(StoreError, match="import published plans"):
        compare(replace(empty), **JUNE_AND_JULY)
