"""Python values as the store keeps them, and back: dates and instants as text, booleans as 0 and 1, JSON canonical."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from toolkit.tables.schema import Table

Value = str | int | float | bytes | None


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


Turn = Callable[[Any], Value]


class Form:
    """How rows of one table are laid out and their values turned; one for each table, kept."""

    def __init__(self, table: Table) -> None:
        self.name, self.names = table.name, table.names
        self._known = frozenset(table.names)
        self._kinds = [column.kind for column in table.columns]
        self._turns: dict[tuple[type, ...], list[tuple[int, Turn]]] = {}

    def row(self, row: Mapping[str, Any]) -> tuple[Value, ...]:
        """A mapping as a row in the table's order; columns left out are null. Raises KeyError for unknown ones."""
        values: tuple[Any, ...]
        if tuple(row) == self.names:
            values = tuple(row.values())
        elif row.keys() <= self._known:
            values = tuple([row.get(name) for name in self.names])
        else:
            raise KeyError(f"table {self.name} has no column {', '.join(sorted(row.keys() - self._known))}")
        shape = tuple(map(type, values))
        turns = self._turns.get(shape)
        if turns is None:
            turns = self._turns[shape] = self._turns_of(shape)
        return values if not turns else self._turned(values, turns)

    def value(self, name: str, value: Any) -> Value:
        """One value for the column `name`, as SQLite will hold it."""
        turn = _turn(self._kinds[self.names.index(name)], type(value))
        return value if turn is None else turn(value)

    def _turns_of(self, shape: tuple[type, ...]) -> list[tuple[int, Turn]]:
        found = ((place, _turn(kind, held)) for place, (kind, held) in enumerate(zip(self._kinds, shape, strict=True)))
        return [(place, turn) for place, turn in found if turn is not None]

    @staticmethod
    def _turned(values: Sequence[Any], turns: list[tuple[int, Turn]]) -> tuple[Value, ...]:
        changed = list(values)
        for place, turn in turns:
            changed[place] = turn(changed[place])
        return tuple(changed)


_FORMS: dict[str, Form] = {}


def form(table: Table) -> Form:
    found = _FORMS.get(table.name)
    if found is None:
        found = _FORMS[table.name] = Form(table)
    return found


def _turn(kind: str, held: type) -> Turn | None:
    """What makes a value of that type one that SQLite keeps as it is, so that it comes back equal."""
    if held is type(None) or held is bytes:
        return None
    if kind == "real":
        return _real
    if kind in ("integer", "boolean"):
        return None if held is int else _whole
    return None if held is str else _text


def _real(value: Any) -> Value:
    number = float(value) + 0.0  # SQLite keeps no negative zero
    return None if number != number else number  # noqa: PLR0124  not a number: SQLite keeps null


def _whole(value: Any) -> Value:
    number = float(value)
    return int(value) if number.is_integer() else number


def _text(value: Any) -> Value:
    found = stored(value)
    return found if found is None or isinstance(found, str) else str(found)


def _read_instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


_READERS: dict[str, Callable[[Any], Any]] = {"date": date.fromisoformat, "instant": _read_instant, "boolean": bool}


def readers(table: Table, names: tuple[str, ...]) -> list[tuple[int, Callable[[Any], Any]]]:
    """Which positions of a row of `names` need turning back into dates, instants and booleans, and by what."""
    kinds = {column.name: column.kind for column in table.columns}
    found = [(position, _READERS.get(kinds[name])) for position, name in enumerate(names)]
    return [(position, reader) for position, reader in found if reader is not None]
