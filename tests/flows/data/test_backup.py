from __future__ import annotations

import os
import sqlite3
import threading
from datetime import date
from pathlib import Path

import pytest

from toolkit.errors import StoreDamagedError, StoreError
from toolkit.flows.data.backup import backup, restore
from toolkit.flows.household.context import Context
from toolkit.store import open_store


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    made = Context(tmp_path / "data" / "home.db", date(2026, 3, 4))
    with open_store(made.db) as store:
        store.upsert("households", [{"household_id": "h", "name": "Home"}])
    return made


def names(db: Path) -> list[str]:
    with open_store(db) as store:
        return [row["name"] for row in store.rows("households")]


def test_a_backup_comes_back(ctx: Context) -> None:
    made = Path(backup(ctx).backup)
    assert oct(made.stat().st_mode & 0o777) == "0o600"
    assert oct(made.parent.stat().st_mode & 0o777) == "0o700"
    with open_store(ctx.db) as store:
        store.update("households", {"name": "Changed"}, {"household_id": "h"})
    answer = restore(ctx, made)
    assert names(ctx.db) == ["Home"]
    assert names(Path(answer.kept)) == ["Changed"]
    assert oct(ctx.db.stat().st_mode & 0o777) == "0o600"


def test_a_damaged_database_gives_way_to_a_backup_and_is_kept(ctx: Context) -> None:
    made = Path(backup(ctx).backup)
    ctx.db.write_bytes(b"rubbish" * 1000)
    answer = restore(ctx, made)
    assert names(ctx.db) == ["Home"]
    assert Path(answer.kept).read_bytes().startswith(b"rubbish")


def test_what_is_not_whole_is_not_restored(ctx: Context, tmp_path: Path) -> None:
    rubbish = tmp_path / "rubbish.db"
    rubbish.write_bytes(os.urandom(5000))
    with pytest.raises(StoreDamagedError):
        restore(ctx, rubbish)
    with pytest.raises(StoreError, match=r"none\.db"):
        restore(ctx, tmp_path / "none.db")
    assert names(ctx.db) == ["Home"]


def test_a_database_of_another_program_is_not_restored(ctx: Context, tmp_path: Path) -> None:
    other = tmp_path / "photos.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE photos (name TEXT)")
    (empty := tmp_path / "empty.db").touch()
    for source in (other, empty):
        with pytest.raises(StoreDamagedError, match="another program"):
            restore(ctx, source)
    assert names(ctx.db) == ["Home"]
    assert sorted(path.name for path in ctx.db.parent.iterdir() if path.suffix == ".db") == ["home.db"]


def test_backups_while_somebody_writes_are_whole(ctx: Context, tmp_path: Path) -> None:
    done = threading.Event()

    def write() -> None:
        with open_store(ctx.db) as store:
            number = 0
            while not done.is_set():
                number += 1
                rows = [{"household_id": f"{number}-{part}", "name": f"{number}-{part}"} for part in range(10)]
                store.upsert("households", rows)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        copies = [Path(backup(ctx, out=tmp_path / f"{number}.db").backup) for number in range(5)]
    finally:
        done.set()
        writer.join()
    for copy in copies:
        with open_store(copy) as store:
            assert store.count("households") % 10 == 1
