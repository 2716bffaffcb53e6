"""Datasette metadata: descriptions of tables and columns, generated from the schema."""

from __future__ import annotations

from typing import Any

from toolkit.store.schema.views import VIEWS
from toolkit.tables.schema import STORED, Table


def datasette_metadata(database: str) -> dict[str, Any]:
    """Return the content of a metadata file. database: its file name without `.db`."""
    tables = {table.name: _described(table) for table in STORED}
    views = {name: {"description": meaning} for name, (meaning, _) in VIEWS.items()}
    return {
        "title": "Household money and energy",
        "description": "Money is minor units (`…_minor`) of the row's currency; meter days are AEST; instants are UTC.",
        "databases": {database: {"tables": {**tables, **views}}},
    }


def _described(table: Table) -> dict[str, Any]:
    units = {column.name: f" [{column.unit}]" if column.unit else "" for column in table.columns}
    columns = {column.name: column.meaning + units[column.name] for column in table.columns}
    found: dict[str, Any] = {"description": table.meaning, "columns": columns}
    return {**found, "fts_table": f"{table.name}_fts", "fts_pk": "row_id"} if table.search else found
