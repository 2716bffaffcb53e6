"""Register-days and what stands around them, as rows of the tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from toolkit.importers.imported import Imported, Row
from toolkit.importers.meters.numbers import Numbers
from toolkit.importers.meters.registers import Measure
from toolkit.tables.interval_blobs import bounded
from toolkit.tables.rows.usage import reads_digest
from toolkit.units import NANO_DECIMALS

Span = tuple[int, int, str]
"""First and last interval, 1-based and inclusive, and their quality."""

MISSING = "MISSING"


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
        return self.service_point, self.meter, self.suffix

    def columns(self) -> Row:
        """The columns about the register that every meter row has."""
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
    """A register-day before it is packed. spans: what is not ACTUAL. where: `file:line`."""

    register: Register
    date: date
    minutes: int
    numbers: Numbers
    spans: tuple[Span, ...]
    updated_at: str | None
    where: str
    raw: str


def spans_text(spans: Sequence[Span]) -> str | None:
    return json.dumps([list(span) for span in spans], separators=(",", ":")) if spans else None


def present_mask(count: int, spans: Sequence[Span]) -> NDArray[np.bool_]:
    """Which intervals are there: all but those flagged missing."""
    mask = np.ones(count, dtype=np.bool_)
    for first, last, quality in spans:
        if quality == MISSING:
            mask[first - 1 : last] = False
    return mask


def fault(day: Day) -> str | None:
    """Why the day cannot be taken, or None. Values under a missing flag do not matter."""
    missing = [(first, last) for first, last, quality in day.spans if quality == MISSING]
    for places, words in ((day.numbers.bad, "has no value"), (day.numbers.negative, "is negative")):
        open_places = [p + 1 for p in places if not any(first <= p + 1 <= last for first, last in missing)]
        if open_places:
            return f"interval {open_places[0]} {words}"
    return None


def day_row(day: Day) -> Row:
    """The row of table `register_days`. Raises ValueError where the values are too large to be energy."""
    integers, exponent = _shifted(day)
    return {
        **day.register.columns(),
        "date": day.date,
        "interval_minutes": day.minutes,
        **packed(integers, exponent, day.spans),
        "updated_at": day.updated_at,
        "raw": day.raw or None,
    }


def packed(integers: NDArray[np.int64], exponent: int, spans: Sequence[Span]) -> Row:
    """The columns that hold a day's values, on the smallest exponent that holds them. Raises ValueError."""
    mask = present_mask(len(integers), spans)
    integers = np.where(mask, integers, 0)
    while exponent > 0 and not (integers % 10).any():
        integers, exponent = integers // 10, exponent - 1
    largest = int(integers.max(initial=0))
    width = next(size for size in (2, 4, 8) if largest < 2 ** (8 * size - 1))
    total = bounded(sum(integers.tolist()) * 10 ** (NANO_DECIMALS - exponent))
    blob = integers.astype(f"<i{width}").tobytes()
    return {
        "intervals": len(integers),
        "exponent": exponent,
        "width": width,
        "reads": blob,
        "qualities": spans_text(spans),
        "total_nano": total,
        "present": int(mask.sum()),
        "digest": reads_digest(blob),
    }


def _shifted(day: Day) -> tuple[NDArray[np.int64], int]:
    """The values in the stored unit; beyond nine decimals rounded to even."""
    integers, exponent = day.numbers.integers, day.numbers.exponent + day.register.measure.shift
    if exponent < 0:
        bounded(int(integers.max(initial=0)) * 10 ** (NANO_DECIMALS - exponent))
        integers, exponent = integers * 10**-exponent, 0
    while exponent > NANO_DECIMALS and not (integers % 10).any():
        integers, exponent = integers // 10, exponent - 1
    if exponent > NANO_DECIMALS:
        integers, exponent = np.rint(integers / 10.0 ** (exponent - NANO_DECIMALS)).astype(np.int64), NANO_DECIMALS
    return integers, exponent


def add_registers(imported: Imported, registers: Sequence[Register]) -> None:
    """Rows of `registers` and `service_points` for the registers that were seen."""
    unique = {register.key: register for register in registers}
    imported.tables["registers"] = [{**r.columns(), "register_id": r.register_id} for r in unique.values()]
    points = {r.service_point: r for r in reversed(unique.values())}
    imported.tables["service_points"] = [_service_point(r) for r in sorted(points.values(), key=lambda r: r.key)]


def _service_point(register: Register) -> Row:
    digest = hashlib.sha256(register.service_point.encode()).hexdigest()
    return {
        "id": f"file:{digest[:24]}",
        "source": "file",
        "service_point_id": register.service_point,
        "national_metering_id": register.service_point,
        "fuel": register.measure.fuel,
    }


def keep_latest(days: list[Day], imported: Imported) -> list[Day]:
    """One day for each register and date: the later update time, else the later read. Both are noted."""
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


def is_later(one: str | None, other: str | None) -> bool:
    """Whether update time `one` is after `other`; unknown times are never later. Times of 12 or 14 digits."""
    return one is not None and other is not None and one.ljust(14, "0") > other.ljust(14, "0")
