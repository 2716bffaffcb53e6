"""What somebody reads who has the report alone: the plan that is advised, how to get it, and what was stated."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.meters import day, days, level, nem12, register

TODAY = ("--today", "2026-03-05")
FIRST = date(2025, 3, 1)
HALL, FLAT = "4103000001", "4103000002"


def plan(plan_id: str, name: str, price: str, *eligibility: str) -> dict[str, Any]:
    """$1.10 a day and one price a kWh, GST not included in it; offered at postcode 2000."""
    single = {"dailySupplyCharge": "1.00", "singleRate": {"rates": [{"unitPrice": price}]}}
    return {
        "planId": plan_id,
        "displayName": name,
        "fuelType": "ELECTRICITY",
        "customerType": "RESIDENTIAL",
        "type": "MARKET",
        "lastUpdated": "2026-02-01T03:00:00Z",
        "geography": {"distributors": ["Ausgrid"], "includedPostcodes": ["2000"]},
        "electricityContract": {
            "tariffPeriod": [single],
            "eligibility": [{"type": kind, "information": ""} for kind in eligibility],
        },
    }


CLUB = [plan(f"CLUB{n}", "Club", f"0.2{n}", "REQ_EQUIP_SUPPLIER") for n in range(8)]
PLANS = [*CLUB, plan("FREE", "Free to all", "0.30"), plan("OWN", "Own", "0.40")]


@pytest.fixture
def home(run: Run, tmp_path: Path) -> Run:
    """A year of 12 kWh a day on the plan Own, and eight cheaper plans called Club that not everyone can have."""
    (tmp_path / "meter.csv").write_text(level(HALL, FIRST, 365))
    (tmp_path / "plans.ndjson").write_text("\n".join(map(json.dumps, PLANS)))
    assert run("import", tmp_path / "meter.csv", tmp_path / "plans.ndjson").code == 0
    assert run("household", "set", "--postcode", "2000", "--plan", "OWN", "--since", "2025-01-01").code == 0
    return run


def page(home: Run, tmp_path: Path, *asked: str) -> str:
    assert home("report", "--out", tmp_path / "report.html", *asked, *TODAY).code == 0
    return (tmp_path / "report.html").read_text()


def rows(html: str) -> list[list[str]]:
    """Return the cells of each row of the tables, without heads."""
    found = re.findall(r"<tr[^>]*>(<th scope=\"row\".*?)</tr>", html)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in found]


def test_the_plan_that_is_advised_is_listed_below_cheaper_ones_that_read_alike(home: Run, tmp_path: Path) -> None:
    html = page(home, tmp_path, "--sections", "plans")
    # 365 × 1.10 + 4,380 kWh × (0.44 | 0.22 | 0.33)
    assert [(row[0].removeprefix("Your plan: "), row[1], row[2]) for row in rows(html)] == [
        ("Own", "$2,328.70", ""),
        ("Club", "$1,365.10", "$963.60"),
        ("Free to all", "$1,846.90", "$481.80"),
    ]
    assert [bool(row[3]) for row in rows(html)] == [False, True, False]  # what stands against the cheaper one
    assert "$481.80 less a year" in html


def test_how_to_switch_both_meters(home: Run, tmp_path: Path) -> None:
    (tmp_path / "second.csv").write_text(level(FLAT, FIRST, 365, "0.5"))
    assert home("import", tmp_path / "second.csv").code == 0
    html = page(home, tmp_path, "--sections", "plans")
    steps = re.findall("<li>(.*?)</li>", html.split("<ol>")[1].split("</ol>")[0])
    assert [number for number in (HALL, FLAT) if any(number in step for step in steps)] == [HALL, FLAT]
    assert len(steps) == len(set(steps))
    titles = re.findall(r"<svg.*?<title[^>]*>(.*?)[.:]", html)
    assert len(titles) == len(set(titles)) == 2  # charts that look alike are told apart by their meters


def test_a_debt_without_a_stated_repayment_has_no_amount(run: Run, tmp_path: Path) -> None:
    assert run("household", "add", "Ours").code == 0
    assert run("as-told", "add", "debt", "Fines", "--balance", "1240", "--arrears", "300").code == 0
    assert run("as-told", "add", "income", "Cash work", "--amount", "120", "--per", "week").code == 0
    html = page(run, tmp_path, "--sections", "income-expenses", "--csv", str(tmp_path / "money.csv"))
    assert ["Fines", "–", "as told", "$1,240.00", "$300.00"] in rows(html)
    lines = {row["name"]: row for row in csv.DictReader(io.StringIO((tmp_path / "money.csv").read_text()))}
    assert (lines["Fines"]["amount"], lines["Fines"]["balance"]) == ("", "1240.00")
    assert lines["left"]["amount"] == "240.00"


def test_solar_of_an_inverters_file_without_a_size_of_the_panels(run: Run, tmp_path: Path) -> None:
    """9 kWh a day by the inverter, of which the meter exports 4.8."""
    sold = [0.0] * 20 + [0.6] * 8 + [0.0] * 20
    meter = nem12(
        register("E1"),
        *(day(when, [0.25] * 48) for when in days("2026-01-01", 60)),
        register("B1"),
        *(day(when, sold) for when in days("2026-01-01", 60)),
    )
    (tmp_path / "meter.csv").write_text(meter)
    made = [f"{int(when[6:])}/{when[4:6]}/{when[:4]},9\n" for when in days("2026-01-01", 60)]
    (tmp_path / "inverter.csv").write_text("".join(["Time,System Production (kWh)\n", *made]))
    assert run("import", tmp_path / "meter.csv", tmp_path / "inverter.csv").code == 0
    html = page(run, tmp_path, "--sections", "solar")
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html))
    assert (facts["Generated"], facts["Exported"]) == ("540 kWh", "288 kWh")
    assert "Panels" not in facts


def test_solar_is_in_the_report_where_exports_are_known_but_not_what_the_panels_made(run: Run, tmp_path: Path) -> None:
    """Exports of five days are too few to estimate from; 8 half hours of 0.6 kWh a day are 24 kWh."""
    sold = [0.0] * 20 + [0.6] * 8 + [0.0] * 20
    meter = nem12(
        register("E1"),
        *(day(when, [0.25] * 48) for when in days("2026-02-01", 5)),
        register("B1"),
        *(day(when, sold) for when in days("2026-02-01", 5)),
    )
    (tmp_path / "meter.csv").write_text(meter)
    assert run("import", tmp_path / "meter.csv").code == 0
    solar = page(run, tmp_path).split(">Solar</h2>")[1].split("</section>")[0]  # of itself, without being asked for
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", solar))
    assert facts["Exported"] == "24.0 kWh"
    assert not [label for label in facts if label.startswith("Generated")]
    assert "How much the panels generated is not known." in solar
    assert "No solar is recorded" not in solar


def test_no_section_says_that_nothing_is_stored_where_something_is(run: Run, tmp_path: Path) -> None:
    """Five days of reads give no forecast; the one transaction is of another month than was asked for."""
    (tmp_path / "meter.csv").write_text(level(HALL, date(2026, 2, 1), 5))
    (tmp_path / "bank.csv").write_text('01/12/2025,"-4.50","CAFE","+1949.90"\n')
    assert run("import", tmp_path / "meter.csv", tmp_path / "bank.csv").code in (0, 3)
    days = ("--from", "2026-02-01", "--to", "2026-02-28")
    html = page(run, tmp_path, "--sections", "overview,income-expenses", *days)
    assert "No transactions are stored for these days, and no energy bill can be forecast." in html
    assert "No income and no expense is known for these days, and none was stated." in html
    assert "are stored," not in html.replace("are stored for these days,", "")
