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


_PLAIN_CENTS = re.compile(r"-?[0-9]{1,12}\.[0-9]{2}")
MOST_MINOR = 10**15
"""Ten trillion dollars: what thousands of them come to still fits 64 bits, where sums turn over in silence."""

_WRITTEN = re.compile(
    r"(?P<open>\()?(?P<sign>[+-]?)(?:AUD|A?\$)?(?P<inner>\()?(?P<late>[+-]?)(?P<number>[0-9][0-9,]*(\.[0-9]*)?|\.[0-9]+)"
    r"\)?(?P<side>CR|DR|-)?"
)
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")


def written_amount(text: str) -> Decimal | None:
    """Parse an amount as banks and people write it: `-12.30`, `1,234.50`, `$5`, `(5.00)`, `5.00 DR`; else None.

    A minus may stand behind the number (`5.00-`), brackets around it alone (`$ (5.00)`).
    DR is money out, CR money in; with another sign it is not an amount, nor is one with two signs of other kinds.
    """
    if _PLAIN_CENTS.fullmatch(text):
        return Decimal(text)
    bare = "".join(text.split()).upper()
    match = _WRITTEN.fullmatch(bare)
    if match is None or (bare.count("("), bare.count(")")) not in ((0, 0), (1, 1)):
        return None
    bracketed = ")" in bare
    if (match["side"] and (bracketed or match["sign"] or match["late"])) or (match["inner"] and match["sign"]):
        return None
    digits = match["number"]
    if "," in digits and not _GROUPED.fullmatch(digits):
        return None
    value = Decimal(digits.replace(",", ""))
    negative = (match["sign"] == "-") != (match["late"] == "-") or match["side"] in ("DR", "-")
    return -value if negative != bracketed else value


def minor_units(text: str, currency: str = "AUD") -> int:
    """Convert an amount to minor units: `"-12.30"` AUD → -1230.

    Raises ValueError if the text is not a number, too large, or has more decimal places than the currency.
    """
    if decimals(currency) == 2 and _PLAIN_CENTS.fullmatch(text):
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
