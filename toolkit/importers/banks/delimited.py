"""Tables of banks separated by commas, semicolons or tabs, with a decimal point or comma."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from toolkit.importers.source import Record, Source, records

_LINES_LOOKED_AT, _FEWEST_CELLS = 25, 3
_BEFORE, _AFTER = r"[-+(]?\$? ?[-+]?", r"[-+)]?( ?(DR|CR))?"
_DECIMAL_COMMA = re.compile(rf"{_BEFORE}([0-9]+|[0-9]{{1,3}}(\.[0-9]{{3}})+),[0-9]{{1,2}}{_AFTER}", re.IGNORECASE)
_DECIMAL_POINT = re.compile(rf"{_BEFORE}[0-9,]+\.[0-9]{{1,2}}{_AFTER}", re.IGNORECASE)


def table_records(source: Source, *, most: int | None = None) -> Iterator[Record]:
    """Yield the records of a bank's table as `records`, whatever separates its cells.

    Where semicolons or tabs do, amounts may have a decimal comma (`-1.234,50`): they come with a point, unless others
    of the file have a decimal point.
    """
    delimiter = _delimiter(source)
    rows = records(source, most=most, delimiter=delimiter)
    if delimiter == ",":
        yield from rows
        return
    all_rows = list(rows)
    has_commas = _has_decimal_commas(all_rows)
    for row in all_rows:
        yield Record(row.line, [_with_point(cell) for cell in row.cells], row.raw) if has_commas else row


def _delimiter(source: Source) -> str:
    """Return what separates the cells: semicolons or tabs where they cut most lines into more cells than commas do."""
    head = list(islice((line for line in source.head.lines if line.strip()), _LINES_LOOKED_AT))
    for delimiter in ";\t":
        widths = [(_width(line, delimiter), _width(line, ",")) for line in head]
        if sum(many >= _FEWEST_CELLS and many > few for many, few in widths) * 2 > len(head):
            return delimiter
    return ","


def _width(line: str, delimiter: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=delimiter), ()))
    except csv.Error:
        return 0


def _has_decimal_commas(rows: Sequence[Record]) -> bool:
    cells = [cell for row in rows for cell in row.cells]
    return any(map(_DECIMAL_COMMA.fullmatch, cells)) and not any(map(_DECIMAL_POINT.fullmatch, cells))


def _with_point(cell: str) -> str:
    return cell.replace(".", "").replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell
