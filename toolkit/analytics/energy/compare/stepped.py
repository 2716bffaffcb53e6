"""Blocks for many bands at once: pooled over each billing period, or afresh each day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.blocks import daily_blocks, split
from toolkit.analytics.energy.bills.model import Blocks, cents
from toolkit.analytics.energy.compare.columns import NANO, Stepped, open_ended
from toolkit.analytics.energy.compare.rounding import rounded, to_nearest
from toolkit.analytics.energy.compare.rows import MONTH_UNITS, PER_CENT_UNIT, TENTHS, SteppedRow, units
from toolkit.analytics.energy.rates.durations import DayCount

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def pooled_cents(stepped: Stepped, chosen: Ints, energy: Ints, days: Ints, months: Ints) -> Ints:
    """[row, period] → cents of all blocks of the chosen rows, each block rounded by itself.

    energy: [row, period], 10^-9 units. days, months: [row, period]; months in `MONTH_UNITS`.
    """
    widths, prices = stepped.widths[chosen], stepped.prices[chosen]
    counted = np.where(stepped.by_day[chosen][:, None], days, months / MONTH_UNITS)
    fits = np.where(counted > 0, counted / stepped.count[chosen][:, None], np.finfo(float).tiny)  # no ∞ × 0
    out = np.zeros(energy.shape, dtype=np.int64)
    left = energy.astype(np.float64)
    for block in range(widths.shape[1]):
        taken = np.minimum(left, widths[:, [block]] * fits)
        nearest, near = to_nearest(taken * (prices[:, [block]] / NANO * 100))
        for line, period in zip(*near, strict=True):
            at = (energy[line, period], days[line, period], months[line, period])
            nearest[line, period] = _exactly(stepped.rows[chosen[line]], block, at)
        out += nearest
        left -= taken
    return out


def _exactly(row: SteppedRow, block: int, given: tuple[int, int, int]) -> int:
    """The cents of one block, in fractions."""
    if block >= len(row.rate.blocks):
        return 0
    energy, days, months = (int(value) for value in given)
    period = row.rate.period
    fits = (Fraction(days) if period.unit == "day" else Fraction(months, MONTH_UNITS)) / period.count
    left = Fraction(energy)
    for entry in row.rate.blocks[:block]:
        left -= left if entry.width is None else min(left, Fraction(entry.width) * NANO * fits)
    entry = row.rate.blocks[block]
    taken = left if entry.width is None else min(left, Fraction(entry.width) * NANO * fits)
    tax = Fraction(11, 10) if entry.gst == "added" else Fraction(1)
    return cents(row.sign * taken / NANO * Fraction(entry.price) * tax)


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
    _capped: dict[tuple[int, bool, int | None], Ints] = field(default_factory=dict)

    def cents(self, row: SteppedRow, *, combined: bool) -> Ints:
        """[period] → cents of all its blocks."""
        resets = daily_blocks(row.rate, self.blocks)
        caps = list(_caps(row, resets))
        if not open_ended(row.rate, resets) or any(cap is not None and cap.denominator > 1 for cap in caps):
            return self._slowly(row, combined=combined)
        upto = np.array([self._within(row.cell, combined, None if cap is None else int(cap)) for cap in caps])
        taken = np.diff(upto, axis=0, prepend=0)
        prices = np.array([row.sign * units(b.price) * TENTHS[b.gst] for b in row.rate.blocks], dtype=np.int64)
        return np.asarray(rounded(taken, prices, NANO * PER_CENT_UNIT).sum(axis=0))

    def _within(self, cell: int, combined: bool, cap: int | None) -> Ints:
        """[period] → energy below the cap of each day, summed."""
        key = (cell, combined, cap)
        if key not in self._capped:
            daily = self.daily(cell, combined)
            self._capped[key] = np.add.reduceat(daily if cap is None else np.minimum(daily, cap), self.edges)
        return self._capped[key]

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


def _caps(row: SteppedRow, resets: int) -> Iterator[Fraction | None]:
    """What a day holds up to the end of each block, in 10^-9 units; None is no limit."""
    below = Fraction(0)
    for number, block in enumerate(row.rate.blocks):
        if block.width is None or number >= resets:
            yield None
        else:
            below += Fraction(block.width) * NANO
            yield below
