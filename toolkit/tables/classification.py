"""The version of the rules that classify transactions: what was classified under another one is classified again."""

from __future__ import annotations

from functools import cache

from toolkit.tables.reference.packaged import checksum

METHOD = 8
"""Raise it with every change that may give a transaction another day, payee, category or kind, or a new column."""
_TABLES = ("keywords", "merchants", "localities", "transfer_words", "bank_categories", "categories", "merchant_codes")
"""The packaged tables that a classification depends on."""


@cache
def classification_version() -> str:
    """Return the version of the rules: of the program and of the packaged tables."""
    return f"{METHOD}-{checksum(*_TABLES):08x}"
