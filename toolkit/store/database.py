"""The store: read and write tables by the names of `tables.schema`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from toolkit.errors import StoreBusyError, StoreDamagedError, StoreMissingError, ToolkitError
from toolkit.remedies import Message, Remedy
from toolkit.store.connection import (
    BUSY_SECONDS,
    connect,
    copy_database,
    failures,
    identity,
    is_current,
    is_stored,
    private_file,
    refuse_replaced,
    refuse_without_its_log,
    use_write_ahead_log,
)
from toolkit.store.search import STATE, matching, rebuild_all, wrong_indexes
from toolkit.store.statements import (
    Aggregate,
    Condition,
    Counts,
    Rows,
    Value,
    Where,
    condition,
    form,
    of_household,
    quoted,
    readers,
    select,
    select_sums,
    upsert,
)
from toolkit.tables.schema import Record, Row, Table, TableRow, table

if TYPE_CHECKING:
    import polars as pl

R = TypeVar("R", bound=TableRow)


def open_store(path: Path | str, *, create: bool = True, busy_seconds: float = BUSY_SECONDS) -> Store:
    """Open the database at `path`, made (0600, folder 0700) where it is missing, upgraded if it is old.

    Args:
        path: The database file.
        create: Whether one is made where there is none.
        busy_seconds: How long to wait for another program that writes.

    Returns:
        The open database, to use in this thread as a context manager. Tables and columns: toolkit/docs/tables.md

    Raises:
        StoreMissingError: There is no database, or it was moved or deleted.
        StoreTooNewError: A later version of the toolkit made it.
        StoreDamagedError: The file is damaged.
        StoreBusyError: Another program is writing for too long.

    Examples:
        >>> with toolkit.open_store("home.db") as store:
        ...     _ = store.upsert("households", [{"household_id": "home", "name": "Ours"}])
        ...     households, count = store.read("households"), store.count("transactions")
        >>> households.select("household_id", "name").rows(), count
        ([('home', 'Ours')], 0)
    """
    path = Path(path)
    if not is_stored(path) and not create:
        raise StoreMissingError(f"{path}: there is no database.")
    refuse_without_its_log(path)
    private_file(path)
    connection = connect(path, busy_seconds=busy_seconds)
    try:
        with failures(path):
            if not is_current(connection):
                from toolkit.store.schema import bring_to_current

                bring_to_current(connection, path)
            if create:
                use_write_ahead_log(connection)  # a backup put in place by hand has no log
    except BaseException:
        connection.close()
        raise
    return Store(path, connection)


class Store:
    """An open database. Use it in the thread that opened it, as a context manager."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._opened = identity(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store. Raises StoreDamagedError instead of an unexpected exception if the file is damaged."""
        try:
            is_unexpected = isinstance(error, Exception) and not isinstance(error, ToolkitError)
            if is_unexpected and (found := self.damage()):
                text = f"{self.path} is not whole: {found[0]} Keep it, and "
                raise StoreDamagedError(Message(text, Remedy.SEE_DOCTOR, ".")) from error
        finally:
            self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    # ---- reading

    def load(self, row: type[R], household: str | None = None, *, where: Where | None = None) -> list[R]:
        """Read the rows of a table as typed rows, in key order: `store.load(HouseholdRow)`.

        household: only its rows. where: conditions, see `Where`; of most tables the rows that a sync no longer found
        are kept, and left out by `where={"vanished_at": None}`.
        """
        description = row.table
        names = row.__struct_fields__
        turned = readers(description, names)
        found = self._select(description, names, of_household(description, household, where))
        return [row(*_converted(values, turned)) for values in found]

    def first(self, row: type[R], household: str | None = None, *, where: Where | None = None) -> R | None:
        """Read the first row in key order as a typed row; None if there is none. Arguments as those of `load`."""
        rows = self.load(row, household, where=where)
        return rows[0] if rows else None

    def rows(self, name: str, household: str | None = None, *, where: Where | None = None) -> list[Row]:
        """Read rows as dicts, in key order: dates and instants as Python's, booleans as bool, JSON as its text."""
        description = table(name)
        names = description.names
        turned = readers(description, names)
        found = self._select(description, names, of_household(description, household, where))
        return [dict(zip(names, _converted(row, turned), strict=True)) for row in found]

    def tuples(
        self, name: str, columns: Sequence[str], household: str | None = None, *, where: Where | None = None
    ) -> list[tuple[Any, ...]]:
        """Read some columns of rows as plain tuples, values as stored, in key order."""
        description = table(name)
        return self._select(description, columns, of_household(description, household, where))

    def summed(
        self,
        name: str,
        keys: Sequence[str],
        sums: Mapping[str, Aggregate],
        household: str | None = None,
        *,
        where: Where | None = None,
    ) -> list[tuple[Any, ...]]:
        """Read each combination of values of `keys` once, in their order, with the sums of other columns behind it.

        sums: column → sum, least or most of its values. Values as stored; a sum of nothing is None.
        """
        description = table(name)
        statement, values = select_sums(description, keys, sums, of_household(description, household, where))
        return self._run(statement, values).fetchall()

    def distinct(self, name: str, columns: Sequence[str], household: str | None = None) -> list[tuple[Any, ...]]:
        """Read each combination of values of some columns once, as stored, in no particular order."""
        description = table(name)
        text, values = condition(description, of_household(description, household, None))
        chosen = ", ".join(quoted(description[column].name) for column in columns)
        return self._run(f"SELECT DISTINCT {chosen} FROM {quoted(name)}{text}", values).fetchall()  # noqa: S608 names of the schema

    def read(
        self,
        name: str,
        household: str | None = None,
        *,
        where: Where | None = None,
        any_of: Sequence[Where] = (),
        columns: Sequence[str] | None = None,
    ) -> pl.DataFrame:
        """Read a table as a frame in key order, with the schema's types. columns: only these, which is quicker.

        any_of: conditions besides `where`, of which one at least must be met.
        """
        from toolkit.store.frames import frame

        description = table(name)
        names = tuple(columns or description.names)
        found = self._select(description, names, of_household(description, household, where), any_of)
        return frame(description, names, found)

    def reads(
        self,
        household: str,
        *,
        service_points: Sequence[str] | None = None,
        from_: date | None = None,
        to: date | None = None,
    ) -> pl.DataFrame:
        """Read interval reads as frame `reads`. `from_` and `to` are meter days (AEST), both inclusive."""
        from toolkit.store.frames import ReadDay, expanded

        where: dict[str, Condition] = {"household_id": household}
        if service_points is not None:
            where["service_point_id"] = list(service_points)
        if from_ is not None or to is not None:
            where["date"] = ("between", from_ or date.min, to or date.max)
        return expanded(self._select(table("register_days"), ReadDay._fields, where))

    def meter_reads(
        self,
        household: str,
        *,
        service_points: Sequence[str] | None = None,
        from_: date | None = None,
        to: date | None = None,
    ) -> pl.DataFrame:
        """Read accumulation reads that touch the days from `from_` to `to` (inclusive), as table `meter_reads`."""
        first, last = from_ or date.min, to or date.max
        where: dict[str, Condition] = {
            "start_date": ("between", date.min, last),
            "end_date": ("between", first, date.max),
        }
        if service_points is not None:
            where["service_point_id"] = list(service_points)
        return self.read("meter_reads", household, where=where)

    def count(self, name: str, household: str | None = None, *, where: Where | None = None) -> int:
        """Count rows."""
        description = table(name)
        text, values = condition(description, of_household(description, household, where))
        return int(self._run(f"SELECT count(*) FROM {quoted(name)}{text}", values).fetchone()[0])  # noqa: S608 names of the schema

    def sizes(self, name: str, households: Collection[str]) -> dict[str, tuple[int, int]]:
        """Return household → number of rows and highest row id, for those that have rows in the table."""
        text, values = condition(table(name), {"household_id": households})
        counted = f"SELECT household_id, count(*), max(row_id) FROM {quoted(name)}{text} GROUP BY household_id"  # noqa: S608 names of the schema
        return {home: (rows, last) for home, rows, last in self._run(counted, values)}

    def file_contents(self, household: str) -> list[tuple[str, str | None, str | None, str | None, int, int]]:
        """Return (file id, bank account, first day, last day, rows, days) of each file of a household, by account.

        Rows are transactions, or days and reads of a meter's registers; also those that another file gave first. Days
        are as written; their number is of those that have rows.
        """
        return self._run(_FILE_CONTENTS, {"home": household}).fetchall()

    def count_new(self, name: str, household: str, files: Collection[str], *, each: Sequence[str] = ()) -> int:
        """Count the rows of a household in a table that these files gave, and no other file before.

        each: columns; rows that are alike in these count once.
        """
        counted = f"DISTINCT json_array({', '.join(each)})" if each else "*"
        asked = _NEW_ROWS.format(table=name, key=", ".join(table(name).own_key), counted=counted)
        found: tuple[int] = self._run(asked, {"home": household, "files": json.dumps(sorted(files))}).fetchone()
        return found[0]

    def search(self, name: str, text: str, household: str | None = None) -> list[Row]:
        """Find rows with words that begin with each word of `text`, best match first, as `rows` gives them.

        Raises KeyError for a table without a full-text index. The index catches up first, which writes.
        """
        description = table(name)
        if not description.search:
            raise KeyError(f"table {name} has no full-text index")
        with self.transaction(), failures(self.path):
            found = matching(self._connection, description, text)
            picked = [self._by_row_id(description, row_id, household) for row_id in found]
        turned = readers(description, description.names)
        return [dict(zip(description.names, _converted(row, turned), strict=True)) for row in picked if row is not None]

    # ---- writing

    @contextmanager
    def snapshot(self) -> Iterator[Self]:
        """Read at one point of the store, whatever others write meanwhile; joins a transaction that is open."""
        if self._connection.in_transaction:
            yield self
            return
        self._run("BEGIN")
        try:
            yield self
        finally:
            self._connection.rollback()

    @contextmanager
    def transaction(self) -> Iterator[Self]:
        """Run writes as one transaction, all or nothing; joins one that is open.

        Waits for another writer, then raises StoreBusyError.
        """
        if self._connection.in_transaction:
            yield self
            return
        self._run("BEGIN IMMEDIATE")
        try:
            yield self
            refuse_replaced(self.path, self._opened)
            self._run("COMMIT")
        except BaseException:
            self._connection.rollback()
            raise

    def upsert(self, name: str, rows: Rows) -> Counts:
        """Insert new rows and update changed ones, by the table's key: mappings, typed rows, or tuples in column order.

        Mappings may leave columns out (null). Tuples, and `ColumnRows`, hold values as stored: dates as text, booleans
        as 0 and 1.
        """
        if not rows:
            return Counts()
        description = table(name)
        with self.transaction(), failures(self.path):
            counts = upsert(self._connection, description, form(description).columns(rows))
            if counts.updated:
                self._mark_stale(description)
        return counts

    def update(self, name: str, values: Record, where: Where) -> int:
        """Set columns of the rows that meet `where`; returns how many there were."""
        description = table(name)
        text, parameters = condition(description, where)
        stored = {column: form(description).value(column, value) for column, value in values.items()}
        changes = ", ".join(f"{quoted(description[column].name)} = ?" for column in stored)
        with self.transaction():
            self._mark_stale(description)
            statement = f"UPDATE {quoted(name)} SET {changes}{text}"  # noqa: S608 names of the schema
            return self._run(statement, [*stored.values(), *parameters]).rowcount

    def delete(self, name: str, where: Where) -> int:
        """Delete the rows that meet `where`; returns how many. An empty `where` deletes all."""
        description = table(name)
        text, values = condition(description, where)
        with self.transaction():
            self._mark_stale(description)
            return self._run(f"DELETE FROM {quoted(name)}{text}", values).rowcount  # noqa: S608 names of the schema

    # ---- care

    def scrub(self) -> None:
        """Erase what was deleted: rebuild the indexes, rewrite the file and empty its log, so that no byte remains.

        The whole file, as overwriting deleted rows is not enough: where a page of it was split or packed anew before,
        copies of rows that moved stay in the unused part of the page. Raises StoreBusyError where another program has
        the database open.
        """
        with failures(self.path):
            with self.transaction():
                rebuild_all(self._connection)
            self._connection.execute("VACUUM")
            busy = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise StoreBusyError(f"{self.path} is open elsewhere: close the app and other commands, then repeat.")

    def copy_to(self, target: Path) -> Path:
        """Copy the database as of one commit while others may write; the finished copy (0600) replaces `target`."""
        return copy_database(self._connection, target)

    def damage(self) -> list[str]:
        """Return sentences on what is wrong with the file; empty if it is intact."""
        with failures(self.path):
            return _damage(self._connection)

    def remade_indexes(self) -> list[str]:
        """Rebuild search indexes that do not match their rows; return what was wrong with them, worded as in `damage`.

        Nothing is changed where anything else is wrong with the file.
        """
        with failures(self.path):
            wrong = wrong_indexes(self._connection)
            if wrong and wrong == _damage(self._connection):
                with self.transaction():
                    rebuild_all(self._connection)
        return wrong

    # ---- inside

    def _mark_stale(self, description: Table) -> None:
        """Mark the search index of a table as out of date, after its rows were changed or deleted."""
        if description.search:
            self._run(f"UPDATE {STATE} SET stale = 1 WHERE name = ?", (description.name,))  # noqa: S608 a constant

    def _select(
        self, description: Table, names: Sequence[str], where: Where, any_of: Sequence[Where] = ()
    ) -> list[tuple[Any, ...]]:
        statement, values = select(description, names, where, any_of)
        with failures(self.path):
            return self._connection.execute(statement, values).fetchall()

    def _by_row_id(self, description: Table, row_id: int, household: str | None) -> tuple[Any, ...] | None:
        names = ", ".join(quoted(name) for name in description.names)
        statement = f"SELECT {names} FROM {quoted(description.name)} WHERE row_id = ?"  # noqa: S608 names of the schema
        row: tuple[Any, ...] = self._connection.execute(statement, (row_id,)).fetchone()
        return row if household is None or row[description.names.index("household_id")] == household else None

    def _run(self, statement: str, values: Sequence[Value] | Mapping[str, Value] = ()) -> sqlite3.Cursor:
        with failures(self.path):
            return self._connection.execute(statement, values)


