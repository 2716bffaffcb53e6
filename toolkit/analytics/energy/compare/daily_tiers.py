"""Daily tiers: blocks that restart every day. The energy of a block is that between two daily amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.blocks import daily_blocks, split
from toolkit.analytics.energy.bills.model import Blocks, cents
from toolkit.analytics.energy.compare.rows import TENTHS, Index, TieredRow, units
from toolkit.analytics.energy.compare.scatter import ScatterIndex
from toolkit.analytics.energy.rates.parsing.durations import DayCount
from toolkit.units import NANO

Ints = NDArray[np.int64]

End = tuple[int, int | None]
"""A cell, and a daily amount in 10^-9 kWh or MJ (None: no limit): the energy of each day up to that amount."""

Line = tuple[int, int, int, int, int, int]
"""Plan, component, cell, index of its lower and of its upper end in `ends`, price."""


@dataclass(frozen=True, slots=True)
class DailyTiers:
    """The blocks of all daily tiers as arrays [block]. low, high: indices into `ends`. price: 10^-11 AUD with GST.

    one_by_one: row numbers that are priced singly: an end is not a whole number, or later blocks are pooled.
    """

    ends: tuple[End, ...]
    scatter: ScatterIndex
    plan: Ints
    cell: Ints
    low: Ints
    high: Ints
    price: Ints
    one_by_one: tuple[int, ...]

    @classmethod
    def of(cls, rows: Sequence[TieredRow], blocks: Blocks) -> DailyTiers:
        ends, lines, one_by_one = Index[End](), list[Line](), list[int]()
        for number, row in enumerate(rows):
            if resets := daily_blocks(row.rate, blocks):
                amounts = _amounts(row, resets)
                if amounts is None:
                    one_by_one.append(number)
                else:
                    lines += _lines(row, [ends.of((row.cell, amount)) for amount in amounts])
        plan, component, cell, low, high, price = np.array(lines, dtype=np.int64).reshape(-1, 6).T
        return cls(tuple(ends.items), ScatterIndex.of(plan, component), plan, cell, low, high, price, tuple(one_by_one))


def _amounts(row: TieredRow, resets: int) -> list[int | None] | None:
    """Return the daily amount at the start of each block and the end of the last; None if the row is priced singly."""
    rest = row.rate.blocks[resets:]
    if len(rest) > 1 or any(block.width is not None for block in rest):
        return None
    below, amounts = Fraction(0), list[int | None]([0])
    for block in row.rate.blocks:
        below += Fraction(block.width or 0) * NANO
        if below.denominator > 1:
            return None
        amounts.append(None if block.width is None else int(below))
    return amounts


def _lines(row: TieredRow, ends: Sequence[int]) -> list[Line]:
    prices = [row.sign * units(block.price) * TENTHS[block.gst] for block in row.rate.blocks]
    spans = zip(pairwise(ends), prices, strict=True)
    return [(row.plan, row.component, row.cell, low, high, price) for (low, high), price in spans]


def below(daily: Ints, amount: int | None, openings: Ints) -> Ints:
    """Return [period], the energy of each day up to the amount. openings: index of the first day of each period."""
    return np.add.reduceat(daily if amount is None else np.minimum(daily, amount), openings)


def cents_one_by_one(row: TieredRow, by_period: Sequence[Ints], blocks: Blocks) -> list[int]:
    """Return the cents of all blocks of a row for each period. by_period: energy of the row's own days."""
    return [_cents(row, daily, blocks) for daily in by_period]


def _cents(row: TieredRow, daily: Ints, blocks: Blocks) -> int:
    total = 0
    for _, block, quantity in split(row.rate, daily, DayCount(len(daily), Fraction(0)), blocks):
        tax = Fraction(11, 10) if block.gst == "added" else Fraction(1)
        total += cents(row.sign * quantity * Fraction(block.price) * tax)
    return total
