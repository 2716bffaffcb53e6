"""Amounts of energy as decimal text."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from toolkit.tables.interval_blobs import nano

_LARGEST = Decimal(10**9)
_MOST_DECIMALS = 30
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")


def amount(text: str) -> Decimal | None:
    """A number as files write it (`1.5`, `1,234.5`, `1.2E-05`), within what a meter can show; None where it is none.

    A comma counts between thousands only: `0,532` and `1,5` are None, not 532 and 15.
    """
    written = text.strip()
    if "," in written and not _THOUSANDS.fullmatch(written):
        return None
    try:
        value = Decimal(written.replace(",", ""))
    except InvalidOperation:
        return None
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -_MOST_DECIMALS or value.copy_abs() >= _LARGEST:
        return None
    return value


def in_stored_unit(value: Decimal, shift: int) -> Decimal:
    """An amount as written, its point moved by `shift` places (3: Wh to kWh). Raises ValueError beyond any meter."""
    moved = value.scaleb(-shift)
    nano(moved)
    return moved
