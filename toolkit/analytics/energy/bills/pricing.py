"""Price usage on compiled rates. The total of a bill is the sum of its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import polars as pl

from toolkit.analytics.energy.bills.charges import demand_lines, discount_lines, recurring_lines
from toolkit.analytics.energy.bills.energy import (
    BillingContext,
    controlled_lines,
    feed_in_lines,
    supply_lines,
    usage_lines,
)
from toolkit.analytics.energy.bills.model import Bill, Line, Options, Period
from toolkit.analytics.energy.intervals.matrix import IntervalMatrix
from toolkit.analytics.energy.intervals.prepare import Usage, prepare
from toolkit.analytics.energy.intervals.quality import Quality, quality_of, yearly_energy
from toolkit.analytics.energy.rates.messages import PlanMessages
from toolkit.analytics.energy.rates.model import Clock, Rates
from toolkit.units import DEFAULT_ZONE, NANO


def price(
    reads: pl.DataFrame | Usage,
    rates: Rates,
    periods: Sequence[Period],
    *,
    zone: str = DEFAULT_ZONE,
    options: Options | None = None,
    whole_periods: Sequence[Period] | None = None,
) -> Bill:
    """Return the bill for the reads on a plan, over billing periods, by the pricing rules (docs/pricing-rules.md).

    reads: frame `reads` of one service point, or prepared `Usage` (then `zone` is its own); a bill's first and last
    day on local time reach an hour or so into the neighbouring meter days, so give those too.
    zone: IANA zone of the service point, the clock of LOCAL plans. periods: dates on the plan's clock, in order.
    whole_periods: the billing period of each of `periods`, where another plan is in force on the rest of it.
    Money in cents; energy in kWh, gas in MJ. Gaps are never filled: see `missing_share`, notes and problems.
    """
    usage = reads if isinstance(reads, Usage) else prepare(reads, zone=zone, unit=rates.unit)
    chosen = options or Options()
    wholes = whole_periods or periods
    matrices = matrices_of(usage, rates, wholes, chosen)
    yearly = _yearly(usage, rates, wholes, chosen)
    return price_matrices(matrices, rates, periods, options=chosen, yearly=yearly, whole_periods=wholes)


def price_matrices(
    matrices: dict[Clock, IntervalMatrix],
    rates: Rates,
    periods: Sequence[Period],
    *,
    options: Options,
    yearly: Decimal | None = None,
    whole_periods: Sequence[Period] | None = None,
) -> Bill:
    """Price as `price` does, from matrices by clock that contain the periods' days, such as simulated futures.

    Every matrix counts days on the plan's own clock (`Usage.matrix`), so that a row is the same day in all of them.
    """
    messages = PlanMessages(rates.plan_id)
    lines: list[Line] = []
    unpriced = 0
    for period, whole in zip(periods, whole_periods or periods, strict=True):
        own = sliced(matrices, period, options)
        whole_matrices = own if whole == period else sliced(matrices, whole, options)
        context = BillingContext(period, rates, own, whole_matrices, options, yearly, messages)
        lines += _period_lines(context)
        unpriced += context.unpriced
    quality = quality_of([matrices[rates.clock].sliced(p.first, p.last, options.holidays) for p in periods])
    return _bill(rates, periods, lines, messages, quality, unpriced)


def matrices_of(usage: Usage, rates: Rates, periods: Sequence[Period], options: Options) -> dict[Clock, IntervalMatrix]:
    """Return the days of all periods, with the time of day on each clock that the plan names."""
    return {clock: _over(usage.matrix(clock, rates.clock), periods, options) for clock in clocks_of(rates)}


def sliced(matrices: Mapping[Clock, IntervalMatrix], period: Period, options: Options) -> dict[Clock, IntervalMatrix]:
    """Return the days of one period, by clock."""
    return {clock: matrix.sliced(period.first, period.last, options.holidays) for clock, matrix in matrices.items()}


def _period_lines(context: BillingContext) -> list[Line]:
    charged = [*supply_lines(context), *usage_lines(context), *demand_lines(context), *controlled_lines(context)]
    return [*charged, *recurring_lines(context), *discount_lines(charged, context), *feed_in_lines(context)]


def clocks_of(rates: Rates) -> list[Clock]:
    """Return every clock that a window of the plan is read on, and the plan's own."""
    named: set[Clock] = {rates.clock, *(tariff.clock for _, tariff in rates.tariffs())}
    return sorted(named | {charge.clock for charge in rates.demands})


def _over(matrix: IntervalMatrix, periods: Sequence[Period], options: Options) -> IntervalMatrix:
    first, last = min(p.first for p in periods), max(p.last for p in periods)
    return matrix.sliced(first, last, options.holidays)


def _yearly(usage: Usage, rates: Rates, periods: Sequence[Period], options: Options) -> Decimal | None:
    if options.yearly is not None or not rates.banded:
        return options.yearly
    return yearly_energy(usage.matrix(rates.clock), max(period.last for period in periods))


def _bill(
    rates: Rates,
    periods: Sequence[Period],
    lines: Sequence[Line],
    messages: PlanMessages,
    quality: Quality,
    unpriced: int,
) -> Bill:
    return Bill(
        plan_id=rates.plan_id,
        fuel=rates.fuel,
        unit=rates.unit,
        periods=tuple(periods),
        lines=tuple(lines),
        assumed=(*rates.notes, *messages.notes),
        unpriceable=(*rates.problems, *messages.problems),
        quality=quality,
        unpriced=Fraction(unpriced, NANO),
    )
