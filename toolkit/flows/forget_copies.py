"""Copies of the database, and other files of the data folder, after something was forgotten."""

from __future__ import annotations

from glob import escape
from pathlib import Path

from toolkit.errors import ChoiceNeeded, StoreError
from toolkit.flows.context import Progress
from toolkit.flows.forget_rows import Kind, Target, delete, find

_CHUNK = 1 << 20


def forget_copies(db: Path, kind: Kind, wanted: str, progress: Progress) -> list[dict[str, str]]:
    """Backups lose the same rows; one that cannot be opened is removed, and so are the copies that upgrades kept."""
    from toolkit.store.kept import logs_of

    done = []
    for path in _backups(db):
        progress(f"deleting from {path.name}")
        done.append({"path": str(path), "done": _delete_in_backup(path, kind, wanted)})
    for path in sorted({*db.parent.rglob(f"{db.stem}*.format*.bak*"), *_unfinished(db), *logs_of(db)}):
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


def _unfinished(db: Path) -> list[Path]:
    """What a backup or a restore that was cut short has left."""
    endings = (".part", ".unverified", ".restoring")
    return [path for path in db.parent.rglob(f"{db.stem}*.db.*") if path.name.endswith(endings)]


def _backups(db: Path) -> list[Path]:
    """What `backup` and `restore` have kept of `db` in their usual places."""
    from toolkit.store.kept import backups_of

    return sorted({*db.parent.glob(f"{escape(db.name)}.before-restore-*"), *backups_of(db)})


def still_naming(db: Path, target: Target, wanted: str) -> list[Path]:
    """Files of the data folder that still hold one of the ids.

    The rest of a household may go on naming an account, a service point or a file: then the database is no such file.
    """
    files = [path for path in sorted(db.parent.rglob("*")) if path.is_file()]
    if target.kind not in ("consent", "household"):
        own = {db, *(db.with_name(db.name + suffix) for suffix in ("-wal", "-shm")), *_backups(db)}
        files = [path for path in files if path not in own]
    words = {name.encode() for name in {*target.names, wanted}}
    return [path for path in files if _holds(path, words)]


def _holds(path: Path, words: set[bytes]) -> bool:
    longest = max(map(len, words))
    tail = b""
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                text = tail + chunk
                if any(word in text for word in words):
                    return True
                tail = text[-longest:]
    except OSError:
        return False
    return False
