"""Columns of a bank's CSV that a person named: kept by the file's header, so that they are named once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

import msgspec

from toolkit.answers.data import ColumnsTried, KeptColumns, ReadRow, TablePreview
from toolkit.errors import ImportFailedError, NothingStoredError, UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.overrides import record, take_back
from toolkit.importers.banks.columns import DATES, FIELDS, SIGNS, Columns, checked, header_key, parsed_columns
from toolkit.importers.banks.delimited import table_records
from toolkit.importers.banks.layouts import layout_of, without_titles
from toolkit.importers.imported import Options
from toolkit.importers.read import read_source
from toolkit.importers.source import Record, Source, open_sources
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import OverrideRow

__all__ = [
    "DATES",
    "FIELDS",
    "SIGNS",
    "Columns",
    "forget_columns",
    "keep_columns",
    "kept_columns",
    "list_columns",
    "parsed_columns",
    "preview_table",
    "try_columns",
]

KIND = "columns"
"""The kind of a decision about a layout; its subject is the header, its value `Columns` as JSON."""
PREVIEWED = 10
_LOOKED_AT = 25


def keep_columns(store: Store, household_id: str, source: Source, columns: Columns) -> None:
    """Keep the columns for files with the header of this one, unless the same are kept. Runs in a transaction."""
    key, value = header_key(_head(source, _LOOKED_AT)), msgspec.json.encode(checked(columns)).decode()
    rows = store.load(OverrideRow, household_id, where={"kind": KIND, "subject": key, "active": True})
    if not rows or max(rows, key=lambda row: row.number).value != value:
        record(store, household_id, KIND, key, value)


def kept_columns(store: Store, household: str | None, source: Source) -> Columns | None:
    """Return the columns kept for files with the header of this one; None without.

    household: id or name; None where there is only one. A layout without a header is only known by its number of
    columns, so what is kept for it does not count where the layout of a bank fits.
    """
    kept = store.load(OverrideRow, where={"kind": KIND, "active": True})
    if not kept or source.failure is not None:
        return None
    homes = {
        home.household_id for home in store.load(HouseholdRow) if household in (None, home.household_id, home.name)
    }
    head = _head(source, _LOOKED_AT)
    key = header_key(head)
    fitting = [row for row in kept if row.subject == key and row.household_id in homes]
    if len(homes) != 1 or not fitting or (key.endswith(" columns") and layout_of(head) is not None):
        return None
    return msgspec.json.decode(max(fitting, key=lambda row: row.number).value, type=Columns)


def list_columns(ctx: Context) -> tuple[KeptColumns, ...]:
    """Return the columns that are kept, the header named last first."""
    try:
        with open_home(ctx) as (store, household):
            rows = store.load(OverrideRow, household.household_id, where={"kind": KIND, "active": True})
    except NothingStoredError:
        return ()
    latest = {row.subject: row for row in sorted(rows, key=lambda row: row.number)}
    return tuple(
        KeptColumns(row.subject, msgspec.json.decode(row.value, type=Columns).places)
        for row in sorted(latest.values(), key=lambda row: -row.number)
    )


def forget_columns(ctx: Context, header: str) -> None:
    """Forget the columns of a header, as `list_columns` gives it; what was read by them stays.

    Raises UsageError where none are kept for it.
    """
    with open_home(ctx) as (store, household), store.transaction():
        home = household.household_id
        rows = store.load(OverrideRow, home, where={"kind": KIND, "subject": header, "active": True})
        if not rows:
            raise UsageError("The columns of this header were forgotten before.")
        for row in sorted(rows, key=lambda row: row.number):
            take_back(store, home, row.number)


def _head(source: Source, most: int) -> Sequence[Record]:
    return without_titles(list(table_records(source, most=most)))


def preview_table(path: Path) -> TablePreview:
    """Return the header and the first ten rows of a CSV file. Raises ImportFailedError where it is none."""
    source = _only_source(path)
    head = _head(source, _LOOKED_AT)
    if not head or max(len(record.cells) for record in head) < 3:
        raise ImportFailedError(source.at(1), "is not a table with a date, a description and an amount")
    has_header = not header_key(head).endswith(" columns")
    width = max(len(record.cells) for record in head)
    columns = tuple(head[0].cells) if has_header else tuple(f"#{number}" for number in range(1, width + 1))
    if len({name.casefold() for name in columns}) < len(columns):
        columns = tuple(f"#{number}" for number in range(1, len(columns) + 1))
    rows = head[1:] if has_header else head
    return TablePreview(columns=columns, rows=tuple(tuple(record.cells) for record in rows[:PREVIEWED]))


def try_columns(path: Path, columns: Columns) -> ColumnsTried:
    """Read a CSV file with columns that a person named, and store nothing.

    Raises UsageError where the columns do not suffice, ImportFailedError where the file has none of them.
    """
    imported = read_source(_only_source(path), Options("bank-csv", columns=checked(columns)))
    read = [
        ReadRow(date.fromisoformat(str(row["posting_date_time"] or row["execution_date_time"])[:10]), amount, text)
        for row in imported.tables["transactions"]
        for amount, text in [(Decimal(str(row["amount"])), str(row["description"] or ""))]
    ]
    days = [row.day for row in read]
    return ColumnsTried(
        rows=tuple(read[:PREVIEWED]),
        money_out=sum(row.amount < 0 for row in read),
        money_in=sum(row.amount > 0 for row in read),
        first=min(days, default=None),
        last=max(days, default=None),
        problems=tuple(imported.problems),
    )


def _only_source(path: Path) -> Source:
    sources = list(open_sources(path))
    if len(sources) != 1 or sources[0].failure is not None:
        raise (sources[0].failure if sources else None) or ImportFailedError(path.name, "is not a table")
    return sources[0]
