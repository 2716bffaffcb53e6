"""Refuse to replace files, except earlier output of the same command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from toolkit.errors import UsageError

SQLITE_HEADER = b"SQLite format 3\x00"
_SIDE_FILES = ("-wal", "-shm", "-journal")
"""Endings of files that SQLite reads as a part of a database."""


def refuse_to_replace(
    target: Path, db: Path, *, earlier: str, is_earlier: Callable[[Path], bool], option: str = "--out"
) -> None:
    """Raise UsageError unless `target` is new, empty, or `is_earlier`: written by the same command before.

    db: the database in use. earlier: what may be replaced, and option: what names the target, for the message.
    """
    if target == db or _is_same_file(target, db):
        raise UsageError(f"{target} is the database itself: name another file with {option}.")
    if base := _database_of(target):
        raise UsageError(
            f"{target} would be read as a part of the database {base.name}: name another file with {option}."
        )
    if not target.exists():
        return
    if not target.is_file():
        raise UsageError(f"{target} is not a file that can be replaced: name another with {option}.")
    if is_database(target):
        raise UsageError(f"{target} is a database, and none is written over: name another file, or delete it first.")
    if target.stat().st_size and not is_earlier(target):
        raise UsageError(
            f"{target} is there already and is not {earlier}: name another place with {option}, or move the file away."
        )


def is_database(path: Path) -> bool:
    """Return whether the file begins with the header of an SQLite database."""
    return path.is_file() and first_bytes(path, len(SQLITE_HEADER)) == SQLITE_HEADER


def first_bytes(path: Path, count: int) -> bytes:
    """Read at most `count` bytes from the beginning of a file."""
    with path.open("rb") as file:
        return file.read(count)


def _is_same_file(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.absolute() == other.absolute()


def _database_of(target: Path) -> Path | None:
    for ending in _SIDE_FILES:
        base = target.with_name(target.name.removesuffix(ending))
        if target.name.endswith(ending) and base.name and is_database(base):
            return base
    return None
