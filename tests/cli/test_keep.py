"""What is stored is taken away, copied, put back and forgotten."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import pytest

from tests.command_line import Run

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
def test_a_backup_brings_back_what_was_forgotten_after_it(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere.db"
    assert run("backup", "--out", copy, "--json").json["backup"] == str(copy)
    assert run("forget", "--household", "Ours", "--json").json["deleted"]["transactions"] == 2
    assert run("status", "--json").json["households"] == []
    assert run("restore", copy).code == 0
    assert run("spending", "--json").json["spent"] == "50.10"


@pytest.mark.usefixtures("imported")
def test_forgetting_nobody_says_who_there_is(run: Run) -> None:
    ended = run("forget", "--household", "Theirs")
    assert ended.code == 2
    assert "Ours" in ended.err


@pytest.mark.usefixtures("imported")
def test_one_import_is_taken_back_by_its_name(run: Run) -> None:
    ended = run("forget", "--file", "nothing.csv")
    assert ended.code == 2
    name = ended.err.split(":")[-1].strip().rstrip(".")
    assert run("forget", "--file", name, "--json").json["deleted"]["transactions"] == 2
    assert run("status", "--json").json["households"] != []


@pytest.mark.usefixtures("imported")
def test_what_was_forgotten_is_allowed_again_by_the_words_that_forget_gives(run: Run) -> None:
    name = run("forget", "--account", "nothing").err.split(":")[-1].strip().rstrip(".")
    shown = run("forget", "--account", name).out
    words = next(line for line in shown.splitlines() if "--allow-again" in line)
    [identity] = shlex.split(words.split("--allow-again ")[1].split(",")[0])
    assert run("forget", "--allow-again", identity, "--account", name).code == 2
    assert run("forget", "--allow-again", identity, "--json").json["allowed_again"] == {"account": identity}
    again = run("forget", "--allow-again", identity)
    assert again.code == 2
    assert "was forgotten here" in again.err


@pytest.mark.usefixtures("imported")
def test_what_two_households_have_is_forgotten_in_the_one_that_is_named(run: Run, tmp_path: Path) -> None:
    assert run("import", tmp_path / "bank.csv", "--household", "Theirs").code == 0
    ended = run("forget", "--file", "bank.csv")
    assert (ended.code, ended.out) == (2, "")
    assert "Several households have the file 'bank.csv': add --household. Choose one of: Ours, Theirs." in ended.err
    asked = run("forget", "--file", "bank.csv", "--household", "Theirs", "--json").json
    assert asked["deleted"]["transactions"] == 2
    assert run("spending", "--household", "Ours", "--json").json["spent"] == "50.10"
