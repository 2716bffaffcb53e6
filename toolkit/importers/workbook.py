"""Spreadsheets (xlsx): each sheet with something in it becomes comma-separated text, a line for each of its rows."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Container, Iterable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import python_calamine

from toolkit.errors import ImportFailedError

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

__all__ = ["DAMAGED", "IS_OLD_WORKBOOK", "MOST_CELLS", "is_other_workbook", "is_workbook", "sheet_texts"]

IS_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How files of Excel before 2007 (xls), and locked ones of today, begin."""
MOST_CELLS = 3_000_000
"""A year of five-minute reads in 28 columns. The reader lays a sheet out up to its farthest cell, empty ones too."""
DAMAGED = "is a damaged spreadsheet: open it and save it again, or as CSV"
_MOST_TEXT = 2**30
_MOST_SHEETS = 200
_TAG = re.compile(rb"""<(?:\w+:)?(row|c)\b((?:[^>"']|"[^"]*"|'[^']*')*)>""")
_PLACE = re.compile(rb"""(?<![\w:])r\s*=\s*["']([A-Za-z]{0,7})([0-9]{1,9})["']""")
_SHARED_TEXT = re.compile(rb"<(?:\w+:)?si\b")

Cell = bool | int | float | str | date | time | timedelta
"""What the reader gives; datetimes are dates."""


def is_workbook(names: Container[str]) -> bool:
    """Return whether the members of a zip are those of an xlsx file."""
    return "xl/workbook.xml" in names


def is_other_workbook(names: Container[str]) -> bool:
    """Return whether the members of a zip are those of a spreadsheet that is not read: xlsb, OpenDocument, Numbers."""
    others = ({"xl/workbook.bin"}, {"mimetype", "content.xml"}, {"Index/Document.iwa"})
    return any(all(name in names for name in each) for each in others)


def sheet_texts(name: str, data: bytes, parts: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield name and text (CSV in UTF-8, line n is row n) of each sheet that is not empty.

    parts: the members of the file, unpacked. Dates and times are written as in ISO 8601, to the second, numbers with
    the fifteen digits that Excel keeps. Raises ImportFailedError where a sheet is too large or cannot be read.
    """
    _check_size(name, parts)
    try:
        book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = book.sheet_names
        if len(sheets) > _MOST_SHEETS:
            raise ImportFailedError(name, f"has {len(sheets):,} sheets; at most {_MOST_SHEETS:,} are read")
        for sheet in sheets:
            text = _text(book.get_sheet_by_name(sheet))
            if text.strip():
                yield re.sub(r"[/\x00-\x1f]", "_", sheet), text.encode("utf-8", errors="replace")
    except ImportFailedError:
        raise
    except BaseException as error:  # the reader panics on some damaged files, and a panic is no Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise ImportFailedError(name, DAMAGED) from error


def _check_size(name: str, parts: Iterable[bytes]) -> None:
    """Raise ImportFailedError where a sheet would not fit into memory: few bytes can name far cells and long texts."""
    cells = longest = 0
    for xml in parts:
        row = column = last_row = last_column = number = 0
        for tag in _TAG.finditer(xml):
            place = _PLACE.search(tag[2])
            if tag[1] == b"row":
                row, column = int(place[2]) if place else row + 1, 0
            else:
                row, column = (int(place[2]), _column(place[1])) if place else (row, column + 1)
                number += 1
            last_row, last_column = max(last_row, row), max(last_column, column)
        if last_row * last_column > MOST_CELLS:
            raise ImportFailedError(name, f"has a sheet of more than {MOST_CELLS:,} cells: save the data alone as CSV")
        cells += number
        longest = max(longest, *map(len, _SHARED_TEXT.split(xml)[1:]), 0)
    if cells * longest > _MOST_TEXT:
        raise ImportFailedError(name, "has texts too long for a table: save the data alone as CSV")


def _column(letters: bytes) -> int:
    """Return the number of a column from its letters: A is 1, AA 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


def _text(sheet: CalamineSheet) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in sheet.iter_rows():
        writer.writerow([_written(cell) for cell in row])
    return text.getvalue()


def _written(cell: Cell) -> str:
    """Return a cell as a CSV of the same table would have it."""
    if isinstance(cell, datetime):
        at = cell + timedelta(microseconds=500_000)  # a time of day is a fraction of a day: 10:05 comes as 10:04:59.999
        return at.replace(microsecond=0).isoformat(sep=" ")
    if isinstance(cell, time):
        return _written(datetime.combine(date.min, cell))[-8:]
    if isinstance(cell, float):
        return f"{Decimal(f'{cell:.15g}'):f}"
    if isinstance(cell, timedelta):
        seconds = round(cell.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return re.sub(r"[\r\n]+", " ", str(cell))
