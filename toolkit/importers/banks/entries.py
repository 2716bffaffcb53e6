"""Bank entries, whatever file they stood in, as rows of `transactions` and `accounts`.

Identity: an entry of a file is known by its account, its day, amount, currency and description *as written*, and its
occurrence number among equal entries of that day; where the bank gives an id, by account and id. Time of day is never
part of it (a bank may change its default time), nor the balance or the file. So two identical purchases stay two, and
an overlapping export adds nothing. The account is the number in the file, else `--account NAME`, else one of its own,
named after the file.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import PurePath

from toolkit.importers.dates import day as day_of
from toolkit.importers.imported import Options
from toolkit.importers.source import Source
from toolkit.tables.money import minor_units
from toolkit.tables.schema import Row

IS_DAMAGED = "has a NUL character, which no text contains: the file is damaged here"
"""Why an entry with a NUL character is left out: what stood in its place is not known."""
YEARS = range(1900, 2200)
"""Years of entries: 0026 and 9999 are slips or stand for "no date", and would stretch every list of months."""
NO_YEAR = "{} is in a year that no export of a bank is about"
_OF_ANY_EXPORT = re.compile(
    r"(csv ?data|(account|bank)?[ _-]?(transactions?|activity|statements?)([ _-]?(history|list|export|data))?|export|"
    r"exported|download|data|file|report)[ _-]*\(?(?P<number>[0-9]{0,2})\)?",
    re.IGNORECASE,
)
"""What banks call any export, with the number that a browser or the toolkit puts behind it."""
_BSB = re.compile(r"(?P<bsb>[0-9]{3}-?[0-9]{3})[ -]+(?P<number>[0-9][0-9 -]*)")


@dataclass(frozen=True, slots=True)
class Account:
    """An account that a file names, or one made for a file that names none."""

    account_id: str
    """What transactions refer to."""
    display_name: str
    number: str | None = None
    """The whole number, where the file gives it."""
    bsb: str | None = None
    layout: str | None = None
    """What files of one bank and form have in common, if no file names the account."""

    def row(self) -> Row:
        """Return the row of table `accounts`."""
        return {
            "id": f"file:{_hash(self.account_id)}",
            "source": "file",
            "account_id": self.account_id,
            "account_number": self.number,
            "bsb": self.bsb,
            "masked_number": masked(self.number),
            "display_name": self.display_name,
            "layout": self.layout,
            "is_owned": True,
        }


@dataclass(frozen=True, slots=True)
class Entry:
    """One movement. amount: signed, money out negative. when: its time, if the file has one. posted: booked on."""

    account: Account
    line: int
    day: date
    amount: Decimal
    minor: int
    description: str
    raw: str
    currency: str = "AUD"
    when: datetime | None = None
    posted: date | None = None
    pending: bool = False
    bank_id: str | None = None
    balance: Decimal | None = None
    extra: Row = field(default_factory=dict)


def numbered_account(bank: str, cell: str, bsb: str | None = None) -> Account:
    """Return the account of an account column: a name, or a number.

    The id of a number holds no digit of it, as ids are shown.
    """
    match = _BSB.fullmatch(cell)
    if match and bsb is None:
        bsb, cell = match["bsb"], match["number"]
    if sum(letter.isdigit() for letter in cell) < 4:  # a name, such as "Everyday 2"
        return named_account(cell)
    digits = re.sub(r"[^0-9A-Za-z]", "", cell)
    slug = re.sub(r"[^a-z]", "", bank.lower())
    identity = f"{slug}-{_hash((bsb or '') + digits)[:10]}"
    return Account(identity, f"{bank} {masked(cell)}", cell, bsb)


def named_account(name: str) -> Account:
    """Return the account that a person or a file gave a name."""
    return Account(name, name)


def unnamed_account(source: Source, options: Options, layout: str, bank: str = "") -> Account:
    """Return the account of rows that name none: the one that `options` names, else one named after the file.

    layout: what files of one bank and form have in common. bank: names the account where the file's name is one that
    banks give every export (`CSVData.csv`). A long number in the file's name may be an account's, so
    only its end is kept, unless it is a date.
    """
    if options.account is not None:
        if not options.continues:
            return Account(options.account, options.account)
        return Account(options.account, _shown_name(options.account, bank), layout=layout)
    name = " ".join(re.sub(r"[0-9]{6,}", _shortened, PurePath(source.name).stem).split())
    return Account(name or "file", _shown_name(name or "file", bank), layout=layout)


def _shown_name(name: str, bank: str) -> str:
    """Return how an account named after a file is shown: by its bank where the file has a meaningless name."""
    match = _OF_ANY_EXPORT.fullmatch(name)
    if match is None or not bank:
        return name
    return f"{bank} account {match['number']}".strip()


def _shortened(number: re.Match[str]) -> str:
    digits = number[0]
    written = f"{digits[:2]}/{digits[2:4]}/{digits[4:]}"
    is_date = day_of(digits, "yyyymmdd") or day_of(written, "d/m/y") or re.fullmatch(r"20\d{2}[01]\d", digits)
    return digits if is_date else f"…{digits[-4:]}"


def balance_row(account: Account, balance: Decimal, day: date, currency: str, raw: str) -> Row:
    """Return the row of table `balances` for the balance at the end of a day, as a file states it.

    Raises ValueError where it is not in whole minor units.
    """
    return {
        "id": f"file:{_hash(account.account_id)}",
        "account_id": account.account_id,
        "currency": currency,
        "current_balance": format(balance, "f"),
        "current_balance_minor": minor_units(format(balance, "f"), currency),
        "as_of": f"{day.isoformat()}T12:00:00Z",
        "raw": raw,
    }


def masked(number: str | None) -> str | None:
    """Return the last four digits."""
    return f"…{re.sub('[^0-9A-Za-z]', '', number)[-4:]}" if number else None


def transaction_rows(entries: Iterable[Entry]) -> list[Row]:
    """Return rows of table `transactions`, in the order of the file."""
    seen: Counter[tuple[str, ...]] = Counter()
    rows = []
    for entry in entries:
        identity = _identity(entry)
        seen[identity] += 1
        rows.append(_row(entry, identity, seen[identity]))
    return rows


def _identity(entry: Entry) -> tuple[str, ...]:
    if entry.bank_id:
        return ("id", entry.account.account_id, entry.bank_id)
    day, minor = entry.day.isoformat(), str(entry.minor)
    return ("content", entry.account.account_id, day, minor, entry.currency, entry.description)


def _row(entry: Entry, identity: tuple[str, ...], occurrence: int) -> Row:
    posted = f"{entry.posted.isoformat()}T00:00:00Z" if entry.posted else _written(entry)
    return {
        "id": f"file:{_hash(chr(31).join((*identity, str(occurrence))))}",
        "source": "file",
        "account_id": entry.account.account_id,
        "transaction_id": entry.bank_id,
        "status": "PENDING" if entry.pending else "POSTED",
        "amount": format(entry.amount, "f"),
        "amount_minor": entry.minor,
        "currency": entry.currency,
        "execution_date_time": _written(entry) if entry.when or entry.posted or entry.pending else None,
        "posting_date_time": None if entry.pending else posted,
        "description": entry.description,
        "balance_minor": _balance(entry),
        "occurrence": occurrence,
        "raw": entry.raw,
        **{name: value for name, value in entry.extra.items() if value},
    }


def _balance(entry: Entry) -> int | None:
    try:
        return None if entry.balance is None else minor_units(format(entry.balance, "f"), entry.currency)
    except ValueError:
        return None


def _written(entry: Entry) -> str:
    """Return a time as written, or midnight: by the house rule a date without a time, which keeps the date."""
    return entry.when.isoformat() if entry.when else f"{entry.day.isoformat()}T00:00:00Z"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
