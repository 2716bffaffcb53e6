"""What is stored is taken away, copied, put back and forgotten."""

from __future__ import annotations

import csv
import json
import os
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.problems import names

BANK = '01/02/2026,"-45.60","=HYPERLINK(""http://evil.example"")","+1954.40"\n02/02/2026,"-4.50","CAFE","+1949.90"\n'


@pytest.fixture
def imported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text(BANK)
    assert run("import", tmp_path / "bank.csv", "--household", "Ours").code == 0


@pytest.mark.usefixtures("imported")
def test_an_export_holds_the_rows_and_no_formula(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("export", "--out", out).code == 0
    with (out / "transactions.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["date"], row["amount"], row["description"]) for row in rows} == {
        ("2026-02-01", "-45.60", '\'=HYPERLINK("http://evil.example")'),
        ("2026-02-02", "-4.50", "CAFE"),
    }


@pytest.mark.usefixtures("imported")
def test_an_export_for_datasette_describes_what_the_database_has(run: Run, tmp_path: Path) -> None:
    out, db = tmp_path / "out", tmp_path / "ours.db"
    db.write_bytes(Path(run("backup", "--json").json["backup"]).read_bytes())
    for _ in range(2):  # an earlier description is replaced
        files = run("export", "--out", out, "--datasette", "--json", "--db", db).json["files"]
    described = json.loads((out / "metadata.json").read_text())["databases"]["ours"]["tables"]
    assert {"file": "metadata.json", "rows": len(described)} in files
    with closing(sqlite3.connect(db)) as connection:
        columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(transactions)")}
        known = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        }
    assert described.keys() <= known
    assert described["transactions"]["columns"].keys() <= columns
    assert {"amount_minor", "description"} <= described["transactions"]["columns"].keys()
    (out / "metadata.json").write_text('{"title": "mine"}')
    assert run("export", "--out", out, "--datasette", "--db", db).code == 2


@pytest.mark.usefixtures("imported")
def test_a_backup_brings_back_what_was_forgotten_after_it(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere.db"
    assert run("backup", "--out", copy, "--json").json["backup"] == str(copy)
    assert run("forget", "--yes", "--household", "Ours", "--json").json["deleted"]["transactions"] == 2
    assert run("status", "--json").json["households"] == []
    assert run("restore", copy).code == 0
    assert run("spending", "--json").json["spent"] == "50.10"


@pytest.mark.usefixtures("imported")
def test_forgetting_nobody_says_who_there_is(run: Run) -> None:
    ended = run("forget", "--yes", "--household", "Theirs")
    assert ended.code == 2
    assert "Ours" in ended.err


@pytest.mark.usefixtures("imported")
def test_one_import_is_taken_back_by_its_name(run: Run) -> None:
    ended = run("forget", "--yes", "--file", "nothing.csv")
    assert ended.code == 2
    name = ended.err.split(":")[-1].strip().rstrip(".")
    assert run("forget", "--yes", "--file", name, "--json").json["deleted"]["transactions"] == 2
    assert run("status", "--json").json["households"] != []


@pytest.mark.usefixtures("imported")
def test_what_was_forgotten_is_allowed_again_by_the_words_that_forget_gives(run: Run) -> None:
    name = run("forget", "--yes", "--account", "nothing").err.split(":")[-1].strip().rstrip(".")
    shown = run("forget", "--yes", "--account", name).out
    words = next(line for line in shown.splitlines() if "--allow-again" in line)
    [identity] = shlex.split(words.split("--allow-again ")[1].split(",")[0])
    assert run("forget", "--allow-again", identity, "--account", name).code == 2
    assert run("forget", "--allow-again", identity, "--json").json["allowed_again"] == {"account": identity}
    again = run("forget", "--allow-again", identity)
    assert again.code == 2


@pytest.mark.usefixtures("imported")
def test_what_two_households_have_is_forgotten_in_the_one_that_is_named(run: Run, tmp_path: Path) -> None:
    assert run("import", tmp_path / "bank.csv", "--household", "Theirs").code == 0
    ended = run("forget", "--yes", "--file", "bank.csv")
    assert (ended.code, ended.out) == (2, "")
    assert names(ended.err, "'bank.csv'", "--household", "Ours", "Theirs")
    asked = run("forget", "--yes", "--file", "bank.csv", "--household", "Theirs", "--json").json
    assert asked["deleted"]["transactions"] == 2
    assert run("spending", "--household", "Ours", "--json").json["spent"] == "50.10"


@pytest.mark.usefixtures("imported")
def test_without_a_terminal_nothing_is_forgotten_unasked(run: Run) -> None:
    ended = run("forget", "--household", "Ours")
    assert (ended.code, ended.out) == (2, "")
    assert "--yes" in ended.err
    assert run("spending", "--json").json["spent"] == "50.10"
    assert run("forget", "--yes", "--allow-again", "x").code == 2
    assert run("forget", "--yes", "--household", "Ours", "--reference", "7").code == 2
    assert run("spending", "--json").json["spent"] == "50.10"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize(("said", "code", "households"), [("n", 1, 1), ("", 1, 1), ("y", 0, 0)])
@pytest.mark.usefixtures("imported")
def test_on_a_terminal_it_asks_first(run: Run, said: str, code: int, households: int) -> None:
    keyboard, terminal = os.openpty()
    try:
        os.write(keyboard, f"{said}\n".encode())
        command = [sys.executable, "-m", "toolkit", "forget", "--household", "Ours"]
        ended = subprocess.run(
            command,
            stdin=terminal,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd=Path(__file__).parents[2],
        )
    finally:
        os.close(keyboard)
        os.close(terminal)
    assert ended.returncode == code
    assert names(ended.stderr, "'Ours'", "1 account", "2 transactions", "[y/N]")
    assert len(run("status", "--json").json["households"]) == households


def test_a_household_whose_name_begins_anothers_goes_alone(run: Run, tmp_path: Path, home: Path) -> None:
    (tmp_path / "bank.csv").write_text(BANK.replace("CAFE", "Smith"))
    for name in ("Smith", "Smithson"):
        assert run("household", "add", name).code == 0
        assert run("import", tmp_path / "bank.csv", "--household", name).code == 0
    run("backup")
    record = tmp_path / "record.html"
    shown = run("forget", "--yes", "--household", "Smith", "--record", record, "--reference", "Case 7")
    assert shown.code == 0
    assert "delete" not in shown.out
    assert "household.db" not in shown.out
    assert str(record) in shown.out
    assert "Case 7" in record.read_text()
    assert "Smith" not in record.read_text()
    assert run("spending", "--json").json["spent"] == "50.10"
    (home / "note.txt").write_text("bank.csv")
    shown = run("forget", "--yes", "--file", "bank.csv").out
    assert names(shown, home / "note.txt", "'bank.csv'")
