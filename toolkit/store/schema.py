"""The tables of the database: created, with its views, and upgraded from earlier versions.

An upgrade is complete or not at all, after a copy. Every step has a number, and `PRAGMA user_version` holds the number
reached. A step that only adds tables or columns calls `bring_up_to_date`, which reads `tables.schema`. So that no added
column is ever forgotten, a fingerprint of the tables is kept too: where it differs, the same function runs. Both are
stated in `connection`, so that a command that opens a database of today does not load what makes one.
sqlite-utils is slow to import: it is loaded only where a database is made or upgraded.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from toolkit.errors import StoreTooNewError
from toolkit.store.connection import (
    APPLICATION_ID,
    FINGERPRINT,
    SCHEMA_TABLE,
    VERSION,
    before_upgrade,
    connect,
    copy_database,
    discard_unfinished,
    fingerprint_of,
    is_current,
    use_write_ahead_log,
    version_of,
)
from toolkit.store.search import create_state
from toolkit.store.statements import quoted
from toolkit.store.views import VIEWS
from toolkit.tables.schema import STORED, Column, Table
from toolkit.tables.schema import table as find_table

if TYPE_CHECKING:
    from sqlite_utils import Database
    from sqlite_utils.db import Table as SqliteTable

PAGE_SIZE = 8192
"""Holds ten transactions or eight register-days: larger pages are no quicker, SQLite's own 4096 is a tenth slower."""
_TYPES: dict[str, type] = {"integer": int, "boolean": int, "real": float, "blob": bytes}
_SQL_TYPES: dict[type, str] = {int: "INTEGER", float: "REAL", bytes: "BLOB", str: "TEXT"}

# Reads that are not by key, each wanted by a page or command.
_INDEXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("transactions", ("household_id", "account_id", "status")),
    ("account_plans", ("household_id", "plan_id")),
    # the sums of all accounts by month come in this order and lie beside it: no sorting, no look at the table
    (
        "spending_months",
        (
            *("household_id", "month", "kind", "primary_category", "secondary_category", "currency", "pending"),
            *("amount_minor", "out_minor", "count", "first_day", "last_day"),
        ),
    ),
)


def bring_up_to_date(db: Database) -> None:
    """Create the tables and columns of the schema that are not there yet; nothing that is there is changed."""
    present = set(db.table_names())
    for table in STORED:
        if table.name in present:
            _add_columns(db, table)
        else:
            _create(db, table)
    _make_indexes(db)
    _declare_references(db)


def _make_indexes(db: Database) -> None:
    """Create the indexes that are missing, and drop those of an earlier version: each makes writing slower."""
    for table, columns in _INDEXES:
        wanted = [list(each) for name, each in _INDEXES if name == table]
        for index in _table(db, table).indexes:
            if index.name.startswith("idx_") and index.columns not in wanted:
                db.execute(f"DROP INDEX {quoted(index.name)}")
        _table(db, table).create_index(list(columns), if_not_exists=True)


def _create(db: Database, table: Table) -> None:
    """A rowid table (blobs are twice as quick there) with an own row id, which full-text search can rely on.

    In one statement each, worded as sqlite-utils does, which takes a millisecond more for a table.
    """
    columns = ['"row_id" INTEGER PRIMARY KEY']
    for column in table.columns:
        required = " NOT NULL" if column.required else ""
        columns.append(f"{quoted(column.name)} {_SQL_TYPES[_type(column)]}{required}")
    listed = ",\n   ".join(columns)
    db.execute(f"CREATE TABLE {quoted(table.name)} (\n   {listed}{_foreign_keys(table)}\n)")
    db.execute(f"CREATE UNIQUE INDEX {quoted(f'key_{table.name}')}\n    ON {quoted(table.name)} ({_listed(table.key)})")


_REFERENCES = ", FOREIGN KEY "


def _declare_references(db: Database) -> None:
    """Declare the foreign keys of the schema, without touching a row.

    SQLite cannot add one to a table other than by copying it, and names how to edit a definition instead, where
    what is stored stays the same (https://sqlite.org/lang_altertable.html, section 8). They are for people who query:
    our connections do not enforce them, as files and pages come in any order.
    """
    definitions = {table.name: _with_references(db, table) for table in STORED}
    changed = {name: new for name, (old, new) in definitions.items() if old != new}
    if not changed:
        return
    version = int(db.execute("PRAGMA schema_version").fetchone()[0])
    db.execute("PRAGMA writable_schema = ON")
    for name, definition in changed.items():
        db.execute("UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?", (definition, name))
    db.execute(f"PRAGMA schema_version = {version + 1}")
    db.execute("PRAGMA writable_schema = OFF")


def _with_references(db: Database, table: Table) -> tuple[str, str]:
    """Return the definition of a table as it is, and as it has to be."""
    row = db.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table.name,)).fetchone()
    stored = str(row[0])
    columns = stored.partition(_REFERENCES)[0].rstrip().removesuffix(")").rstrip()
    return stored, f"{columns}{_foreign_keys(table)}\n)"


