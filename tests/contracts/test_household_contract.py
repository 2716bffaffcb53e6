"""Section 1: whose data it is, exit codes, and stdout that holds one JSON object or nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.contracts.conftest import Bring
from tests.meters import day, flat_plan, nem12, register

QUESTIONS = ("spending", "transactions", "usage", "bill", "forecast", "solar", "recurring", "cashflow")


def test_a_household_is_added_told_and_listed(run: Run) -> None:
    assert run("household", "list", "--json").json == {"households": []}
    (home,) = run("household", "add", "Ours", "--json").json["households"]
    assert (home["name"], home["postcode"]) == ("Ours", None)
    told = ("--postcode", "6000", "--network", "Western Power", "--panels-kw", "6.6", "--timezone", "Australia/Perth")
    (home,) = run("household", "set", *told, "--json").json["households"]
    assert (home["postcode"], home["network"], home["panels_kw"], home["timezone"]) == (
        *("6000", "Western Power", 6.6),
        "Australia/Perth",
    )
    (home,) = run("household", "set", "--name", "Mine", "--json").json["households"]
    assert (home["name"], home["postcode"]) == ("Mine", "6000")
    assert run("household", "add", "Mine").code == 2
    assert run("household", "set", "--timezone", "Mars/Base").code == 2


def test_the_zone_follows_from_the_postcode(run: Run, bring: Bring) -> None:
    bring(nem12(register(), day("20240101", [0.5] * 48)))
    run("household", "set", "--postcode", "4000")
    (point,) = run("usage", "--json").json["service_points"]
    assert point["timezone"] == "Australia/Brisbane"


@pytest.mark.parametrize("question", QUESTIONS)
def test_several_households_are_listed_where_one_is_needed(run: Run, question: str) -> None:
    for name in ("Ours", "Theirs"):
        run("household", "add", name)
    ended = run(question, "--json")
    assert (ended.code, ended.out) == (2, "")
    assert "Ours, Theirs" in ended.err
    ended = run(question, "--household", "Nobody", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert "Ours, Theirs" in ended.err


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_stored_fails_in_one_line_and_makes_no_database(run: Run, question: str, tmp_path: Path) -> None:
    ended = run(question, "--db", tmp_path / "absent.db", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.count("error: ") == 1
    assert not (tmp_path / "absent.db").exists()


@pytest.mark.parametrize("question", ["spending", "transactions", "usage", "bill", "solar"])
def test_a_range_that_ends_before_it_begins_is_wrong_usage(run: Run, question: str) -> None:
    ended = run(question, "--from", "2024-02-02", "--to", "2024-02-01", "--json")
    assert (ended.code, ended.out) == (2, "")


@pytest.mark.parametrize("content", [b"", b"hello, this is no database", b"SQLite format 3\x00" + b"\xff" * 200])
def test_a_file_that_is_no_database_is_said_so_and_left_alone(run: Run, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    ended = run("spending", "--db", path, "--json")
    assert (ended.code, ended.out) == (1, "")
    assert "Traceback" not in ended.err
    if content:
        assert path.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "bank.csv").write_text("01/07/2024,-1.00,SHOP,+1.00\n")
    ended = run("import", tmp_path / "bank.csv", "--db", tmp_path / "file" / "x.db", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert str(tmp_path / "file") in ended.err
    assert "defect" not in ended.err


def test_status_says_what_is_stored(run: Run, bring: Bring) -> None:
    assert run("status", "--json").json["households"] == []
    bring(nem12(register(), day("20240101", [0.5] * 48), day("20240102", [0.5] * 48, "N")))
    (home,) = run("status", "--json").json["households"]
    assert {"id", "name", "end_users", "consents", "freshness", "meter_coverage"} <= set(home)
    assert (home["name"], home["end_users"], home["consents"], home["freshness"]) == ("Home", [], [], {})


def test_the_same_question_gives_the_same_bytes(run: Run, bring: Bring) -> None:
    bring(nem12(register(), *(day(f"202401{n:02}", [0.1 * (n % 7)] * 48) for n in range(1, 32))))
    bring(flat_plan(), name="plan.json")
    bring("".join(f"{n:02}/01/2024,-{n}.05,SHOP {n % 4},+1.00\n" for n in range(1, 29)), name="bank.csv")
    for question in QUESTIONS:
        ask = (question, "--today", "2024-02-05", "--json")
        first = run(*ask)
        assert first.code == 0, first.err
        assert run(*ask).out == first.out
        assert isinstance(json.loads(first.out, parse_constant=pytest.fail), dict)


@pytest.mark.parametrize("question", [*QUESTIONS, "status", "doctor"])
def test_text_for_people_is_text(run: Run, bring: Bring, question: str) -> None:
    bring(nem12(register(), *(day(f"202401{n:02}", [0.5] * 48) for n in range(1, 32))))
    bring(flat_plan(), name="plan.json")
    bring("01/01/2024,-1.05,SHOP,+1.00\n", name="bank.csv")
    ended = run(question, "--today", "2024-02-05")
    assert ended.code == 0
    assert ended.out.strip()
    assert not any(word in ended.out for word in ("None", "nan", "Decimal(", "datetime", "{'"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("sandbox", "--port", "99999"),
        ("app", "--port", "-1"),
        ("sandbox", "--today", "2024-13-01"),
        ("sandbox", "--faults", "absent.json"),
        ("spending", "--by", "colour"),
        ("usage", "--from", "yesterday"),
        ("import",),
        ("import", "--as", "pdf", "x"),
        ("bill", "--blocks", "weekly"),
        ("solar", "--panels-kw", "0"),
        ("household", "set", "--panels-kw", "many"),
        ("spend",),
    ],
)
def test_what_is_asked_wrongly_is_wrong_usage(run: Run, arguments: tuple[str, ...]) -> None:
    ended = run(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert "Traceback" not in ended.err
