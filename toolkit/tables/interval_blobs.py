"""A day of meter values as exact scaled integers in a few hundred bytes.

A value is its integer × 10^-exponent; the exponent is the smallest that holds every value of the day exactly, and the
width (2, 4 or 8 bytes, little-endian, signed) the smallest that holds every integer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np
from numpy.typing import NDArray

from toolkit.units import NANO, NANO_DECIMALS

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
    """blob: the integers. total_nano: sum in 10^-9 of the unit, exact up to nine decimals. present: values not None."""

    blob: bytes
    exponent: int
    width: int
    total_nano: int
    intervals: int
    present: int


def pack(values: Sequence[Number | None] | NDArray[np.float64]) -> Packed:
    """Values ≥ 0 in order of the day, None where there is no value (stored as 0: flag it MISSING in `qualities`).

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
    width = _width(integers)
    total = bounded(_nano(sum(integers.tolist()), exponent))
    return Packed(integers.astype(f"<i{width}").tobytes(), exponent, width, total, len(values), len(values) - missing)


def unpack(blob: bytes, *, exponent: int, width: int) -> NDArray[np.int64]:
    """The values in whole 10^-9 of the unit (decimals beyond nine are rounded half to even)."""
    integers: NDArray[np.int64] = np.frombuffer(blob, dtype=f"<i{width}").astype(np.int64)
    if exponent > NANO_DECIMALS:
        return np.array([_nano(value, exponent) for value in integers.tolist()], dtype=np.int64)
    scaled: NDArray[np.int64] = integers * np.int64(10 ** (NANO_DECIMALS - exponent))
    return scaled


def unpack_exact(blob: bytes, *, exponent: int, width: int) -> list[Decimal]:
    """The values as they were written, trailing zeros aside."""
    return [Decimal(value).scaleb(-exponent) for value in np.frombuffer(blob, dtype=f"<i{width}").tolist()]


def nano(value: Number) -> int:
    """One value ≥ 0 in whole 10^-9 of its unit, rounded half to even.

    Raises ValueError unless the value is a finite number of at most `LARGEST`.
    """
    return bounded(_nano_of(_decimal(value)))


def bounded(nanounits: int) -> int:
    """The same number. Raises ValueError where it is beyond `LARGEST`."""
    if nanounits > LARGEST:
        raise ValueError(f"{nanounits // NANO:,} is beyond any meter")
    return nanounits


def _scaled_quickly(values: Sequence[Number]) -> tuple[NDArray[np.int64], int] | None:
    """By doubles, where those are exact: every value has at most 15 digits. None where that is not sure."""
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


def _width(integers: NDArray[np.int64]) -> int:
    largest = int(integers.max(initial=0))
    return next(width for width in _WIDTHS if largest < 2 ** (8 * width - 1))


def _nano(total: int, exponent: int) -> int:
    return _nano_of(Decimal(total).scaleb(-exponent))


def _nano_of(value: Decimal) -> int:
    return int(value.scaleb(NANO_DECIMALS).to_integral_value())
