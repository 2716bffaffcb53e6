"""Several connections of one process, as in the app, beside commands that come and go: nobody's rows are lost."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from tests.faults.conftest import TODAY
from tests.faults.settings import count
from tests.faults.victim import counted
from tests.faults.victims import Victims, contents
from tests.json_answers import forget
from toolkit.flows.household.context import Context, create_household
from toolkit.store import open_store
from toolkit.store.connection import upgraded_of

DONE = 0
WRITES = count("WRITES", 10)
WRITERS = 4


def test_a_command_that_ends_leaves_the_app_its_log(filled: Path, victims: Victims) -> None:
    """POSIX locks belong to a process: what one thread closes must not free what another holds."""
    command = {"task": "migration", "db": str(filled)}
    with open_store(filled) as syncing:
        syncing.upsert("households", [{"household_id": "before", "name": "Before"}])
        open_store(filled).close()  # a page of the app
        assert victims.told(**command) == [DONE]
        syncing.upsert("households", [{"household_id": "after", "name": "After"}])
        assert victims.told(**command) == [DONE]
    with open_store(filled) as store:
        assert {"Before", "After"} <= {row["name"] for row in store.rows("households")}
        assert store.damage() == []


def test_looking_for_what_was_forgotten_frees_no_lock(filled: Path, victims: Victims) -> None:
    with open_store(filled) as syncing:
        syncing.upsert("households", [{"household_id": "before", "name": "Before"}])
        forget(Context(filled, TODAY), household=create_household(syncing, "Nobody").household_id)
        syncing.upsert("households", [{"household_id": "between", "name": "Between"}])
        assert victims.told(task="migration", db=str(filled)) == [DONE]
        syncing.upsert("households", [{"household_id": "after", "name": "After"}])
    with open_store(filled) as store:
        assert {"Before", "Between", "After"} <= {row["name"] for row in store.rows("households")}
        assert store.damage() == []


def test_threads_and_processes_that_count_together(tmp_path: Path, victims: Victims) -> None:
    """Each reads a number and writes the next: none may be given twice."""
    db = tmp_path / "home.db"
    open_store(db).close()
    asked = {"task": "count", "db": str(db), "writes": WRITES, "together": WRITERS}
    threads = [threading.Thread(target=counted, args=(db, WRITES)) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    assert victims.told(**asked) == [DONE] * WRITERS
    for thread in threads:
        thread.join()
    with open_store(db) as store:
        assert store.rows("households")[0]["panels_kw"] == 2 * WRITERS * WRITES
        assert store.damage() == []
    print(f"{WRITERS} threads and {WRITERS} processes x {WRITES} updates: 0 lost")


def test_several_that_find_an_older_database_upgrade_it_once(filled: Path, victims: Victims) -> None:
    expected = contents(filled)
    raw = sqlite3.connect(filled)
    raw.execute("ALTER TABLE households DROP COLUMN network")
    raw.execute("UPDATE _schema SET fingerprint = 1")
    raw.commit()
    raw.close()
    assert victims.told(task="migration", db=str(filled), together=WRITERS) == [DONE] * WRITERS
    assert contents(filled) == expected
    (copy,) = upgraded_of(filled)
    kept = sqlite3.connect(copy)
    assert "network" not in [row[1] for row in kept.execute("PRAGMA table_info(households)")]
    assert kept.execute("SELECT count(*) FROM transactions").fetchone() == (800,)
    kept.close()
