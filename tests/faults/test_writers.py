"""A sync, the command line and two tabs of the app write at once: nothing is lost, and nobody is turned away."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.faults.conftest import ROOT
from tests.faults.earlier import END_USER, served
from tests.faults.settings import count
from tests.faults.victims import contents
from toolkit.store import open_store

DECISIONS = count("DECISIONS", 4)
KINDS = ("sync", "command", "tabs", "sync")


def run(db: Path, url: str, *kinds: str) -> list[tuple[int, str]]:
    """Start a program for each kind, let all of them end, and return their exit codes and messages."""
    given = {"BASE_URL": url, "CLIENT_ID": "id", "CLIENT_SECRET": "secret", "END_USER": END_USER}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **{f"TOOLKIT_{name}": value for name, value in given.items()}}
    command = [sys.executable, "-m", "tests.faults.writers"]
    started = [
        subprocess.Popen([*command, kind, str(db), str(DECISIONS)], env=environment, stderr=subprocess.PIPE, text=True)
        for kind in kinds
    ]
    messages = [process.communicate(timeout=300)[1] for process in started]
    return [(process.returncode, message) for process, message in zip(started, messages, strict=True)]


def test_no_decision_is_lost_and_no_writer_is_turned_away(tmp_path: Path) -> None:
    db, alone = tmp_path / "home.db", tmp_path / "alone.db"
    with served() as url:
        ended = [*run(alone, url, "sync"), *run(db, url, "sync"), *run(db, url, *KINDS)]
    assert [message for code, message in ended if code] == []
    with open_store(db) as store:
        decisions = store.rows("choices")
    rules = [row["subject"] for row in decisions if row["kind"] == "rule"]
    named = [row["value"] for row in decisions if row["kind"] == "account"]
    assert sorted(rules) == sorted(f"{who} {n}" for who in ("command", "tab a", "tab b") for n in range(DECISIONS))
    assert len(named) == 2 * DECISIONS
    assert [row["number"] for row in decisions] == list(range(1, 5 * DECISIONS + 1))
    pulled = ("transactions", "accounts", "balances", "invoices", "register_days")
    before, after = contents(alone), contents(db)
    for table in pulled:
        assert [row["id"] for row in after[table] if "id" in row] == [row["id"] for row in before[table] if "id" in row]
        assert len(after[table]) == len(before[table])
