"""Rows of SQLite as polars frames with the schema's types."""

from __future__ import annotations

from typing import Any

import polars as pl

from toolkit.tables.schema import Table

DTYPES: dict[str, pl.DataType] = {
    "text": pl.String(),
    "json": pl.String(),
    "integer": pl.Int64(),
    "real": pl.Float64(),
    "boolean": pl.Boolean(),
    "blob": pl.Binary(),
    "date": pl.Date(),
    "instant": pl.Datetime("us", "UTC"),
}
_STORED_DTYPES: dict[str, pl.DataType] = {"date": pl.String(), "instant": pl.String(), "boolean": pl.Int64()}


def frame(table: Table, names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    """Rows of the columns `names` as a frame: date → Date, instant → Datetime(us, UTC), boolean → Boolean."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return pl.DataFrame([_series(name, table[name].kind, values) for name, values in zip(names, columns, strict=True)])


def _series(name: str, kind: str, values: tuple[Any, ...]) -> pl.Series:
    series = pl.Series(name, values, dtype=_STORED_DTYPES.get(kind, DTYPES[kind]), strict=True)
    if kind == "date":
        return series.str.to_date("%Y-%m-%d")
    if kind == "instant":
        return series.str.to_datetime("%Y-%m-%dT%H:%M:%S%.fZ", time_unit="us", time_zone="UTC")
    return series.cast(DTYPES[kind])


def schema(table: Table) -> dict[str, pl.DataType]:
    """Column name → polars type."""
    return {column.name: DTYPES[column.kind] for column in table.columns}
