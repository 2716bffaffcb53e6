"""SQL and stored values made from `tables.schema`: selections, and upserts that count.

Dates and instants are stored as text, booleans as 0 and 1, lists and mappings as JSON text. Names come from the schema
only; values never enter the text.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, TypeVar, cast

from msgspec import Struct
from msgspec.structs import astuple

from toolkit.tables import schema
from toolkit.tables.rows.values import ColumnRows
from toolkit.tables.schema import Cell, Record, Table, TableRow

T = TypeVar("T")
Value = str | int | float | bytes | None
"""A value as SQLite keeps it."""
Rows = Sequence[Record] | Sequence[TableRow] | Sequence[tuple[Cell, ...]]


# ---- values as SQLite stores them


def stored(value: Cell) -> Value:
    """Convert one value to what SQLite stores. Raises ValueError for a time without a zone."""
    if value is None or isinstance(value, str | bytes | float):
        return value
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value.isoformat()} has no time zone")
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    # JSON that depends on the content alone: sorted keys, no spaces
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


class Form:
    """Encode rows of one table: their column order, and each value as SQLite stores it."""

    def __init__(self, table: Table) -> None:
        self.name, self.names = table.name, table.names
        self._known = frozenset(table.names)
        self._columns = table.columns

    def columns(self, rows: Rows) -> dict[str, Sequence[Value]]:
        """Return rows by column, values as SQLite stores them; columns that no row fills are left out.

        Mappings may leave columns out (null); tuples and rows by column hold values as stored, in the table's order.
        Raises KeyError for unknown columns.
        """
        if isinstance(rows, ColumnRows):
            return dict(self._filled(rows.columns.values()))
        if isinstance(rows[0], Mapping):
            columns = self._by_name(cast("Sequence[Record]", rows))
        else:
            plain = [astuple(row) if isinstance(row, TableRow) else cast("tuple[Cell, ...]", row) for row in rows]
            columns = zip(*plain, strict=True)
        kinds = {column.name: column.kind for column in self._columns}
        return {name: _converted(kinds[name], values) for name, values in self._filled(columns)}

    def _filled(self, columns: Iterable[Sequence[Any]]) -> Iterator[tuple[str, Sequence[Any]]]:
        """Yield the columns that some row fills, and those that must be filled."""
        for column, values in zip(self._columns, columns, strict=True):
            if column.required or any(values) or values.count(None) < len(values):
                yield column.name, values

    def value(self, name: str, value: Cell) -> Value:
        """Convert one value for the column `name`."""
        kind = self._columns[self.names.index(name)].kind
        return _converted(kind, (value,))[0]

    def _by_name(self, rows: Sequence[Record]) -> Iterator[Sequence[Cell]]:
        """Yield the columns of rows by name; a file's rows have a third of them, and only these are looked up."""
        given: set[str] = set()
        for row in rows:
            given.update(row)
        if unknown := given - self._known:
            raise KeyError(f"table {self.name} has no column {', '.join(sorted(unknown))}")
        empty: Sequence[Cell] = (None,) * len(rows)
        return ([row.get(name) for row in rows] if name in given else empty for name in self.names)


def _converted(kind: str, values: Sequence[Any]) -> Sequence[Value]:
    """Convert a column. Most columns have one type that SQLite stores unchanged: looking at the types is quicker."""
    by_type = {type_: _converter(kind, type_) for type_ in set(map(type, values))}
    converters = {type_: convert for type_, convert in by_type.items() if convert is not None}
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


def _converter(kind: str, type_: type) -> Callable[[Any], Value] | None:
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
    text = stored(value)
    return text if text is None or isinstance(text, str) else str(text)


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


Scalar = str | int | float | Decimal | date | None
Condition = Scalar | Collection[Scalar]
Where = Mapping[str, Condition]
"""Conditions on columns, all of which must be met: a value is compared for equality, None is null, a collection means
any of its values, and `("between", low, high)` includes both ends."""
Aggregate = Literal["sum", "min", "max"]

