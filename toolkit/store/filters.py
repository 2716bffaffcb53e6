"""`where` mappings as SQL with parameters; names come from the schema only, values never enter the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolkit.store.encoding import Value, stored
from toolkit.tables.schema import Table

Where = Mapping[str, object]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def condition(table: Table, where: Where | None) -> tuple[str, list[Value]]:
    """` WHERE …` (empty without conditions) and its parameters.

    A plain value is compared for equality, None is IS NULL, a list is IN, `("between", low, high)` includes both ends.
    """
    parts: list[str] = []
    values: list[Value] = []
    for name, wanted in (where or {}).items():
        part, found = _comparison(quoted(_known(table, name)), wanted)
        parts.append(part)
        values += found
    return (" WHERE " + " AND ".join(parts) if parts else ""), values


def _comparison(name: str, wanted: Any) -> tuple[str, list[Value]]:
    if wanted is None:
        return f"{name} IS NULL", []
    if isinstance(wanted, tuple) and len(wanted) == 3 and wanted[0] == "between":
        return f"{name} BETWEEN ? AND ?", [stored(wanted[1]), stored(wanted[2])]
    if isinstance(wanted, list | tuple | set | frozenset):
        return f"{name} IN ({', '.join('?' * len(wanted))})", [stored(value) for value in wanted]
    return f"{name} = ?", [stored(wanted)]


def of_household(table: Table, household: str | None, where: Where | None) -> Where:
    """`where` with the household added, where the table's rows belong to one."""
    if household is None or "household_id" not in table.names:
        return where or {}
    return {"household_id": household, **(where or {})}


def select(table: Table, names: Sequence[str], where: Where | None) -> tuple[str, list[Value]]:
    """The statement that reads `names` in the order of the table's key, and its parameters."""
    chosen = ", ".join(quoted(_known(table, name)) for name in names)
    text, values = condition(table, where)
    order = ", ".join(quoted(name) for name in table.key)
    return f"SELECT {chosen} FROM {quoted(table.name)}{text}{f' ORDER BY {order}' if order else ''}", values  # noqa: S608 names of the schema


def _known(table: Table, name: str) -> str:
    if name not in table.names:
        raise KeyError(f"table {table.name} has no column {name}")
    return name
