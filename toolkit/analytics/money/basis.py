"""What a classification depends on besides the rows: decisions as stored, and all of it as a hash, without frames.

What is stored can be trusted where the hash is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeVar
from zlib import crc32

import msgspec

from toolkit.answers.base import JsonValue
from toolkit.tables.reference.packaged import checksum
from toolkit.tables.schema.journal import OverrideRow

METHOD = 19
"""Raise it with every change that may give a transaction another day, payee, category or kind, or a new column."""
_TABLES = (
    "keywords",
    "retailers",
    "merchants",
    "localities",
    "transfer_words",
    "bank_categories",
    "categories",
    "merchant_codes",
)
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


CATEGORY = "own_category"
"""The kind of a decision about a category; its subject is the code, its value `CategorySettings` as JSON."""

S = TypeVar("S", bound=msgspec.Struct)


class CategorySettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """What people set of a category. name: to show; group: code of the primary category that it belongs to."""

    name: str = ""
    group: str = ""


def merged_settings(overrides: Iterable[OverrideRow], settings: type[S]) -> dict[str, S]:
    """Return subject → what overrides of one kind set of it, each field as last set. Their values are JSON objects.

    overrides: those in force, oldest first.
    """
    merged: dict[str, dict[str, JsonValue]] = {}
    for override in overrides:
        merged.setdefault(override.subject, {}).update(json.loads(override.value))
    return {subject: msgspec.convert(given, settings) for subject, given in merged.items()}


def names_set(settings: dict[str, CategorySettings]) -> dict[str, str]:
    """Return category code → the name that the household gave it."""
    return {code: own.name for code, own in sorted(settings.items()) if own.name}
