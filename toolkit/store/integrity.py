"""Whether a database is intact: its rows and definitions, its presence, and the write-ahead log that a crash left.

SQLite reads a log up to the last commit with correct checksums. What stands after that is of an earlier round (both
salts differ), or of a transaction that was cut short (no frame commits it), or it is damage, which SQLite passes over
in silence. The format: https://www.sqlite.org/fileformat2.html#walformat
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from zlib import crc32

from toolkit.errors import StoreError
from toolkit.store.connection import connect
from toolkit.store.files import copies_of, new_log
from toolkit.store.statements import CHECK_COLUMN, quoted, row_check
from toolkit.store.views import wrong_indexes
from toolkit.tables.schema import STORED, Table

STATE = "_schema"
_MOST_NAMED = 3


def damage(connection: sqlite3.Connection) -> list[str]:
    """Return sentences on what is wrong; empty if nothing is found.

    SQLite has no page checksums: about a third of flipped bits pass its check. Every row carries one of its own, the
    tables' and views' definitions have one together, and the search index is compared with what it indexes.
    """
    looks: tuple[Callable[[sqlite3.Connection], list[str]], ...] = (
        _unsound_pages,
        _changed_definitions,
        changed_rows,
        wrong_indexes,
    )
    return list(dict.fromkeys(problem for look in looks for problem in _messages(look, connection)))


def _messages(look: Callable[[sqlite3.Connection], list[str]], connection: sqlite3.Connection) -> list[str]:
    """Run one check; a file too damaged to be read is a message as well."""
    try:
        return look(connection)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return [f"It cannot be read ({error})."]


def _unsound_pages(connection: sqlite3.Connection) -> list[str]:
    messages = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
    return [] if messages == ["ok"] else messages


def _changed_definitions(connection: sqlite3.Connection) -> list[str]:
    known = connection.execute(f"SELECT definitions FROM {quoted(STATE)}").fetchone()  # noqa: S608 a constant
    if known is not None and known[0] == definitions(connection):
        return []
    return ["The definitions of its tables and views are not those that were made."]


def definitions(connection: sqlite3.Connection) -> int:
    """A checksum of how tables, indexes and views are defined; search indexes are made later, and left out."""
    return crc32("\n".join(_defined(connection)).encode())


def _defined(connection: sqlite3.Connection) -> Iterator[str]:
    lazily = tuple(f"{table.name}_fts" for table in STORED if table.search)
    for kind, name, of, text in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"):
        if not of.startswith(lazily):
            yield f"{kind} {name} {of} {text}"


def changed_rows(connection: sqlite3.Connection) -> list[str]:
    """Return sentences on tables with rows that are not what was stored."""
    return [found for table in STORED if (found := _changed(connection, table))]


def _changed(connection: sqlite3.Connection, table: Table) -> str:
    names = ", ".join(map(quoted, table.names))
    rows = connection.execute(f"SELECT {CHECK_COLUMN}, {names} FROM {quoted(table.name)}")  # noqa: S608 names of the schema
    own = [table.names.index(name) for name in table.key if name != "household_id"]
    wrong = [" ".join(str(row[place]) for place in own) for known, *row in rows if row_check(*row) != known]
    if not wrong:
        return ""
    more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
    counted = f"1 row of {table.name} is" if len(wrong) == 1 else f"{len(wrong)} rows of {table.name} are"
    return f"{counted} not what was stored: {'; '.join(wrong[:_MOST_NAMED])}{more}."


# ---- whether the database is still in its place

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


# ---- the write-ahead log

_HEADER, _FRAME = struct.Struct(">8I"), struct.Struct(">6I")
_MAGIC = 0x377F0682
_32_BITS = 0xFFFFFFFF


def log_of(path: Path) -> Path:
    """Return the path of the write-ahead log of a database."""
    return path.with_name(path.name + "-wal")


def is_log_left(path: Path) -> bool:
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