_FILE_CONTENTS = """
WITH given AS (
  SELECT file_id, account_id, substr(coalesce(execution_date_time, posting_date_time, value_date_time), 1, 10) AS day
  FROM transactions WHERE household_id = :home AND file_id IS NOT NULL
  UNION ALL
  SELECT c.file_id, t.account_id, substr(coalesce(execution_date_time, posting_date_time, value_date_time), 1, 10)
  FROM claims c JOIN transactions t ON t.household_id = :home AND t.id = substr(c.row_key, 3, length(c.row_key) - 4)
  WHERE c.household_id = :home AND c.table_name = 'transactions' AND c.share = 'all'
  UNION ALL SELECT file_id, NULL, date FROM register_days WHERE household_id = :home AND file_id IS NOT NULL
  UNION ALL SELECT file_id, NULL, end_date FROM meter_reads WHERE household_id = :home AND file_id IS NOT NULL)
SELECT file_id, account_id, min(day), max(day), count(*), count(DISTINCT day)
FROM given GROUP BY file_id, account_id ORDER BY 1, 2"""

_NEW_ROWS = """
WITH new AS (SELECT value FROM json_each(:files)),
known AS (
  SELECT row_key FROM claims
  WHERE household_id = :home AND table_name = '{table}' AND file_id NOT IN (SELECT * FROM new))
SELECT count({counted}) FROM {table} WHERE household_id = :home AND file_id IN (SELECT * FROM new)
  AND json_array({key}) NOT IN (SELECT * FROM known)"""


