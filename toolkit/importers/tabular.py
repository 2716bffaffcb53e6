"""Delimited text as numbered records."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from toolkit.importers.source import Source

_LONGEST_CELL = 131_072


@dataclass(frozen=True, slots=True)
class Record:
    """One record. line: of the file, from 1, where it starts. raw: as it stands in the file."""

    line: int
    cells: list[str]
    raw: str


def records(source: Source, *, most: int | None = None) -> Iterator[Record]:
    """The records of comma-separated text, cells stripped; blank ones left out, at most `most` of them.

    A record that the CSV reader refuses (a cell of more than 128 KiB) comes with no cells at all.
    """
    lines = list(io.StringIO(source.text, newline=""))
    reader = csv.reader(lines)
    given = 0
    while most is None or given < most:
        start = reader.line_num
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error:
            cells = []
        raw = "".join(lines[start : reader.line_num]).rstrip("\r\n")
        if any(cells) or len(raw) > _LONGEST_CELL:
            given += 1
            yield Record(start + 1, cells, raw)
