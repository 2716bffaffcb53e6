"""What a classification rests on besides the rows: one hash that differs whenever the answer may."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import polars as pl

from toolkit.tables.reference import bank_categories, categories, keywords, merchant_codes, transfer_words

METHOD = 3
"""Raised with every change of this package that may change a day, a category or a kind."""

_ACCOUNT = ("account_id", "linked_account_id", "account_number", "masked_number", "product_category", "bsb", "layout")
_NAMES = ("nickname", "display_name", "product_name")
_CHOICE = ("number", "kind", "subject", "value")


def basis(accounts: pl.DataFrame, choices: pl.DataFrame, *, zone: str, people: Sequence[str] = ()) -> str:
    """Hash of the household's zone, people, accounts and choices in force, and of this version's tables and method."""
    columns = (*_ACCOUNT, *_NAMES)
    own = accounts.select(columns).sort(columns).rows()
    chosen = choices.filter("active").select(_CHOICE).sort("number").rows()
    words = (keywords.WORDS, keywords.INCOME_WORDS, keywords.TYPES, keywords.TRANSFER_TYPES, keywords.TRANSFER_WORDS)
    names = (transfer_words.PAYMENT_WORDS, transfer_words.ACCOUNT_WORDS, transfer_words.INSTITUTIONS)
    codes = (bank_categories.WORDS, categories.LEAVES, merchant_codes.RANGES)
    return f"{crc32(repr((METHOD, zone, own, sorted(people), chosen, words, names, codes)).encode()):08x}"
