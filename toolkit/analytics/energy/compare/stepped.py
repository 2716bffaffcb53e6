"""Blocks for many bands at once: pooled over each billing period, or afresh each day."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.blocks import daily_blocks
from toolkit.analytics.energy.bills.model import Blocks, cents
from toolkit.analytics.energy.compare.market import MONTH_UNITS, SteppedRow
from toolkit.analytics.energy.compare.rounding import NEAR
from toolkit.analytics.energy.rates.model import BandRate

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NANO = 1_000_000_000


def pooled_cents(rows: Sequence[SteppedRow], energy: Ints, days: Ints, months: Ints) -> Ints:
    """[row, period] → cents of all its blocks, each rounded by itself.

    energy: [row, period], 10^-9 units. days, months: [row, period]; months in `MONTH_UNITS`.
    """
    deepest = max(len(row.rate.blocks) for row in rows)
    widths, prices = _by_block(rows, deepest)
    fits = _fits(rows, days, months)
    out = np.zeros(energy.shape, dtype=np.int64)
    left = energy.astype(np.float64)
    for block in range(deepest):
        with np.errstate(invalid="ignore"):
            taken = np.minimum(left, np.where(np.isinf(widths[:, block])[:, None], np.inf, widths[:, [block]] * fits))
        exact = taken * (prices[:, [block]] / NANO * 100)
        size = np.abs(exact)
        out += np.copysign(np.floor(size + 0.5), exact).astype(np.int64)
        near = np.abs(size - np.floor(size) - 0.5) < NEAR
        for line, period in np.argwhere(near & (taken > 0)):
            rough = int(np.copysign(np.floor(size[line, period] + 0.5), exact[line, period]))
            out[line, period] += _exactly(rows[line], block, (energy, days, months), (line, period)) - rough
        left = left - taken
    return out


def _by_block(rows: Sequence[SteppedRow], deepest: int) -> tuple[Floats, Floats]:
    """[row, block] → width in 10^-9 units of one block period (infinite where open), price with GST in AUD."""
    widths = np.full((len(rows), deepest), np.inf)
    prices = np.zeros((len(rows), deepest))
    for n, row in enumerate(rows):
        for k, block in enumerate(row.rate.blocks):
            widths[n, k] = np.inf if block.width is None else float(block.width) * NANO
            prices[n, k] = row.sign * float(block.price) * (1.1 if block.gst == "added" else 1)
    return widths, prices


def _fits(rows: Sequence[SteppedRow], days: Ints, months: Ints) -> Floats:
    by_day = np.array([row.rate.period.unit == "day" for row in rows])[:, None]
    count = np.array([float(row.rate.period.count) for row in rows])[:, None]
    return np.asarray(np.where(by_day, days, months / MONTH_UNITS) / count)


def _exactly(row: SteppedRow, block: int, given: tuple[Ints, Ints, Ints], at: tuple[int, int]) -> int:
    """The cents of one block, in fractions."""
    energy, days, months = (int(values[at]) for values in given)
    period = row.rate.period
    fits = (Fraction(days) if period.unit == "day" else Fraction(months, MONTH_UNITS)) / period.count
    left = Fraction(energy)
    for n, entry in enumerate(row.rate.blocks):
        taken = left if entry.width is None else min(left, Fraction(entry.width) * NANO * fits)
        if n == block:
            tax = Fraction(11, 10) if entry.gst == "added" else Fraction(1)
            return cents(row.sign * taken / NANO * Fraction(entry.price) * tax)
        left -= taken
    return 0


def afresh_cents(row: SteppedRow, daily: Ints, periods: Ints, count: int, blocks: Blocks) -> Ints:
    """[period] → cents of a band whose blocks (some of them) start afresh each day. periods: [day], -1 outside."""
    out = np.zeros(count, dtype=np.int64)
    for period in range(count):
        inside = daily[periods == period]
        if inside.size:
            out[period] = _afresh(row.rate, inside, row.sign, blocks)
    return out


def _afresh(rate: BandRate, daily: Ints, sign: int, blocks: Blocks) -> int:
    from toolkit.analytics.energy.bills.blocks import split
    from toolkit.analytics.energy.rates.durations import DayCount

    assert daily_blocks(rate, blocks)
    total = 0
    for _, block, quantity in split(rate, daily, DayCount(len(daily), Fraction(0)), blocks):
        tax = Fraction(11, 10) if block.gst == "added" else Fraction(1)
        total += cents(sign * quantity * Fraction(block.price) * tax)
    return total
