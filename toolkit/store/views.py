"""What the database derives from its tables for reading: views, Datasette's descriptions, and full-text search.

Views answer the questions that people who open the file with other tools ask most. The search index has external
content and is kept out of the way of writing: it catches up when somebody searches. Rows only added since the last
search are indexed then; where rows were changed or deleted, it is rebuilt (0.4 s for 100,000 rows). Row ids are the
tables' own, so VACUUM cannot move them.
"""

from __future__ import annotations

import re
import sqlite3
from typing import TypedDict

from toolkit.store.statements import quoted
from toolkit.tables.schema import STORED, Table

# name → (description, query)
VIEWS: dict[str, tuple[str, str]] = {
    "daily_energy": (
        "Energy by register and meter day, in the register's unit (kWh, MJ); coverage is the share of present values.",
        """SELECT household_id, service_point_id, meter_id, register_suffix, direction, controlled_load, date,
                  total_nano / 1e9 AS energy, unit, interval_minutes, round(1.0 * present / intervals, 4) AS coverage
           FROM register_days""",
    ),
    "daily_energy_by_service_point": (
        "Import, controlled load and export of a service point by meter day, in kWh (gas: MJ).",
        """SELECT household_id, service_point_id, date, unit,
                  sum(CASE WHEN direction = 'import' THEN total_nano END) / 1e9 AS import,
                  sum(CASE WHEN direction = 'import' AND controlled_load THEN total_nano END) / 1e9 AS controlled_load,
                  sum(CASE WHEN direction = 'export' THEN total_nano END) / 1e9 AS export
           FROM register_days WHERE direction IN ('import', 'export')
           GROUP BY household_id, service_point_id, date, unit""",
    ),
    "posted_transactions": (
        "Posted transactions of every account, those that a linked account has too among them; money out is negative.",
        """SELECT household_id, account_id,
                  substr(coalesce(execution_date_time, posting_date_time, value_date_time), 1, 10) AS day_written,
                  amount_minor / 100.0 AS amount, currency, description, merchant_name, primary_category,
                  secondary_category, id
           FROM transactions WHERE status = 'POSTED' AND vanished_at IS NULL""",
    ),
    "monthly_spending": (
        "Spending by month and category from the roll-up, in currency units; positive is money out.",
        """SELECT household_id, month, primary_category, secondary_category, currency,
                  -sum(amount_minor) / 100.0 AS spent, sum(count) AS transactions
           FROM spending_months WHERE kind = 'expense' AND NOT pending
           GROUP BY household_id, month, primary_category, secondary_category, currency""",
    ),
    "current_plans": (
        "The plan each energy account is on.",
        """SELECT a.household_id, a.account_id, a.plan_id, coalesce(a.display_name, p.name) AS name, p.retailer,
                  a.start_date, a.end_date, a.service_point_ids
           FROM account_plans a JOIN plans p USING (household_id, plan_id, version) WHERE a.is_current""",
    ),
}


def create_views(connection: sqlite3.Connection) -> None:
    """Create the views, replacing those of earlier versions."""
    for name, (_, query) in VIEWS.items():
        connection.execute(f'DROP VIEW IF EXISTS "{name}"')
        connection.execute(f'CREATE VIEW "{name}" AS {query}')


class _Description(TypedDict, total=False):
    """What Datasette shows of a table or view; `fts_…`: its full-text index."""

    description: str
    columns: dict[str, str]
    fts_table: str
    fts_pk: str


class _Database(TypedDict):
    tables: dict[str, _Description]


class DatasetteMetadata(TypedDict):
    """Content of a Datasette metadata file."""

    title: str
    description: str
    databases: dict[str, _Database]


def datasette_metadata(database: str) -> DatasetteMetadata:
    """Return the content of a metadata file. database: its file name without `.db`."""
    tables = {table.name: _described(table) for table in STORED}
    views: dict[str, _Description] = {name: {"description": meaning} for name, (meaning, _) in VIEWS.items()}
    return {
        "title": "Household money and energy",
        "description": "Money is minor units (`…_minor`) of the row's currency; meter days are AEST; instants are UTC.",
        "databases": {database: {"tables": {**tables, **views}}},
    }


def _described(table: Table) -> _Description:
    units = {column.name: f" [{column.unit}]" if column.unit else "" for column in table.columns}
    columns = {column.name: column.meaning + units[column.name] for column in table.columns}
    described: _Description = {"description": table.meaning, "columns": columns}
    if table.search:
        described.update({"fts_table": f"{table.name}_fts", "fts_pk": "row_id"})
    return described


STATE = "_search"
_WORD = re.compile(r"\w+")


def create_state(connection: sqlite3.Connection) -> None:
    """Create the table with the last row that each search index includes."""
    connection.execute(
        f"CREATE TABLE IF NOT EXISTS {STATE} "
        "(name TEXT PRIMARY KEY, indexed_to INTEGER NOT NULL, stale INTEGER NOT NULL)"
    )


def mark_stale(connection: sqlite3.Connection, table: Table) -> None:
    """Mark the index of `table` as out of date, after its rows were changed or deleted."""
    if table.search:
        connection.execute(f"UPDATE {STATE} SET stale = 1 WHERE name = ?", (table.name,))  # noqa: S608 names of the schema


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
