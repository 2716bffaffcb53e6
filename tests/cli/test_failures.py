"""What goes wrong ends with one clear sentence, the documented exit code, and no traceback."""

from __future__ import annotations

import socket
from datetime import date
from pathlib import Path

import pytest

from tests.command_line import Ended, Run
from tests.meters import level


def one_line(ended: Ended) -> str:
    assert ended.out == ""
    (line,) = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    assert "Traceback" not in ended.err
    return line


@pytest.mark.parametrize("command", ["spending", "usage", "forecast", "solar", "bill", "transactions"])
def test_an_empty_database_says_what_to_do(run: Run, command: str) -> None:
    ended = run(command, "--json")
    assert ended.code == 1
    assert "toolkit import" in one_line(ended)


@pytest.mark.parametrize(
    "arguments",
    [("no-such-command",), ("spending", "--from", "2026-13-01"), ("bill", "--period", "fortnight"), ("import",)],
)
def test_a_wrong_question_is_wrong_usage(run: Run, arguments: tuple[str, ...]) -> None:
    ended = run(*arguments)
    assert ended.code == 2
    assert "Traceback" not in ended.err


def test_a_dead_port_is_unreachable(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("TOOLKIT_BASE_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("TOOLKIT_CLIENT_ID", "id")
    monkeypatch.setenv("TOOLKIT_CLIENT_SECRET", "not-a-secret-to-anyone")
    ended = run("connect", "--end-user", "eu_1", "--json")
    assert ended.code == 5
    assert str(port) in one_line(ended)
    assert "not-a-secret-to-anyone" not in ended.err


def test_missing_credentials_ask_to_sign_in(run: Run) -> None:
    ended = run("sync", "--json")
    assert ended.code == 4
    assert "TOOLKIT_BASE_URL" in one_line(ended)


def test_several_households_ask_for_one(run: Run) -> None:
    run("household", "add", "Ours")
    run("household", "add", "Theirs")
    ended = run("spending", "--json")
    assert ended.code == 2
    assert "Ours, Theirs" in one_line(ended)


def test_a_file_that_is_nothing_known_is_listed_and_the_rest_goes_in(run: Run, tmp_path: Path) -> None:
    (tmp_path / "poem.txt").write_text("Shall I compare thee to a summer's day?\n")
    (tmp_path / "bank.csv").write_text('01/02/2026,"-4.50","CORNER CAFE","+1949.90"\n')
    ended = run("import", tmp_path / "poem.txt", tmp_path / "bank.csv", "--json")
    assert ended.code == 3
    poem, bank = ended.json["files"]
    assert (poem["kind"], poem["added"], bank["added"]) == (None, 0, 1)
    assert poem["problems"]


def test_plain_http_off_this_machine_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLKIT_BASE_URL", "http://service.example")
    monkeypatch.setenv("TOOLKIT_CLIENT_ID", "id")
    monkeypatch.setenv("TOOLKIT_CLIENT_SECRET", "secret")
    ended = run("sync")
    assert ended.code == 1
    assert "https" in one_line(ended)


def test_without_arguments_it_says_what_to_do_first(run: Run) -> None:
    ended = run()
    assert ended.code == 0
    assert "toolkit demo" in ended.out


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("forecast", "--today", "9999-12-31"), "lies outside the years 1900 to 2199"),
        (("cashflow", "--today", "9999-12-31"), "lies outside the years 1900 to 2199"),
        (("bill", "--plan", "P", "--from", "2026-02-01", "--to", "9999-12-31"), "longer than a hundred years"),
        (("bill", "--plan", "P", "--from", "0001-01-01", "--to", "2026-02-28"), "longer than a hundred years"),
    ],
)
def test_days_at_the_ends_of_the_calendar_are_refused_in_words(
    run: Run, tmp_path: Path, asked: tuple[str, ...], said: str
) -> None:
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2026, 2, 1), 28))
    run("import", tmp_path / "meter.csv")
    ended = run(*asked)
    assert (ended.code, said in ended.err, "Traceback" in ended.err) == (2, True, False)
