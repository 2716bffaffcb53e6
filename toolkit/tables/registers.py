"""What a register measures, from its NMI suffix and unit.

Source: AEMO's NMI Procedure, tables 1 and 2. The market's words are turned round there: what flows out of the market
(E, D) is the household's import, what flows into it (B, A) its export. The first letter also separates master and
check metering; a check register (C, F) repeats its master and is not counted.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

Direction = Literal["import", "export", "reactive", "other"]

_BY_LETTER: dict[str, Direction] = {
    **dict.fromkeys("DEN", "import"),
    **dict.fromkeys("AB", "export"),
    **dict.fromkeys("JKLPQRX", "reactive"),
    **dict.fromkeys("CFGHMSTUVWZ", "other"),
}
# Unit as written (upper case) → unit as stored, and what a value is multiplied by.
_UNITS: dict[str, tuple[str, Decimal]] = {
    "KWH": ("KWH", Decimal(1)),
    "WH": ("KWH", Decimal("0.001")),
    "MWH": ("KWH", Decimal(1000)),
    "KVARH": ("KVARH", Decimal(1)),
    "VARH": ("KVARH", Decimal("0.001")),
    "MVARH": ("KVARH", Decimal(1000)),
    "KVAH": ("KVAH", Decimal(1)),
    "VAH": ("KVAH", Decimal("0.001")),
    "MVAH": ("KVAH", Decimal(1000)),
    "MJ": ("MJ", Decimal(1)),
    "GJ": ("MJ", Decimal(1000)),
}
_ONE = Decimal(1)


def unit_and_factor(written: str | None) -> tuple[str, Decimal]:
    """The unit that values are stored in, and what to multiply by. Nothing written is kWh, the standard's default."""
    name = (written or "KWH").strip().upper()
    return _UNITS.get(name, (name, _ONE))


def direction(suffix: str, unit: str) -> Direction:
    """By unit first (only kWh and MJ are energy), then by the suffix's first letter; import where it has none."""
    if unit not in ("KWH", "MJ"):
        return "reactive" if "VAR" in unit else "other"
    return _BY_LETTER.get(suffix[:1].upper(), "import")
