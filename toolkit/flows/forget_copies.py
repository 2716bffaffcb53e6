"""Copies of the database, and other files of the data folder, after something was forgotten."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from toolkit.errors import ChoiceNeeded, StoreError
from toolkit.flows import forget_look
from toolkit.flows.context import Progress
from toolkit.flows.forget_rows import Kind, Target, delete, find


def forget_copies(db: Path, kind: Kind, wanted: str, progress: Progress) -> list[dict[str, str]]:
    """Backups lose the same rows; one that cannot be opened is removed, and so are the copies that upgrades kept."""
    from toolkit.store.kept import remains_of

    done = []
    for path in _backups(db):
        progress(f"deleting from {path.name}")
        done.append({"path": str(path), "done": _delete_in_backup(path, kind, wanted)})
    for path in remains_of(db):
        path.unlink()
        done.append({"path": str(path), "done": "removed"})
    return done


def _delete_in_backup(path: Path, kind: Kind, wanted: str) -> str:
    from toolkit.store import open_store

    try:
        with open_store(path, create=False) as copy:
            try:
                delete(copy, find(copy, kind, wanted))
            except ChoiceNeeded:
                return "holds nothing of it"
            finally:
                copy.scrub()  # also where an earlier attempt had deleted the rows only
    except StoreError:
        path.unlink(missing_ok=True)
        return "removed: it could not be opened"
    return "rows deleted"


def _backups(db: Path) -> list[Path]:
    """What `backup` and `restore` have kept of `db` in their usual places."""
    from toolkit.store.kept import backups_of, set_aside_of

    return [*set_aside_of(db), *backups_of(db)]


def still_naming(db: Path, target: Target, wanted: str) -> list[Path]:
    """Files of the data folder that still hold one of the ids.

    The rest of a household may go on naming an account, a service point or a file: then the database is no such file.
    """
    files = [path for path in sorted(db.parent.rglob("*")) if path.is_file()]
    if target.kind not in ("consent", "household"):
        own = {db, *(db.with_name(db.name + suffix) for suffix in ("-wal", "-shm")), *_backups(db)}
        files = [path for path in files if path not in own]
    return _holding(files, sorted({*target.names, wanted}))


def _holding(files: list[Path], words: list[str]) -> list[Path]:
    asked = json.dumps({"paths": [str(path) for path in files], "words": words})
    look = [sys.executable, "-I", forget_look.__file__]
    told = subprocess.run(look, input=asked, capture_output=True, text=True, check=True, encoding="utf-8")  # noqa: S603 our own file
    return [Path(path) for path in json.loads(told.stdout)]
