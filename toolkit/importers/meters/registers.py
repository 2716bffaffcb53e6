"""Meter registers and their days, as rows of the tables."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from toolkit.importers.imported import Imported
from toolkit.importers.meters.numbers import Numbers
from toolkit.tables.registers import (
    MISSING,
    QualityRun,
    bounded,
    direction,
    is_later,
    missing_mask,
    pack_integers,
    unit_and_factor,
)
from toolkit.tables.schema import Row
from toolkit.units import NANO_DECIMALS

_ACCUMULATED_CONTROLLED_LOAD = ("4", "5", "6")


@dataclass(frozen=True, slots=True)
class Measure:
    """What the values of a register mean."""

    unit: str
    """As stored: KWH, KVARH, MJ …"""
    shift: int
    """Decimal places that a written value moves to get to that unit (3: Wh to kWh)."""
    direction: str
    """import, export, reactive or other."""

    @property
    def fuel(self) -> str:
        """GAS for registers in MJ, else ELECTRICITY."""
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
    """Return whether the person named this suffix. E2 alone proves nothing: a second element or phase is E2 too."""
    return suffix.upper() in {name.strip().upper() for name in named}


def is_accumulated_controlled_load(suffix: str) -> bool:
    """Return whether a suffix is one of accumulated controlled load: datastreams 4x, 5x and 6x.

    They are controlled load by definition (NMI Procedure, table 2).
    """
    return len(suffix) == 2 and suffix[0] in _ACCUMULATED_CONTROLLED_LOAD


@dataclass(frozen=True, slots=True)
class Register:
    """One register of one meter, and what its values mean."""

    service_point: str
    meter: str
    suffix: str
    register_id: str | None
    measure: Measure
    controlled_load: bool

    @property
    def key(self) -> tuple[str, str, str]:
        """Service point, meter and suffix, which identify the register."""
        return self.service_point, self.meter, self.suffix

    def columns(self) -> Row:
        """Return the columns about the register that every meter row has."""
        return {
            "service_point_id": self.service_point,
            "meter_id": self.meter,
            "register_suffix": self.suffix,
            "unit": self.measure.unit,
            "direction": self.measure.direction,
            "controlled_load": self.controlled_load,
            "source": "file",
        }


@dataclass(frozen=True, slots=True)
class Day:
    """A register-day before it is packed. spans: quality runs of what is not ACTUAL. where: `file:line`."""

    register: Register
    date: date
    minutes: int
    numbers: Numbers
    spans: tuple[QualityRun, ...]
    updated_at: str | None
    where: str
    raw: str


def fault(day: Day) -> str | None:
    """Return why the day cannot be taken, or None. Values under a missing flag do not matter."""
    missing = [(first, last) for first, last, quality in day.spans if quality == MISSING]
    for places, words in ((day.numbers.bad, "has no value"), (day.numbers.negative, "is negative")):
        open_places = [p + 1 for p in places if not any(first <= p + 1 <= last for first, last in missing)]
        if open_places:
            return f"interval {open_places[0]} {words}"
    return None


def day_row(day: Day) -> Row:
    """Return the row of table `register_days`. Raises ValueError where the values are too large to be energy."""
    integers, exponent = day.numbers.integers, day.numbers.exponent + day.register.measure.shift
    if exponent < 0:  # MWh: whole kWh with zeros behind
        bounded(int(integers.max(initial=0)) * 10 ** (NANO_DECIMALS - exponent))
        integers, exponent = integers * 10**-exponent, 0
    while exponent > NANO_DECIMALS and not (integers % 10).any():
        integers, exponent = integers // 10, exponent - 1
    if exponent > NANO_DECIMALS:  # the store counts in 10^-9: what is finer is rounded half to even
        integers, exponent = np.rint(integers / 10.0 ** (exponent - NANO_DECIMALS)).astype(np.int64), NANO_DECIMALS
    return {
        **day.register.columns(),
        "date": day.date,
        "interval_minutes": day.minutes,
        **pack_integers(integers, exponent, missing_mask(len(integers), day.spans)).columns(day.spans),
        "updated_at": day.updated_at,
        "raw": day.raw or None,
    }


def add_registers(imported: Imported, registers: Sequence[Register]) -> None:
    """Add rows of `registers` and `service_points` for the registers that were seen."""
    unique = {register.key: register for register in registers}
    imported.tables["registers"] = [{**r.columns(), "register_id": r.register_id} for r in unique.values()]
    points = {r.service_point: r for r in reversed(unique.values())}
    imported.tables["service_points"] = [
        {
            "id": f"file:{hashlib.sha256(point.encode()).hexdigest()[:24]}",
            "source": "file",
            "service_point_id": point,
            "national_metering_id": point,
            "fuel": register.measure.fuel,
        }
        for point, register in sorted(points.items())
    ]


def keep_latest(days: list[Day], imported: Imported) -> list[Day]:
    """Keep one day for each register and date: the later update time, else the later read. Both are noted."""
    kept: dict[tuple[tuple[str, str, str], date], Day] = {}
    for day in days:
        key = (day.register.key, day.date)
        earlier = kept.get(key)
        if earlier is None:
            kept[key] = day
            continue
        winner, loser = (earlier, day) if is_later(earlier.updated_at, day.updated_at) else (day, earlier)
        kept[key] = winner
        imported.warn(loser.where, f"{day.date} of {day.register.suffix} is given twice: {winner.where} counts")
    return list(kept.values())
