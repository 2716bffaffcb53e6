"""SIGKILL at random moments: afterwards everything is as it was before, or as it would have been without."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

from tests.faults.conftest import TODAY
from tests.faults.settings import count
from tests.faults.victims import Victims, contents
from tests.json_answers import forget, sync
from tests.keys import keys_of
from toolkit.api.client import Client
from toolkit.flows.data.export import export
from toolkit.flows.household.context import Context, create_household
from toolkit.sandbox.serve import Running
from toolkit.settings import load
from toolkit.store import open_store
from toolkit.store.connection import backups_of

SYNC_KILLS = count("SYNC_KILLS", 20)
OTHER_KILLS = count("OTHER_KILLS", 5)
KILLS_A_DATABASE = 5
EARLIER_EXPORT = b"household_id,id\nan earlier export\n"


def test_real_pages_twice(sandbox: Running, tmp_path: Path) -> None:
    ctx = Context(tmp_path / "a.db", TODAY)
    end_user = sandbox.people[0][1]
    with Client(load({}, keys_of(sandbox))) as client:
        first = sync(ctx, client, end_user=end_user)
        before = contents(ctx.db)
        again = sync(ctx, client, end_user=end_user)
        whole = sync(ctx, client, end_user=end_user, full=True)
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


def test_sync(sandbox: Running, tmp_path: Path, victims: Victims) -> None:
    asked = {"task": "sync", "settings": keys_of(sandbox), "end_user": sandbox.people[0][1]}
    undisturbed = tmp_path / "undisturbed.db"
    victims.run(**asked, db=str(undisturbed))
    expected = contents(undisturbed)
    for number in range(0, SYNC_KILLS, KILLS_A_DATABASE):
        db = tmp_path / f"killed{number}.db"
        for _ in range(min(KILLS_A_DATABASE, SYNC_KILLS - number)):
            victims.kill(**asked, db=str(db))
        victims.run(**asked, db=str(db))
        assert contents(db) == expected
        db.unlink()


def test_backup(filled: Path, victims: Victims) -> None:
    expected = contents(filled)
    victims.run(task="backup", db=str(filled))
    for _ in range(OTHER_KILLS):
        victims.kill(task="backup", db=str(filled))
        assert contents(filled) == expected
        assert all(contents(copy) == expected for copy in backups_of(filled))


def _earlier_export(out: Path) -> None:
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    (out / "transactions.csv").write_bytes(EARLIER_EXPORT)


def test_export(filled: Path, tmp_path: Path, victims: Victims) -> None:
    out = tmp_path / "out"
    export(Context(filled, TODAY), tmp_path / "undisturbed")
    expected = {path.name: path.read_bytes() for path in (tmp_path / "undisturbed").iterdir()}
    victims.run(task="export", db=str(filled), out=str(tmp_path / "timed"))
    for _ in range(OTHER_KILLS):
        victims.kill(partial(_earlier_export, out), task="export", db=str(filled), out=str(out))
        found = {path.name: path.read_bytes() for path in out.iterdir() if not path.name.startswith(".")}
        if found["transactions.csv"] == EARLIER_EXPORT:
            del found["transactions.csv"]
        assert found.items() <= expected.items()


def _copied(filled: Path, db: Path) -> None:
    shutil.rmtree(db.parent, ignore_errors=True)
    db.parent.mkdir()
    shutil.copy(filled, db)


def test_deletion(filled: Path, tmp_path: Path, victims: Victims) -> None:
    with open_store(filled) as store:
        gone = store.rows("households")[0]["household_id"]
        kept = create_household(store, "Others").household_id
        row = store.rows("transactions")[0]
        others = [{**row, "household_id": kept, "id": f"o{n}", "description": "OTHER", "raw": None} for n in range(50)]
        store.upsert("transactions", others)
        expected = store.rows("transactions", kept)
    for number in range(-1, OTHER_KILLS):
        db = tmp_path / f"forget{number}" / "home.db"
        fresh = partial(_copied, filled, db)
        fresh()
        asked = {"task": "forget", "db": str(db), "household": gone}
        if number < 0:
            victims.run(**asked)
            continue
        victims.kill(fresh, **asked)
        with open_store(db) as store:
            assert store.damage() == []
            assert store.count("transactions", gone) in (0, 800)
            assert store.rows("transactions", kept) == expected
        forget(Context(db, TODAY), household=gone)
        assert [path.name for path in db.parent.rglob("*") if path.is_file() and b"COFFEE" in path.read_bytes()] == []
        with open_store(db) as store:
            assert store.rows("transactions", kept) == expected
