"""Amounts: from decimal text to exact minor units of a currency, and back. Never through a binary float."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation, Overflow
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_DECIMALS = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG"), 0),
    **dict.fromkeys(("RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
}
"""Decimals by currency (ISO 4217), where they are not 2."""


def decimals(currency: str) -> int:
    """Return the decimals of a currency: 2 for most, 0 for JPY and its like, 3 for KWD and its like."""
    return _DECIMALS.get(currency.upper(), 2)


def amount(minor: int, currency: str = "AUD") -> Decimal:
    """Convert minor units to an exact amount: cents as dollars, with the currency's own decimals."""
    return Decimal(minor).scaleb(-decimals(currency))


def aud(cents: pl.Expr) -> pl.Expr:
    """Return whole cents as exact dollars, Decimal(38, 2)."""
    import polars as pl

    return cents.cast(pl.Decimal(38, 2)) / 100


PLAIN_CENTS = re.compile(r"-?[0-9]{1,12}\.[0-9]{2}")
MOST_MINOR = 10**15
"""Ten trillion dollars: what thousands of them come to still fits 64 bits, where sums turn over in silence."""


def minor_units(text: str, currency: str = "AUD") -> int:
    """Convert an amount to minor units: `"-12.30"` AUD → -1230.

    Raises ValueError if the text is not a number, too large, or has more decimal places than the currency.
    """
    if decimals(currency) == 2 and PLAIN_CENTS.fullmatch(text):
        return int(text.replace(".", ""))
    try:
        amount = Decimal(text).scaleb(decimals(currency))
    except InvalidOperation:
        raise ValueError(f"amount {text!r} is not a number") from None
    except Overflow:
        raise ValueError(f"amount {text!r} is too large") from None
    if not amount.is_finite():
        raise ValueError(f"amount {text!r} is not a number")
    if abs(amount) > MOST_MINOR:
        raise ValueError(f"amount {text!r} is too large")
    if amount != amount.to_integral_value():
        raise ValueError(f"amount {text!r} has more decimal places than {currency} allows")
    return int(amount)
