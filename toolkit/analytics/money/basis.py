"""What a classification depends on besides the rows, as a hash: what is stored can be trusted where it is the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from zlib import crc32

from toolkit.tables.reference.packaged import checksum

METHOD = 8
"""Raise it with every change that may give a transaction another day, payee, category or kind, or a new column."""
_TABLES = ("keywords", "merchants", "localities", "transfer_words", "bank_categories", "categories", "merchant_codes")
"""The packaged tables that a classification depends on."""

NAMES = ("nickname", "display_name", "product_name")
ACCOUNT = (
    *("account_id", "linked_account_id", "account_number", "masked_number", "product_category", "bsb", "layout"),
    *NAMES,
)
"""The columns of table `accounts` that count."""
OVERRIDE = ("number", "kind", "subject", "value")
"""The columns of table `choices` that count."""


@cache
def classification_version() -> str:
    """Return the version of the rules, of the program and of the packaged tables.

    What was classified under another one is classified again.
    """
    return f"{METHOD}-{checksum(*_TABLES):08x}"


def basis(
    accounts: Iterable[tuple[str | None, ...]],
    overrides: Iterable[tuple[int, str, str, str]],
    *,
    zone: str,
    people: Sequence[str] = (),
    kinds: Sequence[str] = (),
) -> str:
    """Return a hash of everything but the rows that a classification depends on; it differs when the answer may.

    That is the household's time zone, people, accounts (columns `ACCOUNT`) and overrides in force (columns
    `OVERRIDE`), and the version of the rules. kinds: of the overrides that count; all of them without any.
    """
    own = sorted(accounts, key=lambda row: [(value is not None, value or "") for value in row])
    chosen = sorted(row for row in overrides if not kinds or row[1] in kinds)
    return f"{crc32(repr((classification_version(), zone, own, sorted(people), chosen)).encode()):08x}"
