"""What people read: dates as they write them, figures with their unit, never more certain than the data."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.cli.files import PLAN
from tests.command_line import Run
from tests.problems import names
from toolkit.cli.output import percent, table
from toolkit.flows.wording import counted, with_local_dates

HALF_HOURS = ",".join(["0.5"] * 48)
SHORT = ",".join(["0.5"] * 47)
NEM12 = f"""100,NEM12,202603010000,MDP,RET
200,6102345678,E1,1,E1,N1,METER1,kWh,30,
300,20260201,{SHORT},,A,,,20260202000000,
300,20260202,{HALF_HOURS},A,,,20260203000000,
300,20260203,{HALF_HOURS},A,,,20260204000000,
900
"""
GAS = "MIRN,Date,Usage (MJ)\n5310000001,01/07/2024,1120.5\n5310000001,02/07/2024,99.5\n"


@pytest.fixture
def metered(run: Run, tmp_path: Path) -> None:
    (tmp_path / "meter.csv").write_text(NEM12)
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    assert run("import", tmp_path / "plan.json").code == 0
    assert run("import", tmp_path / "meter.csv").code == 3


def test_a_rejected_day_is_named_as_people_write_it_and_json_stays_iso(run: Run, tmp_path: Path) -> None:
    (tmp_path / "2026-02-01.csv").write_text(NEM12)
    said = run("import", tmp_path / "2026-02-01.csv").out
    assert "rejected: 2026-02-01.csv:3: 1 Feb 2026 " in said
    (file,) = run("import", tmp_path / "2026-02-01.csv", "--json").json["files"]
    assert names(file["problems"][0]["reason"], "2026-02-01", "E1", 48)


@pytest.mark.usefixtures("metered")
def test_an_error_names_days_as_people_write_them(run: Run) -> None:
    ended = run("bill", "--plan", "FLAT1@EME", "--from", "2030-01-01", "--to", "2030-02-01")
    assert (ended.code, "1 Jan 2030" in ended.err, "2030-01-01" in ended.err) == (1, True, False)
    typed = run("usage", "--from", "2026-02-03", "--to", "2026-02-02")
    assert names(typed.err, "--from 2026-02-03", "--to 2026-02-02")


@pytest.mark.usefixtures("metered")
def test_the_first_day_of_a_plan_is_a_date(run: Run) -> None:
    assert "1 Feb 2026" in run("household", "set", "--since", "2026-02-01").out
    assert '"plan_since": "2026-02-01"' in run("household", "list", "--json").out


@pytest.mark.usefixtures("metered")
def test_a_bill_says_where_tax_comes_to_the_price(run: Run) -> None:
    """2 days at $1.00 and 48 kWh at $0.30, both and a tenth more: $2.20 and $15.84."""
    rows = run("bill", "--plan", "FLAT1@EME", "--from", "2026-02-02", "--to", "2026-02-03").out.splitlines()
    assert rows[1].split() == ["part", "what", "quantity", "price", "GST", "amount"]
    assert [row.split()[-5:] for row in rows[3:5]] == [
        ["2", "day", "1.00", "+10%", "$2.20"],
        ["48", "kWh", "0.30", "+10%", "$15.84"],
    ]


def test_demand_names_its_month(run: Run, tmp_path: Path) -> None:
    (tmp_path / "meter.csv").write_text(NEM12)
    charge = {"amount": "0.20", "startTime": "00:00", "endTime": "23:59", "days": ["MON"], "displayName": "Peak demand"}
    (period,) = PLAN["electricityContract"]["tariffPeriod"]
    with_demand = {**period, "rateBlockUType": "demandCharges", "demandCharges": [charge]}
    contract = {**PLAN["electricityContract"], "tariffPeriod": [period, with_demand]}
    (tmp_path / "plan.json").write_text(json.dumps({**PLAN, "electricityContract": contract}))
    run("import", tmp_path / "meter.csv")
    asked = ("bill", "--plan", tmp_path / "plan.json", "--from", "2026-02-02", "--to", "2026-02-03")
    assert names(run(*asked).out, "1.000 kW", "Feb 2026")
    as_json = run(*asked, "--json").out
    assert names(as_json, "1.000 kW", "2026-02")
    assert "Feb 2026" not in as_json


def test_gas_is_told_in_megajoules(run: Run, tmp_path: Path) -> None:
    (tmp_path / "gas.csv").write_text(GAS)
    assert run("import", tmp_path / "gas.csv").code == 0
    said = run("usage").out
    assert names(said, "1,220.0 MJ", "100%")
    assert "kWh" not in said


def test_three_days_of_750_that_were_not_read_are_told(run: Run, tmp_path: Path) -> None:
    first = date(2024, 1, 1)
    read = [first + timedelta(number) for number in range(750) if number not in (100, 101, 300)]
    days = "".join(f"300,{day:%Y%m%d},{HALF_HOURS},A,,,{day:%Y%m%d}000000,\n" for day in read)
    (tmp_path / "meter.csv").write_text(f"100,NEM12,202603010000,MDP,RET\n200,61,E1,1,E1,N1,M1,kWh,30,\n{days}900\n")
    run("import", tmp_path / "meter.csv")
    assert "99.6%" in run("usage").out
    assert "99.6%" in run("status").out


def test_months_and_counts_of_spending(run: Run, tmp_path: Path) -> None:
    rows = "".join(f'01/{month:02}/2026,"-{month}.50","SHOP","+1954.40"\n' for month in (1, 2))
    (tmp_path / "bank.csv").write_text(rows)
    run("import", tmp_path / "bank.csv")
    said = run("spending", "--months").out
    assert ("Jan 2026" in said, "Feb 2026" in said, "2026-0" in said) == (True, True, False)
    assert [row["month"] for row in run("spending", "--months", "--json").json["rows"]] == ["2026-01", "2026-02"]


def test_nearly_all_is_not_all() -> None:
    shares = (None, 0.0, 0.0001, 0.004, 0.25, 0.99, 0.996, 0.99999, 1.0)
    worded = ["–", "0%", "less than 0.1%", "0.4%", "25%", "99%", "99.6%", "more than 99.9%", "100%"]
    assert [percent(share) for share in shares] == worded


def test_one_is_told_as_one_and_thousands_have_their_comma() -> None:
    assert [counted(number, "past bill") for number in (0, 1, 2)] == ["0 past bills", "1 past bill", "2 past bills"]
    assert counted(12345, "pair of rows", "pairs of rows") == "12,345 pairs of rows"
    assert list(table(("rows",), [(167257,)], right=(0,)))[-1] == "167,257"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("5.958 kW in 2026-10, 31 days", "5.958 kW in Oct 2026, 31 days"),
        ("in 2026-13", "in 2026-13"),
        ("plan 2025-26", "plan 2025-26"),
        ("'2026-02-01' is no name", "'2026-02-01' is no name"),
        ("type --since 2026-02-01", "type --since 2026-02-01"),
    ],
)
def test_what_is_a_date_and_what_is_not(said: str, shown: str) -> None:
    assert with_local_dates(said) == shown


@pytest.mark.usefixtures("metered")
@pytest.mark.parametrize("command", ["usage", "solar"])
def test_days_without_reads_are_answered_with_the_days_that_have_some(run: Run, command: str) -> None:
    asked = (command, "--from", "2030-01-01", "--to", "2030-02-01")
    assert names(run(*asked).out, "6102345678", "2 Feb 2026", "3 Feb 2026")
    (point,) = run(*asked, "--json").json["service_points"]
    assert any(names(note, "6102345678", "2026-02-02", "2026-02-03") for note in point["notes"])
    assert names(run("usage", "--from", "2030-01-01").out, "6102345678", "1 Jan 2030")


@pytest.mark.usefixtures("metered")
def test_a_bill_beyond_the_reads_says_where_they_end(run: Run) -> None:
    for option, day, said in (
        ("--from", "2026-02-04", "There are no reads from 4 Feb 2026 on: they end on 3 Feb 2026."),
        ("--to", "2026-01-31", "There are no reads up to 31 Jan 2026: they begin on 2 Feb 2026."),
    ):
        ended = run("bill", "--plan", "FLAT1@EME", option, day)
        assert (ended.code, ended.err) == (2, f"error: {said}\n")


@pytest.mark.usefixtures("metered")
def test_one_day_and_one_fee_are_told_as_one(run: Run, tmp_path: Path) -> None:
    fee = {"type": "LATE_PAYMENT", "term": "FIXED", "amount": "15.00"}
    contract = {**PLAN["electricityContract"], "fees": [fee]}
    (tmp_path / "plan.json").write_text(json.dumps({**PLAN, "electricityContract": contract}))
    said = run("bill", "--plan", tmp_path / "plan.json", "--from", "2026-02-03", "--to", "2026-02-04").out
    assert names(said, "1 fee ", "1 day (4 Feb 2026)")
