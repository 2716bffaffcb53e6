"""Price usage on compiled rates, on one plan or on those in force. The total of a bill is the sum of its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, groupby
from operator import add

import polars as pl

from toolkit.analytics.energy.bills.concessions import Concession, with_concessions
from toolkit.analytics.energy.intervals.matrix import yearly_energy
from toolkit.analytics.energy.intervals.prepare import Usage, prepare
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.pricing.model import Bill, Options
from toolkit.analytics.energy.rates.model import Rates
from toolkit.answers.base import Period
from toolkit.units import DEFAULT_ZONE


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
    return price_market(Market.of([rates]), usage, periods, options, whole_periods).bill(0)


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
    return of_segments(bills, priced, periods)


def _with_yearly(usage: Usage, segments: Sequence[PlanSegment], periods: Sequence[Period], options: Options) -> Options:
    """Return options with the energy of the year up to the bill's end, if a segment's supply charge depends on it."""
    if options.yearly is not None or not any(segment.rates.banded for segment in segments):
        return options
    time_zone = segments[-1].rates.time_zone
    return replace(options, yearly=yearly_energy(usage.matrix(time_zone), max(period.last for period in periods)))


def of_segments(bills: Sequence[Bill], segments: Sequence[PlanSegment], periods: Sequence[Period]) -> Bill:
    """Return the bills of consecutive plans as one, under the last plan's id, with each account's concessions."""
    bill = replace(
        bills[-1],
        periods=tuple(periods),
        lines=tuple(chain.from_iterable(bill.lines for bill in bills)),
        assumed=tuple(dict.fromkeys(chain.from_iterable(bill.assumed for bill in bills))),
        unpriceable=tuple(dict.fromkeys(chain.from_iterable(bill.unpriceable for bill in bills))),
        quality=reduce(add, [bill.quality for bill in bills]),
        unpriced=reduce(add, [bill.unpriced for bill in bills]),
    )
    for granted, days in accounts(segments):
        if granted:
            bill = with_concessions(bill, granted, days.of(periods))
    return bill


def accounts(segments: Sequence[PlanSegment]) -> Iterator[tuple[tuple[Concession, ...], PlanSegment]]:
    """Yield the concessions of each run of segments that share them, and the run as one segment."""
    for granted, run in groupby(segments, key=lambda segment: segment.concessions):
        together = list(run)
        days = Period(together[0].period.first, together[-1].period.last)
        yield granted, replace(together[0], period=days)
