"""Copies of the database, and other files of the data folder, after something was forgotten."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import StoreError
from toolkit.flows import forget_look
from toolkit.flows.context import Progress
from toolkit.flows.forget_rows import delete
from toolkit.flows.forget_target import Target, find_buried

if TYPE_CHECKING:
    from toolkit.store import Store

CLEAN = "rows deleted"
"""Said of a backup that holds none of the rows any more."""


def forget_copies(db: Path, target: Target, progress: Progress) -> list[dict[str, str]]:
    """Backups lose the same rows; one that cannot be opened is removed, and so are the copies that upgrades kept."""
    from toolkit.store.kept import remains_of

    done = []
    for path in _backups(db):
        progress(f"deleting from {path.name}")
        done.append({"path": str(path), "done": _delete_in_backup(path, target)})
    for path in remains_of(db):
        path.unlink()
        done.append({"path": str(path), "done": "removed"})
    return done


def _delete_in_backup(path: Path, target: Target) -> str:
    from toolkit.store import open_store

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
    from toolkit.store.kept import backups_of, set_aside_of

    return [*set_aside_of(db), *backups_of(db)]


def still_naming(db: Path, target: Target, copies: list[dict[str, str]]) -> list[Path]:
    """Files of the data folder that still hold one of the ids. copies: the answer of `forget_copies`.

    The rest of the store may go on naming an account, a service point or a file, or what another household has, too:
    then the database is no such file, nor is a backup that lost the same rows.
    """
    files = [path for path in sorted(db.parent.rglob("*")) if path.is_file()]
    if target.shared or target.kind not in ("consent", "household"):
        clean = {Path(copy["path"]) for copy in copies if copy["done"] == CLEAN}
        own = {db, *(db.with_name(db.name + suffix) for suffix in ("-wal", "-shm")), *clean}
        files = [path for path in files if path not in own]
    return _holding(files, sorted(target.names))


def _holding(files: list[Path], words: list[str]) -> list[Path]:
    asked = json.dumps({"paths": [str(path) for path in files], "words": words})
    look = [sys.executable, "-I", forget_look.__file__]
    told = subprocess.run(look, input=asked, capture_output=True, text=True, check=True, encoding="utf-8")  # noqa: S603 our own file
    return [Path(path) for path in json.loads(told.stdout)]
