"""Copies of the database, and other files of the data folder, after something was forgotten."""

from __future__ import annotations

from pathlib import Path

from toolkit.errors import StoreError
from toolkit.flows.forget.rows import delete
from toolkit.flows.forget.target import Target, find_buried
from toolkit.flows.household.context import Progress
from toolkit.store import Store, open_store
from toolkit.store.backups.names import backups_of, remains_of, set_aside_of

CLEAN = "rows deleted"
"""Said of a backup that holds none of the rows any more."""


def forget_copies(db: Path, target: Target, progress: Progress) -> list[dict[str, str]]:
    """Backups lose the same rows; one that cannot be opened is removed, and so are the copies that upgrades kept."""
    done = []
    for path in _backups(db):
        progress(f"deleting from {path.name}")
        done.append({"path": str(path), "done": _delete_in_backup(path, target)})
    for path in remains_of(db):
        path.unlink()
        done.append({"path": str(path), "done": "removed"})
    return done


def _delete_in_backup(path: Path, target: Target) -> str:
    try:
        with open_store(path, create=False) as copy:
            try:
                return _delete_rows(copy, target)
            finally:
                copy.scrub()  # also where an earlier attempt had deleted the rows only
    except StoreError:
        path.unlink(missing_ok=True)
        return "removed: it could not be opened"


def _delete_rows(copy: Store, target: Target) -> str:
    found = find_buried(copy, target)
    for same in found:
        delete(copy, same)
    if found or copy.count("tombstones", where={"of": target.buried}):
        return CLEAN
    return "holds nothing of it"


def _backups(db: Path) -> list[Path]:
    """What `backup` and `restore` have kept of `db` in their usual places."""
    return [*set_aside_of(db), *backups_of(db)]
