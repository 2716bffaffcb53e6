"""Recognise the layout of a table: a known bank's, by header or shape of the first rows, else one that an installed
package adds, else a general one by header.

The file's name is not used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from toolkit.importers.banks.dialects import HEADED, HEADLESS, ING, ST_GEORGE, Dialect, Sign
from toolkit.importers.dates import day
from toolkit.importers.plugins import Plugin, bank_layouts
from toolkit.importers.source import Record
from toolkit.tables.written_amount import written_amount

_LOOKED_AT = 25
_FEWEST_COLUMNS = 3
"""Date, description, amount."""
_ACCOUNT = re.compile(r"[0-9][0-9 -]{4,}")
_EMPTYISH = "ate"
GENERAL = "Bank"
"""The name of the dialect of a table of no known bank."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A dialect laid over a table. places: house field → cell. width: cells of a row. headers: rows to skip.

    plugin: where an installed package adds the dialect.
    """

    dialect: Dialect
    places: dict[str, int]
    width: int
    headers: int
    plugin: Plugin[Dialect] | None = None


def without_titles(rows: Sequence[Record]) -> Sequence[Record]:
    """Return the rows of a table from its header on.

    Lines above it, such as the account's name, a range of days or a count of rows, have fewer than three cells and no
    date. A file that has nothing else stays as it is.
    """
    titles = 0
    while titles < len(rows) and _is_title([cell for cell in rows[titles].cells if cell]):
        titles += 1
    return rows[titles:] if titles < len(rows) else rows


def _is_title(cells: Sequence[str]) -> bool:
    return 0 < len(cells) < _FEWEST_COLUMNS and not any(day(cell, "any") for cell in cells)


def layout_of(head: Sequence[Record]) -> Layout | None:
    """Recognise a layout from the first records; None if it is unknown."""
    if not head:
        return None
    names, rows = [name.lower() for name in head[0].cells], [record.cells for record in head[:_LOOKED_AT]]
    return (
        _headed(names)
        or (_added(names) if _is_header(names) else None)
        or _general(names)
        or _headless(rows, HEADLESS)
        or _added_headless(rows)
    )


def _headed(names: list[str]) -> Layout | None:
    if best := _fitting(HEADED, names):
        return _over(best, names)
    if set(ST_GEORGE.required()) <= set(names) <= {*ING.required(), ""}:
        swapped = names.index("credit") < names.index("debit") and "balance" in names
        return _over(ING if swapped else ST_GEORGE, names)
    return None


def _fitting(dialects: Sequence[Dialect], names: list[str]) -> Dialect | None:
    """Return the dialect that knows most columns of a header, of those with all of their columns in it."""
    candidates = [dialect for dialect in dialects if set(dialect.required()) <= set(names)]
    return max(candidates, key=lambda dialect: len(_places(dialect, names)), default=None)


def _is_header(names: list[str]) -> bool:
    return not any(day(name, "any") for name in names)


def _added(names: list[str]) -> Layout | None:
    """Return the best layout with a header that an installed package adds."""
    best = _fitting([plugin.value for plugin in bank_layouts().plugins if not plugin.value.shape], names)
    return _of_plugin(_over(best, names)) if best else None


def _added_headless(rows: list[list[str]]) -> Layout | None:
    """Return the best layout without a header that an installed package adds."""
    layout = _headless(rows, [plugin.value for plugin in bank_layouts().plugins if plugin.value.shape])
    return _of_plugin(layout) if layout else None


def _of_plugin(layout: Layout) -> Layout:
    plugin = next(plugin for plugin in bank_layouts().plugins if plugin.value is layout.dialect)
    return replace(layout, plugin=plugin)


def _general(names: list[str]) -> Layout | None:
    general = general_dialect(names)
    return _over(general, names) if general else None


def _over(dialect: Dialect, names: list[str]) -> Layout:
    return Layout(dialect, _places(dialect, names), len(names), headers=1)


def _places(dialect: Dialect, names: list[str]) -> dict[str, int]:
    return {key: names.index(str(name)) for key, name in dialect.columns.items() if name in names}


def _headless(rows: list[list[str]], dialects: Sequence[Dialect]) -> Layout | None:
    """Return the first dialect with a shape that at least half of the rows have; one broken row does not matter.

    Below a header, in whatever language, the shape alone does not say whose file it is.
    """
    if not dialects or _is_in_words(rows[0]):
        return None
    fits = Counter({number: sum(_fits(row, d) for row in rows) for number, d in enumerate(dialects)})
    best = max(range(len(dialects)), key=lambda number: (fits[number], -number))
    if fits[best] == 0 or fits[best] * 2 < len(rows):
        return None
    dialect = dialects[best]
    places = {key: int(place) for key, place in dialect.columns.items()}
    return Layout(dialect, places, len(dialect.shape), headers=0)


def _is_in_words(row: list[str]) -> bool:
    """Return whether all cells of a row are words, at least a date's, an amount's and a description's."""
    cells = [cell for cell in row if cell]
    has_figures = any(
        day(cell, "any") or written_amount(cell) is not None or _ACCOUNT.fullmatch(cell) for cell in cells
    )
    return len(cells) >= _FEWEST_COLUMNS and not has_figures


