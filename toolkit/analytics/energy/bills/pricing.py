"""Price usage on compiled rates, on one plan or on those in force. The total of a bill is the sum of its lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import chain, groupby
from operator import add

import polars as pl

from toolkit.analytics.energy.bills.demand import demand_lines
from toolkit.analytics.energy.bills.energy import (
    BillingContext,
    controlled_lines,
    feed_in_lines,
    supply_lines,
    usage_lines,
)
from toolkit.analytics.energy.bills.fees_and_discounts import (
    Concession,
    discount_lines,
    recurring_lines,
    with_concessions,
)
from toolkit.analytics.energy.bills.model import Bill, Line, Options
from toolkit.analytics.energy.intervals.matrix import IntervalMatrix
from toolkit.analytics.energy.intervals.prepare import Usage, prepare
from toolkit.analytics.energy.intervals.quality import quality_of, yearly_energy
from toolkit.analytics.energy.rates.contract import PlanMessages
from toolkit.analytics.energy.rates.model import PlanTimeZone, Rates
from toolkit.answers.base import Period
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
    zone: IANA zone of the service point, that of LOCAL plans. periods: dates in the plan's time zone, in order.
    whole_periods: the billing period of each of `periods`, where another plan is in force on the rest of it.
    Money in cents; energy in kWh, gas in MJ. Gaps are never filled: see `missing_share`, notes and problems.
    """
    usage = reads if isinstance(reads, Usage) else prepare(reads, zone=zone, unit=rates.unit)
    chosen = options or Options()
    wholes = whole_periods or periods
    matrices = matrices_of(usage, rates, wholes, chosen)
    yearly = chosen.yearly
    if yearly is None and rates.banded:
        yearly = yearly_energy(usage.matrix(rates.time_zone), max(period.last for period in wholes))
    return price_matrices(matrices, rates, periods, options=chosen, yearly=yearly, whole_periods=wholes)


def price_matrices(
    matrices: dict[PlanTimeZone, IntervalMatrix],
    rates: Rates,
    periods: Sequence[Period],
    *,
    options: Options,
    yearly: Decimal | None = None,
    whole_periods: Sequence[Period] | None = None,
) -> Bill:
    """Price as `price` does, from matrices by time zone that contain the periods' days, such as simulated futures.

    Every matrix counts days in the plan's own time zone (`Usage.matrix`), so that a row is the same day in all of them.
    """
    messages = PlanMessages(rates.plan_id)
    lines: list[Line] = []
    unpriced = 0
    for period, whole in zip(periods, whole_periods or periods, strict=True):
        own = sliced(matrices, period, options)
        whole_matrices = own if whole == period else sliced(matrices, whole, options)
        context = BillingContext(period, rates, own, whole_matrices, options, yearly, messages)
        charged = [*supply_lines(context), *usage_lines(context), *demand_lines(context), *controlled_lines(context)]
        # Discounts are shares of the charges above, never of fees or feed-in credits (pricing rule 10).
        lines += [*charged, *recurring_lines(context), *discount_lines(charged, context), *feed_in_lines(context)]
        unpriced += context.unpriced
    days_by_period = [matrices[rates.time_zone].sliced(p.first, p.last, options.holidays) for p in periods]
    return Bill(
        plan_id=rates.plan_id,
        fuel=rates.fuel,
        unit=rates.unit,
        periods=tuple(periods),
        lines=tuple(lines),
        assumed=(*rates.notes, *messages.notes),
        unpriceable=(*rates.problems, *messages.problems),
        quality=quality_of(days_by_period),
        unpriced=Fraction(unpriced, NANO),
    )


def matrices_of(
    usage: Usage, rates: Rates, periods: Sequence[Period], options: Options
) -> dict[PlanTimeZone, IntervalMatrix]:
    """Return the days of all periods, with the time of day in each time zone that the plan names."""
    first, last = min(period.first for period in periods), max(period.last for period in periods)
    return {
        time_zone: usage.matrix(time_zone, rates.time_zone).sliced(first, last, options.holidays)
        for time_zone in time_zones(rates)
    }


