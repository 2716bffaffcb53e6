"""Writing many rows at once: a row that is there already and alike is not written, and all three cases are counted."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from toolkit.store.encoding import Value
from toolkit.store.filters import quoted
from toolkit.store.integrity import row_checks
from toolkit.tables import schema
from toolkit.tables.schema import Table

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


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the rows of an upsert; their sum is the number of rows given."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.added + other.added, self.updated + other.updated, self.unchanged + other.unchanged)

    @property
    def total(self) -> int:
        return self.added + self.updated + self.unchanged


def upsert(connection: sqlite3.Connection, table: Table, columns: Mapping[str, Sequence[Value]]) -> Counts:
    """Insert or update rows, given by column, within the transaction that the caller holds; other columns are null.

    New rows get row ids above all that are there, so that counting those separates added from updated. Columns that
    are null throughout are best left out: sqlite3 looks for an adapter for each null, three texts' worth of time.
    """
    last_id = connection.execute(f"SELECT coalesce(max(row_id), 0) FROM {quoted(table.name)}").fetchone()[0]  # noqa: S608 names of the schema
    before = connection.total_changes
    rows = list(zip(*columns.values(), strict=True))
    connection.executemany(_statement(table.name, tuple(columns)), row_checks.with_checks(rows))
    written = connection.total_changes - before
    added = connection.execute(
        f"SELECT count(*) FROM {quoted(table.name)} WHERE row_id > ?",  # noqa: S608 names of the schema
        (last_id,),
    ).fetchone()[0]
    return Counts(added, written - added, len(rows) - written)


@lru_cache(maxsize=1024)
def _statement(name: str, given: tuple[str, ...]) -> str:
    """`INSERT … ON CONFLICT (key) DO UPDATE … WHERE any compared column differs`; the row's checksum comes last.

    A column that is not given is null in `excluded`, as it is in a new row.
    """
    description = schema.table(name)
    names = ", ".join(map(quoted, (*given, row_checks.COLUMN)))
    marks = ", ".join("?" * (len(given) + 1))
    key = ", ".join(map(quoted, description.key))
    return f"INSERT INTO {quoted(name)} ({names}) VALUES ({marks}) ON CONFLICT ({key}) {_action(description)}"  # noqa: S608 names of the schema


def _action(table: Table) -> str:
    kept = {*_BY_HAND.get(table.name, ()), *table.key, "superseded_by"}
    written = [name for name in table.names if name not in kept]
    compared = [name for name in written if name not in _VOLATILE.get(table.name, set())]
    if not compared:
        return "DO NOTHING"
    changes = ", ".join(f"{quoted(name)} = {_given(table, name)}" for name in written)
    different = " OR ".join(f"{quoted(name)} IS NOT {_given(table, name)}" for name in compared)
    check = f"{row_checks.COLUMN} = {_check(table, kept)}"
    return f"DO UPDATE SET {changes}, {check} WHERE {different}"


def _check(table: Table, kept: set[str]) -> str:
    """The given row's checksum; computed anew only where the stored row keeps values of its own."""
    own = [name for name in table.names if name in kept and name not in table.key]
    if not own:
        return f"excluded.{row_checks.COLUMN}"
    final = [_stored(table, name) if name in kept else _given(table, name) for name in table.names]
    as_given = " AND ".join(f"{_stored(table, name)} IS NULL AND excluded.{quoted(name)} IS NULL" for name in own)
    return f"iif({as_given}, excluded.{row_checks.COLUMN}, {row_checks.call(final)})"


def _given(table: Table, name: str) -> str:
    """The new value; but a row that another consent gives as well stays out of totals however often it comes."""
    if name == "vanished_at" and "superseded_by" in table.names:
        return f"iif({_stored(table, 'superseded_by')} IS NULL, excluded.vanished_at, {_stored(table, name)})"
    return f"excluded.{quoted(name)}"


def _stored(table: Table, name: str) -> str:
    return f"{quoted(table.name)}.{quoted(name)}"
