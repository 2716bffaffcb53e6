"""CSV exports of Australian banks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from itertools import groupby, pairwise
from zoneinfo import ZoneInfo

from toolkit.answers.base import Note
from toolkit.errors import ImportFailedError
from toolkit.importers.banks.columns import layout_of_columns
from toolkit.importers.banks.delimited import table_records
from toolkit.importers.banks.dialects import Sign
from toolkit.importers.banks.entries import (
    IS_DAMAGED,
    NO_YEAR,
    YEARS,
    Account,
    Entry,
    numbered_account,
    transaction_rows,
    unnamed_account,
)
from toolkit.importers.banks.layouts import GENERAL, Layout, layout_of, without_titles
from toolkit.importers.dates import MONTH_FIRST, date_time
from toolkit.importers.dates import day as day_of
from toolkit.importers.imported import Imported, Options
from toolkit.importers.plugins import bank_layouts
from toolkit.importers.source import Record, Source
from toolkit.remedies import Message, Remedy
from toolkit.tables.money import minor_units
from toolkit.tables.words import counted
from toolkit.tables.written_amount import written_amount

_EXTRA = {
    "type": "type",
    "category": "primary_category",
    "subcategory": "secondary_category",
    "merchant": "merchant_name",
    "reference": "reference",
    "payer": "payer",
    "payee": "payee",
}
"""House field → column, for the bank's own texts on kind, category, merchant and parties, which are kept unchanged."""
_MOST_GAPS = 5
_OUT, _IN = ("dr", "d", "debit", "out", "money out"), ("cr", "c", "credit", "in", "money in")
"""Most gaps in the balances that are listed one by one."""


class RowError(Exception):  # never leaves this module: it becomes a Problem
    """Raised for a row that is left out, with the reason."""


@dataclass(frozen=True, slots=True)
class _Reader:
    """How to read the rows of one file.

    debit_sign: what a debit cell is multiplied by. unnamed: the account of rows that name none. month_first: whether
    dates are read with the month first where they can be.
    """

    layout: Layout
    options: Options
    debit_sign: int
    unnamed: Account
    month_first: bool = False

    def cell(self, record: Record, name: str) -> str:
        """Return the cell of a house field; empty if the layout or the row has none."""
        place = self.layout.places.get(name, len(record.cells))
        return record.cells[place] if place < len(record.cells) else ""


def read_bank_csv(source: Source, options: Options) -> Imported:
    """Read transactions and accounts of a bank's CSV export.

    Raises ImportFailedError if the layout is not a known bank's.
    Left out by `file:line`: amounts that are not whole cents, impossible dates, both or neither of debit and credit
    (ING's rows with both blank move no money and are listed too). A 0.00 next to an amount counts as blank.
    """
    rows = without_titles(list(table_records(source)))
    layout = layout_of(rows[:25]) if options.columns is None else layout_of_columns(rows[:25], options.columns)
    if layout is None and options.columns is not None:
        named = ", ".join(options.columns.places.values())
        raise ImportFailedError(source.at(1), f"does not have all of the columns {named}")
    if layout is None:
        unknown = Message("is in no layout of a known bank (header or first rows fit none).", Remedy.NAME_COLUMNS)
        raise ImportFailedError(source.at(1), unknown)
    header = ",".join(rows[0].cells).lower() if layout.headers else f"{layout.width} columns"
    bank = "" if layout.dialect.name == GENERAL else layout.dialect.name
    unnamed = unnamed_account(source, options, f"bank-csv {layout.dialect.name}: {header}", bank)
    imported = Imported("bank-csv", "transactions")
    layout = _with_direction(layout, rows[layout.headers :])
    month_first = _is_month_first(source, layout, rows[layout.headers :], imported)
    reader = _Reader(layout, options, _debit_sign(layout, rows[layout.headers :]), unnamed, month_first)
    if layout.plugin is not None:
        imported.notes.append(Note("read_by_plugin", plugin=layout.plugin.name, package=layout.plugin.package))
    elif layout.dialect.name == GENERAL:  # the layouts of packages were looked at
        for failure in bank_layouts().failures:
            imported.warn(source.name, failure)
    entries = _entries(source, reader, rows[layout.headers :], imported)
    for line, reason in balance_gaps(entries):
        imported.warn(source.at(line), reason)
    imported.tables["accounts"] = [
        account.row() for account in {e.account.account_id: e.account for e in entries}.values()
    ]
    imported.tables["transactions"] = transaction_rows(entries)
    return imported


