"""What a register of a meter file measures: unit, scale, direction, controlled load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolkit.tables.registers import direction, unit_and_factor

_ACCUMULATED_CONTROLLED_LOAD = ("4", "5", "6")


@dataclass(frozen=True, slots=True)
class Measure:
    """unit: as stored. shift: decimal places a written value moves to get there (3: Wh to kWh). direction: import …"""

    unit: str
    shift: int
    direction: str

    @property
    def fuel(self) -> str:
        return "GAS" if self.unit == "MJ" else "ELECTRICITY"


def measure(suffix: str, unit: str, *, sent_out: bool | None = None) -> Measure:
    """Return unit and direction of a register. `sent_out`: direction if the file states it (NEM13)."""
    stored, factor = unit_and_factor(unit.strip() or _usual_unit(suffix))
    flow = direction(suffix, stored)
    if sent_out is not None and flow in ("import", "export"):
        flow = "export" if sent_out else "import"
    return Measure(stored, -factor.adjusted(), flow)


def _usual_unit(suffix: str) -> str:
    """The unit of a register that names none, by AEMO's NMI Procedure, tables 1 and 2."""
    first = suffix[:1].upper()
    letters = {"JKLPQRX": "KVARH", "STU": "KVAH", "V": "V", "Z": "A", "GHMWY": "UNKNOWN"}
    return next((unit for group, unit in letters.items() if first and first in group), "KWH")


def is_controlled_load(suffix: str, named: Sequence[str]) -> bool:
    """Whether the person named this suffix. E2 alone proves nothing: a second element or phase is E2 too."""
    return suffix.upper() in {name.strip().upper() for name in named}


def is_accumulated_controlled_load(suffix: str) -> bool:
    """Accumulation datastreams 4x, 5x and 6x are controlled load by definition (NMI Procedure, table 2)."""
    return len(suffix) == 2 and suffix[0] in _ACCUMULATED_CONTROLLED_LOAD
