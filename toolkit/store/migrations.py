"""Create the tables of the schema, and upgrade databases of earlier versions, completely or not at all, after a copy.

Every step has a number, and `PRAGMA user_version` holds the number reached. A step that only adds tables or columns
calls `bring_up_to_date`, which reads the schema. So that no added column is ever forgotten, a fingerprint of the
schema is kept too: where it differs, the same function runs. sqlite-utils is slow to import: it is loaded only where a
database is made or upgraded.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from toolkit.errors import StoreTooNewError
from toolkit.store.connection import APPLICATION_ID, before_upgrade, connect, copy_database, use_write_ahead_log
from toolkit.store.statements import quoted
from toolkit.store.views import VIEWS, create_state, create_views
from toolkit.tables.schema import STORED, Column, Table

if TYPE_CHECKING:
    from sqlite_utils import Database
    from sqlite_utils.db import Table as SqliteTable

PAGE_SIZE = 8192
"""Holds ten transactions or eight register-days: larger pages are no quicker, SQLite's own 4096 is a tenth slower."""
_TYPES: dict[str, type] = {"integer": int, "boolean": int, "real": float, "blob": bytes}

# Reads that are not by key, each wanted by a page or command.
_INDEXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("transactions", ("household_id", "account_id", "status")),
    ("account_plans", ("household_id", "plan_id")),
)


def bring_up_to_date(db: Database) -> None:
    """Create the tables and columns of the schema that are not there yet; nothing that is there is changed."""
    present = set(db.table_names())
    for table in STORED:
        if table.name in present:
            _add_columns(db, table)
        else:
            _create(db, table)
    for name, columns in _INDEXES:
        _table(db, name).create_index(list(columns), if_not_exists=True)


def _create(db: Database, table: Table) -> None:
    """A rowid table (blobs are twice as quick there) with an own row id, which full-text search can rely on."""
    own = {column.name: _type(column) for column in table.columns}
    columns: dict[str, type] = {"row_id": int, **own}
    required = {column.name for column in table.columns if column.required}
    made = _table(db, table.name)
    made.create(columns, pk="row_id", not_null=required)
    made.create_index(list(table.key), index_name=f"key_{table.name}", unique=True)


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
    for name in set(db.table_names()) & {table.name for table in STORED}:
        if "row_check" in {column.name for column in _table(db, name).columns}:
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


STATE = "_schema"
STEPS: tuple[tuple[str, Callable[[Database], None]], ...] = (
    ("0001_first_tables", bring_up_to_date),
    ("0002_without_row_checks", _drop_row_checks_and_dirty_months),
    ("0003_plans_by_retailer", _part_plans_of_two_retailers),
)


@cache
def fingerprint() -> int:
    """Return a number that changes with any table, column, type, key or view."""
    shape = [(t.name, t.key, [(c.name, c.kind, c.required) for c in t.columns]) for t in STORED]
    return crc32(repr((shape, VIEWS)).encode())


def ensure_current(connection: sqlite3.Connection, path: Path) -> None:
    """Create or upgrade the tables where needed. Raises StoreTooNewError for a database of a later version."""
    version = _version(connection)
    if version > len(STEPS):
        raise StoreTooNewError(
            f"{path} was made by a later version of the toolkit (format {version}, this one knows {len(STEPS)}): "
            "upgrade the toolkit."
        )
    if not _is_current(connection):
        _upgrade(connection, path)


def _is_current(connection: sqlite3.Connection) -> bool:
    return _version(connection) == len(STEPS) and _kept_fingerprint(connection) == fingerprint()


def _upgrade(connection: sqlite3.Connection, path: Path) -> None:
    """A copy, then all pending steps in one transaction; whoever comes second waits, and finds nothing left to do."""
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")  # of a new database: an older one keeps its own
    use_write_ahead_log(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _is_current(connection):
            if version := _version(connection):
                with closing(connect(path)) as reader:  # a copy cannot be read through a connection that writes
                    copy_database(reader, before_upgrade(path, version, fingerprint()))
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
    steps.apply(db)
    if _kept_fingerprint(connection) != fingerprint():
        bring_up_to_date(db)
    create_state(connection)
    create_views(connection)
    connection.execute(f"DROP TABLE IF EXISTS {STATE}")
    connection.execute(f"CREATE TABLE {STATE} (fingerprint INTEGER NOT NULL)")
    connection.execute(f"INSERT INTO {STATE} VALUES (?)", (fingerprint(),))  # noqa: S608 a constant
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {len(STEPS)}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _kept_fingerprint(connection: sqlite3.Connection) -> int | None:
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (STATE,)).fetchone() is None:
        return None
    row = connection.execute(f"SELECT fingerprint FROM {STATE}").fetchone()  # noqa: S608 a constant
    if row is None or not isinstance(row[0], int):
        raise sqlite3.DatabaseError("database disk image is malformed: it does not say which tables it has")
    return row[0]
