"""Polars data types of the columns of tables."""

from __future__ import annotations

import polars as pl

from toolkit.tables.schema.columns import Table

DATA_TYPES: dict[str, pl.DataType] = {
    "text": pl.String(),
    "json": pl.String(),
    "integer": pl.Int64(),
    "real": pl.Float64(),
    "boolean": pl.Boolean(),
    "blob": pl.Binary(),
    "date": pl.Date(),
    "instant": pl.Datetime("us", "UTC"),
}
"""Kind of a column → data type of its frame."""


def frame_schema(table: Table) -> dict[str, pl.DataType]:
    """Return column name → data type."""
    return {column.name: DATA_TYPES[column.kind] for column in table.columns}
