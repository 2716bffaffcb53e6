"""Meter registers and their days: what a register measures, and a day of its values as exact scaled integers.

What a register measures follows from its NMI suffix and unit (AEMO's NMI Procedure, tables 1 and 2). The market's words
are turned round there: what flows out of the market (E, D) is the household's import, what flows into it (B, A) its
export. The first letter also separates master and check metering; a check register (C, F) repeats its master and is not
counted.

A value of a day is its integer × 10^-exponent; the exponent is the smallest that holds every value of the day exactly,
and the width (2, 4 or 8 bytes, little-endian, signed) the smallest that holds every integer. Qualities are runs of
intervals (`QualityRun`); what no run lists is ACTUAL. Reads of the service and of files are packed here alike.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from itertools import groupby
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from toolkit.tables.schema import Row
from toolkit.units import NANO, NANO_DECIMALS

Direction = Literal["import", "export", "generation", "reactive", "other"]

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


def unit_and_factor(written: str | None) -> tuple[str, Decimal]:
    """Return the unit that values are stored in, and what to multiply by.

    Nothing written is kWh, the standard's default.
    """
    name = (written or "KWH").strip().upper()
    return _UNITS.get(name, (name, Decimal(1)))


def direction(suffix: str, unit: str) -> Direction:
    """Return the direction by unit first (only kWh and MJ are energy), then by the suffix's first letter.

    Import where it has none.
    """
    if unit not in ("KWH", "MJ"):
        return "reactive" if "VAR" in unit else "other"
    return _BY_LETTER.get(suffix[:1].upper(), "import")


# ---- a day of values

ACTUAL, MISSING = "ACTUAL", "MISSING"
QUALITIES = (ACTUAL, "SUBSTITUTE", "FINAL_SUBSTITUTE", "ESTIMATED", MISSING)
QualityRun = tuple[int, int, str]
"""First and last interval of a run, from 1 and both inclusive, and their quality."""

LARGEST = 10**17
"""The largest value, and sum of a day, in 10^-9 of its unit: 100 GWh. Sixty times as much, and what ninety of them come
to, still fit the 64 bits of the store and of frames, where a sum that does not turns over in silence."""
_MOST_DECIMALS = 18
_MOST_DIGITS = 30  # before or after the point: a longer number is not a reading, and its text may be very long
_EXACT_DIGITS = 15  # a decimal of up to 15 significant digits and the double nearest to it name each other
_WIDTHS = (2, 4, 8)

Number = Decimal | str | float | int


@dataclass(frozen=True, slots=True)
class Packed:
    """The values of a register-day, packed."""

    blob: bytes
    """The integers in order of the day; 0 for a missing value."""
    exponent: int
    width: int
    """Bytes of one integer."""
    total_nano: int
    """Sum of the day in 10^-9 of the unit, exact up to nine decimals."""
    intervals: int
    present: int
    """Number of values that are not missing."""

    def columns(self, runs: Sequence[QualityRun]) -> Row:
        """Return the columns of table `register_days` that hold the values and their qualities."""
        return {
            "intervals": self.intervals,
            "exponent": self.exponent,
            "width": self.width,
            "reads": self.blob,
            "qualities": json.dumps(runs, ensure_ascii=False, separators=(",", ":")) if runs else None,
            "total_nano": self.total_nano,
            "present": self.present,
            "digest": digest(self.blob),
        }


def pack(values: Sequence[Number | None] | NDArray[np.float64]) -> Packed:
    """Pack values ≥ 0 in order of the day, None for a missing one (stored as 0: flag it MISSING in the qualities).

    A float means the shortest decimal that converts to it, as it was written. Raises ValueError for a value that is
    negative, no number, or has more than 18 decimals or digits; or where the day's sum is beyond `LARGEST`.
    """
    if isinstance(values, np.ndarray):
        values = values.tolist()
    missing = sum(value is None for value in values)
    given = [0 if value is None else value for value in values]
    integers, exponent = _scaled_quickly(given) or _scaled_exactly(given)
    if integers.size and integers.min() < 0:
        raise ValueError("a negative value")
    return _packed(integers, exponent, len(values) - missing)


def pack_integers(integers: NDArray[np.int64], exponent: int, missing: NDArray[np.bool_]) -> Packed:
    """Pack values given as integers ≥ 0 × 10^-exponent, except those that are missing (stored as 0).

    Raises ValueError where the day's sum is beyond `LARGEST`.
    """
    integers = np.where(missing, 0, integers)
    while exponent > 0 and not (integers % 10).any():
        integers, exponent = integers // 10, exponent - 1
    return _packed(integers, exponent, int((~missing).sum()))


def _packed(integers: NDArray[np.int64], exponent: int, present: int) -> Packed:
    largest = int(integers.max(initial=0))
    width = next(width for width in _WIDTHS if largest < 2 ** (8 * width - 1))
    # summed as Python's integers: 288 large values may exceed 64 bits
    total = bounded(_nano(sum(integers.tolist()), exponent))
    return Packed(integers.astype(f"<i{width}").tobytes(), exponent, width, total, len(integers), present)


def digest(blob: bytes) -> str:
    """Return the digest of packed values; a flipped bit changes it."""
    return sha256(blob).hexdigest()[:16]


def unpack(blob: bytes, *, exponent: int, width: int) -> NDArray[np.int64]:
    """Return the values in whole 10^-9 of the unit (decimals beyond nine are rounded half to even)."""
    integers: NDArray[np.int64] = np.frombuffer(blob, dtype=f"<i{width}").astype(np.int64)
    if exponent > NANO_DECIMALS:
        return np.array([_nano(value, exponent) for value in integers.tolist()], dtype=np.int64)
    scaled: NDArray[np.int64] = integers * np.int64(10 ** (NANO_DECIMALS - exponent))
    return scaled


def unpack_exact(blob: bytes, *, exponent: int, width: int) -> list[Decimal]:
    """Return the values as they were written, trailing zeros aside."""
    return [Decimal(value).scaleb(-exponent) for value in np.frombuffer(blob, dtype=f"<i{width}").tolist()]


# ---- qualities


def quality_runs(qualities: Sequence[str | None]) -> list[QualityRun]:
    """Return the runs of what is not ACTUAL, from a quality for each interval (None: actual)."""
    runs: list[QualityRun] = []
    first = 1
    for quality, run in groupby(qualities):
        length = sum(1 for _ in run)
        if quality and quality != ACTUAL:
            runs.append((first, first + length - 1, quality))
        first += length
    return runs


def interval_qualities(text: str | None, intervals: int) -> list[str]:
    """Return the quality of each interval, from column `qualities`."""
    qualities = [ACTUAL] * intervals
    for first, last, quality in json.loads(text or "[]"):
        qualities[first - 1 : last] = [quality] * (last - first + 1)
    return qualities


def missing_mask(intervals: int, runs: Sequence[QualityRun]) -> NDArray[np.bool_]:
    """Return which intervals are flagged MISSING."""
    mask = np.zeros(intervals, dtype=np.bool_)
    for first, last, quality in runs:
        if quality == MISSING:
            mask[first - 1 : last] = True
    return mask


def is_later(one: str | None, other: str | None) -> bool:
    """Return whether update time `one` is after `other`: texts of 12 or 14 digits. An unknown time is never later."""
    return one is not None and other is not None and one.ljust(14, "0") > other.ljust(14, "0")


# ---- numbers


def nano(value: Number) -> int:
    """Convert one value ≥ 0 to whole 10^-9 of its unit, rounded half to even.

    Raises ValueError unless the value is a finite number of at most `LARGEST`.
    """
    return bounded(_nano_of(_decimal(value)))


def bounded(nanounits: int) -> int:
    """Return the same number. Raises ValueError if it is beyond `LARGEST`."""
    if nanounits > LARGEST:
        raise ValueError(f"{nanounits // NANO:,} is beyond any meter")
    return nanounits


def _scaled_quickly(values: Sequence[Number]) -> tuple[NDArray[np.int64], int] | None:
    """Scale by doubles, where those are exact: every value has at most 15 digits. None where that is not sure."""
    if max(map(len, map(str, values)), default=0) > _EXACT_DIGITS:
        return None
    try:
        doubles = np.array(list(map(float, values)), dtype=np.float64)
    except ValueError:
        return None
    for exponent in range(NANO_DECIMALS + 1):
        power = 10.0**exponent
        integers = np.rint(doubles * power)
        if np.abs(integers).max(initial=0.0) >= 10.0**_EXACT_DIGITS:
            return None
        if np.array_equal(integers / power, doubles):
            return integers.astype(np.int64), exponent
    return None


def _scaled_exactly(values: Sequence[Number]) -> tuple[NDArray[np.int64], int]:
    decimals = [_decimal(value) for value in values]
    exponent = max([_decimals(value) for value in decimals], default=0)
    if exponent > _MOST_DECIMALS:
        raise ValueError(f"a value with {exponent} decimals")
    integers = [int(value.scaleb(exponent)) for value in decimals]
    if max(map(abs, integers), default=0) >= 2**63:
        raise ValueError("a value with too many digits")
    return np.array(integers, dtype=np.int64), exponent


def _decimal(value: Number) -> Decimal:
    try:
        number = Decimal(repr(value) if isinstance(value, float) else value)
    except InvalidOperation as error:
        raise ValueError(f"{value!r} is not a number") from error
    if not number.is_finite():
        raise ValueError(f"{value!r} is not a number")
    if not number:
        return Decimal(0)
    if number.adjusted() > _MOST_DIGITS:
        raise ValueError("a value with too many digits")
    if number.adjusted() < -_MOST_DIGITS:
        raise ValueError(f"a value with {-number.adjusted()} decimals")
    return number


def _decimals(value: Decimal) -> int:
    exponent = value.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _nano(total: int, exponent: int) -> int:
    return _nano_of(Decimal(total).scaleb(-exponent))


def _nano_of(value: Decimal) -> int:
    return int(value.scaleb(NANO_DECIMALS).to_integral_value())
