"""Backups made while others write, and restores that are cut short."""

from __future__ import annotations

import shutil
import threading
from functools import partial
from itertools import count as numbers
from pathlib import Path

from tests.faults.conftest import TODAY
from tests.faults.settings import count
from tests.faults.victims import Victims, contents
from toolkit.flows.data.backup import backup, restore
from toolkit.flows.household.context import Context
from toolkit.store import open_store
from toolkit.store.connection import copies_of

BACKUPS = count("BACKUPS", 10)
RESTORE_KILLS = count("OTHER_KILLS", 5)
A_PAGE = 10


def a_page(number: int) -> list[dict[str, object]]:
    same = {"household_id": "h", "source": "file", "account_id": "a", "currency": "AUD", "description": "x" * 200}
    return [
        {**same, "id": f"{number}-{row}", "amount": "-1.00", "amount_minor": -100, "status": "POSTED"}
        for row in range(A_PAGE)
    ]


def test_backups_while_another_writes_are_whole_and_of_one_commit(tmp_path: Path) -> None:
    """Each commit adds a page of rows and counts it: a copy of one commit has exactly the pages it counts."""
    db, done, page = tmp_path / "home.db", threading.Event(), numbers(1)
    committed = threading.Semaphore(0)
    open_store(db).close()

    def write() -> None:
        with open_store(db) as store:
            while not done.wait(0.01):
                with store.transaction():
                    number = next(page)
                    store.upsert("transactions", a_page(number))
                    store.upsert("households", [{"household_id": "h", "name": "H", "panels_kw": float(number)}])
                committed.release()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        saved = []
        for number in range(BACKUPS):
            saved.append(backup(Context(db, TODAY), out=tmp_path / "backups" / f"{number}.db"))
            while committed.acquire(blocking=False):
                pass
            assert committed.acquire(timeout=120)  # a commit after each backup, however slow the writer is
    finally:
        done.set()
        writer.join()
    pages = [pages_in(Path(answer.backup)) for answer in saved]
    assert pages == sorted(pages)
    assert pages[0] < pages[-1]
    chosen = saved[BACKUPS // 2]
    restore(Context(db, TODAY), Path(chosen.backup))
    assert pages_in(db) == pages[BACKUPS // 2]
    print(f"{BACKUPS} backups while {next(page) - 1} pages were written: each whole and of one commit")


def pages_in(path: Path) -> int:
    """How many pages a database of the writer holds, whole."""
    found = contents(path)
    counted = int(found["households"][0]["panels_kw"]) if found["households"] else 0
    assert len(found["transactions"]) == counted * A_PAGE
    return counted


def test_a_restore_cut_short_leaves_the_old_or_the_new(filled: Path, tmp_path: Path, victims: Victims) -> None:
    saved = Path(backup(Context(filled, TODAY), out=tmp_path / "saved.db").backup)
    new = contents(filled)
    with open_store(filled) as store:
        store.delete("transactions", {"id": [f"t{n}" for n in range(100)]})
    old = contents(filled)
    assert len(old["transactions"]) < len(new["transactions"])
    for number in range(-1, RESTORE_KILLS):
        db = tmp_path / f"restored{number}" / "home.db"
        asked = {"task": "restore", "db": str(db), "out": str(saved)}
        fresh = partial(_copied, filled, db)
        if number < 0:
            fresh()
            victims.run(**asked)
            continue
        victims.kill(fresh, **asked)
        assert contents(db) in (old, new)
        assert all(contents(copy) in (old, new) for copy in copies_of(db))
        restore(Context(db, TODAY), saved)
        assert contents(db) == new


def _copied(filled: Path, db: Path) -> None:
    shutil.rmtree(db.parent, ignore_errors=True)
    db.parent.mkdir()
    shutil.copy(filled, db)