def sliced(
    matrices: Mapping[PlanTimeZone, IntervalMatrix], period: Period, options: Options
) -> dict[PlanTimeZone, IntervalMatrix]:
    """Return the days of one period, by time zone."""
    return {
        time_zone: matrix.sliced(period.first, period.last, options.holidays) for time_zone, matrix in matrices.items()
    }


def time_zones(rates: Rates) -> list[PlanTimeZone]:
    """Return every time zone that a window of the plan is read on, and the plan's own."""
    named: set[PlanTimeZone] = {rates.time_zone, *(tariff.time_zone for _, tariff in rates.tariffs())}
    return sorted(named | {charge.time_zone for charge in rates.demands})


@dataclass(frozen=True, slots=True)
class PlanSegment:
    """The days on which one version of a plan was in force. concessions: of the account that the plan belongs to."""

    rates: Rates
    period: Period
    concessions: tuple[Concession, ...] = ()

    def of(self, periods: Sequence[Period]) -> list[Period]:
        """Return the periods cut to the days of this segment; those without such days are left out."""
        return [own for _, own in self.cut(periods)]

    def cut(self, periods: Sequence[Period]) -> list[tuple[Period, Period]]:
        """Return each period that overlaps these days, with the part of it that lies in them."""
        first, last = self.period.first, self.period.last
        cut = [(period, Period(max(period.first, first), min(period.last, last))) for period in periods]
        return [(period, own) for period, own in cut if own.days > 0]


def on_one_time_zone(segments: Sequence[PlanSegment]) -> list[PlanSegment]:
    """Return the segments with days in one time zone, the last plan's, so that no hour is lost or counted twice.

    Windows are still read in the time zones of their tariffs.
    """
    time_zone = segments[-1].rates.time_zone
    return [replace(segment, rates=replace(segment.rates, time_zone=time_zone)) for segment in segments]


def price_segments(
    usage: Usage, segments: Sequence[PlanSegment], periods: Sequence[Period], *, options: Options
) -> Bill:
    """Price billing periods on the plan of each day, in order, with each account's concessions.

    A segment is billed for its days only; a month's highest demand and the threshold of a discount are measured over
    the whole billing period.
    """
    priced = [segment for segment in on_one_time_zone(segments) if segment.cut(periods)]
    chosen = _with_yearly(usage, priced, periods, options)
    bills = []
    for segment in priced:
        wholes, own = zip(*segment.cut(periods), strict=True)
        bills.append(price(usage, segment.rates, own, options=chosen, whole_periods=wholes))
    bill = _joined(bills, periods)
    for granted, days in _accounts(priced):
        bill = with_concessions(bill, granted, days.of(periods))
    return bill


def _with_yearly(usage: Usage, segments: Sequence[PlanSegment], periods: Sequence[Period], options: Options) -> Options:
    """Return options with the energy of the year up to the bill's end, if a segment's supply charge depends on it."""
    if options.yearly is not None or not any(segment.rates.banded for segment in segments):
        return options
    time_zone = segments[-1].rates.time_zone
    return replace(options, yearly=yearly_energy(usage.matrix(time_zone), max(period.last for period in periods)))


def _joined(bills: Sequence[Bill], periods: Sequence[Period]) -> Bill:
    """Return the bills of consecutive plans as one, under the last plan's id."""
    return replace(
        bills[-1],
        periods=tuple(periods),
        lines=tuple(chain.from_iterable(bill.lines for bill in bills)),
        assumed=tuple(dict.fromkeys(chain.from_iterable(bill.assumed for bill in bills))),
        unpriceable=tuple(dict.fromkeys(chain.from_iterable(bill.unpriceable for bill in bills))),
        quality=reduce(add, [bill.quality for bill in bills]),
        unpriced=reduce(add, [bill.unpriced for bill in bills]),
    )


def _accounts(segments: Sequence[PlanSegment]) -> Iterator[tuple[tuple[Concession, ...], PlanSegment]]:
    """Yield the concessions of each run of segments that share them, and the run as one segment."""
    for granted, run in groupby(segments, key=lambda segment: segment.concessions):
        together = list(run)
        days = Period(together[0].period.first, together[-1].period.last)
        yield granted, replace(together[0], period=days)
