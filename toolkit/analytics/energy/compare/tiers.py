"""Price tiers (blocks) of many plans at once, pooled over each billing period or daily (pricing rule 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, get_args

import numpy as np

from toolkit.analytics.energy.bills.energy import daily_blocks, split
from toolkit.analytics.energy.bills.model import cents
from toolkit.analytics.energy.compare.arithmetic import (
    Bools,
    Floats,
    Ints,
    ScatterIndex,
    flags,
    half_away,
    ints,
    to_nearest,
)
from toolkit.analytics.energy.compare.rows import (
    MONTH_UNITS,
    PER_CENT_UNIT,
    TENTHS,
    Index,
    TieredRow,
    units,
)
from toolkit.analytics.energy.rates.model import DayCount, Duration
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
    daily_tiers: the blocks that restart every day, by option. pooled: numbers of the other rows, by option.
    full: cache of (block, days or months) → [row], cents of a full block.
    """

    rows: tuple[TieredRow, ...]
    scatter: ScatterIndex
    plan: Ints
    cell: Ints
    widths: Floats
    prices: Floats
    by_day: Bools
    count: Floats
    steps: tuple[tuple[Step, ...], ...]
    lengths: tuple[Length, ...]
    pooled: Mapping[Blocks, Ints]
    daily_tiers: Mapping[Blocks, DailyTiers]
    full: dict[tuple[int, int], Ints] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Sequence[TieredRow]) -> Tiered:
        """Turn rows into arrays."""
        plan = ints([row.plan for row in rows])
        widths, prices = _by_block(rows)
        return cls(
            rows=tuple(rows),
            scatter=ScatterIndex.of(plan, ints([row.component for row in rows])),
            plan=plan,
            cell=ints([row.cell for row in rows]),
            widths=widths,
            prices=prices,
            by_day=flags([row.rate.period.unit == "day" for row in rows]),
            count=np.array([float(row.rate.period.count) for row in rows]),
            steps=tuple(_steps(row) for row in rows),
            lengths=tuple(_length(row.rate.period) for row in rows),
            pooled={
                way: np.flatnonzero([daily_blocks(row.rate, way) == 0 for row in rows]) for way in get_args(Blocks)
            },
            daily_tiers={way: DailyTiers.of(rows, way) for way in get_args(Blocks)},
        )


def _steps(row: TieredRow) -> tuple[Step, ...]:
    """Return the blocks of a row as exact numbers; widths are integers where they can be, which multiply faster."""
    steps = []
    for block in row.rate.blocks:
        width = None if block.width is None else Fraction(block.width) * NANO
        whole = width.numerator if width is not None and width.denominator == 1 else width
        steps.append(Step(whole, row.sign * units(block.price) * TENTHS[block.gst]))
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
        """Turn the rows with blocks that restart every day into arrays, one entry a block."""
        ends, lines, one_by_one = Index[End](), list[Line](), list[int]()
        for number, row in enumerate(rows):
            if resets := daily_blocks(row.rate, blocks):
                amounts = _amounts(row, resets)
                if amounts is None:
                    one_by_one.append(number)
                else:
                    numbers = [ends.of((row.cell, amount)) for amount in amounts]
                    prices = [row.sign * units(block.price) * TENTHS[block.gst] for block in row.rate.blocks]
                    spans = zip(pairwise(numbers), prices, strict=True)
                    lines += [(row.plan, row.component, row.cell, low, high, price) for (low, high), price in spans]
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


def below(daily: Ints, amount: int | None, openings: Ints) -> Ints:
    """Return [period], the energy of each day up to the amount. openings: index of the first day of each period."""
    return np.add.reduceat(daily if amount is None else np.minimum(daily, amount), openings)


def cents_one_by_one(row: TieredRow, by_period: Sequence[Ints], blocks: Blocks) -> list[int]:
    """Return the cents of all blocks of a row for each period. by_period: energy of the row's own days."""
    return [_cents(row, daily, blocks) for daily in by_period]


def _cents(row: TieredRow, daily: Ints, blocks: Blocks) -> int:
    """Return the cents of all blocks of a row in one period, each block rounded by itself as a line of the bill."""
    total = 0
    for _, block, quantity in split(row.rate, daily, DayCount(len(daily), Fraction(0)), blocks):
        tax = Fraction(11, 10) if block.gst == "added" else Fraction(1)
        total += cents(row.sign * quantity * Fraction(block.price) * tax)
    return total


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
    left = energy.astype(np.float64)  # [row, period], not yet in a block
    for block in range(widths.shape[1]):
        # `volume` is the width of a block, not a cumulative threshold (pricing rule 6).
        room = widths[:, [block]] * fits
        taken = np.minimum(left, room)
        nearest, near = to_nearest(taken * (prices[:, [block]] / NANO * 100))
        if near[0].size:  # floats are too coarse for these, near half a cent: integers decide
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
    """Return the cents of the last of the steps, for the energy of one period, in whole numbers throughout."""
    *before, step = steps
    times = filled * length.times
    left = max(energy * length.parts - sum(earlier.width or 0 for earlier in before) * times, 0)
    taken = left if step.width is None else min(left, step.width * times)
    return half_away(taken * step.price, length.parts * NANO * PER_CENT_UNIT)
