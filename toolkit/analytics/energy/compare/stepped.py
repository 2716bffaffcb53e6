"""Blocks for many bands at once: pooled over each billing period, or afresh each day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.blocks import split
from toolkit.analytics.energy.bills.model import Blocks, cents
from toolkit.analytics.energy.compare.columns import NANO, Allowances, Length, Step, Stepped
from toolkit.analytics.energy.compare.rounding import half_away, rounded, to_nearest
from toolkit.analytics.energy.compare.rows import MONTH_UNITS, PER_CENT_UNIT, TENTHS, SteppedRow, units
from toolkit.analytics.energy.rates.durations import DayCount

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

PLENTY = 10**30
"""10^-9 units; more energy than any block holds."""

SURELY = 1e-9
"""Relative; by more than this floats do not lie."""


def pooled_cents(stepped: Stepped, chosen: Ints, energy: Ints, days: Ints, months: Ints) -> Ints:
    """[row, period] → cents of all blocks of the chosen rows, each block rounded by itself.

    energy: [row, period], 10^-9 units. days, months: [row, period]; months in `MONTH_UNITS`.
    """
    widths, prices = stepped.widths[chosen], stepped.prices[chosen]
    by_day = stepped.by_day[chosen][:, None]
    counted = np.where(by_day, days, months / MONTH_UNITS)
    filled = np.where(by_day, days, months)
    fits = np.where(counted > 0, counted / stepped.count[chosen][:, None], np.finfo(float).tiny)  # no ∞ × 0
    out = np.zeros(energy.shape, dtype=np.int64)
    left = energy.astype(np.float64)
    for block in range(widths.shape[1]):
        room = widths[:, [block]] * fits
        taken = np.minimum(left, room)
        nearest, near = to_nearest(taken * (prices[:, [block]] / NANO * 100))
        if near[0].size:
            full = left[near] > room[near] * (1 + SURELY)
            nearest[near] = _exactly(stepped, block, (chosen[near[0]], energy[near], filled[near]), full)
        out += nearest
        left -= taken
    return out


def _exactly(stepped: Stepped, block: int, doubtful: tuple[Ints, Ints, Ints], full: Bools) -> Ints:
    """The cents of one block, in whole numbers, where floats cannot tell.

    doubtful: rows; their energy; the days, or months in `MONTH_UNITS`, that are billed. full: whether more energy is
    there than the block holds, so that the cents follow from the row and the days alone and are worked out once.
    """
    out = np.zeros(len(full), dtype=np.int64)
    rows, energy, filled = doubtful
    for length in np.unique(filled[full]):
        here = full & (filled == length)
        out[here] = _full_cents(stepped, block, int(length))[rows[here]]
    for n in np.flatnonzero(~full):
        steps, length = stepped.steps[rows[n]][: block + 1], stepped.lengths[rows[n]]
        out[n] = _block(steps, length, int(energy[n]), int(filled[n]))
    return out


def _full_cents(stepped: Stepped, block: int, filled: int) -> Ints:
    """[row] → cents of a whole block; made once and kept."""
    key = (block, filled)
    if key not in stepped.full:
        bounded = [len(steps) > block and steps[block].width is not None for steps in stepped.steps]
        stepped.full[key] = np.array(
            [
                _block((steps[block],), length, PLENTY, filled) if held else 0
                for steps, length, held in zip(stepped.steps, stepped.lengths, bounded, strict=True)
            ],
            dtype=np.int64,
        )
    return stepped.full[key]


def _block(steps: tuple[Step, ...], length: Length, energy: int, filled: int) -> int:
    *before, step = steps
    times = filled * length.times
    left = max(energy * length.parts - sum(earlier.width or 0 for earlier in before) * times, 0)
    taken = left if step.width is None else min(left, step.width * times)
    return half_away(taken * step.price, length.parts * NANO * PER_CENT_UNIT)


@dataclass(slots=True)
class Afresh:
    """Bands whose blocks, or some of them, start afresh each day.

    daily: (cell, with the controlled load in it) → energy by day, 0 outside the cell's own days. inside: cell → those
    days. edges: the first day of each billing period. What one allowance holds is worked out once.
    """

    daily: Callable[[int, bool], Ints]
    inside: Callable[[int], NDArray[np.bool_]]
    edges: Ints
    blocks: Blocks
    _numbers: dict[tuple[int, bool, int | None], int] = field(default_factory=dict)
    _within: list[Ints] = field(default_factory=list)

    def cents(self, rows: Sequence[tuple[SteppedRow, Allowances, bool]]) -> Ints:
        """[row, period] → cents of all blocks of each row; beside it whether the controlled load is in it."""
        self._number(0, combined=False, cap=0)
        out = np.zeros((len(rows), len(self.edges)), dtype=np.int64)
        lines: list[tuple[int, int, int, int]] = []  # row, energy below its lower and its upper end, price
        for n, (row, caps, combined) in enumerate(rows):
            if caps is None:
                out[n] = self._slowly(row, combined=combined)
            else:
                ends = [0, *(self._number(row.cell, combined=combined, cap=cap) for cap in caps)]
                prices = [row.sign * units(block.price) * TENTHS[block.gst] for block in row.rate.blocks]
                lines += [(n, low, high, price) for (low, high), price in zip(pairwise(ends), prices, strict=True)]
        self._add(out, lines)
        return out

    def _add(self, out: Ints, lines: Sequence[tuple[int, int, int, int]]) -> None:
        if lines:
            row, low, high, price = np.array(lines, dtype=np.int64).T
            within = np.array(self._within)
            np.add.at(out, row, rounded(within[high] - within[low], price, NANO * PER_CENT_UNIT))

    def _number(self, cell: int, *, combined: bool, cap: int | None) -> int:
        """Where in `_within` the energy below the cap of each day stands, summed by period."""
        key = (cell, combined, cap)
        if key not in self._numbers:
            daily = self.daily(cell, combined)
            self._numbers[key] = len(self._within)
            self._within.append(np.add.reduceat(daily if cap is None else np.minimum(daily, cap), self.edges))
        return self._numbers[key]

    def _slowly(self, row: SteppedRow, *, combined: bool) -> Ints:
        daily, inside = self.daily(row.cell, combined), self.inside(row.cell)
        ends = np.append(self.edges[1:], len(daily))
        spans = [slice(int(a), int(b)) for a, b in zip(self.edges, ends, strict=True)]
        return np.array([self._period(row, daily[span][inside[span]]) for span in spans], dtype=np.int64)

    def _period(self, row: SteppedRow, daily: Ints) -> int:
        total = 0
        for _, block, quantity in split(row.rate, daily, DayCount(len(daily), Fraction(0)), self.blocks):
            tax = Fraction(11, 10) if block.gst == "added" else Fraction(1)
            total += cents(row.sign * quantity * Fraction(block.price) * tax)
        return total