def _fits(row: list[str], dialect: Dialect) -> bool:
    shape = dialect.shape
    return len(row) == len(shape) and all(_is(cell, kind, dialect) for cell, kind in zip(row, shape, strict=True))


def _is(cell: str, kind: str, dialect: Dialect) -> bool:
    if not cell:
        return kind in _EMPTYISH
    match kind:
        case "D" | "M":
            return day(cell, dialect.dates) is not None
        case "A" | "a":
            return written_amount(cell) is not None
        case "N":
            return _ACCOUNT.fullmatch(cell) is not None
        case "e":
            return False
        case _:
            return True


_WORDS: tuple[tuple[str, str], ...] = (
    ("bsb", r"bsb( (no\.?|number))?"),
    ("account", r"(bank |from )?account( (no\.?|number|name|id))?|account_(id|name|number)"),
    ("date", r"((transaction|effective|entered|entry)[ _])?date|date (and|/|&) time|time|datetime"),
    ("posted", r"((posted|posting|processed|settled|settlement|value)[ _]?date)|date (posted|processed)"),
    ("amount", r"((transaction|net|total)[ _])?(amount|value)"),
    ("debit", r"debits?|(debit|withdrawal) amount|withdrawals?|money out|paid out"),
    ("credit", r"credits?|(credit|deposit) amount|deposits?|money in|paid in"),
    ("balance", r"((running|closing|account)[ _])?balance"),
    ("description", r"(transaction[ _])?(description|details?|narrative|narration|particulars)|memo|transaction"),
    ("merchant", r"merchant([ _]name)?|payee"),
    ("category", r"(primary[ _])?category"),
    ("subcategory", r"(secondary[ _]|sub-?)category"),
    ("currency", r"currency([ _]code)?|ccy"),
    ("type", r"(transaction[ _])?type"),
    ("reference", r"reference|ref"),
    ("status", r"status"),
    (
        "direction",
        r"(debits?|dr|d)[ /_-]?(or )?(credits?|cr|c)|(credits?|cr|c)[ /_-]?(or )?(debits?|dr|d)([ _](indicator|flag))?",
    ),
    ("id", r"(transaction[ _])?id"),
)
_UNIT = re.compile(r" ?\((aud|a?\$)\)| aud$")
"""A currency in the header of an amount."""


def general_dialect(names: Sequence[str]) -> Dialect | None:
    """Recognise the columns of a lower-case header by its words; None without a date, amount and description column.

    Debits count with the sign that most of them have in the file.
    """
    columns = _columns(names)
    described = columns.keys() & {"description", "merchant"}
    if "posted" in columns and "date" not in columns:
        columns["date"] = columns.pop("posted")
    if "amount" in columns:
        columns.pop("debit", None), columns.pop("credit", None)
    elif not {"debit", "credit"} <= columns.keys():
        return None
    sign: Sign = "signed" if "amount" in columns else "debit as in the file"
    return Dialect(GENERAL, columns, "any", sign) if described and "date" in columns else None


def _columns(names: Sequence[str]) -> dict[str, str | int]:
    columns: dict[str, str | int] = {}
    for name in names:
        plain = _UNIT.sub("", name)
        found = next((role for role, words in _WORDS if role not in columns and re.fullmatch(words, plain)), None)
        if found is not None:
            columns[found] = name
    return columns
