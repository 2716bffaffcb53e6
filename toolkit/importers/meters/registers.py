"""Meter registers and their days as rows of the tables; amounts of energy as exact scaled integers or decimals."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation

import numpy as np
from numpy.typing import NDArray

from toolkit.errors import ImportFailedError
from toolkit.importers.imported import Imported
from toolkit.tables.registers import (
    ACTUAL,
    MISSING,
    Direction,
    QualityRun,
    bounded,
    direction,
    is_later,
    missing_mask,
    nano,
    pack_integers,
    unit_and_factor,
)
from toolkit.tables.schema import Row
from toolkit.units import DAYS_OF_LEAST, LEAST_KWH_A_DAY, MOST_KWH_A_DAY, NANO, NANO_DECIMALS

# ---- numbers of a file: many at once as scaled integers, or one by one as decimals

Integers = NDArray[np.int64]

CLEAN = b"0123456789.,"
_MOST_DIGITS = 18
_NO_ENERGY, _MOST_NAMED = ("reactive", "other"), 6
_POWERS = 10 ** np.arange(_MOST_DIGITS + 1, dtype=np.int64)
_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")


@dataclass(frozen=True, slots=True)
class Numbers:
    """Values of one row: `integers` × 10^-`exponent`, never negative; `bad` are positions (from 0) without a value."""

    integers: Integers
    exponent: int
    bad: tuple[int, ...] = ()
    negative: tuple[int, ...] = ()


def parse_clean(rows: list[bytes]) -> list[Numbers]:
    """Parse many rows of comma-separated numbers made of `CLEAN` bytes only, at once and exactly (no floats)."""
    if not rows:
        return []
    raw = np.frombuffer(b",".join(rows) + b",", dtype=np.uint8)
    ends = np.flatnonzero(raw == ord(","))
    values, decimals, bad = _tokens(raw, ends)
    bounds = np.cumsum([row.count(b",") + 1 for row in rows])[:-1]
    parts = zip(np.split(values, bounds), np.split(decimals, bounds), np.split(bad, bounds), strict=True)
    return [_aligned(*part) for part in parts]


def _tokens(raw: NDArray[np.uint8], ends: Integers) -> tuple[Integers, Integers, NDArray[np.bool_]]:
    """Return for each number its digits as an integer, how many are decimals, and whether the text is not a number."""
    starts = np.concatenate(([0], ends[:-1] + 1))
    dots = np.flatnonzero(raw == ord("."))
    is_digit = raw >= ord("0")
    counted = np.cumsum(is_digit, dtype=np.int32)
    at_end = counted[ends]
    digits = np.diff(at_end, prepend=0)
    # how many digits of the same number follow each byte
    places = np.minimum(np.repeat(at_end, ends - starts + 1) - counted, _MOST_DIGITS)
    # each digit times its power of ten; `reduceat` sums the digits of each number, the comma adding nothing
    parts = np.where(is_digit, raw - np.uint8(ord("0")), np.uint8(0)) * _POWERS[places]
    values = np.add.reduceat(parts, starts)
    holders = np.searchsorted(ends, dots)
    decimals = np.zeros(len(ends), dtype=np.int64)
    # digits after the point, for the numbers that have one
    decimals[holders] = at_end[holders] - counted[dots]
    bad = (digits == 0) | (digits > _MOST_DIGITS) | (np.bincount(holders, minlength=len(ends)) > 1)
    return values, decimals, bad


def _aligned(values: Integers, decimals: Integers, bad: NDArray[np.bool_]) -> Numbers:
    """Bring a row to one exponent. A number that does not fit 18 digits then is bad."""
    if bad.any():
        values, decimals = np.where(bad, 0, values), np.where(bad, 0, decimals)
    exponent = int(decimals.max(initial=0))
    factors = _POWERS[exponent - decimals]
    too_long = values > (10**_MOST_DIGITS - 1) // factors
    integers = np.where(too_long, 0, values * factors)
    positions = np.flatnonzero(bad | too_long) if bad.any() or too_long.any() else np.array([], dtype=np.int64)
    return Numbers(integers, exponent, tuple(positions.tolist()))


def parse_odd(cells: list[bytes]) -> Numbers:
    """Parse one row with signs, exponents (`1.2E-05`, from spreadsheets), spaces or cells that are not numbers."""
    found = [Decimal(cell.decode()) if _NUMBER.fullmatch(cell) else None for cell in map(bytes.strip, cells)]
    negative = tuple(place for place, value in enumerate(found) if value is not None and value < 0)
    exponent = max((_decimals(value) for value in found if value is not None), default=0)
    if exponent > _MOST_DIGITS:
        return Numbers(np.zeros(len(cells), dtype=np.int64), 0, tuple(range(len(cells))))
    scaled = [None if value is None else int(abs(value).scaleb(exponent)) for value in found]
    bad = tuple(place for place, value in enumerate(scaled) if value is None or value >= 10**_MOST_DIGITS)
    integers = [0 if value is None or place in bad else value for place, value in enumerate(scaled)]
    return Numbers(np.array(integers, dtype=np.int64), exponent, bad, negative)


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


_LARGEST = Decimal(10**9)  # a meter shows less, in any unit
_MOST_DECIMALS = 30
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")


def amount(text: str) -> Decimal | None:
    """Parse a number as files write it (`1.5`, `1,234.5`, `1.2E-05`), within what a meter can show; else None.

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
    """Return an amount as written, its point moved by `shift` places (3: Wh to kWh).

    Raises ValueError beyond any meter.
    """
    moved = value.scaleb(-shift)
    nano(moved)
    return moved


