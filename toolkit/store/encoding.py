"""Convert Python values to what SQLite stores, and back: dates and instants as text, booleans as 0 and 1, JSON text."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from msgspec.structs import astuple

from toolkit.tables.schema import Cell, Record, Table, TableRow

Value = str | int | float | bytes | None
"""A value as SQLite keeps it."""
Rows = Sequence[Record] | Sequence[TableRow] | Sequence[tuple[Cell, ...]]


def stored_instant(value: datetime) -> str:
    """Return RFC 3339 in UTC, ending in Z. Raises ValueError for a time without a zone."""
    if value.tzinfo is None:
        raise ValueError(f"{value.isoformat()} has no time zone")
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def canonical_json(value: object) -> str:
    """Encode a value as JSON that depends on the content alone: sorted keys, no spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def stored(value: Cell) -> Value:
    """Convert one value to what SQLite stores."""
    if value is None or isinstance(value, str | bytes | float):
        return value
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, datetime):
        return stored_instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    return canonical_json(value)


Turn = Callable[[Any], Value]


class Form:
    """Encode rows of one table: their column order, and each value as SQLite stores it."""

    def __init__(self, table: Table) -> None:
        self.name, self.names = table.name, table.names
        self._known = frozenset(table.names)
        self._columns = table.columns

    def columns(self, rows: Rows) -> dict[str, Sequence[Value]]:
        """Return rows by column, values as SQLite stores them; columns that no row fills are left out.

        Mappings may leave columns out (null); tuples hold values as stored, in the table's order. Raises KeyError for
        unknown columns.
        """
        laid_out = [row if isinstance(row, tuple) else self._laid_out(row) for row in rows]
        columns = zip(self._columns, zip(*laid_out, strict=True), strict=True)
        return {
            of.name: _turned(of.kind, values)
            for of, values in columns
            if of.required or any(values) or values.count(None) < len(values)
        }

    def value(self, name: str, value: Cell) -> Value:
        """Convert one value for the column `name`."""
        kind = self._columns[self.names.index(name)].kind
        return _turned(kind, (value,))[0]

    def _laid_out(self, row: Record | TableRow) -> tuple[Cell, ...]:
        if isinstance(row, TableRow):
            return astuple(row)
        if tuple(row) == self.names:
            return tuple(row.values())
        if row.keys() <= self._known:
            return tuple([row.get(name) for name in self.names])
        raise KeyError(f"table {self.name} has no column {', '.join(sorted(row.keys() - self._known))}")


def _turned(kind: str, values: Sequence[Any]) -> Sequence[Value]:
    converters = {type_: turn for type_ in set(map(type, values)) if (turn := _turn(kind, type_)) is not None}
    if not converters:
        return values
    return [converters[type(each)](each) if type(each) in converters else each for each in values]


_FORMS: dict[str, Form] = {}


def form(table: Table) -> Form:
    """Return the encoder of a table's rows, made once for each table."""
    known = _FORMS.get(table.name)
    if known is None:
        known = _FORMS[table.name] = Form(table)
    return known


def _turn(kind: str, type_: type) -> Turn | None:
    """Return the conversion of a Python type to one that SQLite stores unchanged; None if none is needed."""
    if type_ is type(None) or type_ is bytes:
        return None
    if kind == "real":
        return _real
    if kind in ("integer", "boolean"):
        return None if type_ is int else _whole
    return None if type_ is str else _text


def _real(value: Any) -> Value:
    number = float(value) + 0.0  # SQLite keeps no negative zero
    return None if number != number else number  # noqa: PLR0124  not a number: SQLite keeps null


def _whole(value: Any) -> Value:
    number = float(value)
    return int(value) if number.is_integer() else number


def _text(value: Any) -> Value:
    found = stored(value)
    return found if found is None or isinstance(found, str) else str(found)


_READERS: dict[str, Callable[[Any], Any]] = {
    "date": date.fromisoformat,
    "instant": datetime.fromisoformat,
    "boolean": bool,
}


def readers(table: Table, names: tuple[str, ...]) -> list[tuple[int, Callable[[Any], Any]]]:
    """Return (position, reader) for columns of a row of `names` that are dates, instants and booleans."""
    kinds = {column.name: column.kind for column in table.columns}
    by_position = [(position, _READERS.get(kinds[name])) for position, name in enumerate(names)]
    return [(position, reader) for position, reader in by_position if reader is not None]
