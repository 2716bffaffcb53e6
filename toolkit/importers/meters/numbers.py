"""Amounts of energy: decimal text to exact scaled integers, a whole file at a time, or to decimals one by one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np
from numpy.typing import NDArray

from toolkit.tables.registers import nano

Integers = NDArray[np.int64]

CLEAN = b"0123456789.,"
_MOST_DIGITS = 18
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
    """The row on one exponent. A number that does not fit 18 digits then is bad."""
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
    found = [_decimal(cell) for cell in cells]
    negative = tuple(place for place, value in enumerate(found) if value is not None and value < 0)
    exponent = max((_decimals(value) for value in found if value is not None), default=0)
    if exponent > _MOST_DIGITS:
        return Numbers(np.zeros(len(cells), dtype=np.int64), 0, tuple(range(len(cells))))
    scaled = [None if value is None else int(abs(value).scaleb(exponent)) for value in found]
    bad = tuple(place for place, value in enumerate(scaled) if value is None or value >= 10**_MOST_DIGITS)
    integers = [0 if value is None or place in bad else value for place, value in enumerate(scaled)]
    return Numbers(np.array(integers, dtype=np.int64), exponent, bad, negative)


def _decimal(cell: bytes) -> Decimal | None:
    cell = cell.strip()
    return Decimal(cell.decode()) if _NUMBER.fullmatch(cell) else None


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


_LARGEST = Decimal(10**9)  # a meter shows less, in any unit
_MOST_DECIMALS = 30
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?")


def amount(text: str) -> Decimal | None:
    """Parse a number as files write it (`1.5`, `1,234.5`, `1.2E-05`), within what a meter can show; None where it is
    none.

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
