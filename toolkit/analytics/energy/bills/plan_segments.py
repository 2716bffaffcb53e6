"""Price a bill over days on which different plans, or versions of a plan, were in force."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, groupby
from operator import add

from toolkit.analytics.energy.bills.concessions import Concession, with_concessions
from toolkit.analytics.energy.bills.model import Bill, Options, Period
from toolkit.analytics.energy.bills.pricing import price
from toolkit.analytics.energy.intervals.prepare import Usage
from toolkit.analytics.energy.intervals.quality import yearly_energy
from toolkit.analytics.energy.rates.model import Rates


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


def on_one_clock(segments: Sequence[PlanSegment]) -> list[PlanSegment]:
    """Return the segments with days counted on one clock, the last plan's, so that no hour is lost or counted twice.

    Windows are still read on the clocks of their tariffs.
    """
    clock = segments[-1].rates.clock
    return [replace(segment, rates=replace(segment.rates, clock=clock)) for segment in segments]


def price_segments(
    usage: Usage, segments: Sequence[PlanSegment], periods: Sequence[Period], *, options: Options
) -> Bill:
    """Price billing periods on the plan of each day, in order, with each account's concessions.

    A segment is billed for its days only; a month's highest demand and the threshold of a discount are measured over
    the whole billing period.
    """
    priced = [segment for segment in on_one_clock(segments) if segment.cut(periods)]
    chosen = _with_yearly(usage, priced, periods, options)
    bill = _joined([_priced(usage, segment, periods, chosen) for segment in priced], periods)
    for granted, days in _accounts(priced):
        bill = with_concessions(bill, granted, days.of(periods))
    return bill


def _priced(usage: Usage, segment: PlanSegment, periods: Sequence[Period], options: Options) -> Bill:
    wholes, own = zip(*segment.cut(periods), strict=True)
    return price(usage, segment.rates, own, options=options, whole_periods=wholes)


def _with_yearly(usage: Usage, segments: Sequence[PlanSegment], periods: Sequence[Period], options: Options) -> Options:
    """Return options with the energy of the year up to the bill's end, if a segment's supply charge depends on it."""
    if options.yearly is not None or not any(segment.rates.banded for segment in segments):
        return options
    clock = segments[-1].rates.clock
    return replace(options, yearly=yearly_energy(usage.matrix(clock), max(period.last for period in periods)))


def _joined(bills: Sequence[Bill], periods: Sequence[Period]) -> Bill:
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