def _entries(source: Source, reader: _Reader, rows: Sequence[Record], imported: Imported) -> list[Entry]:
    entries = []
    for record in rows:
        try:
            entries.append(_entry(reader, record))
        except RowError as reason:
            imported.reject(source.at(record.line), str(reason))
    return entries


def _entry(reader: _Reader, record: Record) -> Entry:
    layout, dialect = reader.layout, reader.layout.dialect
    if not record.cells:
        raise RowError("has a text that is too long to be read")
    if any("\x00" in cell for cell in record.cells):
        raise RowError(IS_DAMAGED)
    if any(record.cells[layout.width :]):
        raise RowError(f"has {len(record.cells)} cells where {layout.width} belong: a comma in an unquoted text?")
    day, when = _day(reader, record)
    if day.year not in YEARS:
        raise RowError(NO_YEAR.format(day.isoformat()))
    posted = _posted(reader, record)
    description = reader.cell(record, "description") or reader.cell(record, "merchant")
    amount = _amount(reader, record)
    currency = reader.cell(record, "currency").upper() or "AUD"
    try:
        minor = minor_units(format(amount, "f"), currency)
    except ValueError as error:
        raise RowError(str(error)) from None
    unposted = dialect.pending_unposted and posted is None
    stated = reader.cell(record, "status").upper().startswith("PENDING")
    started = bool(dialect.pending_start and description.upper().startswith(dialect.pending_start))
    return Entry(
        account=_account(reader, record),
        line=record.line,
        day=day,
        amount=amount,
        minor=minor,
        description=description,
        raw=record.raw,
        currency=currency,
        when=when,
        posted=posted,
        pending=unposted or stated or started,
        bank_id=reader.cell(record, "id") or None,
        balance=written_amount(reader.cell(record, "balance")),
        extra={column: reader.cell(record, name) for name, column in _EXTRA.items() if name in layout.places},
    )


def _day(reader: _Reader, record: Record) -> tuple[date, datetime | None]:
    text, style = reader.cell(record, "date"), reader.layout.dialect.dates
    day = day_of(text, MONTH_FIRST) if reader.month_first else None
    day = day or (day_of(text, style) if style != "datetime" else None)
    if day is None and style in ("datetime", "any"):
        when = date_time(text)
        if when is None:
            raise RowError(f"{text!r} is not a valid date{' and time' if style == 'datetime' else ''}")
        when = when if when.tzinfo else when.replace(tzinfo=ZoneInfo(reader.options.timezone))
        return when.date(), when
    if day is None:
        raise RowError(f"{text!r} is not a valid date")
    return day, None


def _with_direction(layout: Layout, rows: Sequence[Record]) -> Layout:
    """Take a column of types for one of directions where it says debit or credit of unsigned amounts."""
    places = layout.places
    if not {"type", "amount"} <= places.keys() or "direction" in places or layout.dialect.sign != "signed":
        return layout
    last = max(places["type"], places["amount"])
    whole = [row.cells for row in rows if last < len(row.cells)]
    words = {cells[places["type"]].casefold().rstrip(".") for cells in whole}
    signed = any(value and value < 0 for cells in whole if (value := written_amount(cells[places["amount"]])))
    if not words or signed or not words <= {*_OUT, *_IN}:
        return layout
    return replace(layout, places={**places, "direction": places["type"]})


def _is_month_first(source: Source, layout: Layout, rows: Sequence[Record], imported: Imported) -> bool:
    """Whether dates have the month first: some are possible only so, and none only with the day first.

    Where a file has both orders, the day comes first, and a warning names the first date that could be either.
    """
    if layout.dialect.dates not in ("d/m/y", "any"):
        return False
    place = layout.places["date"]
    dated = [(row, row.cells[place]) for row in rows if place < len(row.cells)]
    orders = [(row, day_of(text, "d/m/y"), day_of(text, MONTH_FIRST)) for row, text in dated]
    if not any(month_first and not day_first for _, day_first, month_first in orders):
        return False
    if not any(day_first and not month_first for _, day_first, month_first in orders):
        imported.notes.append(Note("dates_month_first"))
        return True
    either = [row for row, day_first, month_first in orders if day_first and month_first and day_first != month_first]
    if either:
        imported.warn(
            source.at(either[0].line),
            f"dates in this file are in two orders: {counted(len(either), 'date')} that could be either "
            f"{'is' if len(either) == 1 else 'are'} read with the day first",
        )
    return False


