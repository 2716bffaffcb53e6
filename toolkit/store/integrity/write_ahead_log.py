"""The write-ahead log that a crash has left: whether its end was lost, which SQLite passes over in silence.

SQLite reads a log up to the last commit with correct checksums. What stands after that is of an earlier round (both
salts differ), or of a transaction that was cut short (no frame commits it), or it is damage.
The format: https://www.sqlite.org/fileformat2.html#walformat
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from toolkit.errors import StoreError
from toolkit.store.backups.names import new_log
from toolkit.store.connection import connect

_HEADER, _FRAME = struct.Struct(">8I"), struct.Struct(">6I")
_MAGIC = 0x377F0682
_32_BITS = 0xFFFFFFFF


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def is_left(path: Path) -> bool:
    """Whether there is a log with anything in it, by a crash or by others that have the database open."""
    try:
        return log_of(path).stat().st_size > _HEADER.size
    except FileNotFoundError:
        return False


def refuse_lost_end(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError if commits at the end of the log cannot be read; a copy of the log is kept.

    Raised once: the database is then as of the commit before, and can be used.
    """
    if not _is_end_lost(connection, path):
        return
    connection.execute("BEGIN IMMEDIATE")  # another may just have been writing there
    try:
        with closing(connect(path)) as second:
            if not _is_end_lost(second, path):
                return
            kept = Path(shutil.copy(log_of(path), new_log(path)))
    finally:
        connection.rollback()
    raise StoreError(
        f"{path}: what was stored last is lost, for the end of the log that a crash left cannot be read (kept as "
        f"{kept.name}). Everything before is there: run `toolkit sync`, and import again what you imported last."
    )


def _is_end_lost(connection: sqlite3.Connection, path: Path) -> bool:
    busy, read, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    with log_of(path).open("rb") as file:
        if len(header := file.read(_HEADER.size)) < _HEADER.size:
            return False
        magic, _, page_size, _, first, second, *check = _HEADER.unpack(header)
        if magic & ~1 != _MAGIC or check != _checksum(header[:24], big=bool(magic & 1)):
            return True
        size = _FRAME.size + page_size
        file.seek(_HEADER.size + max(read, 0) * size)
        return not busy and any(_is_lost(frame, first, second) for frame in _frames(file.read(), size))


def _frames(data: bytes, size: int) -> Iterator[tuple[int, ...]]:
    """The header of each whole frame: page, size of the database where it commits, two salts, two checksums."""
    for start in range(0, len(data) - size + 1, size):
        yield _FRAME.unpack_from(data, start)


def _is_lost(frame: tuple[int, ...], first: int, second: int) -> bool:
    page, commits, *salts, _, _ = frame
    alike = (salts[0] == first) + (salts[1] == second)
    return page == 0 or alike == 1 or (alike == 2 and commits != 0)


def _checksum(data: bytes, *, big: bool) -> list[int]:
    one = two = 0
    for left, right in struct.iter_unpack(">2I" if big else "<2I", data):
        one = (one + left + two) & _32_BITS
        two = (two + right + one) & _32_BITS
    return [one, two]
