"""What a register measures, from its NMI suffix and its unit.

Source: AEMO NMI Procedure, tables 1 and 2. First letter of an interval suffix, in the market's words: *import* into
the market is the customer's export.

    A average, B master, C check: kWh sent out (solar)      D, E, F: kWh taken        N: net, no single direction
    J, K, L, P, Q, R, X: kvarh      S, T, U: kVAh      G power factor      V volts, Z amps, others: quantities
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_EXPORT = frozenset("ABC")
_IMPORT = frozenset("DEF")
_REACTIVE = frozenset("JKLPQRX")
_ACCUMULATED_CONTROLLED_LOAD = ("4", "5", "6")

_SCALE = {
    "KWH": ("KWH", 0),
    "WH": ("KWH", 3),
    "MWH": ("KWH", -3),
    "GJ": ("MJ", -3),
    "MJ": ("MJ", 0),
    "KVARH": ("KVARH", 0),
    "VARH": ("KVARH", 3),
    "MVARH": ("KVARH", -3),
    "KVAH": ("KVAH", 0),
    "VAH": ("KVAH", 3),
    "MVAH": ("KVAH", -3),
}
_ENERGY = ("KWH", "MJ")


@dataclass(frozen=True, slots=True)
class Measure:
    """unit: as stored. shift: decimal places a written value moves to be in `unit` (3: Wh to kWh)."""

    unit: str
    shift: int
    direction: str

    @property
    def fuel(self) -> str:
        return "GAS" if self.unit == "MJ" else "ELECTRICITY"


def measure(suffix: str, unit: str, *, sent_out: bool | None = None) -> Measure:
    """Unit and direction of a register. `sent_out`: direction where the file says it itself (NEM13)."""
    written = unit.strip().upper() or _usual_unit(suffix)
    stored, shift = _SCALE.get(written, (written, 0))
    return Measure(stored, shift, _direction(suffix, stored, sent_out))


def _usual_unit(suffix: str) -> str:
    """The unit of a register that names none."""
    first = suffix[:1].upper()
    if first in _REACTIVE:
        return "KVARH"
    if first in "STU":
        return "KVAH"
    if first == "V":
        return "V"
    return "KWH" if first in _EXPORT | _IMPORT or not first.isalpha() else "UNKNOWN"


def _direction(suffix: str, unit: str, sent_out: bool | None) -> str:
    first = suffix[:1].upper()
    if unit == "KVARH":
        return "reactive"
    if unit not in _ENERGY:
        return "other"
    if sent_out is not None:
        return "export" if sent_out else "import"
    if first in _EXPORT:
        return "export"
    return "import" if first in _IMPORT or first.isdigit() else "other"


def is_controlled_load(suffix: str, named: Sequence[str]) -> bool:
    """Whether the person named this suffix. E2 alone proves nothing: a second element or phase is E2 too."""
    return suffix.upper() in {name.strip().upper() for name in named}


def is_accumulated_controlled_load(suffix: str) -> bool:
    """Accumulation datastreams 4x, 5x and 6x are controlled load by definition (the same table)."""
    return len(suffix) == 2 and suffix[0] in _ACCUMULATED_CONTROLLED_LOAD