def _posted(reader: _Reader, record: Record) -> date | None:
    text = reader.cell(record, "posted")
    if not text:
        return None
    style = "iso" if reader.layout.dialect.dates == "datetime" else reader.layout.dialect.dates
    day = (day_of(text, MONTH_FIRST) if reader.month_first else None) or day_of(text, style)
    if day is None:
        raise RowError(f"{text!r} is not a valid date")
    return day


def _amount(reader: _Reader, record: Record) -> Decimal:
    if "amount" in reader.layout.places:
        amount = _money(reader.cell(record, "amount"))
        if "direction" in reader.layout.places:
            return _directed(amount, reader.cell(record, "direction"))
        return -amount if reader.layout.dialect.sign == "charges positive" else amount
    debit, credit = (_money(text) if text else None for text in (reader.cell(record, n) for n in ("debit", "credit")))
    if debit and credit:
        raise RowError("has both a debit and a credit")
    if credit:
        return credit
    if not debit:
        raise RowError("has neither a debit nor a credit")
    if "(" in reader.cell(record, "debit"):  # of an accountant: below zero, whatever sign other debits have
        return -abs(debit)
    return debit * reader.debit_sign


def _directed(amount: Decimal, direction: str) -> Decimal:
    """Give an amount the sign of its direction (`CR` or `DR`); a debit may be written with a minus, a credit not."""
    marker = direction.casefold().rstrip(".")
    if marker in _OUT:
        return -abs(amount)
    if marker in _IN and amount < 0:
        raise RowError(f"is marked {direction!r}, and its amount is below zero")
    if marker in _IN:
        return amount
    raise RowError(f"{direction!r} is neither a debit nor a credit")


def _money(text: str) -> Decimal:
    value = written_amount(text)
    if value is None:
        raise RowError(f"{text!r} is not a valid amount")
    return value


def _debit_sign(layout: Layout, rows: Sequence[Record]) -> int:
    signs: dict[Sign, int] = {"signed": 1, "charges positive": 1, "debit negative": 1, "debit positive": -1}
    sign = layout.dialect.sign
    if sign in signs:
        return signs[sign]
    place = layout.places["debit"]
    debits = [written_amount(row.cells[place]) for row in rows if place < len(row.cells)]
    negative = sum(1 for value in debits if value and value < 0)
    return 1 if negative * 2 > sum(1 for value in debits if value) else -1


def _account(reader: _Reader, record: Record) -> Account:
    cell = reader.cell(record, "account")
    if cell:
        return numbered_account(reader.layout.dialect.name, cell, reader.cell(record, "bsb") or None)
    return reader.unnamed


def balance_gaps(entries: Sequence[Entry]) -> Iterator[tuple[int, str]]:
    """Yield line and reason of each place where an account's balance does not follow from the amounts.

    This finds turned signs, lost and doubled rows. One summary where most balances do not follow.
    """
    with_balance = [entry for entry in entries if entry.balance is not None and not entry.pending]
    with_balance.sort(key=lambda entry: (entry.account.account_id, entry.line))
    for _, group in groupby(with_balance, key=lambda entry: entry.account.account_id):
        yield from _gaps_of_account(list(group))


def _gaps_of_account(entries: list[Entry]) -> Iterator[tuple[int, str]]:
    if len({entry.balance for entry in entries}) <= 1:
        return  # cards of some banks carry 0.00 in every row
    gaps = min(_broken(entries), _broken(entries[::-1]), key=len)
    if len(gaps) * 2 > len(entries):
        yield entries[0].line, "the balances do not follow from the amounts: look at the signs"
        return
    for entry in gaps[:_MOST_GAPS]:
        yield entry.line, "the balance does not follow from the row before: rows may be missing or doubled"
    if len(gaps) > _MOST_GAPS:
        yield gaps[_MOST_GAPS].line, f"{len(gaps) - _MOST_GAPS} more balances do not follow from the row before"


def _broken(oldest_first: list[Entry]) -> list[Entry]:
    pairs = pairwise(oldest_first)
    return [later for one, later in pairs if (one.balance or 0) + later.amount != later.balance]
