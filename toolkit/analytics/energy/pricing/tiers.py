"""Price tiers (blocks) of many plans at once, pooled over each billing period or daily (pricing rule 6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from toolkit.analytics.energy.pricing.rows import ScatterIndex, daily_blocks, half_away, to_nearest
from toolkit.analytics.energy.pricing.tables import (
    KINDS,
    MONTH_UNITS,
    NO_LIMIT,
    PER_CENT_UNIT,
    PRICE_UNITS,
    Bools,
    Floats,
    Ints,
    TieredTable,
)
from toolkit.analytics.energy.rates.model import BandRate, Block, DayCount
from toolkit.answers.energy.bills import Blocks
from toolkit.units import NANO


@dataclass(frozen=True, slots=True)
class Tiered:
    """Energy charges in tiers (blocks).

    widths, prices: those of `rows` as floats, in 10^-9 kWh or MJ and in AUD with GST. by_day: whether block periods are
    counted in days. count: days or months in one block period.
    full: cache of (block, days or months) → [row], cents of a full block, `_UNKNOWN` where not needed yet.
    """

    rows: TieredTable
    scatter: ScatterIndex
    widths: Floats
    prices: Floats
    by_day: Bools
    count: Floats
    full: dict[tuple[int, int], Ints] = field(default_factory=dict)
    _kinds: dict[Blocks, TierKinds] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: TieredTable) -> Tiered:
        """Derive what pricing needs from the rows."""
        by_day = rows.by_day > 0
        return cls(
            rows=rows,
            scatter=ScatterIndex.of(rows.plan, rows.component),
            widths=np.where(rows.width == NO_LIMIT, np.inf, rows.width),
            prices=rows.price / (PRICE_UNITS * 10),
            by_day=by_day,
            count=rows.parts / np.where(by_day, 1, MONTH_UNITS) / rows.times,
        )

    def kinds(self, blocks: Blocks) -> TierKinds:
        """Return how each row is priced under the option (cached)."""
        if blocks not in self._kinds:
            own = self.rows.pooled if blocks == "pooled" else self.rows.daily
            pooled, daily, one_by_one = (np.flatnonzero(own == n) for n in range(len(KINDS)))
            self._kinds[blocks] = TierKinds(pooled, DailyTiers.of(self.rows, daily), one_by_one.tolist())
        return self._kinds[blocks]


class TierKinds(NamedTuple):
    """Rows of `Tiered` by how their blocks are priced.

    daily: blocks that restart every day. one_by_one: numbers of the rows that are priced period by period with `split`:
    prices or widths that arrays do not hold, and free daily blocks before pooled ones.
    """

    pooled: Ints
    daily: DailyTiers
    one_by_one: Sequence[int]


@dataclass(frozen=True, slots=True)
class DailyTiers:
    """The blocks of all daily tiers as arrays [block].

    ends: [end, 2], the daily amounts at which blocks begin and end: a cell and an amount in 10^-9 kWh or MJ
    (`NO_LIMIT`: none). low, high: indices into `ends`. price: 10^-11 AUD with GST.
    first: [row of `Tiered`], its first block; -1 for rows that are not daily.
    """

    ends: Ints
    scatter: ScatterIndex
    low: Ints
    high: Ints
    price: Ints
    first: Ints

    @classmethod
    def of(cls, rows: TieredTable, numbers: Ints) -> DailyTiers:
        """Turn the numbered rows, with blocks that restart every day, into arrays, one entry a block."""
        first = np.full(len(rows.plan), -1, dtype=np.int64)
        if not len(numbers):
            none = numbers[:0]
            return cls(none.reshape(0, 2), ScatterIndex.of(none, none), none, none, none, first)
        own = rows.taken(numbers)
        open_ended = own.width == NO_LIMIT
        # [row, block]: the daily amount at the end of each block.
        upper = np.where(open_ended, NO_LIMIT, np.where(open_ended, 0, own.width).cumsum(axis=1))
        lower = np.hstack([np.zeros((len(numbers), 1), dtype=np.int64), upper[:, :-1]])[:, : upper.shape[1]]
        row, block = np.nonzero(np.arange(own.width.shape[1]) < own.blocks[:, None])
        pairs = [np.stack([own.cell[row], amounts[row, block]], axis=1) for amounts in (lower, upper)]
        ends, place = np.unique(np.concatenate(pairs), axis=0, return_inverse=True)
        low, high = place.reshape(2, -1)
        first[numbers] = own.blocks.cumsum() - own.blocks
        scatter = ScatterIndex.of(own.plan[row], own.component[row])
        return cls(ends, scatter, low, high, own.price[row, block], first)


def below(daily: Ints, amount: int, openings: Ints) -> Ints:
    """Return [period], the energy of each day up to the amount. openings: index of the first day of each period."""
    return np.add.reduceat(np.minimum(daily, amount), openings)


PLENTY = 10**30
"""10^-9 units; more energy than any block holds."""

SURELY = 1e-9
"""Relative error above which a float comparison is certain."""


def pooled_cents(tiered: Tiered, chosen: Ints, energy: Ints, days: Ints, months: Ints) -> list[Ints]:
    """Return [row, period] for each block in turn, the cents of the chosen rows, each block rounded by itself.

    energy: [row, period], 10^-9 units. days, months: [row, period]; months in `MONTH_UNITS`.
    """
    widths, prices = tiered.widths[chosen], tiered.prices[chosen]
    by_day = tiered.by_day[chosen][:, None]
    counted = np.where(by_day, days, months / MONTH_UNITS)
    filled = np.where(by_day, days, months)
    fits = np.where(counted > 0, counted / tiered.count[chosen][:, None], np.finfo(float).tiny)  # no ∞ × 0
    out = []
    left = energy.astype(np.float64)  # [row, period], not yet in a block
    for block in range(widths.shape[1]):
        # `volume` is the width of a block, not a cumulative threshold (pricing rule 6).
        room = widths[:, [block]] * fits
        taken = np.minimum(left, room)
        nearest, near = to_nearest(taken * (prices[:, [block]] / NANO * 100))
        if near[0].size:  # floats are too coarse for these, near half a cent: integers decide
            full = left[near] > room[near] * (1 + SURELY)
            nearest[near] = _exactly(tiered, block, (chosen[near[0]], energy[near], filled[near]), full)
        out.append(nearest)
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
        out[here] = _full_cents(tiered, block, int(length), rows[here])
    for n in np.flatnonzero(~full):
        out[n] = _block(tiered.rows, int(rows[n]), range(block + 1), int(energy[n]), int(filled[n]))
    return out


_UNKNOWN = np.iinfo(np.int64).min


def _full_cents(tiered: Tiered, block: int, filled: int, rows: Ints) -> Ints:
    """Return the cents of a full block of each of the rows (cached)."""
    cents = tiered.full.setdefault((block, filled), np.full(len(tiered.rows.plan), _UNKNOWN, dtype=np.int64))
    for row in np.unique(rows[cents[rows] == _UNKNOWN]).tolist():
        cents[row] = _block(tiered.rows, row, range(block, block + 1), PLENTY, filled)
    return np.asarray(cents[rows])


def _block(table: TieredTable, row: int, blocks: range, energy: int, filled: int) -> int:
    """Return the cents of the last of the blocks, for the energy of one period, in whole numbers throughout."""
    *before, width = table.width[row, blocks.start : blocks.stop].tolist()
    times, parts = filled * int(table.times[row]), int(table.parts[row])
    left = max(energy * parts - sum(before) * times, 0)
    taken = left if width == NO_LIMIT else min(left, width * times)
    return half_away(taken * int(table.price[row, blocks[-1]]), parts * NANO * PER_CENT_UNIT)


def split(rate: BandRate, daily: Ints, days: DayCount, blocks: Blocks) -> list[tuple[int, Block, Fraction]]:
    """Return each block's number from 1, the block, and its exact energy in kWh or MJ; empty blocks are left out.

    daily: 10^-9 units of each day. days: the same days, for widths by the block's period.
    """
    if resets := daily_blocks(rate, blocks):
        shares = _daily_shares(rate.blocks, resets, daily, days, rate)
    else:
        shares = pooled(rate.blocks, Fraction(int(daily.sum())), days, rate)
    numbered = zip(range(1, len(rate.blocks) + 1), rate.blocks, shares, strict=True)
    return [(n, block, energy / NANO) for n, block, energy in numbered if energy]


def pooled(blocks: Iterable[Block], energy: Fraction, days: DayCount, rate: BandRate) -> Iterable[Fraction]:
    """Yield the energy of blocks in turn, their widths multiplied by the number of block periods (pricing rule 6)."""
    periods = rate.period.fits(days)
    for block in blocks:
        taken = energy if block.width is None else min(energy, Fraction(block.width) * NANO * periods)
        yield taken
        energy -= taken


def _daily_shares(
    blocks: tuple[Block, ...], resets: int, daily: Ints, days: DayCount, rate: BandRate
) -> Iterable[Fraction]:
    """Yield the energy of blocks that restart every day, then of the pooled rest."""
    # A block's energy is that below its upper end each day, less that below its lower end.
    below, before = Fraction(0), Fraction(0)
    for block in blocks[:resets]:
        below = below + Fraction(block.width) * NANO if block.width is not None else Fraction(int(daily.max(initial=0)))
        # Sums of integers stay exact; the end may be a fraction of a nanounit and is added as one.
        within = daily <= int(below)
        upto = Fraction(int(daily[within].sum())) + below * int((~within).sum())
        yield upto - before
        before = upto
    yield from pooled(blocks[resets:], Fraction(int(daily.sum())) - before, days, rate)
