"""Bank entries, whatever file they stood in, as rows of `transactions` and `accounts`.

Identity: an entry of a file is known by its account, its day, amount, currency and description *as written*, and its
occurrence number among equal entries of that day; where the bank gives an id, by account and id. Time of day is never
part of it (a bank may change its default time), nor the balance or the file. So two identical purchases stay two, and
an overlapping export adds nothing. The account is the number in the file, else `--account NAME`, else the bank's name.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

from toolkit.importers.imported import Row

_BSB = re.compile(r"(?P<bsb>[0-9]{3}-?[0-9]{3})[ -]+(?P<number>[0-9][0-9 -]*)")


@dataclass(frozen=True, slots=True)
class Account:
    """account_id: what transactions refer to. number: whole, where the file gives it."""

    account_id: str
    display_name: str
    number: str | None = None
    bsb: str | None = None

    def row(self) -> Row:
        return {
            "id": f"file:{_hash(self.account_id)}",
            "source": "file",
            "account_id": self.account_id,
            "account_number": self.number,
            "bsb": self.bsb,
            "masked_number": masked(self.number),
            "display_name": self.display_name,
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
    """The account of an account column: a name, or a number. The id of a number holds no digit of it: ids are shown."""
    match = _BSB.fullmatch(cell)
    if match and bsb is None:
        bsb, cell = match["bsb"], match["number"]
    if not _is_number(cell):
        return named_account(cell)
    digits = re.sub(r"[^0-9A-Za-z]", "", cell)
    slug = re.sub(r"[^a-z]", "", bank.lower())
    identity = f"{slug}-{_hash((bsb or '') + digits)[:10]}"
    return Account(identity, f"{bank} {masked(cell)}", cell, bsb)


def named_account(name: str) -> Account:
    return Account(name, name)


def masked(number: str | None) -> str | None:
    """The last four digits."""
    return f"…{re.sub('[^0-9A-Za-z]', '', number)[-4:]}" if number else None


def _is_number(cell: str) -> bool:
    return sum(letter.isdigit() for letter in cell) >= 4


def transaction_rows(entries: Iterable[Entry]) -> list[Row]:
    """Rows of table `transactions`, in the order of the file."""
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
        "posting_date_time": _posted(entry),
        "description": entry.description,
        "occurrence": occurrence,
        "raw": entry.raw,
        **{name: value for name, value in entry.extra.items() if value},
    }


def _written(entry: Entry) -> str:
    """A time as written, or midnight: by the house rule a date without a time, which keeps the date."""
    return entry.when.isoformat() if entry.when else f"{entry.day.isoformat()}T00:00:00Z"


def _posted(entry: Entry) -> str | None:
    if entry.pending:
        return None
    return f"{entry.posted.isoformat()}T00:00:00Z" if entry.posted else _written(entry)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