# Columns that say when or in which order a row came: a row that differs in nothing else has not changed.
_VOLATILE = {
    "balances": {"as_of"},
    "quarantine": {"seen_at"},
    "files": {"imported_at", "name"},
    "plans": {"sequence"},
    "register_days": {"file_id"},
    "meter_reads": {"file_id"},
    "transactions": {"file_id", "balance_minor"},
    "tombstones": {"at"},
}
# Columns that are worked out or filled in: what the service or a file gives later never replaces them.
_BY_HAND = {"accounts": {"linked_account_id"}}


# ---- conditions and selections


def batches(values: Sequence[T], size: int = 500) -> Iterator[Sequence[T]]:
    """Yield values a number at a time, as SQLite limits the parameters of a statement."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def key_where(table: Table, row: Record) -> Where:
    """Return the condition that picks the row with the key of `row`."""
    return {column: str(row[column]) for column in table.key}


def quoted(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


_WHERE = " WHERE "


def condition(table: Table, where: Where | None) -> tuple[str, list[Value]]:
    """Return ` WHERE …` (empty without conditions) and its parameters. Raises KeyError for an unknown column."""
    parts: list[str] = []
    values: list[Value] = []
    for name, wanted in (where or {}).items():
        part, found = _comparison(quoted(_known(table, name)), wanted)
        parts.append(part)
        values += found
    return (_WHERE + " AND ".join(parts) if parts else ""), values


def _comparison(name: str, wanted: Condition) -> tuple[str, list[Value]]:
    if wanted is None:
        return f"{name} IS NULL", []
    if isinstance(wanted, tuple) and len(wanted) == 3 and wanted[0] == "between":
        return f"{name} BETWEEN ? AND ?", [stored(wanted[1]), stored(wanted[2])]
    if isinstance(wanted, Collection) and not isinstance(wanted, str):
        return f"{name} IN ({', '.join('?' * len(wanted))})", [stored(value) for value in wanted]
    return f"{name} = ?", [stored(wanted)]


def of_household(table: Table, household: str | None, where: Where | None) -> Where:
    """Add the household to `where` if the table's rows belong to one."""
    if household is None or "household_id" not in table.names:
        return where or {}
    return {"household_id": household, **(where or {})}


def select(
    table: Table, names: Sequence[str], where: Where | None, any_of: Sequence[Where] = ()
) -> tuple[str, list[Value]]:
    """Return the statement that reads the columns `names` in the order of the table's key, and its parameters.

    any_of: conditions besides `where`, of which one at least must be met; without any, that alone counts.
    """
    chosen = ", ".join(quoted(_known(table, name)) for name in names)
    text, values = _with_any_of(table, where or {}, any_of) if any_of else condition(table, where)
    order = ", ".join(quoted(name) for name in table.key)
    return f"SELECT {chosen} FROM {quoted(table.name)}{text}{f' ORDER BY {order}' if order else ''}", values  # noqa: S608 names of the schema


def _with_any_of(table: Table, where: Where, any_of: Sequence[Where]) -> tuple[str, list[Value]]:
    """Return ` WHERE …` and its parameters, for rows that are few of many: no index leads to them.

    Looking at a household's rows in the order in which they are stored takes a fifth of the time of that of the key,
    which leads to and fro in the file.
    """
    home, rest = ({name: where[name] for name in where if (name == "household_id") is own} for own in (True, False))
    of_home, values = condition(table, home)
    others, more = condition(table, rest)
    parts = [f"row_id IN (SELECT row_id FROM {quoted(table.name)}{of_home})"]  # noqa: S608 names of the schema
    parts += [others.removeprefix(_WHERE)] if rest else []
    either = [condition(table, each) for each in any_of]
    parts.append(f"({' OR '.join(part.removeprefix(_WHERE) for part, _ in either)})")
    return _WHERE + " AND ".join(parts), [*values, *more, *(value for _, found in either for value in found)]


