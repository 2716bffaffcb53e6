"""Export everything stored as files for other programs: tables as CSV or Parquet, or the service's own records."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path

import msgspec
import polars as pl

from toolkit.answers.data import Exported, WrittenFile
from toolkit.errors import NothingStoredError, UsageError
from toolkit.flows.data.export_records import records_of
from toolkit.flows.data.export_tables import TABLES, exported, for_spreadsheets, interval_reads
from toolkit.flows.data.output_files import first_bytes, refuse_to_replace
from toolkit.flows.household.context import Context, Progress, choose_household, nothing_stored, quiet
from toolkit.flows.wording import counted
from toolkit.store import Store, open_store
from toolkit.store.connection import private_folder, replace_private
from toolkit.store.views import datasette_metadata
from toolkit.sync.list_sync import RESOURCES
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import ReadRow

FORMATS = ("csv", "parquet", "ndjson")
INTERVAL_READS = "interval_reads.parquet"
"""The reads unpacked, a row for each interval; only with Parquet, as text it would be very large."""
METADATA = "metadata.json"
"""The file that `datasette serve DATABASE --metadata` takes."""
_HEAD = 65_536
"""More bytes than any head of columns has."""


def export(
    ctx: Context,
    out: Path,
    *,
    format: str = "csv",  # noqa: A002 the option's name
    datasette: bool = False,
    progress: Progress = quiet,
) -> Exported:
    """Write one file per table (csv, parquet) or per resource (ndjson) in folder `out`, made where it is missing.

    With parquet also `interval_reads.parquet`: frame `reads` of every household, with `energy` in its unit (kWh, MJ).

    datasette: also write `metadata.json`, with which Datasette describes the tables, views and columns of the database.

    Every household, or the one named. The same data gives the same bytes: rows in key order, nothing of runs or of this
    machine's clock. Files are 0600; those of an earlier export are replaced whole. Account numbers are written whole.
    Raises StoreError where nothing is stored, UsageError for another format, and, before anything is written, where a
    file of the same name is there that no export wrote.
    """
    if format not in FORMATS:
        raise UsageError(f"{format!r} is not an export format (expected {', '.join(FORMATS)}).")
    if not ctx.db.exists():
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    with open_store(ctx.db) as store:
        homes = [choose_household(store, ctx)] if ctx.household else store.load(HouseholdRow)
        ours = [*_earlier_exports(format), *([(METADATA, _is_metadata)] if datasette else [])]
        for name, is_earlier in ours:
            refuse_to_replace(out / name, ctx.db, earlier="of an earlier export", is_earlier=is_earlier)
        private_folder(out)
        written = _records(store, homes, out) if format == "ndjson" else _tables(store, homes, out, format)
        files = []
        for name, rows in written:
            progress(f"{name}: {counted(rows, 'row')}")
            files.append(WrittenFile(file=name, rows=rows))
    if datasette:
        metadata = datasette_metadata(ctx.db.stem)
        content = msgspec.json.format(msgspec.json.encode(metadata))
        replace_private(out / METADATA, partial(Path.write_bytes, data=content))
        files.append(WrittenFile(file=METADATA, rows=len(metadata["databases"][ctx.db.stem]["tables"])))
    return Exported(out=str(out), format=format, files=tuple(files))


def _tables(store: Store, homes: list[HouseholdRow], out: Path, format_: str) -> Iterator[tuple[str, int]]:
    for table in TABLES:
        frame = exported(store, table, homes)
        name = f"{table.name}.{format_}"
        if format_ == "csv":
            replace_private(out / name, for_spreadsheets(frame, table).write_csv)
        else:
            replace_private(out / name, frame.write_parquet)
        yield name, frame.height
    if format_ == "parquet":
        yield INTERVAL_READS, _interval_reads(store, homes, out)


def _interval_reads(store: Store, homes: list[HouseholdRow], out: Path) -> int:
    """Write one row per interval, a household at a time, and return the number of rows."""
    rows = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, home in enumerate(homes or [None]):
            reads = interval_reads(store, home)
            reads.write_parquet(Path(folder) / f"{number:06}.parquet")
            rows += reads.height
        parts = sorted(Path(folder).glob("*.parquet"))
        replace_private(out / INTERVAL_READS, pl.scan_parquet(parts).sink_parquet)
    return rows


def _records(store: Store, homes: list[HouseholdRow], out: Path) -> Iterator[tuple[str, int]]:
    for resource in RESOURCES:
        lines = records_of(store, resource, [home.household_id for home in homes])
        name, content = f"{resource}.ndjson", "".join(f"{line}\n" for line in lines).encode()
        replace_private(out / name, partial(Path.write_bytes, data=content))
        yield name, len(lines)


def _earlier_exports(format_: str) -> Iterator[tuple[str, Callable[[Path], bool]]]:
    """Yield the name of each file of an export, and a test whether an existing file is of an earlier export.

    The test goes by content: a bank's own `transactions.csv` is not one of ours.
    """
    if format_ == "ndjson":
        yield from ((f"{resource}.ndjson", lambda path: first_bytes(path, 1) == b"{") for resource in RESOURCES)
        return
    columns = _csv_columns if format_ == "csv" else _parquet_columns
    for table in TABLES:
        yield f"{table.name}.{format_}", partial(_has_columns, columns, table.key)
    if format_ == "parquet":
        yield INTERVAL_READS, partial(_has_columns, columns, ReadRow.table.key)


def _has_columns(columns: Callable[[Path], Collection[str]], key: Collection[str], path: Path) -> bool:
    return set(key) <= set(columns(path))


def _is_metadata(path: Path) -> bool:
    """Return whether an existing file is an earlier description of a database like this one."""
    title = datasette_metadata("")["title"]
    return f'"title": "{title}"'.encode() in first_bytes(path, _HEAD)


def _csv_columns(path: Path) -> Collection[str]:
    head = first_bytes(path, _HEAD).decode("utf-8", errors="replace").partition("\n")[0]
    return head.strip().split(",")


def _parquet_columns(path: Path) -> Collection[str]:
    try:
        return list(pl.read_parquet_schema(path))
    except (pl.exceptions.PolarsError, OSError):
        return []
