"""Detect a database that was moved, deleted or replaced, instead of creating an empty one in its place."""

from __future__ import annotations

from pathlib import Path

from toolkit.errors import StoreError
from toolkit.store.backups.names import copies_of

Identity = tuple[tuple[int, int] | None, ...]
"""Device and number of the database file and of its log; None where there is none."""


def is_stored(path: Path) -> bool:
    """Whether there is a database at `path`. Raises StoreError where there was one, and what it left is still there."""
    if path.exists():
        return True
    if copies := copies_of(path):
        raise StoreError(
            f"{path} is missing, but a copy of it is there: it was moved or deleted. Put it back, or restore the copy: "
            f"toolkit restore {copies[-1]}. To begin anew, move the copies elsewhere."
        )
    if _is_filled(log := _sidecar(path, "-wal")):
        raise StoreError(
            f"{path} is missing, but its log {log.name} is there: it was moved or deleted. Put it back. To begin anew, "
            "delete the log."
        )
    return False


def identity(path: Path) -> Identity:
    """Return device and inode number of the database file and its log."""
    return tuple(_number(place) for place in (path, _sidecar(path, "-wal")))


def refuse_replaced(path: Path, opened: Identity) -> None:
    """Raise StoreError if the opened files are no longer at their paths.

    SQLite would continue to write to files that have no name any more. A log created later is not a replacement.
    """
    present = identity(path)
    if any(then not in (None, now) for then, now in zip(opened, present, strict=True)):
        raise StoreError(
            f"{path} was moved, deleted or replaced while it was in use: nothing was stored in it since. Put it back, "
            "or see `toolkit doctor`, and repeat."
        )


def is_without_its_log(path: Path) -> bool:
    """Whether the log was taken away after a crash: SQLite makes the log before its index and deletes it after it."""
    log, index = _sidecar(path, "-wal"), _sidecar(path, "-shm")
    return all(_is_filled(index) and not log.exists() for _ in range(2))  # twice: somebody may just be closing it


def refuse_without_its_log(path: Path) -> None:
    """Raise StoreError if the log was taken away after a crash."""
    if is_without_its_log(path):
        raise StoreError(
            f"{path}: its log was taken away after a crash, and what was stored last may be missing: run `toolkit "
            "doctor`, which looks at the rest and lets you go on."
        )


def go_on_without_log(path: Path) -> None:
    """Accept the loss of the log, once it has been reported."""
    _sidecar(path, "-shm").unlink(missing_ok=True)


def _sidecar(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _is_filled(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False


def _number(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
