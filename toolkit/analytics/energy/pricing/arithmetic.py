"""Round many products to the cent, exactly, and add them up by plan and component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.pricing.model import COMPONENTS

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

NEAR = 1e-6
"""Cents. A product of two integers below 2^53 is off by 1e-16 of itself: 1e-9 cents for a bill of $100,000."""

LARGEST = 2**61
"""Twice a product below this limit plus a divisor below it fit into 64 bits."""


def ints(values: Sequence[int]) -> Ints:
    """Return the values as an array of 64-bit integers."""
    return np.array(values, dtype=np.int64)


def flags(values: Sequence[bool]) -> Bools:
    """Return the values as an array of booleans."""
    return np.array(values, dtype=np.bool_)


def rounded(quantity: Ints, price: Ints, divisor: int | Ints) -> Ints:
    """Return [line, period], quantity × price ÷ divisor to the nearest integer, half away from zero.

    quantity: [line, period]; price, divisor: [line]. All below 2^53 (divisors may be larger, then as objects).
    """
    # One float product for all; only results within NEAR of half a cent, where it may err, are done again exactly.
    out, (lines, periods) = to_nearest(quantity * (price / divisor).astype(np.float64)[:, None])
    if lines.size:
        divisors = divisor if isinstance(divisor, int) else divisor[lines]
        out[lines, periods] = _exactly(quantity[lines, periods], price[lines], divisors)
    return out


def _exactly(quantity: Ints, price: Ints, divisor: int | Ints) -> Ints | list[int]:
    """Return quantity × price ÷ divisor, rounded in 64-bit integers where they fit, else in Python's."""
    if isinstance(divisor, int) and divisor < LARGEST and _size(quantity) * _size(price) < LARGEST:
        product = quantity * price
        return np.asarray(np.sign(product) * ((2 * np.abs(product) + divisor) // (2 * divisor)))
    divisors = np.broadcast_to(np.asarray(divisor, dtype=object), price.shape).tolist()
    given = zip(quantity.tolist(), price.tolist(), divisors, strict=True)
    return [half_away(one * each, by) for one, each, by in given]


def _size(values: Ints) -> int:
    """Return the largest magnitude."""
    return int(np.abs(values).max(initial=0))


def to_nearest(exact: Floats) -> tuple[Ints, tuple[Ints, Ints]]:
    """Return the nearest integers, and the (line, period) indices too near a half to trust. Overwrites `exact`."""
    nearest = np.rint(exact)
    np.subtract(exact, nearest, out=exact)
    np.abs(exact, out=exact)
    near = np.flatnonzero(exact > 0.5 - NEAR)  # much quicker than where in two dimensions
    lines, periods = np.divmod(near, exact.shape[1])
    return nearest.astype(np.int64), (lines, periods)


def half_away(product: int | Fraction, divisor: int) -> int:
    """Return product ÷ divisor to the nearest integer, half away from zero."""
    size = product if product >= 0 else -product
    whole = int((2 * size + divisor) // (2 * divisor))
    return whole if product >= 0 else -whole


_FEW = 64
"""Lines up to which `np.add.at` is quicker than building layers."""


@dataclass(frozen=True, slots=True)
class ScatterIndex:
    """For each line the row of the sums that it is added to: plan × number of components + component.

    few: the sum rows where lines are few. layers: else pairs of (line indices, sum rows). No sum row occurs twice in a
    layer, so that a plain indexed addition, which is much quicker than `np.add.at` on many lines, adds every line.
    """

    few: Ints
    layers: tuple[tuple[Ints, Ints], ...]

    @classmethod
    def of(cls, plans: Ints, components: Ints | int) -> ScatterIndex:
        """Build the index of lines. plans: [line]. components: [line], or one component for all."""
        number = plans * len(COMPONENTS) + components
        if len(number) <= _FEW:
            return cls(number, ())
        # Take each sum row's first line into a layer, then the first of those left, and so on: few plans need many.
        left, layers = np.arange(len(number)), list[tuple[Ints, Ints]]()
        while left.size:
            numbers, firsts = np.unique(number[left], return_index=True)
            layers.append((left[firsts], numbers))
            left = np.delete(left, firsts)
        return cls(number[:0], tuple(layers))

    def add(self, sums: Ints, cents: Ints) -> None:
        """Add cents [line, period] to sums [plan × components + component, period], in place."""
        if len(self.few):
            np.add.at(sums, self.few, cents)
        for lines, numbers in self.layers:
            sums[numbers] += cents.take(lines, axis=0)
