"""A sync that is killed at random moments ends, once let through, in the state that an undisturbed one reaches."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from toolkit.api.client import Client
from toolkit.flows.context import Context
from toolkit.flows.sync import sync
from toolkit.sandbox.serve import Running, running
from toolkit.settings import load
from toolkit.store import open_store
from toolkit.tables.schema import STORED

TODAY = date(2026, 3, 15)
KILLS = int(os.environ.get("KILLS", "10"))
"""The long form: KILLS=1000 pytest tests/sync/test_sync_killed.py."""

CHILD = """
import sys
from datetime import date
from pathlib import Path
from toolkit.api.client import Client
from toolkit.flows.context import Context
from toolkit.flows.sync import sync
from toolkit.settings import load
db, today, end_user, url, client_id, secret = sys.argv[1:]
names = ("TOOLKIT_BASE_URL", "TOOLKIT_CLIENT_ID", "TOOLKIT_CLIENT_SECRET")
settings = load({}, dict(zip(names, (url, client_id, secret))))
print("ready", flush=True)
with Client(settings) as client:
    sync(Context(Path(db), date.fromisoformat(today)), client, end_user=end_user)
"""
_OF_THE_RUN = {"runs", "receipts", "positions"}
_TIMES = {"as_of", "sequence"}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Running]:
    with running(today=TODAY, households=1, years=1) as found:
        yield found


def client(sandbox: Running) -> Client:
    names = ("TOOLKIT_BASE_URL", "TOOLKIT_CLIENT_ID", "TOOLKIT_CLIENT_SECRET")
    values = (sandbox.base_url, sandbox.client_id, sandbox.client_secret)
    return Client(load({}, dict(zip(names, values, strict=True))))


def contents(db: Path) -> dict[str, list[dict[str, Any]]]:
    """Everything stored, but for run ids and times of this machine."""
    with open_store(db) as store:
        assert store.damage() == []
        tables = [table.name for table in STORED if table.name not in _OF_THE_RUN]
        rows = {name: store.rows(name) for name in tables}
    return {name: [{k: v for k, v in row.items() if k not in _TIMES} for row in found] for name, found in rows.items()}


def test_real_pages_twice(sandbox: Running, tmp_path: Path) -> None:
    ctx = Context(tmp_path / "a.db", TODAY)
    end_user = sandbox.people[0][1]
    with client(sandbox) as service:
        first = sync(ctx, service, end_user=end_user)
        before = contents(ctx.db)
        again = sync(ctx, service, end_user=end_user)
        whole = sync(ctx, service, end_user=end_user, full=True)
    assert first["failed"] == again["failed"] == whole["failed"] == []
    assert sum(entry["added"] for entry in first["resources"]) > 1000
    for entry in (*again["resources"], *whole["resources"]):
        assert (entry["added"], entry["updated"], entry["removed"], entry["rejected"]) == (0, 0, 0, 0), entry
    for entry in (*first["resources"], *again["resources"]):
        assert entry["fetched"] == entry["added"] + entry["updated"] + entry["unchanged"] + entry["rejected"]
    assert contents(ctx.db) == before
    with open_store(ctx.db) as store:
        fetched = sum(row["fetched"] for row in store.rows("receipts", where={"run_id": first["run"]}))
    assert fetched == sum(entry["fetched"] for entry in first["resources"])


def test_killed_at_random_moments(sandbox: Running, tmp_path: Path) -> None:
    end_user = sandbox.people[0][1]
    with client(sandbox) as service:
        undisturbed = Context(tmp_path / "undisturbed.db", TODAY)
        sync(undisturbed, service, end_user=end_user)
        killed = Context(tmp_path / "killed.db", TODAY)
        moments = random.Random(4)
        for _ in range(KILLS):
            _killed_after(moments.uniform(0.0, 0.5), sandbox, killed.db, end_user)
        sync(killed, service, end_user=end_user)
    assert contents(killed.db) == contents(undisturbed.db)


def _killed_after(seconds: float, sandbox: Running, db: Path, end_user: str) -> None:
    arguments = (str(db), TODAY.isoformat(), end_user, sandbox.base_url, sandbox.client_id, sandbox.client_secret)
    with subprocess.Popen([sys.executable, "-c", CHILD, *arguments], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(seconds)
        child.kill()
