"""Answers are written to new places or over earlier ones of their kind; a database or another file never gives way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.files import NEM12 as METER
from tests.cli.test_files import PLAN
from tests.command_line import Run
from tests.problems import names

BANK = '01/02/2026,"-45.60","SHOP","+1954.40"\n02/02/2026,"-4.50","CAFE","+1949.90"\n'


@pytest.fixture
def db(run: Run, home: Path, tmp_path: Path) -> Path:
    (tmp_path / "bank.csv").write_text(BANK)
    assert run("import", tmp_path / "bank.csv").code == 0
    return home / "household.db"


def refused(run: Run, path: Path, *asked: object) -> str:
    """What is said; the file at `path` is byte for byte what it was."""
    before = path.read_bytes()
    ended = run(*asked, "--json")
    assert (ended.code, ended.out, path.read_bytes()) == (2, "", before)
    assert run("spending", "--json").json["spent"] == "50.10"
    assert str(path) in ended.err
    return ended.err


@pytest.mark.parametrize("command", ["report", "backup"])
def test_the_database_itself_is_no_place_for_an_answer(run: Run, db: Path, command: str, tmp_path: Path) -> None:
    (tmp_path / "second-name.db").hardlink_to(db)
    for path in (db, tmp_path / "second-name.db"):
        said = refused(run, path, command, "--out", path)
        assert names(said, path, "--out")


@pytest.mark.parametrize("command", ["report", "backup"])
def test_no_other_database_and_no_backup_is_written_over(run: Run, db: Path, command: str, tmp_path: Path) -> None:
    saved = Path(run("backup", "--json").json["backup"])
    other = tmp_path / "other.db"
    assert run("household", "add", "Theirs", "--db", other).code == 0
    for path in (saved, other):
        assert str(path) in refused(run, path, command, "--out", path)
    assert db.exists()


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize("command", ["report", "backup"])
def test_no_other_file_is_written_over(run: Run, command: str, tmp_path: Path) -> None:
    for name, text in (("plan.json", '{"planId": "P"}'), ("page.html", "<!doctype html>\n<p>Mine</p>")):
        (tmp_path / name).write_text(text)
        assert name in refused(run, tmp_path / name, command, "--out", tmp_path / name)


@pytest.mark.parametrize("command", ["report", "backup"])
def test_no_answer_takes_the_name_of_a_part_of_a_database(run: Run, db: Path, command: str) -> None:
    log = db.with_name("household.db-wal")
    ended = run(command, "--out", log)
    assert ended.code == 2
    assert "household.db" in ended.err
    assert not log.exists()


@pytest.mark.usefixtures("db")
def test_a_report_takes_the_place_of_an_earlier_one(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert [run("report", "--out", page, "--today", day).code for day in ("2026-03-01", "2026-03-02")] == [0, 0]
    assert "As of 2 Mar 2026" in page.read_text()


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize("form", ["csv", "parquet", "ndjson"])
def test_an_export_takes_the_place_of_an_earlier_one(run: Run, tmp_path: Path, form: str) -> None:
    out = tmp_path / "out"
    first = run("export", "--out", out, "--format", form)
    (out / "notes.txt").write_text("mine")
    assert (first.code, run("export", "--out", out, "--format", form).out) == (0, first.out)
    assert (out / "notes.txt").read_text() == "mine"


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize(
    ("form", "name"), [("csv", "transactions.csv"), ("parquet", "plans.parquet"), ("ndjson", "energy.usage.ndjson")]
)
def test_an_export_leaves_a_file_that_is_not_its_own_and_writes_none(
    run: Run, tmp_path: Path, form: str, name: str
) -> None:
    (tmp_path / name).write_text("Date,Amount,Description\n1/2/2026,-4.50,CAFE\n")
    there = sorted(tmp_path.iterdir())
    said = refused(run, tmp_path / name, "export", "--out", tmp_path, "--format", form)
    assert "--out" in said
    assert sorted(tmp_path.iterdir()) == there


@pytest.mark.parametrize(
    "asked", ["spending --db", "report --out", "backup --out", "export --out", "restore", "import", "sandbox --state"]
)
def test_a_path_that_is_empty_is_wrong_usage(run: Run, tmp_path: Path, asked: str) -> None:
    there = sorted(tmp_path.iterdir())
    ended = run(*asked.split(), "")
    assert ended.code == 2
    assert sorted(tmp_path.iterdir()) == there


@pytest.mark.parametrize("asked", ["bill --plan", "forecast --plan", "plans show"])
def test_a_plan_that_is_not_named_is_not_looked_for_in_the_working_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    (tmp_path / "meter.csv").write_text(METER)
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "one.json").write_text(json.dumps(PLAN))
    run("import", tmp_path / "meter.csv")
    monkeypatch.chdir(tmp_path / "plans")
    assert run(*asked.split(), "").code == 2
    assert run("plans", "list", "--json").json["plans"] == []
