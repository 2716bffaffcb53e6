"""Everything stored, as files for other programs: tables as CSV or Parquet, records as the service gave them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from toolkit.answers.data import Exported, WrittenFile
from toolkit.errors import StoreError, UsageError
from toolkit.flows.data.earlier_exports import earlier_exports
from toolkit.flows.data.export_records import records_of
from toolkit.flows.data.export_tables import TABLES, exported, for_spreadsheets
from toolkit.flows.data.output_files import refuse_to_replace
from toolkit.flows.household.context import Context, Progress, choose_household, nothing_stored, quiet
from toolkit.flows.wording import counted
from toolkit.store import Store, open_store
from toolkit.store.files import private_folder, replace_private
from toolkit.sync.list_sync import RESOURCES
from toolkit.tables.schema.identity import HouseholdRow

FORMATS = ("csv", "parquet", "ndjson")


def export(ctx: Context, out: Path, *, format: str = "csv", progress: Progress = quiet) -> Exported:  # noqa: A002 the option's name
    """Write one file per table (csv, parquet) or per resource (ndjson) in folder `out`, made where it is missing.

    Every household, or the one named. The same data gives the same bytes: rows in key order, nothing of runs or of this
    machine's clock. Files are 0600; those of an earlier export are replaced whole. Account numbers are written whole.
    Raises StoreError where nothing is stored, UsageError for another format, and, before anything is written, where a
    file of the same name is there that no export wrote.
    """
    if format not in FORMATS:
        raise UsageError(f"{format!r} is not an export format (expected {', '.join(FORMATS)}).")
    if not ctx.db.exists():
        raise StoreError(nothing_stored(ctx.db))
    with open_store(ctx.db) as store:
        homes = [choose_household(store, ctx)] if ctx.household else store.load(HouseholdRow)
        for name, is_earlier in earlier_exports(format):
            refuse_to_replace(out / name, ctx.db, earlier="of an earlier export", is_earlier=is_earlier)
        private_folder(out)
        written = _records(store, homes, out) if format == "ndjson" else _tables(store, homes, out, format)
        files = []
        for name, rows in written:
            progress(f"{name}: {counted(rows, 'row')}")
            files.append(WrittenFile(file=name, rows=rows))
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


def _records(store: Store, homes: list[HouseholdRow], out: Path) -> Iterator[tuple[str, int]]:
    for resource in RESOURCES:
        lines = records_of(store, resource, [home.household_id for home in homes])
        name = f"{resource}.ndjson"
        replace_private(out / name, _line_writer(lines))
        yield name, len(lines)


def _line_writer(lines: Sequence[str]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")

    return write
