"""Price tiers (blocks) of many plans at once, pooled over each billing period or daily (pricing rule 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np

from toolkit.analytics.energy.pricing.rows import (
    MONTH_UNITS,
    PER_CENT_UNIT,
    TENTHS,
    Bools,
    Floats,
    Index,
    Ints,
    ScatterIndex,
    TieredRow,
    flags,
    half_away,
    ints,
    to_nearest,
    units,
)
from toolkit.analytics.energy.rates.model import BandRate, Block, DayCount, Duration
from toolkit.answers.energy.bills import Blocks
from toolkit.units import NANO


class Step(NamedTuple):
    """A block as exact numbers. width: 10^-9 units in one block period, None where open. price: 10^-11 AUD with GST."""

    width: int | Fraction | None
    price: int


class Length(NamedTuple):
    """A block period: `times` ÷ `parts` of them are in a day, or in one of `MONTH_UNITS` of a month."""

    by_day: bool
    times: int
    parts: int


@dataclass(frozen=True, slots=True)
class Tiered:
    """Energy charges in tiers (blocks), as arrays [row].

    widths: [row, block], 10^-9 kWh or MJ in one block period, infinite where open. prices: [row, block], AUD with GST.
    by_day: whether block periods are counted in days, else in months. count: days or months in one block period.
    steps, lengths: widths, prices and block periods again as exact numbers, for results near half a cent.
    daily_tiers: the blocks that restart every day, by option. pooled: numbers of the rows that do not, by option.
    one_by_one: numbers of the rows that are priced period by period with `split`, by option: prices finer than arrays
    hold, daily blocks that end within 10^-9 of a unit, and free daily blocks before pooled ones.
    full: cache of (block, days or months) → [row], cents of a full block.
    """

    rows: tuple[TieredRow, ...]
    scatter: ScatterIndex
    cell: Ints
    widths: Floats
    prices: Floats
    by_day: Bools
    count: Floats
    steps: tuple[tuple[Step, ...], ...]
    lengths: tuple[Length, ...]
    pooled: Mapping[Blocks, Ints]
    daily_tiers: Mapping[Blocks, DailyTiers]
    one_by_one: Mapping[Blocks, tuple[int, ...]]
    full: dict[tuple[int, int], Ints] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Sequence[TieredRow]) -> Tiered:
        """Turn rows into arrays."""
        widths, prices = _by_block(rows)
        ways: tuple[Blocks, ...] = get_args(Blocks)
        kinds = {way: [_kind(row, way) for row in rows] for way in ways}
        numbers = {way: {kind: _where(kinds[way], kind) for kind in get_args(Kind)} for way in ways}
        return cls(
            rows=tuple(rows),
            scatter=ScatterIndex.of(ints([row.plan for row in rows]), ints([row.component for row in rows])),
            cell=ints([row.cell for row in rows]),
            widths=widths,
            prices=prices,
            by_day=flags([row.rate.period.unit == "day" for row in rows]),
            count=np.array([float(row.rate.period.count) for row in rows]),
            steps=tuple(_steps(row) for row in rows),
            lengths=tuple(_length(row.rate.period) for row in rows),
            pooled={way: ints(numbers[way]["pooled"]) for way in ways},
            daily_tiers={way: DailyTiers.of(rows, numbers[way]["daily"]) for way in ways},
            one_by_one={way: tuple(numbers[way]["one by one"]) for way in ways},
        )


FREE_AT_MOST = Decimal("0.0005")
"""AUD per unit: a block up to this price is a free daily allowance; what is unused is not carried over (rule 6)."""


def daily_blocks(rate: BandRate, blocks: Blocks) -> int:
    """Return how many blocks, from the first, restart every day.

    All under the option `daily`; else those up to the last free allowance, since earlier ones fill first each day.
    """
    if not rate.period.daily:
        return 0
    if blocks == "daily":
        return len(rate.blocks)
    # P1D blocks at a price of at most 0.0005 restart every day under either option (pricing rule 6).
    free = [
        n for n, block in enumerate(rate.blocks, start=1) if block.width is not None and block.price <= FREE_AT_MOST
    ]
    return max(free, default=0)


Kind = Literal["pooled", "daily", "one by one"]


def _kind(row: TieredRow, blocks: Blocks) -> Kind:
    """Return how the blocks of a row are priced under the option."""
    resets = daily_blocks(row.rate, blocks)
    if row.exact or (resets and _amounts(row, resets) is None):
        return "one by one"
    return "daily" if resets else "pooled"


def _where(kinds: Sequence[Kind], kind: Kind) -> list[int]:
    """Return the numbers of the rows of that kind."""
    return [n for n, each in enumerate(kinds) if each == kind]


def _steps(row: TieredRow) -> tuple[Step, ...]:
    """Return the blocks of a row as exact numbers; widths are integers where they can be, which multiply faster."""
    steps = []
    for block in row.rate.blocks:
        width = None if block.width is None else Fraction(block.width) * NANO
        whole = width.numerator if width is not None and width.denominator == 1 else width
        steps.append(Step(whole, row.sign * (units(block.price) or 0) * TENTHS[block.gst]))
    return tuple(steps)


def _length(period: Duration) -> Length:
    """Return a block period as a fraction of days or months, in whole numbers."""
    by_day = period.unit == "day"
    return Length(by_day, period.count.denominator, period.count.numerator * (1 if by_day else MONTH_UNITS))


def _by_block(rows: Sequence[TieredRow]) -> tuple[Floats, Floats]:
    """Return widths and prices as [row, block]; rows with fewer blocks are filled up at no price."""
    deepest = max((len(row.rate.blocks) for row in rows), default=0)
    widths, prices = np.full((len(rows), deepest), np.inf), np.zeros((len(rows), deepest))
    for n, row in enumerate(rows):
        for k, block in enumerate(row.rate.blocks):
            widths[n, k] = np.inf if block.width is None else float(block.width) * NANO
            prices[n, k] = row.sign * float(block.price) * (1.1 if block.gst == "added" else 1)
    return widths, prices


End = tuple[int, int | None]
"""A cell, and a daily amount in 10^-9 kWh or MJ (None: no limit): the energy of each day up to that amount."""


@dataclass(frozen=True, slots=True)
class DailyTiers:
    """The blocks of all daily tiers as arrays [block].

    ends: the daily amounts at which blocks begin and end. low, high: indices into `ends`.
    price: 10^-11 AUD with GST.
    first: number of a row in `Tiered` → its first block.
    """

    ends: tuple[End, ...]
    scatter: ScatterIndex
    low: Ints
    high: Ints
    price: Ints
    first: Mapping[int, int]

    @classmethod
    def of(cls, rows: Sequence[TieredRow], numbers: Sequence[int]) -> DailyTiers:
        """Turn the numbered rows, whose blocks restart every day, into arrays, one entry a block."""
        ends, lines, first = Index[End](), list[tuple[int, int, int, int, int]](), dict[int, int]()
        for number in numbers:
            row, first[number] = rows[number], len(lines)
            amounts = _amounts(row, len(row.rate.blocks))
            assert amounts is not None
            spans = pairwise([ends.of((row.cell, amount)) for amount in amounts])
            prices = [row.sign * (units(block.price) or 0) * TENTHS[block.gst] for block in row.rate.blocks]
            lines += [
                (row.plan, row.component, low, high, price) for (low, high), price in zip(spans, prices, strict=True)
            ]
        plan, component, low, high, price = np.array(lines, dtype=np.int64).reshape(-1, 5).T
        return cls(tuple(ends.items), ScatterIndex.of(plan, component), low, high, price, first)


def _amounts(row: TieredRow, resets: int) -> list[int | None] | None:
    """Return the daily amount at the start of each block and the end of the last; None if the row is priced singly."""
    *closed, last = row.rate.blocks
    if (last.width is not None and resets < len(row.rate.blocks)) or resets < len(closed):
        return None  # pooled blocks follow
    if any(block.width is None for block in closed):
        return None
    below, amounts = Fraction(0), list[int | None]([0])
    for block in row.rate.blocks:
        below += Fraction(block.width or 0) * NANO
        if below.denominator > 1:
            return None
        amounts.append(None if block.width is None else int(below))
    return amounts


def below(daily: Ints, amount: int | None, openings: Ints) -> Ints:
    """Return [period], the energy of each day up to the amount. openings: index of the first day of each period."""
    return np.add.reduceat(daily if amount is None else np.minimum(daily, amount), openings)


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


def pooled_energy(tiered: Tiered, row: int, energy: int, days: DayCount) -> list[Fraction]:
    """Return the exact energy of each block of a row, in 10^-9 units."""
    left, taken = Fraction(energy), []
    for step in tiered.steps[row]:
        taken.append(left if step.width is None else min(left, step.width * tiered.rows[row].rate.period.fits(days)))
        left -= taken[-1]
    return taken


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
    """Return the cents of the last of the steps, for the energy of one period, in whole numbers throughout."""
    *before, step = steps
    times = filled * length.times
    left = max(energy * length.parts - sum(earlier.width or 0 for earlier in before) * times, 0)
    taken = left if step.width is None else min(left, step.width * times)
    return half_away(taken * step.price, length.parts * NANO * PER_CENT_UNIT)


def split(rate: BandRate, daily: Ints, days: DayCount, blocks: Blocks) -> list[tuple[int, Block, Fraction]]:
    """Return each block's number from 1, the block, and its exact energy in kWh or MJ; empty blocks are left out.

    daily: 10^-9 units of each day. days: the same days, for widths by the block's period.
    """
    if len(rate.blocks) == 1 and rate.blocks[0].width is None:
        shares: Iterable[Fraction] = (Fraction(int(daily.sum())),)
    elif resets := daily_blocks(rate, blocks):
        shares = _daily_shares(rate.blocks, resets, daily, days, rate)
    else:
        shares = _pooled(rate.blocks, Fraction(int(daily.sum())), days, rate)
    numbered = zip(range(1, len(rate.blocks) + 1), rate.blocks, shares, strict=True)
    return [(n, block, energy / NANO) for n, block, energy in numbered if energy]


def _pooled(blocks: Iterable[Block], energy: Fraction, days: DayCount, rate: BandRate) -> Iterable[Fraction]:
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
    yield from _pooled(blocks[resets:], Fraction(int(daily.sum())) - before, days, rate)
