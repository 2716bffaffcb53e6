"""Blocks for many bands at once, pooled over each billing period."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.compare.columns import NANO, Length, Step, Stepped
from toolkit.analytics.energy.compare.rounding import half_away, to_nearest
from toolkit.analytics.energy.compare.rows import MONTH_UNITS, PER_CENT_UNIT

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
