"""Views for the questions that people who open the file with other tools ask most, and Datasette's descriptions."""

from __future__ import annotations

import sqlite3
from typing import TypedDict

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
