"""Delimited text as numbered records."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from toolkit.importers.source import Source


@dataclass(frozen=True, slots=True)
class Record:
    """One record. line: of the file, from 1, where it starts. raw: as it stands in the file."""

    line: int
    cells: list[str]
    raw: str


def records(source: Source, *, most: int | None = None) -> Iterator[Record]:
    """The records of comma-separated text, cells stripped; blank ones left out, at most `most` of them.

    A line that the CSV reader refuses (a cell of more than 128 KiB) comes with no cells at all.
    """
    lines = list(io.StringIO(source.text, newline=""))
    yield from islice(_records(lines), most)


def _records(lines: list[str]) -> Iterator[Record]:
    start = 0
    while start < len(lines):
        cells, end = _cells(lines, start)
        if cells is None or any(cells):
            yield Record(start + 1, cells or [], "".join(lines[start:end]).rstrip("\r\n"))
        start = end


def _cells(lines: list[str], start: int) -> tuple[list[str] | None, int]:
    """The record that starts in a line, and where the next one does. None where the line is refused.

    A quote that is not closed as it should be ends with its line: else it would swallow the rows below.
    """
    if lines[start].count('"') % 2:
        below = csv.reader((lines[number] for number in range(start, len(lines))), strict=True)
        found = _next(below)
        if found is not None:
            return found, start + below.line_num
    return _next(csv.reader(lines[start : start + 1])), start + 1


def _next(reader: Iterator[list[str]]) -> list[str] | None:
    try:
        return [cell.strip() for cell in next(reader)]
    except csv.Error:
        return None
