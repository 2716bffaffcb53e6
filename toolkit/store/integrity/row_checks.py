"""A checksum in every row, for SQLite keeps none: about a third of flipped bits pass its own check.

It is of the row's values in the order of the schema, nulls left out, so that a column added later changes nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

from msgspec import msgpack

from toolkit.store.filters import quoted
from toolkit.tables.schema import STORED, Table

COLUMN = "row_check"
_SOME = 3
_encode = msgpack.Encoder().encode


def row_check(*values: object) -> int:
    """The checksum of a row's values as stored."""
    return crc32(_encode([value for value in values if value is not None]))


def with_checks(rows: Iterable[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
    for row in rows:
        yield (*row, crc32(_encode([value for value in row if value is not None])))


def prepare(connection: sqlite3.Connection) -> None:
    """Make the SQL function `row_check`."""
    connection.create_function(COLUMN, -1, row_check, deterministic=True)


def call(expressions: Iterable[str]) -> str:
    """The SQL that computes a row's checksum from an expression for each of its columns."""
    return f"{COLUMN}({', '.join(expressions)})"


def fill_in(connection: sqlite3.Connection, table: Table) -> None:
    """Give rows of an earlier version their checksum."""
    value = call(map(quoted, table.names))
    connection.execute(f"UPDATE {quoted(table.name)} SET {COLUMN} = {value} WHERE {COLUMN} IS NULL")  # noqa: S608 names of the schema


def changed_rows(connection: sqlite3.Connection) -> list[str]:
    """In words: which tables hold rows that are not what was stored."""
    return [found for table in STORED if (found := _changed(connection, table))]


def _changed(connection: sqlite3.Connection, table: Table) -> str:
    names = ", ".join(map(quoted, table.names))
    rows = connection.execute(f"SELECT {COLUMN}, {names} FROM {quoted(table.name)}")  # noqa: S608 names of the schema
    wrong = [_named(table, row) for known, *row in rows if crc32(_encode([v for v in row if v is not None])) != known]
    if not wrong:
        return ""
    more = f" and {len(wrong) - _SOME} more" if len(wrong) > _SOME else ""
    counted = f"1 row of {table.name} is" if len(wrong) == 1 else f"{len(wrong)} rows of {table.name} are"
    return f"{counted} not what was stored: {'; '.join(wrong[:_SOME])}{more}."


def _named(table: Table, row: Sequence[object]) -> str:
    own = [name for name in table.key if name != "household_id"]
    return " ".join(str(row[table.names.index(name)]) for name in own)