def select_sums(
    table: Table, keys: Sequence[str], sums: Mapping[str, Aggregate], where: Where | None
) -> tuple[str, list[Value]]:
    """Return the statement that reads each combination of `keys` once with its sums, in their order, and parameters."""
    grouped = ", ".join(quoted(_known(table, name)) for name in keys)
    summed = "".join(f", {how}({quoted(_known(table, name))})" for name, how in sums.items())
    text, values = condition(table, where)
    return f"SELECT {grouped}{summed} FROM {quoted(table.name)}{text} GROUP BY {grouped} ORDER BY {grouped}", values  # noqa: S608 names of the schema


def _known(table: Table, name: str) -> str:
    if name not in table.names:
        raise KeyError(f"table {table.name} has no column {name}")
    return name


# ---- upserts


class Counts(Struct, frozen=True):
    """How many rows of an upsert were added, updated or unchanged; the sum is the number of rows given."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.added + other.added, self.updated + other.updated, self.unchanged + other.unchanged)

    @property
    def total(self) -> int:
        """The number of rows given."""
        return self.added + self.updated + self.unchanged


_ROWS_TOGETHER = 250
"""Rows of one statement. Each statement gives the interpreter's lock away and waits for it again while other threads
fetch and decode, so that one for every row is slower."""


def upsert(connection: sqlite3.Connection, table: Table, columns: Mapping[str, Sequence[Value]]) -> Counts:
    """Insert or update rows, given by column, within the transaction that the caller holds; other columns are null.

    New rows get row ids above all that are there, so that counting those separates added from updated. Columns that
    are null throughout are best left out: sqlite3 looks for an adapter for each null, three texts' worth of time.
    """
    last_id = connection.execute(f"SELECT coalesce(max(row_id), 0) FROM {quoted(table.name)}").fetchone()[0]  # noqa: S608 names of the schema
    before = connection.total_changes
    names, number = tuple(columns), len(next(iter(columns.values())))
    together = number - number % _ROWS_TOGETHER
    for start in range(0, together, _ROWS_TOGETHER):
        some = [values[start : start + _ROWS_TOGETHER] for values in columns.values()]
        rows = tuple(chain.from_iterable(zip(*some, strict=True)))
        connection.execute(_statement(table.name, names, _ROWS_TOGETHER), rows)
    rest = [values[together:] for values in columns.values()]
    connection.executemany(_statement(table.name, names, 1), zip(*rest, strict=True))
    written = connection.total_changes - before
    added = connection.execute(
        f"SELECT count(*) FROM {quoted(table.name)} WHERE row_id > ?",  # noqa: S608 names of the schema
        (last_id,),
    ).fetchone()[0]
    return Counts(added, written - added, number - written)


@lru_cache(maxsize=1024)
def _statement(name: str, given: tuple[str, ...], rows: int) -> str:
    """`INSERT … ON CONFLICT (key) DO UPDATE … WHERE any compared column differs`, of that many rows.

    A column that is not given is null in `excluded`, as it is in a new row.
    """
    table = schema.table(name)
    kept = {*_BY_HAND.get(name, ()), *table.key, "superseded_by"}
    new = {column: _new_value(table, column) for column in table.names if column not in kept}
    compared = [column for column in new if column not in _VOLATILE.get(name, set())]
    names, key = ", ".join(map(quoted, given)), ", ".join(map(quoted, table.key))
    marks = ", ".join([f"({', '.join('?' * len(given))})"] * rows)
    action = "NOTHING"
    if compared:
        changes = ", ".join(f"{quoted(column)} = {value}" for column, value in new.items())
        different = " OR ".join(f"{quoted(column)} IS NOT {new[column]}" for column in compared)
        action = f"UPDATE SET {changes} WHERE {different}"
    return f"INSERT INTO {quoted(name)} ({names}) VALUES {marks} ON CONFLICT ({key}) DO {action}"  # noqa: S608 names of the schema


def _new_value(table: Table, name: str) -> str:
    """The new value; but a row that another consent gives as well stays out of totals however often it comes."""
    if name == "vanished_at" and "superseded_by" in table.names:
        kept, superseded = (f"{quoted(table.name)}.{quoted(column)}" for column in (name, "superseded_by"))
        return f"iif({superseded} IS NULL, excluded.vanished_at, {kept})"
    return f"excluded.{quoted(name)}"
