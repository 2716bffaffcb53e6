"""Read the packaged TOML files, and list those that are out of date."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TypeVar
from zlib import crc32

import msgspec


class PackagedTable(msgspec.Struct, frozen=True, kw_only=True):
    """What each packaged file states about itself; subclasses add its tables."""

    title: str
    source: str
    licence: str
    read: date
    """The day on which the source was last read."""
    valid_until: date | None = None
    """The day after which the facts should be read again; None where they do not change."""


Table = TypeVar("Table", bound=PackagedTable)
_FOLDER = Path(__file__).parent


def packaged(name: str, table: type[Table]) -> Table:
    """Read `name`.toml. Callers cache what they make of it, so that a file is read once in a process, when needed."""
    return msgspec.toml.decode(_FOLDER.joinpath(f"{name}.toml").read_bytes(), type=table)


def checksum(*names: str) -> int:
    """Return the CRC-32 of packaged files: it differs when one of them does."""
    return crc32(b"".join(_FOLDER.joinpath(f"{name}.toml").read_bytes() for name in names))


def out_of_date(today: date) -> list[PackagedTable]:
    """Return the packaged files that are past the last day of their validity, by title."""
    names = [entry.name.removesuffix(".toml") for entry in _FOLDER.iterdir() if entry.name.endswith(".toml")]
    tables = [packaged(name, PackagedTable) for name in names]
    stale = [table for table in tables if table.valid_until and table.valid_until < today]
    return sorted(stale, key=lambda table: table.title)
