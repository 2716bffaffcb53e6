"""The search indexes of the database, which find rows by the words in their texts.

They have external content and are kept out of the way of writing: an index catches up when somebody searches. Rows only
added since the last search are indexed then; where rows were changed or deleted, it is rebuilt (0.4 s for 100,000
rows). Row ids are the tables' own, so VACUUM cannot move them.
"""

from __future__ import annotations

import re
import sqlite3

from toolkit.store.statements import quoted
from toolkit.tables.schema import STORED, Table

STATE = "_search"
_WORD = re.compile(r"\w+")


def create_state(connection: sqlite3.Connection) -> None:
    """Create the table with the last row that each search index includes."""
    connection.execute(
        f"CREATE TABLE IF NOT EXISTS {STATE} "
        "(name TEXT PRIMARY KEY, indexed_to INTEGER NOT NULL, stale INTEGER NOT NULL)"
    )


def matching(connection: sqlite3.Connection, table: Table, text: str) -> list[int]:
    """Return ids of rows that contain words beginning with each word of `text`, best match first. In a transaction."""
    words = _WORD.findall(text)
    if not words:
        return []
    _catch_up(connection, table)
    index = quoted(_index(table))
    query = " ".join(f'"{word}"*' for word in words)
    rows = connection.execute(f"SELECT rowid FROM {index} WHERE {index} MATCH ? ORDER BY rank, rowid", (query,))  # noqa: S608 names of the schema
    return [int(row[0]) for row in rows]


def rebuild_all(connection: sqlite3.Connection) -> None:
    """Rebuild every index from the present rows."""
    for table in STORED:
        if table.search and _state(connection, table) is not None:
            _rebuild(connection, table)


def wrong_indexes(connection: sqlite3.Connection) -> list[str]:
    """Return sentences on indexes marked up to date that are not. Call it outside a transaction."""
    return [message for table in STORED if table.search and (message := _wrong(connection, table))]


def _wrong(connection: sqlite3.Connection, table: Table) -> str:
    state = _state(connection, table)
    if state is None or state != (_last_id(connection, table), False):
        return ""
    index = quoted(_index(table))
    try:
        connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")  # noqa: S608 names of the schema
    except sqlite3.DatabaseError:
        return f"The search index of {table.name} does not match its rows."
    return ""


def _index(table: Table) -> str:
    return f"{table.name}_fts"


def _state(connection: sqlite3.Connection, table: Table) -> tuple[int, bool] | None:
    row = connection.execute(f"SELECT indexed_to, stale FROM {STATE} WHERE name = ?", (table.name,)).fetchone()  # noqa: S608 names of the schema
    return None if row is None else (int(row[0]), bool(row[1]))


def _catch_up(connection: sqlite3.Connection, table: Table) -> None:
    state = _state(connection, table)
    if state is None:
        columns = ", ".join(quoted(name) for name in table.search)
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {quoted(_index(table))} "
            f"USING fts5({columns}, content={quoted(table.name)}, content_rowid=row_id)"
        )
        _rebuild(connection, table)
    elif state[1]:
        _rebuild(connection, table)
    else:
        _add(connection, table, state[0])


def _rebuild(connection: sqlite3.Connection, table: Table) -> None:
    index = quoted(_index(table))
    connection.execute(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")  # noqa: S608 names of the schema
    _reached(connection, table)


def _add(connection: sqlite3.Connection, table: Table, indexed_to: int) -> None:
    if _last_id(connection, table) == indexed_to:
        return
    columns = ", ".join(quoted(name) for name in table.search)
    connection.execute(
        f"INSERT INTO {quoted(_index(table))} (rowid, {columns}) "  # noqa: S608 names of the schema
        f"SELECT row_id, {columns} FROM {quoted(table.name)} WHERE row_id > ?",
        (indexed_to,),
    )
    _reached(connection, table)


def _reached(connection: sqlite3.Connection, table: Table) -> None:
    values = (table.name, _last_id(connection, table))
    connection.execute(f"INSERT OR REPLACE INTO {STATE} VALUES (?, ?, 0)", values)  # noqa: S608 a constant


def _last_id(connection: sqlite3.Connection, table: Table) -> int:
    return int(connection.execute(f"SELECT coalesce(max(row_id), 0) FROM {quoted(table.name)}").fetchone()[0])  # noqa: S608 names of the schema
