"""Products rounded to the cent, many at once and still exact: whatever is near a half is worked out in integers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NEAR = 1e-6
"""Cents. A product of two integers below 2^53 is off by 1e-16 of itself: 1e-9 cents for a bill of $100,000."""


def rounded(quantity: Ints, price: Ints, divisor: int | Ints) -> Ints:
    """[line, period] → quantity × price ÷ divisor, to the nearest integer, halves away from zero.

    quantity: [line, period]; price, divisor: [line]. All below 2^53 (divisors may be larger, then as objects).
    """
    exact = quantity * (price / divisor).astype(np.float64)[:, None]
    out, near = to_nearest(exact)
    divisors = np.broadcast_to(np.asarray(divisor, dtype=object), price.shape)
    for line, period in zip(*near, strict=True):
        product = int(quantity[line, period]) * int(price[line])
        out[line, period] = half_away(product, int(divisors[line]))
    return out


def to_nearest(exact: Floats) -> tuple[Ints, tuple[Ints, ...]]:
    """The nearest integers, and where floats cannot tell which of two is nearer."""
    low = np.floor(exact)
    rest = exact - low
    out = low.astype(np.int64)
    out += rest > 0.5
    return out, np.nonzero(np.abs(rest - 0.5) < NEAR)


def half_away(product: int | Fraction, divisor: int) -> int:
    """product ÷ divisor to the nearest integer, halves away from zero."""
    size = product if product >= 0 else -product
    whole = int((2 * size + divisor) // (2 * divisor))
    return whole if product >= 0 else -whole