def _foreign_keys(table: Table) -> str:
    return "".join(
        f"{_REFERENCES}({_listed(key.columns)}) REFERENCES {quoted(key.table)} ({_listed(find_table(key.table).key)})"
        " DEFERRABLE INITIALLY DEFERRED"
        for key in table.references
    )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(quoted, names))


def _add_columns(db: Database, table: Table) -> None:
    """Later columns may be null, as older rows have no value for them."""
    present = {column.name for column in _table(db, table.name).columns}
    for column in table.columns:
        if column.name not in present:
            _table(db, table.name).add_column(column.name, _type(column))


def _table(db: Database, name: str) -> SqliteTable:
    return db.table(name)


def _type(column: Column) -> type:
    return _TYPES.get(column.kind, str)


def _drop_row_checks_and_dirty_months(db: Database) -> None:
    """Drop the checksum of every row and the marks on months: a roll-up that is out of date has no row in `rollups`."""
    having = "SELECT t.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.name = ?"
    for (name,) in db.execute(having, ("row_check",)).fetchall():
        db.execute(f"ALTER TABLE {quoted(name)} DROP COLUMN row_check")
    if "dirty_months" in db.table_names():
        db.execute("DELETE FROM rollups WHERE household_id IN (SELECT household_id FROM dirty_months)")
        db.execute("DROP TABLE dirty_months")


def _part_plans_of_two_retailers(db: Database) -> None:
    """Give published plans that two retailers call the same an id each; until then they were versions of one plan."""
    rows = db.execute(
        "SELECT plan_id, version, retailer FROM plans WHERE household_id = '' ORDER BY sequence, row_id"
    ).fetchall()
    if not rows:
        return
    from toolkit.tables.rows.plans import PlanIds

    ids = PlanIds()
    for plan_id, version, retailer in rows:
        own = ids.id_of(plan_id, retailer)
        if own != plan_id:
            db.execute(
                "UPDATE plans SET plan_id = ? WHERE household_id = '' AND plan_id = ? AND version = ?",
                (own, plan_id, version),
            )
            keys = [json.dumps([each, version], separators=(",", ":")) for each in (own, plan_id)]
            db.execute("UPDATE claims SET row_key = ? WHERE table_name = 'plans' AND row_key = ?", keys)


STEPS: tuple[tuple[str, Callable[[Database], None]], ...] = (
    ("0001_first_tables", bring_up_to_date),
    ("0002_without_row_checks", _drop_row_checks_and_dirty_months),
    ("0003_plans_by_retailer", _part_plans_of_two_retailers),
)


def fingerprint() -> int:
    """Return what `FINGERPRINT` must be: it changes with any table, column, type, key, reference, view or index."""
    shape = [(t.name, t.key, t.references, [(c.name, c.kind, c.required) for c in t.columns]) for t in STORED]
    queries = [(name, view.query) for name, view in VIEWS.items()]
    return crc32(repr((shape, queries, _INDEXES)).encode())


def bring_to_current(connection: sqlite3.Connection, path: Path) -> None:
    """Create or upgrade the tables where needed. Raises StoreTooNewError for a database of a later version."""
    version = version_of(connection)
    if version > VERSION:
        raise StoreTooNewError(
            f"{path} was made by a later version of the toolkit (format {version}, this one knows {VERSION}): "
            "upgrade the toolkit."
        )
    if not is_current(connection):
        _upgrade(connection, path)


def _upgrade(connection: sqlite3.Connection, path: Path) -> None:
    """A copy, then all pending steps in one transaction; whoever comes second waits, and finds nothing left to do."""
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")  # of a new database: an older one keeps its own
    use_write_ahead_log(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not is_current(connection):
            if version := version_of(connection):
                copy = before_upgrade(path, version, FINGERPRINT)
                discard_unfinished(copy)
                with closing(connect(path)) as reader:  # a copy cannot be read through a connection that writes
                    copy_database(reader, copy)
            _apply(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def _apply(connection: sqlite3.Connection) -> None:
    from sqlite_utils import Database, Migrations

    steps = Migrations("toolkit")
    for name, function in STEPS:
        steps(name=name)(function)
    db = Database(connection)
    is_new = not db.table_names()
    steps.apply(db)
    if not is_new and fingerprint_of(connection) != FINGERPRINT:
        bring_up_to_date(db)
    create_state(connection)
    _create_views(connection)
    connection.execute(f"DROP TABLE IF EXISTS {SCHEMA_TABLE}")
    connection.execute(f"CREATE TABLE {SCHEMA_TABLE} (fingerprint INTEGER NOT NULL)")
    connection.execute(f"INSERT INTO {SCHEMA_TABLE} VALUES (?)", (FINGERPRINT,))  # noqa: S608 a constant
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _create_views(connection: sqlite3.Connection) -> None:
    """Create the views, replacing those of earlier versions."""
    for name, view in VIEWS.items():
        connection.execute(f'DROP VIEW IF EXISTS "{name}"')
        connection.execute(f'CREATE VIEW "{name}" AS {view.query.strip()}')
