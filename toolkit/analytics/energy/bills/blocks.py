"""Split energy over tiers (blocks): pooled over the bill, or daily tiers (pricing rule 6)."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from toolkit.analytics.energy.bills.model import Blocks
from toolkit.analytics.energy.intervals.matrix import Ints
from toolkit.analytics.energy.rates.model import BandRate, Block
from toolkit.analytics.energy.rates.parsing.durations import DayCount
from toolkit.units import NANO

FREE_AT_MOST = Decimal("0.0005")
"""AUD per unit: a block up to this price is a free daily allowance, whose unused rest is not carried over."""


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


def daily_blocks(rate: BandRate, blocks: Blocks) -> int:
    """Return how many blocks, from the first, restart every day.

    All under the option `daily`; else those up to the last free allowance, since earlier ones fill first each day.
    """
    if not rate.period.daily:
        return 0
    if blocks == "daily":
        return len(rate.blocks)
    free = [
        n for n, block in enumerate(rate.blocks, start=1) if block.width is not None and block.price <= FREE_AT_MOST
    ]
    return max(free, default=0)


def _pooled(blocks: Iterable[Block], energy: Fraction, days: DayCount, rate: BandRate) -> Iterable[Fraction]:
    """Yield the energy of blocks whose widths are multiplied by the number of block periods."""
    periods = rate.period.fits(days)
    for block in blocks:
        taken = energy if block.width is None else min(energy, Fraction(block.width) * NANO * periods)
        yield taken
        energy -= taken


def _daily_shares(
    blocks: tuple[Block, ...], resets: int, daily: Ints, days: DayCount, rate: BandRate
) -> Iterable[Fraction]:
    below, before = Fraction(0), Fraction(0)
    for block in blocks[:resets]:
        below = below + Fraction(block.width) * NANO if block.width is not None else Fraction(int(daily.max(initial=0)))
        upto = capped(daily, below)
        yield upto - before
        before = upto
    yield from _pooled(blocks[resets:], Fraction(int(daily.sum())) - before, days, rate)


def capped(daily: Ints, cap: Fraction) -> Fraction:
    """Return the exact sum over days of min(energy, cap)."""
    within = daily <= int(cap)
    return Fraction(int(daily[within].sum())) + cap * int((~within).sum())
