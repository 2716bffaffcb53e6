"""Delete the same rows from backups and other copies of the database."""

from __future__ import annotations

from pathlib import Path

from toolkit.errors import StoreError
from toolkit.flows.forget.rows import delete
from toolkit.flows.forget.target import Target, find_by_tombstone
from toolkit.flows.household.context import Progress
from toolkit.store import Store, open_store
from toolkit.store.files import backups_of, remains_of, set_aside_of

CLEAN = "rows deleted"
"""State of a backup after its rows were deleted."""


def forget_copies(db: Path, target: Target, progress: Progress) -> list[dict[str, str]]:
    """Delete the target's rows from every backup; remove backups that cannot be opened, and copies kept by upgrades.

    Returns for each file its `path` and what was `done`.
    """
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
    matches = find_by_tombstone(copy, target)
    for match in matches:
        delete(copy, match)
    if matches or copy.count("tombstones", where={"of": target.tombstone}):
        return CLEAN
    return "contained no matching rows"


def _backups(db: Path) -> list[Path]:
    """Return the copies of `db` that `backup` and `restore` keep in their usual folders."""
    return [*set_aside_of(db), *backups_of(db)]
