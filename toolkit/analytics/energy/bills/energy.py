"""Lines for energy and daily supply of one billing period: usage in blocks, controlled load, feed-in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.model import Component, Line, Options, Price, Quantity
from toolkit.analytics.energy.intervals.matrix import IntervalMatrix, Ints
from toolkit.analytics.energy.rates.contract import PlanMessages
from toolkit.analytics.energy.rates.model import BandRate, Block, DayCount, PlanTimeZone, Rates, Span, Tariff
from toolkit.answers.base import Period
from toolkit.answers.energy.bills import Blocks
from toolkit.units import NANO

Chosen = NDArray[np.bool_]


@dataclass(slots=True)
class BillingContext:
    """Shared inputs and messages of pricing one billing period, or the part of it on one plan.

    period: the days to price. matrices: these days, by the time zone that a window is read on.
    whole_period: the days of the whole billing period, by time zone: a plan measures a month's highest demand and a
    discount's threshold over all of these, also where it was in force on a part of them only.
    yearly: energy of a year in kWh or MJ, for supply charges that depend on it; None where unknown.
    unpriced: energy without a price so far, in 10^-9 kWh or MJ.
    """

    period: Period
    rates: Rates
    matrices: Mapping[PlanTimeZone, IntervalMatrix]
    whole_period: Mapping[PlanTimeZone, IntervalMatrix]
    options: Options
    yearly: Decimal | None
    messages: PlanMessages
    unpriced: int = 0

    @property
    def share(self) -> Fraction:
        """Return the priced days as a share of the days of the billing period."""
        return Fraction(self.period.days, self.whole_period[self.rates.time_zone].days)

    def chosen(self, spans: Sequence[Span], time_zone: PlanTimeZone) -> list[Chosen]:
        """Return for each span a mask [day]: the span is the first that covers the day."""
        assigned = self.matrices[time_zone].assigned(tuple(spans))
        return [np.asarray(assigned == n) for n in range(len(spans))]


class Charged(NamedTuple):
    """Energy under one tariff. energy: [day, column] of `IntervalMatrix.banded`. days: [day], whether it is charged."""

    component: Component
    tariff: Tariff
    energy: Ints
    days: Chosen


def usage_lines(context: BillingContext) -> Iterator[Line]:
    """Yield lines for general import, and controlled load on days without a tariff of its own (pricing rule 8)."""
    for charged in used(context):
        yield from _lines(charged, context)
    periods = context.rates.periods
    _report_days_without(context.chosen([period.span for period in periods], context.rates.time_zone), context)


def used(context: BillingContext) -> Iterator[Charged]:
    """Yield the energy billed as usage under each tariff period that covers a day."""
    periods = context.rates.periods
    chosen = context.chosen([period.span for period in periods], context.rates.time_zone)
    for tariff, days in zip(periods, chosen, strict=True):
        if days.any():
            yield Charged("usage", tariff, _usage(tariff, context), days)


def _usage(tariff: Tariff, context: BillingContext) -> Ints:
    """Return [day, column], general import, with controlled load on days without a tariff of its own."""
    matrix = context.matrices[tariff.time_zone]
    energy = matrix.banded(tariff.bands, "general")
    if not matrix.controlled:
        return energy
    loads = context.rates.controlled_loads
    # [day], whether no controlled load tariff covers the day: its controlled load is then billed as usage (rule 8).
    alone = matrix.assigned(tuple(load.span for load in loads)) < 0
    if not alone.any():
        return energy
    controlled = matrix.banded(tariff.bands, "controlled") * alone[:, None]
    if controlled.any():
        context.messages.note("controlled_load_as_usage")
    return np.asarray(energy + controlled)


def controlled_lines(context: BillingContext) -> Iterator[Line]:
    """Yield lines for controlled load and its daily charge, where such a meter register exists (pricing rule 8)."""
    for charged in controlled(context):
        yield from _lines(charged, context)
        supply = charged.tariff.supply
        if supply is not None and supply.price(context.yearly):
            yield _supply("controlled_load", charged.tariff, charged.days, context)


def controlled(context: BillingContext) -> Iterator[Charged]:
    """Yield the energy of each controlled load tariff that covers a day; nothing without such a meter register."""
    loads = context.rates.controlled_loads
    for tariff, days in zip(loads, _alternatives(loads, context), strict=True):
        matrix = context.matrices[tariff.time_zone]
        if days.any() and matrix.controlled:
            yield Charged("controlled_load", tariff, matrix.banded(tariff.bands, "controlled"), days)


def feed_in_lines(context: BillingContext) -> Iterator[Line]:
    """Yield credits for export (pricing rule 9)."""
    for charged in exported(context):
        yield from _lines(charged, context)
    tariffs = context.rates.feed_ins
    matrix = context.matrices[tariffs[0].time_zone if tariffs else context.rates.time_zone]
    without = matrix.assigned(tuple(tariff.span for tariff in tariffs)) < 0
    unpaid = int(matrix.total("export")[without].sum())
    if unpaid:
        context.messages.note("export_without_feed_in", energy=unpaid / NANO, unit=context.rates.unit)


def exported(context: BillingContext) -> Iterator[Charged]:
    """Yield the energy that each feed-in tariff pays for."""
    tariffs = context.rates.feed_ins
    for tariff, days in zip(tariffs, _alternatives(tariffs, context), strict=True):
        if days.any():
            yield Charged("feed_in", tariff, context.matrices[tariff.time_zone].banded(tariff.bands, "export"), days)


def supply_lines(context: BillingContext) -> Iterator[Line]:
    """Yield daily supply: one charge a day, from the first tariff period that covers it and has one (rule 5)."""
    supplied = [period for period in context.rates.periods if period.supply is not None]
    chosen = context.chosen([period.span for period in supplied], context.rates.time_zone)
    for tariff, days in zip(supplied, chosen, strict=True):
        if days.any():
            yield _supply("supply", tariff, days, context)
    free = context.period.days - sum(int(days.sum()) for days in chosen)
    if free:
        context.messages.note("no_supply_charge", days=free, first=context.period.first, last=context.period.last)


def _alternatives(tariffs: Sequence[Tariff], context: BillingContext) -> list[Chosen]:
    """Return for each tariff a mask [day]: it is the first that covers the day (pricing rules 8 and 9)."""
    return context.chosen([tariff.span for tariff in tariffs], tariffs[0].time_zone) if tariffs else []


def _lines(charged: Charged, context: BillingContext) -> Iterator[Line]:
    """Yield one line per band and block."""
    component, tariff, energy, days = charged
    _report_unpriced(tariff, energy[days], context)
    if not tariff.rates:
        return
    period, count = of_days(context.matrices[tariff.time_zone], days)
    for band, rate in enumerate(tariff.rates):
        for number, block, energy_in_block in split(rate, energy[days, band], count, context.options.blocks):
            yield Line.priced(
                component,
                label_of(rate, tariff),
                period,
                Quantity(energy_in_block, context.rates.unit),
                # Feed-in is a credit (pricing rule 9).
                Price(-block.price if component == "feed_in" else block.price, block.gst),
                block=number if len(rate.blocks) > 1 else None,
                tariff_period=tariff.label if component == "usage" else None,
            )


def of_days(matrix: IntervalMatrix, chosen: Chosen) -> tuple[Period, DayCount]:
    """Return the first and last of the chosen days, and how many they are."""
    days = [day for day, wanted in zip(matrix.dates, chosen, strict=True) if wanted]
    return Period(days[0], days[-1]), DayCount.of(days)


def _supply(component: Component, tariff: Tariff, days: Chosen, context: BillingContext) -> Line:
    """Return the line of a daily charge; banded ones take the band of the year's energy (pricing rule 5)."""
    assert tariff.supply is not None
    period, count = of_days(context.matrices[tariff.time_zone], days)
    price = tariff.supply.price(context.yearly)
    if tariff.supply.banded:
        if context.yearly is None:
            context.messages.note("supply_band_assumed", label=tariff.label)
        else:
            context.messages.note("supply_band", label=tariff.label, energy=context.yearly, unit=context.rates.unit)
    label, days_charged = f"{tariff.label}: daily supply", Quantity(Fraction(count.days), "day")
    tariff_period = tariff.label if component == "supply" else None
    return Line.priced(component, label, period, days_charged, Price(price, "added"), tariff_period=tariff_period)


