"""Who was paid: the name the service gives, else what is left of the bank's words without their wrapping."""

from __future__ import annotations

import re

import polars as pl

from toolkit.tables.reference.merchants import ALIASES, NOISE, OPERATIONS, PLACES, PROCESSORS

_PREFIX = rf"^(?:{'|'.join(OPERATIONS)})(?:\s+|[:\-]+\s*|$)"
_NOISE = "|".join(NOISE)
_ALIAS = rf"^({'|'.join(re.escape(name) for name in sorted(ALIASES, key=len, reverse=True))})(?:'?s)?(?:\W|$)"


def with_merchants(transactions: pl.LazyFrame) -> pl.LazyFrame:
    """The rows with `merchant`: merchant or biller as given, else the other party, else the cleaned description.

    Null where the row names nobody. The spelling of a given name is kept; account numbers are in no name.
    """
    names = transactions.select(pl.col("description").unique()).with_columns(_cleaned=cleaned(pl.col("description")))
    other = pl.when(pl.col("amount_minor") < 0).then("payee").otherwise("payer")
    given = [_said(pl.col("merchant_name")), _said(pl.col("biller_name")), _said(_without_numbers(other))]
    joined = transactions.join(names, on="description", how="left", maintain_order="left")
    return joined.with_columns(merchant=pl.coalesce(*given, "_cleaned")).drop("_cleaned")


def cleaned(description: pl.Expr) -> pl.Expr:
    """A merchant's name out of an Australian bank's description; null where nothing is left of it."""
    plain = _tidy(description.str.to_lowercase())
    name = plain
    for _ in range(3):
        name = name.str.replace(_PREFIX, "")
    name = _tidy(name.str.replace(rf"^{PROCESSORS}", "").str.replace_all(_NOISE, " "))
    name = _tidy(_tidy(name.str.replace(PLACES, "")).str.replace(r"^(?:to|from)\s+", ""))
    name = pl.when(name.str.len_chars() >= 2).then(name).otherwise(plain)
    brand = name.str.extract(_ALIAS, 1).replace_strict(ALIASES, default=None, return_dtype=pl.String)
    return _said(pl.coalesce(brand, name.str.to_titlecase()))


def by_spelling(merchant: pl.Expr) -> pl.Expr:
    """One spelling for names that differ in case only; the same whatever the order of the rows."""
    return merchant.max().over(merchant.str.to_lowercase())


def _without_numbers(party: pl.Expr) -> pl.Expr:
    """A person's name without the account number that banks put behind it."""
    return _tidy(party.str.replace_all(r"\b\d[\d -]{3,}\d\b", " "))


def _tidy(text: pl.Expr) -> pl.Expr:
    return text.str.replace_all(r"\s+", " ").str.strip_chars(" -,.:/*#")


def _said(text: pl.Expr) -> pl.Expr:
    stripped = text.str.strip_chars()
    return pl.when(stripped.str.len_chars() > 0).then(stripped)
