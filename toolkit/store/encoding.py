"""Python values as the store keeps them, and back: dates and instants as text, booleans as 0 and 1, JSON canonical."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from toolkit.tables.schema import Table

Value = str | int | float | bytes | None
_PLAIN = frozenset((str, int, float, bytes, bool, type(None)))
"""What SQLite takes as it is."""


def stored_instant(value: datetime) -> str:
    """RFC 3339 in UTC, ending in Z. Raises ValueError for a time without a zone."""
    if value.tzinfo is None:
        raise ValueError(f"{value.isoformat()} has no time zone")
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def canonical_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def stored(value: Any) -> Value:
    """One value as SQLite takes it."""
    if value is None or isinstance(value, str | bytes | float):
        return value
    if isinstance(value, bool | int):
        return int(value)
    return _stored_object(value)


def _stored_object(value: object) -> Value:
    if isinstance(value, datetime):
        return stored_instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    return canonical_json(value)


def row_tuple(table: Table, row: Mapping[str, Any]) -> tuple[Value, ...]:
    """A mapping as a row in the table's order; columns left out are null. Raises KeyError for unknown ones."""
    names = _names(table)
    if not row.keys() <= names.keys():
        raise KeyError(f"table {table.name} has no column {', '.join(sorted(row.keys() - names.keys()))}")
    values = tuple([row.get(name) for name in names])
    return values if _PLAIN.issuperset(map(type, values)) else tuple(map(stored, values))


@cache
def _names(table: Table) -> dict[str, None]:
    return dict.fromkeys(table.names)


def _read_instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


_READERS: dict[str, Callable[[Any], Any]] = {"date": date.fromisoformat, "instant": _read_instant, "boolean": bool}


def readers(table: Table, names: tuple[str, ...]) -> list[tuple[int, Callable[[Any], Any]]]:
    """Which positions of a row of `names` need turning back into dates, instants and booleans, and by what."""
    kinds = {column.name: column.kind for column in table.columns}
    found = [(position, _READERS.get(kinds[name])) for position, name in enumerate(names)]
    return [(position, reader) for position, reader in found if reader is not None]
