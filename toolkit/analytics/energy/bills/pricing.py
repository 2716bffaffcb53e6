"""Price usage on compiled rates, on one plan or on those in force. The total of a bill is the sum of its lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import chain, groupby
from operator import add

import polars as pl

from toolkit.analytics.energy.intervals.matrix import IntervalMatrix, yearly_energy
from toolkit.analytics.energy.intervals.prepare import Usage, prepare
from toolkit.analytics.energy.pricing import Market, price_home, price_market
from toolkit.analytics.energy.pricing.engine import home_of
from toolkit.analytics.energy.pricing.model import COMPONENTS, Bill, Component, Line, Options, Price, Quantity, aud
from toolkit.analytics.energy.rates.charges import share_of
from toolkit.analytics.energy.rates.contract import number
from toolkit.analytics.energy.rates.model import DayCount, Duration, PlanTimeZone, Rates, read_duration
from toolkit.answers.base import Period
from toolkit.answers.notes import Note
from toolkit.tables.schema.energy import ConcessionRow
from toolkit.units import DEFAULT_ZONE

_TARGETS: dict[str, frozenset[Component]] = {
    "INVOICE": frozenset(COMPONENTS),
    "USAGE": frozenset(("usage",)),
    "SERVICE_CHARGE": frozenset(("supply",)),
    "CONTROLLED_LOAD": frozenset(("controlled_load",)),
}


@dataclass(frozen=True, slots=True)
class Concession:
    """One row of table `concessions`."""

    label: str
    amount: Decimal | None
    """AUD each time; None for a percentage."""
    share: Decimal | None
    """Share of the targeted lines: 0.05 is five per cent."""
    every: Duration | None
    """How often an amount is granted; None is once a billing period."""
    targets: frozenset[Component]
    """Components that a share is taken of."""
    first: date | None
    last: date | None


def read_concession(row: ConcessionRow) -> Concession:
    """Read a stored row. A percentage of 1 or more is divided by 100, as discounts are."""
    named = json.loads(row.applied_to or "[]") or ["INVOICE"]
    share = number(row.percentage)
    kind = str(row.type or "").upper()
    return Concession(
        label=str(row.display_name or "Concession"),
        amount=None if kind == "FIXED_PERCENTAGE" else number(row.amount),
        share=None if kind == "FIXED_AMOUNT" or share is None else share_of(share),
        every=read_duration(row.discount_frequency),
        targets=frozenset().union(*(_TARGETS.get(str(name).upper(), frozenset()) for name in named)),
        first=row.start_date,
        last=row.end_date,
    )


def typed_concession(minor: int) -> Concession:
    """Return a concession of so many cents on one bill, as a person typed it from there."""
    return Concession("Concession on the bill", aud(minor), None, None, frozenset(), None, None)


def with_concessions(bill: Bill, concessions: Sequence[Concession], periods: Sequence[Period] | None = None) -> Bill:
    """Return the bill with a credit line per concession and billing period; as stated, without GST.

    periods: those of the account that the concessions are of, where the bill is not all its own.

    A fixed amount counts as often as its frequency fits into the days it holds; a percentage is of the lines it
    targets, by those days. One without either is a note.
    """
    lines = list(bill.lines)
    assumed = list(bill.assumed)
    for concession in concessions:
        if concession.amount is None and concession.share is None:
            assumed.append(Note("concession_without_amount", label=concession.label))
            continue
        lines += [line for period in periods or bill.periods for line in _lines(concession, bill, period)]
    return replace(bill, lines=tuple(lines), assumed=tuple(assumed))


def _lines(concession: Concession, bill: Bill, period: Period) -> Iterator[Line]:
    """Yield the credit of one concession for one billing period; nothing outside its dates."""
    first = max(period.first, concession.first or period.first)
    last = min(period.last, concession.last or period.last)
    granted = Period(first, last)
    if granted.days < 1:
        return
    if concession.amount:
        times = _times(concession, granted, period)
        yield Line.priced("concession", concession.label, granted, times, Price(-concession.amount, "none"))
    elif concession.share:
        targeted = sum(
            line.amount_minor
            for line in bill.lines
            if line.component in concession.targets and period.first <= line.first and line.last <= period.last
        )
        base = Fraction(targeted, 100) * granted.days / period.days
        price = Price(-concession.share, "none")
        yield Line.priced("concession", concession.label, granted, Quantity(base, "$"), price)


def _times(concession: Concession, granted: Period, period: Period) -> Quantity:
    """Return how often an amount is granted in those days; once a bill by its share of days, without a frequency."""
    if concession.every is None:
        return Quantity(Fraction(granted.days, period.days), "bill")
    days = [granted.first + timedelta(n) for n in range(granted.days)]
    return Quantity(concession.every.fits(DayCount.of(days)), str(concession.every))


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


def price_matrices(
    matrices: Mapping[PlanTimeZone, IntervalMatrix],
    rates: Rates,
    periods: Sequence[Period],
    *,
    options: Options,
    yearly: Decimal | None = None,
) -> Bill:
    """Price as `price` does, from matrices by time zone that contain the periods' days, such as simulated futures.

    Every matrix counts days in the plan's own time zone (`Usage.matrix`), so that a row is the same day in all of them.
    """
    market = Market.of([rates])
    return price_home(market, home_of(market, matrices, periods, options, yearly), options).bill(0)


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
    for granted, days in accounts(priced):
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


def accounts(segments: Sequence[PlanSegment]) -> Iterator[tuple[tuple[Concession, ...], PlanSegment]]:
    """Yield the concessions of each run of segments that share them, and the run as one segment."""
    for granted, run in groupby(segments, key=lambda segment: segment.concessions):
        together = list(run)
        days = Period(together[0].period.first, together[-1].period.last)
        yield granted, replace(together[0], period=days)
