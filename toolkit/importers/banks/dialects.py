"""How each bank writes its CSV export. One entry a layout: house field → the bank's column, and how it is written.

Layouts from public parsers and their tests; none of the banks publishes one but Westpac (Corporate Online).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Sign = Literal["signed", "charges positive", "debit positive", "debit negative", "debit as in the file"]
"""signed: one amount, money out negative; charges positive: one amount, money out positive. The others: a debit and a
credit column; *as in the file*: whichever sign most debits of that file have (Bankwest changes it from file to file).
"""

HOUSE_FIELDS = frozenset(
    (
        *("date", "amount", "debit", "credit", "description", "balance", "account", "bsb", "posted", "type"),
        *(
            "category",
            "subcategory",
            "merchant",
            "reference",
            "id",
            "currency",
            "payer",
            "payee",
            "status",
            "direction",
        ),
    )
)
"""What a column may hold."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One layout.

    columns: house field (`HOUSE_FIELDS`) → header name in small letters, or position (from 0) in a layout without a
    header. optional: house fields that a file may lack. shape: of a layout without a header, one letter a column: D or
    M date, A amount, a amount or empty, N account number, T text, t text or empty, e empty. dates: a style of
    `importers.dates.day`, or `datetime`.
    pending_start: descriptions that begin so are not booked yet. pending_unposted: rows without `posted` are not.
    """

    name: str
    columns: Mapping[str, str | int]
    dates: str
    sign: Sign = "signed"
    shape: str = ""
    pending_start: str = ""
    pending_unposted: bool = False
    optional: frozenset[str] = field(default_factory=frozenset)

    def required(self) -> list[str]:
        """Return the header names that the layout cannot do without."""
        return [str(name) for key, name in self.columns.items() if key not in self.optional]


_NAB = {
    "date": "date",
    "amount": "amount",
    "account": "account number",
    "type": "transaction type",
    "description": "transaction details",
    "balance": "balance",
    "category": "category",
    "merchant": "merchant name",
}

HEADED: tuple[Dialect, ...] = (
    Dialect("NAB", {**_NAB, "posted": "processed on"}, "d mon y", pending_unposted=True),
    Dialect("NAB", _NAB, "d mon y", optional=frozenset({"category", "merchant"})),
    Dialect(
        "Westpac",
        {
            "account": "bank account",
            "date": "date",
            "description": "narrative",
            "debit": "debit amount",
            "credit": "credit amount",
            "balance": "balance",
            "type": "categories",
            "reference": "serial",
        },
        "d/m/y",
        "debit positive",
        optional=frozenset({"balance", "type", "reference"}),
    ),
    Dialect(
        "Westpac Corporate",
        {
            "date": "tran_date",
            "account": "account_no",
            "currency": "ccy",
            "amount": "amount",
            "type": "tran_code",
            "description": "narrative",
            "reference": "serial",
        },
        "yyyymmdd",
        optional=frozenset({"type", "reference"}),
    ),
    Dialect(
        "Up",
        {
            "date": "time",
            "account": "bsb / account number",
            "type": "transaction type",
            "merchant": "payee",
            "description": "description",
            "category": "category",
            "amount": "total (aud)",
            "posted": "settled date",
        },
        "datetime",
        pending_unposted=True,
    ),
    Dialect(
        "ubank",
        {
            "date": "date and time",
            "description": "description",
            "debit": "debit",
            "credit": "credit",
            "payer": "from account",
            "payee": "to account",
            "type": "payment type",
            "category": "category",
            "reference": "receipt number",
            "id": "transaction id",
        },
        "datetime",
        "debit positive",
        optional=frozenset({"payer", "payee", "type", "category", "reference", "id"}),
    ),
    Dialect(
        "Bankwest",
        {
            "bsb": "bsb number",
            "account": "account number",
            "date": "transaction date",
            "description": "narration",
            "debit": "debit",
            "credit": "credit",
            "balance": "balance",
            "type": "transaction type",
        },
        "d/m/y",
        "debit as in the file",
        pending_start="AUTHORISATION ONLY",
    ),
    Dialect(
        "Macquarie",
        {
            "date": "transaction date",
            "description": "details",
            "account": "account",
            "debit": "debit",
            "credit": "credit",
            "balance": "balance",
            "category": "category",
            "subcategory": "subcategory",
            "reference": "original description",
        },
        "d mon y",
        "debit positive",
        optional=frozenset({"reference", "balance", "category", "subcategory"}),
    ),
    Dialect(
        "American Express",
        {
            "date": "date",
            "posted": "date processed",
            "description": "description",
            "account": "account #",
            "amount": "amount",
            "category": "category",
            "reference": "reference",
        },
        "d/m/y",
        "charges positive",
        optional=frozenset({"category", "reference"}),
    ),
    Dialect(
        "Latitude",
        {"date": "date", "account": "card", "description": "description", "debit": "debits", "credit": "credits"},
        "d/m/y",
        "debit positive",
    ),
)

_DEBIT_CREDIT = {"date": "date", "description": "description", "debit": "debit", "credit": "credit"}
ING = Dialect("ING", {**_DEBIT_CREDIT, "balance": "balance"}, "d/m/y", "debit negative")
ST_GEORGE = Dialect(
    "St.George",
    {**_DEBIT_CREDIT, "balance": "balance"},
    "d/m/y",
    "debit as in the file",
    optional=frozenset({"balance"}),
)

HEADLESS: tuple[Dialect, ...] = (
    Dialect(
        "NAB",
        {"date": 0, "amount": 1, "account": 2, "type": 4, "description": 5, "balance": 6},
        "d mon y",
        shape="MANetTa",
    ),
    Dialect("NAB", {"date": 0, "amount": 1, "account": 2, "description": 3, "balance": 4}, "d/m/y", shape="DANTA"),
    Dialect(
        "CommBank",
        {"date": 0, "amount": 1, "description": 2, "balance": 3, "category": 4},
        "d/m/y",
        shape="DATAt",
    ),
    Dialect("CommBank", {"date": 0, "amount": 1, "description": 2, "balance": 3}, "d/m/y", shape="DATa"),
    # the extended export, read in two public parsers, one with a sample row; the simple one has the columns of ANZ
    Dialect(
        "Bendigo",
        {"account": 0, "date": 1, "amount": 3, "type": 4, "description": 5, "reference": 6},
        "d/m/y",
        shape="NDtATtt",
    ),
    Dialect("ANZ", {"date": 0, "amount": 1, "description": 2}, "d/m/y", shape="DAT"),
    Dialect("ANZ", {"date": 0, "amount": 1, "description": 2}, "d/m/y", shape="DATttttt"),
)
