"""Ctrl-C and a closed terminal in the middle of a sync: a clean end, and the next run makes it good."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.faults.conftest import TODAY
from tests.faults.victims import contents
from tests.json_answers import sync
from tests.keys import keys_of
from toolkit.api.client import Client
from toolkit.flows.household.context import Context
from toolkit.sandbox.serve import Running
from toolkit.settings import load
from toolkit.store import open_store

INTERRUPTED = 130
HEARING = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
runpy.run_module("toolkit", run_name="__main__", alter_sys=True)
"""
"""`toolkit` as from a terminal: below nohup, and in the background of a shell, signals are ignored."""
SLOW = [{"path": "/v1/banking/transactions", "delay": 2}]


def order(sandbox: Running, faults: list[dict[str, object]]) -> None:
    assert sandbox.control_url is not None
    httpx.post(sandbox.control_url, json={"faults": faults}).raise_for_status()


def made_good(sandbox: Running, db: Path) -> None:
    with Client(load({}, keys_of(sandbox))) as client:
        sync(Context(db, TODAY), client, end_user=sandbox.people[0][1], only="banking")


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGHUP], ids=lambda how: how.name)
def test_a_sync_ended_by_a_signal(sandbox: Running, tmp_path: Path, how: signal.Signals) -> None:
    db, whole = tmp_path / "home.db", tmp_path / "undisturbed.db"
    asked = ["sync", "--only", "banking", "--db", str(db), "--today", str(TODAY)]
    environment = {**os.environ, **keys_of(sandbox), "TOOLKIT_END_USER": sandbox.people[0][1]}
    pipe = subprocess.PIPE
    order(sandbox, SLOW)
    command = [sys.executable, "-c", HEARING, *asked]
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()  # it has begun
        process.send_signal(how)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (INTERRUPTED, "")
    assert "Traceback" not in err
    order(sandbox, [])
    with open_store(db) as store:
        assert [row["state"] for row in store.rows("runs")] == ["failed"]
    made_good(sandbox, db)
    made_good(sandbox, whole)
    assert transactions(db) == transactions(whole)


def transactions(db: Path) -> list[dict[str, object]]:
    """Households are named at random."""
    found = contents(db)["transactions"]
    assert found
    return [{**row, "household_id": ""} for row in found]
