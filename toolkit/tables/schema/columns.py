"""Definition of tables, from which the database, frames, exports and the reference are derived."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Literal

from msgspec import Struct

Cell = str | int | float | bytes | Decimal | dt.date | Sequence["Cell"] | Mapping[str, "Cell"] | None
"""A value of a row to be written: sequences and mappings are stored as canonical JSON."""
Record = Mapping[str, Cell]
"""A row to be written; columns that it leaves out are null."""
Row = dict[str, Cell]
"""A record that is still being made."""

Kind = Literal["text", "integer", "real", "boolean", "date", "instant", "blob", "json"]
"""date: `YYYY-MM-DD`; instant: RFC 3339 in UTC ending in `Z`; json: canonical JSON text; boolean: 0 or 1."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `unit` is given wherever the value has one; `required` columns are never null."""

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the store, or (`stored=False`) one frame that only travels in memory.

    key: the columns that identify a row. search: text columns in the full-text index.
    resource: the sync resource with the records that fill it, if any.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    resource: str = ""
    search: tuple[str, ...] = ()
    stored: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its columns, in order."""
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)


class TableRow(Struct, frozen=True):
    """A row of a table with typed columns, as `Store.load` returns it.

    Fields are columns of `table`, whose entries give meaning and unit: dates and instants (UTC) as Python's, booleans
    as bool, JSON as its text. Columns that are not `required` may be None.
    """

    table: ClassVar[Table]


def text(name: str, meaning: str, *, unit: str = "", required: bool = False) -> Column:
    """Describe a column of kind text."""
    return Column(name, "text", meaning, unit, required)


def integer(name: str, meaning: str, *, unit: str = "", required: bool = False) -> Column:
    """Describe a column of kind integer."""
    return Column(name, "integer", meaning, unit, required)


def real(name: str, meaning: str, *, unit: str = "", required: bool = False) -> Column:
    """Describe a column of kind real."""
    return Column(name, "real", meaning, unit, required)


def boolean(name: str, meaning: str, *, required: bool = False) -> Column:
    """Describe a column of kind boolean."""
    return Column(name, "boolean", meaning, "", required)


def date(name: str, meaning: str, *, required: bool = False) -> Column:
    """Describe a column of kind date."""
    return Column(name, "date", meaning, "", required)


def instant(name: str, meaning: str, *, required: bool = False) -> Column:
    """Describe a column of kind instant."""
    return Column(name, "instant", meaning, "UTC", required)


def blob(name: str, meaning: str, *, required: bool = False) -> Column:
    """Describe a column of kind blob."""
    return Column(name, "blob", meaning, "", required)


def json(name: str, meaning: str, *, required: bool = False) -> Column:
    """Describe a column of kind json."""
    return Column(name, "json", meaning, "", required)


HOUSEHOLD = text("household_id", "household of the row", required=True)
ID = text("id", "record identity: the service's platform_id, or `file:` and a content hash", required=True)
SOURCE = text("source", "`service` or `file`", required=True)
ARRANGEMENT = text("arrangement_id", "consent arrangement the record came under; null for files")
INSTITUTION = text("institution_id", "institution the record came from; null for files")
RAW = text("raw", "the record as it was given: JSON from the service, the line from a file")
VANISHED = instant("vanished_at", "when a full walk no longer found it; such rows are kept and left out of totals")
SUPERSEDED = text(
    "superseded_by", "arrangement under which the same thing is given again (a renewed consent); such rows are vanished"
)


def money(name: str, meaning: str, *, required: bool = False) -> tuple[Column, Column]:
    """An amount twice: the text as it came, and exact minor units (`…_minor`) of the row's currency."""
    return (
        text(name, f"{meaning}, as written", required=required),
        integer(f"{name}_minor", meaning, unit="minor units of currency (AUD: cents)", required=required),
    )
