"""All tables, described once."""

from __future__ import annotations

from toolkit.tables.schema import banking, desk, energy, identity, journal, typed
from toolkit.tables.schema.columns import Cell, Column, Kind, Record, Row, Table, TableRow, table

__all__ = ["STORED", "Cell", "Column", "Kind", "Record", "Row", "Table", "TableRow", "table"]

_TABLES = (
    *identity.TABLES,
    *banking.TABLES,
    *energy.TABLES,
    *journal.TABLES,
    *typed.TABLES,
    *desk.TABLES,
)
STORED: tuple[Table, ...] = tuple(sorted(_TABLES, key=lambda table: table.internal))
"""Internal ones last."""
