from __future__ import annotations

import datetime as dt
from typing import get_type_hints

import pytest

from toolkit.tables.schema import TableRow

TYPES = {
    "text": str,
    "json": str,
    "integer": int,
    "real": float,
    "boolean": bool,
    "blob": bytes,
    "date": dt.date,
    "instant": dt.datetime,
}


@pytest.mark.parametrize("row", TableRow.__subclasses__(), ids=lambda row: row.__name__)
def test_a_row_type_has_the_columns_of_its_table_in_order(row: type[TableRow]) -> None:
    hints = get_type_hints(row)
    expected = {
        column.name: TYPES[column.kind] if column.required else TYPES[column.kind] | None
        for column in row.table.columns
    }
    assert row.__struct_fields__ == row.table.names
    assert {name: hints[name] for name in row.__struct_fields__} == expected
