"""Price tiers (blocks) of many rows at once, pooled over each billing period."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.compare.columns import Length, Step, Tiered
from toolkit.analytics.energy.compare.rounding import half_away, to_nearest
from toolkit.analytics.energy.compare.rows import MONTH_UNITS, PER_CENT_UNIT
from toolkit.units import NANO

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

PLENTY = 10**30
"""10^-9 units; more energy than any block holds."""

SURELY = 1e-9
"""Relative error above which a float comparison is certain."""


def pooled_cents(tiered: Tiered, chosen: Ints, energy: Ints, days: Ints, months: Ints) -> Ints:
    """Return [row, period], the cents of all blocks of the chosen rows, each block rounded by itself.

    energy: [row, period], 10^-9 units. days, months: [row, period]; months in `MONTH_UNITS`.
    """
    widths, prices = tiered.widths[chosen], tiered.prices[chosen]
    by_day = tiered.by_day[chosen][:, None]
    counted = np.where(by_day, days, months / MONTH_UNITS)
    filled = np.where(by_day, days, months)
    fits = np.where(counted > 0, counted / tiered.count[chosen][:, None], np.finfo(float).tiny)  # no ∞ × 0
    out = np.zeros(energy.shape, dtype=np.int64)
    left = energy.astype(np.float64)
    for block in range(widths.shape[1]):
        room = widths[:, [block]] * fits
        taken = np.minimum(left, room)
        nearest, near = to_nearest(taken * (prices[:, [block]] / NANO * 100))
        if near[0].size:
            full = left[near] > room[near] * (1 + SURELY)
            nearest[near] = _exactly(tiered, block, (chosen[near[0]], energy[near], filled[near]), full)
        out += nearest
        left -= taken
    return out


def _exactly(tiered: Tiered, block: int, doubtful: tuple[Ints, Ints, Ints], full: Bools) -> Ints:
    """Return the cents of one block, computed in whole numbers, where floats are too near half a cent.

    doubtful: row numbers; their energy; the days, or months in `MONTH_UNITS`, that are billed. full: whether the
    energy exceeds the block, so that the cents depend on the row and the days alone and can be cached.
    """
    out = np.zeros(len(full), dtype=np.int64)
    rows, energy, filled = doubtful
    for length in np.unique(filled[full]):
        here = full & (filled == length)
        out[here] = _full_cents(tiered, block, int(length))[rows[here]]
    for n in np.flatnonzero(~full):
        steps, length = tiered.steps[rows[n]][: block + 1], tiered.lengths[rows[n]]
        out[n] = _block(steps, length, int(energy[n]), int(filled[n]))
    return out


def _full_cents(tiered: Tiered, block: int, filled: int) -> Ints:
    """Return [row], the cents of a full block (cached)."""
    key = (block, filled)
    if key not in tiered.full:
        bounded = [len(steps) > block and steps[block].width is not None for steps in tiered.steps]
        tiered.full[key] = np.array(
            [
                _block((steps[block],), length, PLENTY, filled) if has_end else 0
                for steps, length, has_end in zip(tiered.steps, tiered.lengths, bounded, strict=True)
            ],
            dtype=np.int64,
        )
    return tiered.full[key]


def _block(steps: tuple[Step, ...], length: Length, energy: int, filled: int) -> int:
    *before, step = steps
    times = filled * length.times
    left = max(energy * length.parts - sum(earlier.width or 0 for earlier in before) * times, 0)
    taken = left if step.width is None else min(left, step.width * times)
    return half_away(taken * step.price, length.parts * NANO * PER_CENT_UNIT)
