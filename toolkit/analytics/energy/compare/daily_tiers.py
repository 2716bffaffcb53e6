"""Bands whose blocks, or some of them, start afresh each day: each block is the energy between two daily amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.blocks import NANO, daily_blocks, split
from toolkit.analytics.energy.bills.model import Blocks, cents
from toolkit.analytics.energy.compare.rows import TENTHS, Index, SteppedRow, units
from toolkit.analytics.energy.compare.scatter import Into
from toolkit.analytics.energy.rates.parsing.durations import DayCount

Ints = NDArray[np.int64]

End = tuple[int, int | None]
"""A cell, and how much of each day's energy lies below, in 10^-9 units (None: all of it)."""

Line = tuple[int, int, int, int, int, int]
"""Plan, component, cell, number of its lower and of its upper end, price."""


@dataclass(frozen=True, slots=True)
class Afresh:
    """Each line is a block. low, high: its ends by number. price: 10^-11 AUD with GST.

    slow: rows whose ends are no whole numbers, or whose later blocks are pooled.
    """

    ends: tuple[End, ...]
    into: Into
    plan: Ints
    cell: Ints
    low: Ints
    high: Ints
    price: Ints
    slow: tuple[int, ...]

    @classmethod
    def of(cls, rows: Sequence[SteppedRow], blocks: Blocks) -> Afresh:
        ends, lines, slow = Index[End](), list[Line](), list[int]()
        for number, row in enumerate(rows):
            if resets := daily_blocks(row.rate, blocks):
                amounts = _amounts(row, resets)
                if amounts is None:
                    slow.append(number)
                else:
                    lines += _lines(row, [ends.of((row.cell, amount)) for amount in amounts])
        plan, component, cell, low, high, price = np.array(lines, dtype=np.int64).reshape(-1, 6).T
        return cls(tuple(ends.items), Into.of(plan, component), plan, cell, low, high, price, tuple(slow))


def _amounts(row: SteppedRow, resets: int) -> list[int | None] | None:
    """What a day holds up to the start of each block and the end of the last; None where that does not say all."""
    rest = row.rate.blocks[resets:]
    if len(rest) > 1 or any(block.width is not None for block in rest):
        return None
    below, found = Fraction(0), list[int | None]([0])
    for block in row.rate.blocks:
        below += Fraction(block.width or 0) * NANO
        if below.denominator > 1:
            return None
        found.append(None if block.width is None else int(below))
    return found


def _lines(row: SteppedRow, ends: Sequence[int]) -> list[Line]:
    prices = [row.sign * units(block.price) * TENTHS[block.gst] for block in row.rate.blocks]
    spans = zip(pairwise(ends), prices, strict=True)
    return [(row.plan, row.component, row.cell, low, high, price) for (low, high), price in spans]


def below(daily: Ints, amount: int | None, openings: Ints) -> Ints:
    """[period] → energy below the amount of each day. openings: the first day of each period."""
    return np.add.reduceat(daily if amount is None else np.minimum(daily, amount), openings)


def slowly(row: SteppedRow, by_period: Sequence[Ints], blocks: Blocks) -> list[int]:
    """[period] → cents of all blocks of a row. by_period: energy of the row's own days."""
    return [_cents(row, daily, blocks) for daily in by_period]


def _cents(row: SteppedRow, daily: Ints, blocks: Blocks) -> int:
    total = 0
    for _, block, quantity in split(row.rate, daily, DayCount(len(daily), Fraction(0)), blocks):
        tax = Fraction(11, 10) if block.gst == "added" else Fraction(1)
        total += cents(row.sign * quantity * Fraction(block.price) * tax)
    return total
