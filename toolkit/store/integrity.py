"""Whether a database is intact: its rows and definitions, and the end of the write-ahead log that a crash left.

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
from toolkit.store.files import log_of, new_log
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


# ---- the write-ahead log

_HEADER, _FRAME = struct.Struct(">8I"), struct.Struct(">6I")
_MAGIC = 0x377F0682
_32_BITS = 0xFFFFFFFF


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
