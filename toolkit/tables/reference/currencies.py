"""How many decimals a currency has (ISO 4217)."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

_WITHOUT = frozenset(
    (
        "BIF",
        "CLP",
        "DJF",
        "GNF",
        "ISK",
        "JPY",
        "KMF",
        "KRW",
        "PYG",
        "RWF",
        "UGX",
        "UYI",
        "VND",
        "VUV",
        "XAF",
        "XOF",
        "XPF",
    )
)
_WITH_THREE = frozenset(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"))


def decimals(currency: str) -> int:
    """Decimals of the currency: 2 for most, 0 for JPY and its like, 3 for KWD and its like."""
    code = currency.upper()
    return 0 if code in _WITHOUT else 3 if code in _WITH_THREE else 2


def amount(minor: int, currency: str = "AUD") -> Decimal:
    """An exact amount of minor units: cents as dollars, with the currency's own decimals."""
    return Decimal(minor).scaleb(-decimals(currency))


def aud(cents: pl.Expr) -> pl.Expr:
    """Return whole cents as exact dollars, Decimal(38, 2)."""
    return cents.cast(pl.Decimal(38, 2)) / 100
