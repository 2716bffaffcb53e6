"""The database as the schema describes it. Loaded only to make or upgrade one: sqlite-utils is slow to import."""

from __future__ import annotations

from sqlite_utils import Database
from sqlite_utils.db import Table as SqliteTable

from toolkit.store.statements import CHECK_COLUMN, fill_in_checks
from toolkit.tables.schema import STORED, Column, Table

_TYPES: dict[str, type] = {"integer": int, "boolean": int, "real": float, "blob": bytes}

# Reads that are not by key, each wanted by a page or command.
_INDEXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("transactions", ("household_id", "account_id", "status")),
    ("account_plans", ("household_id", "plan_id")),
)


def bring_up_to_date(db: Database) -> None:
    """Make the tables and columns of the schema that are not there yet; nothing that is there is changed."""
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
    columns: dict[str, type] = {"row_id": int, **own, CHECK_COLUMN: int}
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
    if CHECK_COLUMN not in present:
        _table(db, table.name).add_column(CHECK_COLUMN, int)
        fill_in_checks(db.conn, table)


def _table(db: Database, name: str) -> SqliteTable:
    return db.table(name)


def _type(column: Column) -> type:
    return _TYPES.get(column.kind, str)
