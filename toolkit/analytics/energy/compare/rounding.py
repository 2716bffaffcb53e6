"""Products rounded to the cent, many at once and still exact: whatever is near a half is worked out in integers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.model import half_away

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NEAR = 1e-6
"""Cents. A product of two integers below 2^53 is off by 1e-16 of itself: 1e-9 cents for a bill of $100,000."""


def rounded(quantity: Ints, price: Ints, divisor: Sequence[int] | Ints) -> Ints:
    """[line, period] → quantity × price ÷ divisor, to the nearest integer, halves away from zero.

    quantity: [line, period]; price, divisor: [line]. All below 2^53 (divisors may be larger).
    """
    divisors = np.array([float(d) for d in divisor]) if not isinstance(divisor, np.ndarray) else divisor
    exact = quantity * (price / divisors)[:, None]
    size = np.abs(exact)
    whole = np.floor(size + 0.5)
    near = np.abs(size - np.floor(size) - 0.5) < NEAR
    out = np.copysign(whole, exact).astype(np.int64)
    for line, period in np.argwhere(near):
        product = Fraction(int(quantity[line, period]) * int(price[line]), int(divisor[line]))
        out[line, period] = half_away(product)
    return out