def _converted(values: tuple[Any, ...], turned: list[tuple[int, Callable[[Any], Any]]]) -> list[Any]:
    """Convert the stored values of a row that are dates, instants and booleans to Python's."""
    converted = list(values)
    for position, reader in turned:
        if values[position] is not None:
            converted[position] = reader(values[position])
    return converted


# ---- whether the file is intact

_MOST_NAMED = 3


def _damage(connection: sqlite3.Connection) -> list[str]:
    """Return sentences on what is wrong; empty if nothing is found.

    SQLite checks the structure of its pages, not the values in them: reads have a digest of their own, and the search
    indexes are compared with what they index.
    """
    looks: tuple[Callable[[sqlite3.Connection], list[str]], ...] = (_unsound_pages, _changed_reads, wrong_indexes)
    return list(dict.fromkeys(problem for look in looks for problem in _messages(look, connection)))


def _messages(look: Callable[[sqlite3.Connection], list[str]], connection: sqlite3.Connection) -> list[str]:
    """Run one check; a file too damaged to be read is a message as well."""
    try:
        return look(connection)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return [f"It cannot be read ({error})."]


def _unsound_pages(connection: sqlite3.Connection) -> list[str]:
    messages = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)")]
    return [] if messages == ["ok"] else messages


def _changed_reads(connection: sqlite3.Connection) -> list[str]:
    from toolkit.tables.registers import digest  # loads numpy, which opening a store does not need

    days = connection.execute("SELECT service_point_id, register_suffix, date, reads, digest FROM register_days")
    wrong = [f"{point} {suffix} {day}" for point, suffix, day, reads, kept in days if kept and digest(reads) != kept]
    if not wrong:
        return []
    more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
    days_are = "1 day of reads is" if len(wrong) == 1 else f"{len(wrong)} days of reads are"
    return [f"{days_are} not what was stored: {'; '.join(wrong[:_MOST_NAMED])}{more}."]
