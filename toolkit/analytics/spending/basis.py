"""What a classification rests on besides the rows: one hash that differs whenever the answer may."""

from __future__ import annotations

from zlib import crc32

import polars as pl

from toolkit.tables import bank_categories, categories, keywords, merchant_codes

METHOD = 1
"""Raised with every change of this package that may change a day, a category or a kind."""

_ACCOUNT = ("account_id", "linked_account_id", "account_number", "masked_number", "product_category")
_CHOICE = ("number", "kind", "subject", "value")


def basis(accounts: pl.DataFrame, choices: pl.DataFrame, *, zone: str) -> str:
    """Hash of the household's zone, accounts and choices in force, and of the tables and the method of this version."""
    own = accounts.select(_ACCOUNT).sort(_ACCOUNT).rows()
    chosen = choices.filter("active").select(_CHOICE).sort("number").rows()
    words = (keywords.WORDS, keywords.INCOME_WORDS, keywords.TYPES, keywords.TRANSFER_TYPES, keywords.TRANSFER_WORDS)
    codes = (bank_categories.WORDS, categories.LEAVES, merchant_codes.RANGES)
    return f"{crc32(repr((METHOD, zone, own, chosen, words, codes)).encode()):08x}"
