"""`bill` by the command line alone: shape, ranges, exit codes, and what a bill says of its own reads."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.contracts.conftest import Bring

FIRST, LAST = date(2024, 5, 15), date(2024, 8, 10)
TODAY = ("--today", "2024-08-20")


def nem12(quality: str = "A", *, leave_out: tuple[date, ...] = ()) -> str:
    """12 kWh a day from 15 May to 10 August 2024."""
    days = [FIRST + timedelta(n) for n in range((LAST - FIRST).days + 1)]
    values = ",".join(["0.25"] * 48)
    rows = [f"300,{day:%Y%m%d},{values},{quality},,,20240901000000," for day in days if day not in leave_out]
    head = ["100,NEM12,202409010000,MDP,RET", "200,4103000001,E1,E1,E1,,METER1,KWH,30,"]
    return "\n".join([*head, *rows, "900", ""])


@pytest.fixture
def offer(tmp_path: Path) -> Path:
    """1.00 a day and 0.30 a kWh, before tax."""
    period = {"displayName": "All year", "startDate": "01-01", "endDate": "12-31", "dailySupplyCharges": "1.00"}
    period |= {"rateBlockUType": "singleRate", "singleRate": {"rates": [{"unitPrice": "0.30"}]}}
    path = tmp_path / "offer.json"
    path.write_text(json.dumps({"planId": "FLAT", "electricityContract": {"tariffPeriod": [period]}}))
    return path


def test_the_last_whole_month_and_the_shape(run: Run, bring: Bring, offer: Path):
    bring(nem12())
    ended = run("bill", "--plan", offer, *TODAY, "--json")
    assert ended.code == 0
    answer = ended.json
    assert (answer["plan_id"], answer["fuel"], answer["service_point_id"]) == ("FLAT", "ELECTRICITY", "4103000001")
    assert (answer["from"], answer["to"], answer["days"]) == ("2024-07-01", "2024-07-31", 31)
    # 31 × 1.00 × 1.1 and 372 × 0.30 × 1.1; ÷ 11 each
    assert answer["components"] == {"supply": "34.10", "usage": "122.76"}
    assert (answer["total"], answer["gst"]) == ("156.86", "14.26")
    assert [(line["quantity"], line["unit_price"], line["gst"], line["amount"]) for line in answer["lines"]] == [
        (31.0, "1.00", "added", "34.10"),
        (372.0, "0.30", "added", "122.76"),
    ]
    assert (answer["measured_share"], answer["problems"]) == (1.0, [])


def test_months_are_cut_and_part_months_counted(run: Run, bring: Bring, offer: Path):
    bring(nem12())
    asked = ("bill", "--plan", offer, "--from", "2024-06-20", "--to", "2024-08-02", *TODAY, "--json")
    by_month, whole = run(*asked).json, run(*asked, "--period", "whole").json
    supply = [(line["from"], line["to"]) for line in by_month["lines"] if line["component"] == "supply"]
    assert supply == [("2024-06-20", "2024-06-30"), ("2024-07-01", "2024-07-31"), ("2024-08-01", "2024-08-02")]
    assert len(whole["lines"]) == 2
    assert by_month["total"] == whole["total"] == "222.64"  # 44 × (1.00 + 12 × 0.30) × 1.1


def test_substituted_and_missing_energy_is_said(run: Run, bring: Bring, offer: Path):
    bring(nem12("S52", leave_out=tuple(date(2024, 7, day) for day in range(5, 10))))
    ended = run("bill", "--plan", offer, *TODAY, "--json")
    answer = ended.json
    assert ended.code == 0  # nothing was rejected; the gap is a warning
    assert answer["components"] == {"supply": "34.10", "usage": "102.96"}  # 26 days were read
    assert answer["measured_share"] == 0
    assert answer["substituted_share"] == pytest.approx(26 / 31)
    assert answer["missing_share"] == pytest.approx(5 / 31)
    assert "2024-07-05 to 2024-07-09" in answer["problems"][0]["reason"]


def test_what_a_plan_leaves_unreadable_is_exit_3(run: Run, bring: Bring, tmp_path: Path):
    bring(nem12())
    windows = [{"startTime": "25:00", "endTime": "26:00"}]
    bands = [{"rates": [{"unitPrice": "0.30"}], "timeOfUse": windows, "type": "PEAK"}]
    period = {"dailySupplyCharges": "1.00", "rateBlockUType": "timeOfUseRates", "timeOfUseRates": bands}
    path = tmp_path / "odd.json"
    bands.append({**bands[0], "timeOfUse": [{"startTime": "00:00", "endTime": "12:00"}]})
    path.write_text(json.dumps({"planId": "ODD", "electricityContract": {"tariffPeriod": [period]}}))
    ended = run("bill", "--plan", path, *TODAY, "--json")
    assert ended.code == 3
    assert ended.json["components"] == {"supply": "34.10", "usage": "61.38"}
    assert any("25:00" in problem["reason"] for problem in ended.json["problems"])


def test_nothing_stored_fails_and_wrong_names_are_wrong_usage(run: Run, bring: Bring, offer: Path):
    assert run("bill", "--plan", offer, "--json").code == 1  # no store
    bring(nem12())
    assert run("bill", "--json").code == 1  # no plan
    assert run("bill", "--plan", offer, "--from", "2010-01-01", "--to", "2010-01-31", "--json").code == 1
    assert run("bill", "--plan", "NOPE", "--json").code == 2
    assert run("bill", "--plan", offer, "--service-point", "NOPE", "--json").code == 2
    assert run("bill", "--plan", offer, "--from", "2024-07-02", "--to", "2024-07-01", "--json").code == 2


def test_a_home_without_a_meter_fails(run: Run, offer: Path):
    assert run("household", "add", "Home").code == 0
    ended = run("bill", "--plan", offer, "--json")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error: ")
