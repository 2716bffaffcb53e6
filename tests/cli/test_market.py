"""Plans compared, listed and shown on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.problems import names
from tests.scripted_service import reply, scripted_service

FIRST, LAST = "2026-02-01", "2026-02-28"
DAY = ",".join(["0.25"] * 48)  # 12 kWh
NMI = "NZZZ000001"  # of no network that the number tells
NEM12 = "\n".join(
    [
        "100,NEM12,202603010000,MDP,RET",
        f"200,{NMI},E1,1,E1,N1,METER1,kWh,30,",
        *(f"300,202602{day:02},{DAY},A,,,20260301000000," for day in range(1, 29)),
        "900",
        "",
    ]
)


def plan(plan_id: str, price: str, *networks: str, **period: object) -> dict[str, object]:
    """90 c a day and one price a kWh, both without GST."""
    rate = {"singleRate": {"displayName": "Anytime", "rates": [{"unitPrice": price}]}}
    tariff = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharge": "0.90", **rate, **period}
    return {
        "planId": plan_id,
        "displayName": f"Plan {plan_id}",
        "brandName": "Example Energy",
        "fuelType": "ELECTRICITY",
        "customerType": "RESIDENTIAL",
        "geography": {"distributors": list(networks), "includedPostcodes": ["2000"]},
        "electricityContract": {"timeZone": "AEST", "tariffPeriod": [tariff]},
    }


NO_WINDOW = {"demandCharges": [{"amount": "0.20", "startTime": "0000", "endTime": "0000", "days": []}]}
PLANS = [
    plan("DEAR", "0.40", "Ausgrid"),
    plan("CHEAP", "0.20", "Ausgrid"),
    plan("ELSEWHERE", "0.10", "Energex"),
    plan("DEMAND", "0.15", "Ausgrid", **NO_WINDOW),
]


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    """28 days of 12 kWh, and four stored plans."""
    (tmp_path / "meter.csv").write_text(NEM12)
    (tmp_path / "plans.ndjson").write_text("".join(json.dumps(each) + "\n" for each in PLANS))
    assert run("import", tmp_path / "meter.csv", tmp_path / "plans.ndjson").code == 0
    return tmp_path


def compared(run: Run, *more: object) -> dict[str, object]:
    return run("compare", "--from", FIRST, "--to", LAST, *more, "--json").json


def test_cheapest_first_to_the_cent_what_a_bill_gives(run: Run, folder: Path) -> None:
    answer = compared(run, "--network", "Ausgrid")
    # 28 × 0.90 × 1.1 = 27.72; 336 kWh × 0.20 × 1.1 = 73.92, and × 0.40 × 1.1 = 147.84
    assert [(row["plan_id"], row["total"]) for row in answer["plans"]] == [("CHEAP", "101.64"), ("DEAR", "175.56")]
    for row in answer["plans"]:
        bill = run("bill", "--plan", row["plan_id"], "--from", FIRST, "--to", LAST, "--json").json
        assert (row["total"], row["components"]) == (bill["total"], bill["components"])


def test_what_cannot_be_priced_and_other_networks_are_counted(run: Run, folder: Path) -> None:
    answer = compared(run, "--network", "Ausgrid")
    assert (answer["priced"], answer["other_networks"]) == (2, 1)
    (left,) = answer["unpriced"]
    assert left["plan_id"] == "DEMAND"
    assert "window" in left["reason"]


def test_top_shows_so_many_and_zero_all(run: Run, folder: Path) -> None:
    assert [row["plan_id"] for row in compared(run, "--top", 1)["plans"]] == ["ELSEWHERE"]
    assert [row["plan_id"] for row in compared(run, "--top", 0)["plans"]] == ["ELSEWHERE", "CHEAP", "DEAR"]


def test_an_unknown_network_is_said_and_answered_by_network(run: Run, folder: Path) -> None:
    answer = compared(run)
    assert answer["network"] is None
    assert "network_missing" in answer["note_codes"]
    assert [(n["network"], n["plan_id"]) for n in answer["by_network"]] == [
        ("Ausgrid", "CHEAP"),
        ("Energex", "ELSEWHERE"),
    ]
    said = run("compare", "--from", FIRST, "--to", LAST).out
    assert names(said, "--network", "not priced: DEMAND: ")


def test_todays_plan_stands_in_the_list(run: Run, folder: Path) -> None:
    run("household", "set", "--plan", "DEAR", "--network", "Ausgrid")
    answer = compared(run)
    assert (answer["current"]["plan_id"], answer["current"]["total"]) == ("DEAR", "175.56")
    assert answer["plans"][0]["saving"] == "73.92"
    assert names(run("compare", "--from", FIRST, "--to", LAST).out, "Plan DEAR (DEAR)", "$175.56")


def test_todays_plan_may_be_named(run: Run, folder: Path) -> None:
    answer = compared(run, "--plan", "DEAR", "--network", "Ausgrid")
    assert (answer["current"]["plan_id"], answer["plans"][0]["saving"]) == ("DEAR", "73.92")
    assert run("compare", "--plan", "NO-SUCH", "--from", FIRST, "--to", LAST).code == 2


def test_what_a_comparison_leaves_out_is_said(run: Run, folder: Path) -> None:
    """DEMAND without its demand charge: 31 × 0.90 × 1.1 = 30.69, and 336 kWh × 0.15 × 1.1 = 55.44."""
    run("household", "set", "--plan", "DEMAND", "--network", "Ausgrid")
    said = run("compare", "--from", "2026-01-29", "--to", LAST).out  # three days before the first read
    assert names(said, "Plan DEMAND (DEMAND)", "$86.13", "9.7%")
    codes = run("compare", "--from", "2026-01-29", "--to", LAST, "--json").json["note_codes"]
    assert {"current_plan_incomplete", "missing_reads_compared"} <= set(codes)
    ended = run("compare", "--from", "2025-01-01", "--to", "2025-01-31")
    assert (ended.code, names(ended.err, "1 Jan 2025", "31 Jan 2025")) == (1, True)


def test_plans_of_a_file_are_compared_without_being_stored(run: Run, folder: Path) -> None:
    (folder / "other.json").write_text(json.dumps(plan("OTHER", "0.30")))
    answer = compared(run, "--plans", folder / "other.json")
    assert [row["plan_id"] for row in answer["plans"]] == ["OTHER"]
    assert len(run("plans", "list", "--json").json["plans"]) == 4


def test_wrong_questions_are_told_apart_from_failures(run: Run, folder: Path) -> None:
    assert run("compare", "--from", LAST, "--to", FIRST).code == 2
    assert run("compare", "--top", "-1").code == 2
    assert run("plans", "show", "NOSUCH").code == 2


def test_a_plan_as_a_rate_card(run: Run, folder: Path) -> None:
    answer = run("plans", "show", "CHEAP", "--json").json
    (fuel,) = answer["fuels"]
    assert [(row["component"], row["price"], row["price_with_gst"], row["unit"]) for row in fuel["rates"]] == [
        ("supply", "0.9", "0.99", "day"),
        ("usage", "0.2", "0.22", "kWh"),
    ]
    (week,) = fuel["weeks"]
    assert [(run["weekday"], run["from"], run["to"], run["price"]) for run in week["week"]] == [
        (weekday, "00:00", "24:00", "0.22") for weekday in range(7)
    ]
    said = run("plans", "show", "CHEAP").out
    assert "Plan CHEAP; Example Energy; Ausgrid" in said
    assert "Mon, Tue, Wed, Thu, Fri, Sat, Sun: 00:00–24:00 22.00" in said


def test_the_plan_in_force_or_of_a_file_is_shown(run: Run, folder: Path) -> None:
    run("household", "set", "--plan", "DEAR")
    assert run("plans", "show", "--json").json["plan_id"] == "DEAR"
    (folder / "other.json").write_text(json.dumps({"data": plan("OTHER", "0.30")}))
    assert run("plans", "show", folder / "other.json", "--json").json["plan_id"] == "OTHER"
    assert run("plans", "show", folder / "plans.ndjson").code == 2


def test_plans_are_listed_by_id(run: Run, folder: Path) -> None:
    assert [row["plan_id"] for row in run("plans", "list", "--json").json["plans"]] == [
        "CHEAP",
        "DEAR",
        "DEMAND",
        "ELSEWHERE",
    ]
    assert "Example Energy" in run("plans", "list").out


def test_plans_come_from_the_register_only_when_asked_for(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = tmp_path / "fresh.db"
    with scripted_service() as service:
        listed = {"data": {"plans": [{"planId": "CHEAP", "lastUpdated": "x"}]}, "links": {}, "meta": {"totalPages": 1}}
        detail = {"data": plan("CHEAP", "0.20", "Ausgrid")}
        service.answer = lambda asked: reply(detail if asked.path.endswith("/CHEAP") else listed)
        monkeypatch.setenv("TOOLKIT_REGISTER_URL", service.url)
        assert run("plans", "fetch", "--db", fresh).code == 2
        assert service.asked == []
        (row,) = run("plans", "fetch", "--retailer", "Alpha", "--db", fresh, "--json").json["retailers"]
        assert (row["retailer"], row["listed"], row["added"]) == ("alpha", 1, 1)
    assert run("plans", "fetch", "--retailer", "alpha", "--db", fresh).code == 5
    assert run("plans", "show", "CHEAP", "--db", fresh, "--json").json["plan_id"] == "CHEAP"
    assert [entry["plan_id"] for entry in run("plans", "list", "--db", fresh, "--json").json["plans"]] == ["CHEAP"]


def test_the_register_is_not_asked_in_the_clear(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLKIT_REGISTER_URL", "http://register.example")
    ended = run("plans", "fetch", "--retailer", "agl")
    assert (ended.code, "https" in ended.err) == (1, True)


PAPER = ("reconcile", "--from", FIRST, "--to", LAST)


def test_a_bill_is_followed_back_to_the_meter(run: Run, folder: Path) -> None:
    asked = ("bill", "--plan", "CHEAP", "--from", FIRST, "--to", LAST, "--by-day", "--reads", "2026-02-03")
    answer = run(*asked, "--json").json
    assert [(day["date"], day["quantity"], day["unit"]) for day in answer["by_day"][:2]] == [
        ("2026-02-01", 12.0, "kWh"),
        ("2026-02-02", 12.0, "kWh"),
    ]
    assert len(answer["by_day"]) == 28
    assert [read["quantity"] for read in answer["reads"]] == [0.25] * 48
    assert answer["reads"][1] == {
        "component": "usage",
        "label": "Anytime",
        "time": "2026-02-03 00:30",
        "interval_minutes": 30,
        "meter_id": "METER1",
        "register_suffix": "E1",
        "quantity": 0.25,
        "unit": "kWh",
        "quality": "ACTUAL",
    }
    assert "3 Feb 2026 00:30  E1        0.25 kWh  ACTUAL   Anytime" in run(*asked).out
    other = run("bill", "--plan", "CHEAP", "--from", FIRST, "--to", LAST, "--reads", "2026-03-01")
    assert (other.code, "1 Mar 2026" in other.err) == (2, True)
    assert "by_day" not in run("bill", "--plan", "CHEAP", "--from", FIRST, "--to", LAST, "--json").json


def test_a_paper_bill_is_checked_by_its_dates_and_total(run: Run, folder: Path) -> None:
    run("household", "set", "--plan", "CHEAP", "--since", "2026-01-01")
    (right,) = run(*PAPER, "--billed", "101.64", "--json").json["invoices"]
    assert (right["verdict"], right["recomputed"], right["difference"]) == ("agrees", "101.64", "0.00")
    (wrong,) = run(*PAPER, "--billed", "125.00", "--json").json["invoices"]
    assert (wrong["verdict"], wrong["difference"]) == ("differs", "23.36")
    assert names(run(*PAPER, "--billed", "125").out, "1 Feb 2026", "28 Feb 2026", "differs", "$125.00")


def test_a_bill_without_dates_or_an_amount_is_wrong_usage(run: Run, folder: Path) -> None:
    assert run("reconcile", "--billed", "10").code == 2
    assert run(*PAPER, "--billed", "ten").code == 2
    assert run("reconcile").code == 1


def test_what_another_hour_or_a_vehicle_would_cost(run: Run, folder: Path) -> None:
    run("household", "set", "--plan", "CHEAP", "--since", "2026-01-01", "--zone", "Australia/Brisbane")
    span = ("--from", FIRST, "--to", LAST, "--json")
    # a tenth of 12 kWh a day less: 28 × 1.2 kWh × 22 c = 7.39
    less = run("whatif", "shift", "--share", "0.1", "--window", "00:00-24:00", *span).json
    assert (less["before"], less["after"], less["saving"]) == ("101.64", "94.25", "7.39")
    # at one price all day nothing is saved by using it at another hour
    moved = run(
        "whatif", "shift", "--share", "0.5", "--window", "16:00-20:00", "--to-window", "10:00-14:00", *span
    ).json
    assert moved["saving"] == "0.00"
    # 28 × 5 kWh × 22 c = 30.80 more
    driven = run("whatif", "ev", "--kwh", "5", *span).json
    assert (driven["saving"], driven["payback_years"]) == ("-30.80", None)
    fresh, old = (
        run("whatif", "ev", "--kwh", "5", *span[:-1], "--today", day).out for day in ("2026-04-14", "2026-04-15")
    )
    assert names(fresh, "$30.80", "$401.50 a year")
    assert names(old, "$30.80", "28 Feb 2026", "46 days")
    assert not names(old, "a year.")


def test_a_change_needs_its_size(run: Run, folder: Path) -> None:
    assert run("whatif", "battery").code == 2
    assert run("whatif", "solar", "--kw", "0").code == 2
    assert run("whatif", "shift", "--share", "2", "--window", "16:00-20:00").code == 2


def test_an_invoice_is_shown_line_beside_line_under_its_verdict(run: Run, folder: Path) -> None:
    run("household", "set", "--plan", "CHEAP", "--since", "2026-01-01")
    shown = run(*PAPER, "--billed", "$101.64").out.splitlines()
    assert names(shown[0], "1 Feb 2026", "28 Feb 2026", "agrees")
    assert names(shown[1], "$101.64", "$0.00")
    assert shown[2].startswith("  line  ")
    assert shown[3].startswith("  ─────")
    assert not any("today's prices" in line for line in shown)  # the home is on the plan since January
