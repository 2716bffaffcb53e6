"""QIF (Quicken Interchange Format): one field a line, a record ends at `^`. Bank, cash and card sections are read.

`D` date, `T` or `U` amount, `P` payee, `M` memo, `L` category (or `[account]` for a transfer), `N` number, `C` cleared.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from toolkit.answers.base import Note
from toolkit.errors import ImportFailedError
from toolkit.importers.banks.entries import (
    IS_DAMAGED,
    NO_YEAR,
    YEARS,
    Account,
    Entry,
    named_account,
    transaction_rows,
    unnamed_account,
)
from toolkit.importers.imported import Imported, Options
from toolkit.importers.source import Source
from toolkit.tables.money import minor_units
from toolkit.tables.written_amount import written_amount

_MONEY_SECTIONS = ("bank", "cash", "ccard", "oth a", "oth l")
_LISTS = ("account", "cat", "class", "memorized", "prices", "security", "tag", "budget", "template")
_DATE = re.compile(r"([0-9]{1,4})[/.' -]+([0-9]{1,2})[/.' -]+([0-9]{2,4})")


@dataclass(slots=True)
class _Record:
    section: str
    account: str | None
    line: int
    fields: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


def read_qif(source: Source, options: Options) -> Imported:
    """Read transactions and accounts. Splits stay one transaction.

    Raises ImportFailedError if no section has transactions.
    Dates are day first, the Australian way, unless a day above twelve shows that the file writes the month first.
    The account is the one an `!Account` section names, else `--account NAME`, else one named after the file.
    """
    all_records = list(_records(source))
    money = [record for record in all_records if record.section in _MONEY_SECTIONS]
    if not money:
        raise ImportFailedError(
            source.at(1),
            "has no transactions of a bank account, cash or a card (no line !Type:Bank). Export the account again",
        )
    imported = Imported("qif", "transactions")
    # The month is first where some date is possible only so, and none only with the day first.
    both = [
        (_day(text, month_first=False), _day(text, month_first=True))
        for text in (record.fields.get("D", "") for record in money)
    ]
    month_first = any(m and not d for d, m in both) and not any(d and not m for d, m in both)
    if month_first:
        imported.notes.append(Note("dates_month_first"))
    entries: list[Entry] = []
    for record in money:
        account = named_account(record.account) if record.account else None
        account = account or unnamed_account(source, options, f"qif {record.section}")
        entry = _entry(record, account, month_first=month_first)
        if isinstance(entry, str):
            imported.reject(source.at(record.line), entry)
        else:
            entries.append(entry)
    _warn_left_out(source, all_records, imported)
    imported.tables["accounts"] = [a.row() for a in {e.account.account_id: e.account for e in entries}.values()]
    imported.tables["transactions"] = transaction_rows(entries)
    return imported


def _warn_left_out(source: Source, all_records: list[_Record], imported: Imported) -> None:
    """Warn of records left out, except lists (categories, prices, memorised entries), which are not transactions."""
    dated = [record for record in all_records if "D" in record.fields]  # without a date it is a remark
    left_out: dict[str, list[int]] = defaultdict(list)
    for record in dated:
        if record.section not in (*_MONEY_SECTIONS, *_LISTS):
            left_out[record.section].append(record.line)
    investments = left_out.pop("invst", [])
    if investments:
        imported.notes.append(Note("investments_left_out", count=len(investments)))
    for section, lines in left_out.items():
        where = f"under “{section}”" if section else "before the first heading"
        imported.warn(source.at(lines[0]), f"entries {where} were left out ({len(lines)})")


def _records(source: Source) -> Iterator[_Record]:
    section, account, current = "", None, None
    for number, line in enumerate(source.lines, start=1):
        text = line.strip()
        if text.startswith("!"):
            if current and section != "account":
                yield current  # a record that nothing ends but the next section
            section, current = _section(text), None
        elif text == "^":
            if current and section == "account":
                account = current.fields.get("N") or account
            elif current:
                yield current
            current = None
        elif text:
            if current and text[0] == "D" and "D" in current.fields:
                yield current  # each record has one date: the `^` between them is missing
                current = None
            current = current or _Record(section, account, number)
            current.fields.setdefault(text[0], text[1:].strip())
            current.lines.append(text)
    if current and section != "account":
        yield current


def _section(header: str) -> str:
    words = header[1:].lower()
    return words.partition(":")[2].strip() if words.startswith("type:") else words.partition(":")[0]


def _entry(record: _Record, account: Account, *, month_first: bool) -> Entry | str:
    """Return the entry of a record, or the reason why it is left out."""
    if any("\x00" in line for line in record.lines):
        return IS_DAMAGED
    day = _day(record.fields.get("D", ""), month_first=month_first)
    if day is None:
        return f"{record.fields.get('D', '')!r} is not a valid date"
    if day.year not in YEARS:
        return NO_YEAR.format(day.isoformat())
    written = record.fields.get("T") or record.fields.get("U") or ""
    amount = written_amount(written)
    if amount is None:
        return f"{written!r} is not a valid amount"
    try:
        minor = minor_units(format(amount, "f"))
    except ValueError as error:
        return str(error)
    category = record.fields.get("L", "")
    return Entry(
        account=account,
        line=record.line,
        day=day,
        amount=amount,
        minor=minor,
        description=" ".join(text for text in (record.fields.get("P"), record.fields.get("M")) if text),
        raw="\n".join(record.lines),
        extra={
            "payee": record.fields.get("P", ""),
            "reference": record.fields.get("N", ""),
            "primary_category": "" if category.startswith("[") else category,
        },
    )


def _day(text: str, *, month_first: bool) -> date | None:
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    one, two, three = (int(part) for part in match.groups())
    if one > 31:
        year, month, day = one, two, three
    else:
        year, month, day = three, *((one, two) if month_first else (two, one))
    try:
        return date(year + 2000 if year < 100 else year, month, day)
    except ValueError:
        return None
