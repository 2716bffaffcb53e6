"""Read amounts as banks and people write them."""

from __future__ import annotations

import re
from decimal import Decimal

from toolkit.tables.money import PLAIN_CENTS

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
    if PLAIN_CENTS.fullmatch(text):
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
