"""Definition of tables, from which the database, frames, exports and the reference are derived."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr

if TYPE_CHECKING:
    from typing import Annotated as Annotated  # noqa: PLC0414  mypy: for other modules too
else:

    class Annotated:
        """The type, the meaning and the marks of a column, as a plain tuple until `table_row` has looked at it.

        Python's own takes 5 ms for all columns, a twentieth of a short command's time.
        """

        def __class_getitem__(cls, written: tuple[Any, ...]) -> tuple[Any, ...]:
            return written


Cell = str | int | float | bytes | Decimal | dt.date | Sequence["Cell"] | Mapping[str, "Cell"] | None
"""A value of a row to be written: sequences and mappings are stored as canonical JSON."""
Record = Mapping[str, Cell]
"""A row to be written; columns that it leaves out are null."""
Row = dict[str, Cell]
"""A record that is still being made."""

Kind = Literal["text", "integer", "real", "boolean", "date", "instant", "blob", "json"]
"""date: `YYYY-MM-DD`; instant: RFC 3339 in UTC ending in `Z`; json: canonical JSON text; boolean: 0 or 1."""


class Column(NamedTuple):
    """One column. `unit` is given wherever the value has one; `required` columns are never null."""

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    required: bool = False


class Reference(NamedTuple):
    """A foreign key: every row with values in `columns` has a row in `table` with these values as its key."""

    columns: tuple[str, ...]
    table: str


class Table(Struct, frozen=True):
    """One table of the store, or (`stored=False`) one frame that only travels in memory.

    key: the columns that identify a row. search: text columns in the full-text index.
    resource: the sync resource with the records that fill it, if any. references: its foreign keys.
    internal: only of use to the program itself: listed last, and not exported.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    resource: str = ""
    search: tuple[str, ...] = ()
    stored: bool = True
    references: tuple[Reference, ...] = ()
    internal: bool = False
    names: tuple[str, ...] = ()
    """The names of its columns, in order."""
    own_key: tuple[str, ...] = ()
    """The columns that identify a row within its household."""

    def __post_init__(self) -> None:
        force_setattr(self, "names", tuple(column.name for column in self.columns))
        force_setattr(self, "own_key", tuple(column for column in self.key if column != "household_id"))

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)


class TableRow(Struct, frozen=True):
    """A row of a table with typed columns, as `Store.load` returns it.

    The class describes the table: a field is a column, its annotation gives type, meaning, unit and whether it may be
    null. Dates and instants (UTC) are Python's, JSON is its text.
    """

    table: ClassVar[Table]


class Unit(NamedTuple):
    """The unit of a column, in its annotation."""

    name: str


class KeyOf(NamedTuple):
    """In a column's annotation: the table of which it is the key."""

    table: str


R = TypeVar("R", bound=TableRow)

JSON = "json"
"""In a column's annotation: its text is canonical JSON."""

KINDS: dict[type, Kind] = {
    str: "text",
    int: "integer",
    float: "real",
    bool: "boolean",
    bytes: "blob",
    dt.date: "date",
    dt.datetime: "instant",
}

_TABLES: dict[str, Table] = {}
"""Name → table, of every row type made so far; importing `tables.schema` makes all of them."""


def table_row(  # noqa: PLR0913  what describes a table, each by name
    name: str,
    *,
    key: tuple[str, ...],
    resource: str = "",
    search: tuple[str, ...] = (),
    stored: bool = True,
    references: tuple[Reference, ...] = (),
    internal: bool = False,
) -> Callable[[type[R]], type[R]]:
    """Make a row type the description of a table; its docstring is the table's meaning. Arguments as in `Table`.

    references: the foreign keys of several columns; a single column has it in its annotation (`KeyOf`).
    """

    def describe(row: type[R]) -> type[R]:
        # the modules of row types do without postponed annotations: to evaluate them again took half of their import
        hints = row.__annotations__
        columns = tuple(_column(field, hint) for field, hint in hints.items())
        single = (_reference(field, hint) for field, hint in hints.items())
        keys = (*(each for each in single if each and each.table != name), *references)
        meaning = " ".join((row.__doc__ or "").split())
        row.table = Table(name, meaning, columns, key, resource, search, stored, keys if stored else (), internal)
        row.__annotations__ = {field: python_type for field, (python_type, *_) in hints.items()}
        _TABLES[name] = row.table
        return row

    return describe


def table(name: str) -> Table:
    """Return the description of the table called `name`. Raises KeyError for an unknown name."""
    return _TABLES[name]


def _column(field: str, hint: Any) -> Column:
    """Describe the column of a field annotated `Annotated[TYPE, "meaning"]`, with `JSON` or `Unit("kW")` behind it."""
    python_type, meaning, *marks = hint
    required = isinstance(python_type, type)
    # `str | None` is slow to look up: its hash and its comparison make sets
    kind = KINDS[python_type if required else python_type.__args__[0]]
    unit = next((mark.name for mark in marks if isinstance(mark, Unit)), "UTC" if kind == "instant" else "")
    # `from_` is the column `from`
    return Column(field.removesuffix("_"), "json" if JSON in marks else kind, meaning, unit, required)


def _reference(field: str, hint: Any) -> Reference | None:
    return next((Reference((field,), mark.table) for mark in hint if isinstance(mark, KeyOf)), None)


Household = Annotated[str, "household of the row", KeyOf("households")]
OrNone = Annotated[str, "household of the row; empty where it belongs to none"]
GIVEN_BY_FILE = (Reference(("household_id", "file_id"), "files"),)
"""The foreign key of rows with the file that they came from, where it is one."""
Identity = Annotated[str, "record identity: the service's platform_id, or `file:` and a content hash"]
Source = Annotated[str, "`service` or `file`"]
EnteredAt = Annotated[dt.datetime | None, "when a person first typed it; null: with an earlier release"]
Arrangement = Annotated[str | None, "consent arrangement the record came under; null for files"]
Institution = Annotated[str | None, "institution the record came from; null for files"]
Raw = Annotated[str | None, "the record as it was given: JSON from the service, the line from a file"]
VanishedAt = Annotated[
    dt.datetime | None, "when a complete read of the list no longer found it; such rows are kept and left out of totals"
]
SupersededBy = Annotated[
    str | None,
    "arrangement under which the same thing is given again (a renewed consent); such rows are vanished",
]