# ---- registers and register-days

_ACCUMULATED_CONTROLLED_LOAD = ("4", "5", "6")


@dataclass(frozen=True, slots=True)
class Measure:
    """What the values of a register mean."""

    unit: str
    """As stored: KWH, KVARH, MJ …"""
    shift: int
    """Decimal places that a written value moves to get to that unit (3: Wh to kWh)."""
    direction: str
    """import, export, generation, reactive or other."""

    @property
    def fuel(self) -> str:
        """Return GAS for registers in MJ, else ELECTRICITY."""
        return "GAS" if self.unit == "MJ" else "ELECTRICITY"


def measure(suffix: str, unit: str, *, flow: Direction | None = None) -> Measure:
    """Return unit and direction of a register. flow: the direction of its energy, if the file states it."""
    stored, factor = unit_and_factor(unit.strip() or _usual_unit(suffix))
    by_suffix = direction(suffix, stored)
    return Measure(stored, -factor.adjusted(), flow if flow and by_suffix in ("import", "export") else by_suffix)


def _usual_unit(suffix: str) -> str:
    """Return the unit of a register that names none, by AEMO's NMI Procedure, tables 1 and 2."""
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
        """Return service point, meter and suffix, which identify the register."""
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
class AccumulationRead:
    """The energy of some whole days, as an accumulation meter gives it."""

    register: Register
    first: date
    last: date
    """Last day, included."""
    value: Decimal
    """In the register's stored unit, ≥ 0."""
    where: str
    """`file:line`."""
    quality: str | None = None
    """None where actual."""
    updated_at: str | None = None
    raw: str | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """Return register and days, which identify the read."""
        return (*self.register.key, self.first, self.last)


def add_accumulation_read(imported: Imported, read: AccumulationRead) -> None:
    """Add a row of `meter_reads`, and its place."""
    row: Row = {
        **read.register.columns(),
        "start_date": read.first,
        "end_date": read.last,
        "value": format(read.value, "f"),
        "value_nano": nano(read.value),
        "quality": read.quality or ACTUAL,
        "updated_at": read.updated_at,
        "raw": read.raw,
    }
    imported.tables.setdefault("meter_reads", []).append(row)
    imported.places[read.key] = read.where


def is_plausible(day: date) -> bool:
    """Return whether a read can be of this day: other years are typing errors, and time zones cannot convert them."""
    return 1900 < day.year < 2200


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


def warn_of_doubtful_energy(imported: Imported, where: str) -> None:
    """Warn where a meter's file has no energy, or as much or as little a day as hints at another unit."""
    registers, days = imported.tables["registers"], imported.tables.get("register_days", [])
    if all(row["direction"] in _NO_ENERGY for row in registers):
        named = sorted({f"{row['register_suffix']!s} in {row['unit']!s}" for row in registers})
        found = ", ".join([*named[:_MOST_NAMED], *["…"][: len(named) > _MOST_NAMED]])
        what = f"has no energy (its registers: {found}): ask the distributor for interval data in kWh"
        imported.warn(where, f"{what}, such as registers E1 and B1")
    elif days and not any(row["present"] for row in days):
        imported.warn(where, "has no reads with a value: all are marked as missing, or blank")
    else:
        _warn_of_unit(imported, where, [row for row in days if row["unit"] == "KWH"])


def _warn_of_unit(imported: Imported, where: str, days: list[Row]) -> None:
    totals = [row["total_nano"] for row in days if isinstance(row["total_nano"], int)]
    most = max(totals, default=0)
    if most > MOST_KWH_A_DAY * NANO:
        counted = f"a register counts up to {most / NANO:,.0f} kWh a day"
        imported.warn(where, f"{counted}, more than a home's connection carries: check the unit")
    elif 0 < most < LEAST_KWH_A_DAY * NANO and _has_imports_of_days(days):
        counted = f"no register counts more than {most / NANO:.3g} kWh on any day"
        imported.warn(where, f"{counted}, less than an empty home uses: check the unit")


def _has_imports_of_days(days: list[Row]) -> bool:
    """Return whether import is known of enough days: what little is exported shows nothing of the unit."""
    return len({row["date"] for row in days if row["direction"] == "import"}) >= DAYS_OF_LEAST


def set_aside_days_to_come(imported: Imported, where: str, today: date) -> None:
    """Reject reads of days after tomorrow, which it may be in another time zone already, so that no figure counts them.

    where: of the file. Raises ImportFailedError if the file has no others.
    """
    places: dict[date, str] = {}
    has_others = False
    for name, columns in (("register_days", ("date",)), ("meter_reads", ("start_date", "end_date"))):
        rows, been = imported.tables.get(name, []), []
        for row in rows:
            last = row[columns[-1]]
            if not isinstance(last, date) or last - timedelta(1) <= today:
                been.append(row)
                continue
            key = (row["service_point_id"], row["meter_id"], row["register_suffix"], *(row[each] for each in columns))
            places.setdefault(last, imported.places.get(key, where))
            if name == imported.counts:
                present = row.get("present")
                imported.rejected += present if imported.counts_reads and isinstance(present, int) else 1
        has_others = has_others or bool(been)
        if len(been) < len(rows):
            imported.tables[name] = been
    if not places:
        return
    first, last = min(places), max(places)
    dated = f"{len(places)} days from {first} to {last} are" if first < last else f"{first} is"
    reason = f"{dated} after today, {today}, and left out: check the dates in the file, and the date of this computer"
    if not has_others:
        raise ImportFailedError(places[first], reason)
    imported.reject(places[first], reason, rows=0)
