"""Columns of a bank's CSV as a person names them, for layouts that are not known."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from toolkit.errors import UsageError
from toolkit.importers.banks.dialects import Dialect, Sign
from toolkit.importers.banks.layouts import Layout
from toolkit.importers.dates import day
from toolkit.importers.source import Record

FIELDS = (
    *("date", "amount", "debit", "credit", "description", "balance", "merchant", "account", "category", "type"),
    *("reference", "currency", "posted", "id", "direction"),
)
"""What a column may hold; `amount` is one signed column, `debit` and `credit` are two; `direction` marks amounts
without a sign as debit or credit."""
DATES = {"d/m/y": "31/12/2026", "m/d/y": "12/31/2026", "iso": "2026-12-31", "d mon y": "31 Dec 2026", "any": "any"}
"""Date style → how it looks. `any` tries all of them but month before day."""
SIGNS: dict[str, Sign] = {"out-negative": "signed", "out-positive": "charges positive"}
"""Which sign money out has in a column of signed amounts."""
_NUMBER = re.compile(r"#([1-9][0-9]?)")


class Columns(msgspec.Struct, frozen=True):
    """Columns of a table. places: field → header, whatever its case, or `#2` for the second column."""

    places: dict[str, str]
    dates: str = "any"
    """One of `DATES`."""
    sign: str = "out-negative"
    """One of `SIGNS`."""


def parsed_columns(text: str) -> Columns:
    """Parse `date=Posted,amount=Value,description=Text,dates=d/m/y`; a header may hold commas.

    Raises UsageError for an unknown field, and where date, description or amounts are missing.
    """
    given: dict[str, str] = {}
    last = ""
    for part in text.split(","):
        name, sign, value = part.partition("=")
        key = name.strip().lower()
        if sign and key in (*FIELDS, "dates", "sign"):
            given[key], last = value.strip(), key
        elif last and last in FIELDS:
            given[last] += f",{part}"
        else:
            raise UsageError(f"{part.strip()!r} is not a column. The columns are {', '.join(FIELDS)}, dates and sign.")
    dates, sign = given.pop("dates", "any"), given.pop("sign", "out-negative")
    return checked(Columns({name: place.strip() for name, place in given.items() if place.strip()}, dates, sign))


def checked(columns: Columns) -> Columns:
    """Return columns that suffice. Raises UsageError for others."""
    places = columns.places
    if not {"date", "description"} <= places.keys() or not ("amount" in places or {"debit", "credit"} <= places.keys()):
        raise UsageError("Columns need a date, a description, and an amount, or a debit and a credit.")
    if columns.dates not in DATES or columns.sign not in SIGNS:
        raise UsageError(f"Dates are one of {', '.join(DATES)}; the sign is one of {', '.join(SIGNS)}.")
    return columns


def header_key(head: Sequence[Record]) -> str:
    """Return what files of one layout have in common: the cells of the first row, or how many there are."""
    if not head:
        return ""
    cells = [" ".join(cell.lower().split()) for cell in head[0].cells]
    if any(day(cell, "any") for cell in cells):
        return f"{len(cells)} columns"
    return ",".join(cells)


def layout_of_columns(head: Sequence[Record], columns: Columns) -> Layout | None:
    """Lay the columns over a table; None where it lacks one of them.

    The first row is a header unless all columns are numbers and its date is one.
    """
    if not head:
        return None
    first = head[0].cells
    names = [" ".join(cell.lower().split()) for cell in first]
    places: dict[str, int] = {}
    for field, written in columns.places.items():
        number = _NUMBER.fullmatch(written)
        wanted = " ".join(written.lower().split())
        if number is None and wanted not in names:
            return None
        places[field] = int(number[1]) - 1 if number else names.index(wanted)
    if max(places.values()) >= len(first):
        return None
    by_number = all(_NUMBER.fullmatch(written) for written in columns.places.values())
    is_header = not (by_number and day(first[places["date"]], columns.dates))
    sign: Sign = SIGNS[columns.sign] if "amount" in places else "debit as in the file"
    dialect = Dialect("Bank", {field: field for field in places}, columns.dates, sign)
    return Layout(dialect, places, len(first), headers=int(is_header))
