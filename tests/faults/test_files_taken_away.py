"""The database is moved, deleted or replaced, or loses its log: it is said, and nothing begins anew in silence."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.conftest import TODAY, a_service
from tests.faults.victims import Victims, contents
from tests.flows.sync.written import purchase
from tests.json_answers import sync
from toolkit.errors import StoreBusyError, StoreMissingError
from toolkit.flows.data.backup import backup, restore
from toolkit.flows.household.context import Context
from toolkit.store import open_store

NEW = {"household_id": "new", "name": "New"}


def moved(db: Path) -> None:
    db.rename(db.with_name("elsewhere.db"))


def replaced(db: Path) -> None:
    shutil.copy(db, db.with_name("other.db"))
    db.with_name("other.db").replace(db)


def without_log(db: Path) -> None:
    db.with_name(db.name + "-wal").unlink()


@pytest.mark.parametrize("harm", [Path.unlink, moved, replaced, without_log])
def test_what_happens_to_an_open_file_is_told_and_nothing_is_stored_for_nobody(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    db = tmp_path / "home.db"
    with open_store(db) as store:
        store.upsert("households", [{**NEW, "household_id": "old", "name": "Old"}])
        harm(db)
        with pytest.raises(StoreMissingError):
            store.upsert("households", [NEW])


def test_a_missing_database_with_copies_is_no_empty_one(filled: Path) -> None:
    ctx = Context(filled, TODAY)
    saved, expected = backup(ctx).backup, contents(filled)
    filled.unlink()
    for _ in range(2):
        with pytest.raises(StoreMissingError, match=f"toolkit restore {saved}"):
            sync(ctx, a_service(), end_user="eu")
    assert not filled.exists()
    restore(ctx, Path(saved))
    assert contents(filled) == expected


def test_a_log_that_is_left_alone_is_poison_to_nobody(filled: Path, tmp_path: Path, victims: Victims) -> None:
    """The log of the lost database is kept beside, and never read into the restored one."""
    ctx = Context(filled, TODAY)
    saved, expected = backup(ctx, out=tmp_path / "saved.db").backup, contents(filled)
    assert victims.told(task="crash", db=str(filled)) == [1]
    filled.unlink()
    with pytest.raises(StoreMissingError, match=r"home\.db-wal"):
        open_store(filled)
    restore(ctx, Path(saved))
    assert contents(filled) == expected
    assert len(list(filled.parent.glob("home.db.*.wal.bak"))) == 1


def test_a_log_taken_away_after_a_crash_is_told(filled: Path, victims: Victims) -> None:
    """Again and again, until the doctor has looked: see tests/cli/test_doctor.py."""
    assert victims.told(task="crash", db=str(filled)) == [1]
    without_log(filled)
    for _ in range(2):
        with pytest.raises(StoreMissingError, match="toolkit doctor"):
            open_store(filled)


def test_restoring_while_somebody_writes_is_refused(filled: Path, tmp_path: Path) -> None:
    ctx = Context(filled, TODAY)
    saved = Path(backup(ctx, out=tmp_path / "saved.db").backup)
    with open_store(filled) as store:
        with pytest.raises(StoreBusyError):
            restore(ctx, saved)
        store.upsert("households", [NEW])
    assert "New" in {row["name"] for row in contents(filled)["households"]}
    assert [path.name for path in filled.parent.iterdir()] == ["home.db"]


def test_a_backup_is_only_read_and_what_is_restored_is_used_as_before(filled: Path, tmp_path: Path) -> None:
    """Copies are single files; the database itself keeps a log, so that readers and a writer do not wait."""
    ctx, service = Context(filled, TODAY), a_service()
    saved = Path(backup(ctx, out=tmp_path / "saved.db").backup)
    saved.chmod(0o400)
    before = saved.read_bytes()
    restore(ctx, saved)
    service.lists["banking.transactions"].append(purchase(900))
    sync(ctx, service)
    with open_store(filled) as store:
        assert store.count("transactions") == 801
        assert filled.with_name("home.db-wal").exists()
    assert (saved.read_bytes(), saved.stat().st_mode & 0o777) == (before, 0o400)
    assert [path.name for path in tmp_path.glob("saved*")] == ["saved.db"]