def label_of(rate: BandRate, tariff: Tariff) -> str:
    """Return the price in the plan's words, with its season where the plan has seasons."""
    label = rate.label
    return label if label.startswith(tariff.label) or tariff.span.always else f"{tariff.label}: {label}"


def _report_unpriced(tariff: Tariff, energy: Ints, context: BillingContext) -> None:
    """Report energy of a tariff's days that no band prices (pricing rule 4). energy: [day, column] of `banded`."""
    # The last two columns of `IntervalMatrix.banded`: energy outside all windows, and without a time of day.
    nowhere, untimed = int(energy[:, -2].sum()), int(energy[:, -1].sum())
    if nowhere:
        why = "falls in no window" if tariff.rates else "has no readable price"
        unpriced(context, nowhere, tariff.label, why)
    if untimed:
        unpriced(context, untimed, tariff.label, "was read without a time of day, which these windows need,")


def _report_days_without(chosen: Sequence[Chosen], context: BillingContext) -> None:
    """Report general import, and controlled load billed as usage, on days without a tariff period."""
    matrix = context.matrices[context.rates.time_zone]
    left = ~np.logical_or.reduce(chosen) if chosen else np.ones(matrix.days, dtype=bool)
    alone = matrix.assigned(tuple(load.span for load in context.rates.controlled_loads)) < 0
    energy = int(matrix.total("general")[left].sum() + matrix.total("controlled")[left & alone].sum())
    if energy:
        unpriced(context, energy, "usage", "is on days that no tariff period covers")


def unpriced(context: BillingContext, nano: int, label: str, why: str) -> None:
    """Record energy that stays without a price, as a problem."""
    context.unpriced += nano
    energy, days = f"{nano / NANO:.3f} {context.rates.unit}", f"{context.period.first} and {context.period.last}"
    context.messages.problem(label, f"{energy} between {days} {why} and is not priced")


FREE_AT_MOST = Decimal("0.0005")
"""AUD per unit: a block up to this price is a free daily allowance; what is unused is not carried over (rule 6)."""


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
    # P1D blocks at a price of at most 0.0005 restart every day under either option (pricing rule 6).
    free = [
        n for n, block in enumerate(rate.blocks, start=1) if block.width is not None and block.price <= FREE_AT_MOST
    ]
    return max(free, default=0)


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
