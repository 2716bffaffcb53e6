"""A person's own files: in by `import`, out as usage, a priced bill and spending."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from tests.cli.files import NEM12, PLAN
from tests.command_line import Run
from tests.meters import level
from tests.problems import names

BANK = """01/02/2026,"-45.60","WOOLGROVE GROCERIES 1234 SYDNEY AU","+1954.40"
02/02/2026,"-4.50","CORNER CAFE SYDNEY NS","+1949.90"
02/02/2026,"-4.50","CORNER CAFE SYDNEY NS","+1945.40"
31/02/2026,"-1.00","NO SUCH DAY","+1944.40"
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "meter.csv").write_text(NEM12)
    (folder / "bank.csv").write_text(BANK)
    (folder / "plan.json").write_text(json.dumps(PLAN))
    return folder


def test_a_folder_is_told_apart_and_the_bad_line_is_named(run: Run, files: Path) -> None:
    ended = run("import", files, "--json")
    assert ended.code == 3
    by_kind = {file["kind"]: file for file in ended.json["files"]}
    assert {kind: (file["added"], file["rejected"]) for kind, file in by_kind.items()} == {
        "nem12": (3, 0),
        "bank-csv": (3, 1),
        "plans": (1, 0),
    }
    (problem,) = by_kind["bank-csv"]["problems"]
    assert problem["where"] == "bank.csv:4"
    assert "31/02/2026" in problem["reason"]


def test_importing_again_adds_nothing(run: Run, files: Path) -> None:
    run("import", files, "--json")
    again = run("import", files, "--json").json["files"]
    assert [(file["added"], file["updated"]) for file in again] == [(0, 0)] * 3


def test_the_files_answer_questions(run: Run, files: Path) -> None:
    run("import", files)
    (point,) = run("usage", "--json").json["service_points"]
    assert (point["service_point_id"], point["import_kwh"], point["export_kwh"]) == ("6102345678", 48.0, 24.0)
    # two days at $1.00, 48 kWh at 30 c, both with GST; 24 kWh sent out at 5 c, without
    bill = run("bill", "--plan", "FLAT1@EME", "--from", "2026-02-01", "--to", "2026-02-02", "--json").json
    assert bill["components"] == {"supply": "2.20", "usage": "15.84", "feed_in": "-1.20"}
    assert (bill["total"], bill["gst"], bill["days"]) == ("16.84", "1.64", 2)
    spent = run("spending", "--json").json
    assert (spent["spent"], spent["from"], spent["to"]) == ("54.60", "2026-02-01", "2026-02-02")


def test_a_plan_may_be_named_by_its_file(run: Run, files: Path) -> None:
    run("import", files / "meter.csv")
    bill = run("bill", "--plan", files / "plan.json", "--from", "2026-02-01", "--to", "2026-02-02", "--json")
    assert bill.json["total"] == "16.84"


def test_text_for_people_says_the_same(run: Run, files: Path) -> None:
    run("import", files)
    assert names(run("spending").out, "$54.60", "1 Feb 2026", "2 Feb 2026")
    assert "$16.84" in run("bill", "--plan", "FLAT1@EME", "--from", "2026-02-01", "--to", "2026-02-02").out
    assert "48.0 kWh" in run("usage").out


def test_the_home_is_told_once_and_kept(run: Run, files: Path) -> None:
    run("import", files)
    run("household", "set", "--postcode", "4000", "--panels-kw", "6.6", "--plan", "FLAT1@EME", "--since", "2026-01-01")
    (home,) = run("household", "list", "--json").json["households"]
    assert (home["postcode"], home["panels_kw"], home["plan_id"]) == ("4000", 6.6, "FLAT1@EME")
    bill = run("bill", "--from", "2026-02-01", "--to", "2026-02-02", "--json").json
    assert bill["total"] == "16.84"
    (solar,) = run("solar", "--json").json["service_points"]
    assert (solar["panels_kw"], solar["panels_source"]) == (6.6, "household")


def test_a_plan_file_that_breaks_off_is_named_with_its_place(run: Run, tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_text('{"planId": "P", "electricityContract": {"tariffPeriod": [')
    ended = run("import", tmp_path / "cut.json", "--as", "plans")
    assert ended.code == 1
    assert "\nerror: cut.json:1: " in ended.err


def test_what_a_list_of_no_plans_is_not_is_said_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2026, 2, 1), 28))
    run("import", tmp_path / "meter.csv")
    (tmp_path / "list.json").write_text("[1, 2, 3]")
    ended = run("bill", "--plan", tmp_path / "list.json")
    assert ended.code == 1
    assert len(set(ended.err.split("; "))) == len(ended.err.split("; "))
