"""A full disk, a locked database, several writers: a failure in words, a whole file, nothing lost once it passes."""

from __future__ import annotations

import random
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.faults.conftest import TODAY, a_service
from tests.faults.settings import count
from tests.faults.victims import Victims, contents
from tests.json_answers import sync
from tests.keys import keys_of
from toolkit.errors import StoreBusyError
from toolkit.flows.household.context import Context
from toolkit.sandbox.serve import Running
from toolkit.store import open_store

FILL_LEVELS = count("FILL_LEVELS", 10)
DONE, IN_WORDS = 0, 5


def asked(sandbox: Running) -> dict[str, Any]:
    return {"task": "sync", "settings": keys_of(sandbox), "end_user": sandbox.people[0][1]}


def expected(sandbox: Running, victims: Victims, folder: Path) -> dict[str, Any]:
    victims.run(**asked(sandbox), db=str(folder / "undisturbed.db"))
    return contents(folder / "undisturbed.db")


def alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Households are named at random."""
    plain = [
        {name: [{**row, "household_id": ""} for row in rows] for name, rows in found.items()} for found in (one, other)
    ]
    return plain[0] == plain[1]


def test_a_full_disk_while_syncing(sandbox: Running, victims: Victims, tmp_path: Path) -> None:
    whole, chance, full = expected(sandbox, victims, tmp_path), random.Random(2), 0
    size = (tmp_path / "undisturbed.db").stat().st_size
    for level in range(FILL_LEVELS):
        db = tmp_path / f"level{level}.db"
        statuses = victims.told(**asked(sandbox), db=str(db), limit=chance.randrange(4096, size))
        assert statuses[0] in (DONE, IN_WORDS)
        full += statuses == [IN_WORDS]
        assert victims.told(**asked(sandbox), db=str(db)) == [DONE]
        assert alike(contents(db), whole)
        db.unlink()
    assert full > FILL_LEVELS / 2
    print(f"{FILL_LEVELS} fill levels, {full} full: each told in words, 0 rows lost")


@pytest.mark.parametrize("task", ["backup", "export", "migration", "forget"])
def test_a_full_disk_while_copying(filled: Path, victims: Victims, tmp_path: Path, task: str) -> None:
    with open_store(filled) as store:
        home = store.rows("households")[0]["household_id"]
        if task == "migration":
            store._connection.execute("UPDATE _schema SET fingerprint = 1")
    out = tmp_path / "out"
    out.mkdir()
    (out / "transactions.csv").write_text("household_id,id\n")
    whole = tmp_path / "whole.db"
    shutil.copy(filled, whole)
    before = contents(whole)
    limit = 60_000
    assert victims.told(task=task, db=str(filled), out=str(out), household=home, limit=limit) == [IN_WORDS]
    if task != "forget":
        assert contents(filled) == before
    assert (out / "transactions.csv").read_text() == "household_id,id\n" or task == "export"
    assert [path for path in tmp_path.rglob("*.part") if path.is_file()] == []
    assert victims.told(task=task, db=str(filled), out=str(out), household=home) == [DONE]


def test_four_syncs_at_once(sandbox: Running, victims: Victims, tmp_path: Path) -> None:
    whole = expected(sandbox, victims, tmp_path)
    db = tmp_path / "shared.db"
    statuses = victims.told(**asked(sandbox), db=str(db), together=4)
    assert set(statuses) <= {DONE, IN_WORDS}
    assert DONE in statuses
    victims.run(**asked(sandbox), db=str(db))
    found = contents(db)
    assert len(found["households"]) == len(found["end_users"]) == 1
    assert alike(found, whole)


def test_a_locked_database_is_waited_for_or_told(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    sync(ctx, a_service(), end_user="eu")
    before = contents(ctx.db)
    with (
        open_store(ctx.db) as holder,
        holder.transaction(),
        open_store(ctx.db, busy_seconds=0.2) as store,
        pytest.raises(StoreBusyError),
    ):
        store.upsert("households", store.rows("households"))
    holding, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        with open_store(ctx.db) as holder, holder.transaction():
            holding.set()
            let_go.wait(5)

    thread = threading.Thread(target=hold)
    thread.start()
    holding.wait(5)
    threading.Timer(0.3, let_go.set).start()
    sync(ctx, a_service())
    thread.join()
    assert contents(ctx.db) == before
