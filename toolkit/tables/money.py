"""Amounts: from decimal text to exact minor units of a currency. Never through a binary float."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

# ISO 4217: decimals of the minor unit, where they are not two.
_DECIMALS = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND"), 0),
    **dict.fromkeys(("VUV", "XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
    **dict.fromkeys(("CLF", "UYW"), 4),
}
_PLAIN_CENTS = re.compile(r"-?[0-9]{1,15}\.[0-9]{2}")
_MOST = 2**63 - 1


def decimals(currency: str) -> int:
    """Digits after the point in the smallest unit of `currency` (ISO 4217): AUD 2, JPY 0, KWD 3."""
    return _DECIMALS.get(currency, 2)


def minor_units(text: str, currency: str = "AUD") -> int:
    """`"-12.30"` AUD → -1230. Raises ValueError where the text is no number, or not whole minor units."""
    if currency not in _DECIMALS and _PLAIN_CENTS.fullmatch(text):
        return int(text.replace(".", ""))
    try:
        amount = Decimal(text).scaleb(decimals(currency))
    except InvalidOperation:
        raise ValueError(f"amount {text!r} is no number") from None
    if not amount.is_finite():
        raise ValueError(f"amount {text!r} is no number")
    if abs(amount) > _MOST:
        raise ValueError(f"amount {text!r} is too large")
    if amount != amount.to_integral_value():
        raise ValueError(f"amount {text!r} is not whole minor units of {currency}")
    return int(amount)
