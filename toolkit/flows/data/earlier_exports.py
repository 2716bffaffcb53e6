"""Recognise files of an earlier export by content: a bank's `transactions.csv` is not one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path

import polars as pl

from toolkit.flows.data.export_tables import TABLES
from toolkit.flows.data.output_files import first_bytes
from toolkit.sync.list_sync import RESOURCES

_HEAD = 65_536
"""More bytes than any head of columns has."""


def earlier_exports(format_: str) -> Iterator[tuple[str, Callable[[Path], bool]]]:
    """Name of each file that an export writes, and whether a file there under that name is of an earlier one."""
    if format_ == "ndjson":
        yield from ((f"{resource}.ndjson", _begins_as_records) for resource in RESOURCES)
        return
    columns = _csv_columns if format_ == "csv" else _parquet_columns
    for table in TABLES:
        yield f"{table.name}.{format_}", partial(_has_columns, columns, table.key)


def _has_columns(columns: Callable[[Path], Collection[str]], key: Collection[str], path: Path) -> bool:
    return set(key) <= set(columns(path))


def _csv_columns(path: Path) -> Collection[str]:
    head = first_bytes(path, _HEAD).decode("utf-8", errors="replace").partition("\n")[0]
    return head.strip().split(",")


def _parquet_columns(path: Path) -> Collection[str]:
    try:
        return list(pl.read_parquet_schema(path))
    except (pl.exceptions.PolarsError, OSError):
        return []


def _begins_as_records(path: Path) -> bool:
    return first_bytes(path, 1) == b"{"
