"""Check whether a database is intact: SQLite's own check, and checksums that SQLite does not have."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from zlib import crc32

from toolkit.store.filters import quoted
from toolkit.store.integrity import row_checks
from toolkit.store.search import wrong_indexes
from toolkit.tables.schema import STORED

STATE = "_schema"


def damage(connection: sqlite3.Connection) -> list[str]:
    """Return sentences on what is wrong; empty if nothing is found.

    SQLite has no page checksums: about a third of flipped bits pass its check. Every row carries one of its own, the
    tables' and views' definitions have one together, and the search index is compared with what it indexes.
    """
    looks: tuple[Callable[[sqlite3.Connection], list[str]], ...] = (
        _unsound_pages,
        _changed_definitions,
        row_checks.changed_rows,
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
