"""Foreign keys as a database declares them, and rows that break one, as SQLite itself finds them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from toolkit.tables.schema import STORED, table
from toolkit.tables.schema.columns import Reference


def broken_references(db: Path) -> list[tuple[str, str]]:
    """Return table and missing table of each row that breaks a foreign key."""
    with closing(sqlite3.connect(db)) as reader:
        return [(row[0], row[2]) for row in reader.execute("PRAGMA foreign_key_check")]


def declared_references(db: Path) -> dict[str, set[Reference]]:
    """Return the foreign keys that a database declares, by table; each has to lead to a whole key."""
    listed = 'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq'
    declared: dict[str, set[Reference]] = {}
    with closing(sqlite3.connect(db)) as reader:
        for name in (each.name for each in STORED):
            keys: dict[int, list[tuple[str, str, str]]] = {}
            for number, parent, own, theirs in reader.execute(listed, (name,)):
                keys.setdefault(number, []).append((parent, own, theirs))
            declared[name] = {Reference(tuple(own for _, own, _ in key), key[0][0]) for key in keys.values()}
            assert all(tuple(theirs for _, _, theirs in key) == table(key[0][0]).key for key in keys.values())
    return declared
