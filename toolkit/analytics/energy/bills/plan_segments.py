"""A bill over days on which different plans, or versions of one, were in force."""

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
class Part:
    """Days on which one version of a plan was in force. concessions: those of the account that it came with."""

    rates: Rates
    period: Period
    concessions: tuple[Concession, ...] = ()

    def of(self, periods: Sequence[Period]) -> list[Period]:
        """What of the periods lies in these days."""
        return [own for _, own in self.cut(periods)]

    def cut(self, periods: Sequence[Period]) -> list[tuple[Period, Period]]:
        """Each period that reaches into these days, and what of it lies in them."""
        first, last = self.period.first, self.period.last
        cut = [(period, Period(max(period.first, first), min(period.last, last))) for period in periods]
        return [(period, own) for period, own in cut if own.days > 0]


def on_one_clock(parts: Sequence[Part]) -> list[Part]:
    """The parts with days of one clock, the last plan's: between two clocks no hour is lost or doubled.

    Windows are read on the clocks of their tariffs as before.
    """
    clock = parts[-1].rates.clock
    return [replace(part, rates=replace(part.rates, clock=clock)) for part in parts]


def price_parts(usage: Usage, parts: Sequence[Part], periods: Sequence[Period], *, options: Options) -> Bill:
    """The billing periods on the plans of their days, in order, with each account's concessions.

    A part of a billing period is billed for its days; what goes by the billing period (a month's highest demand, the
    threshold of a discount) is measured over the whole of it.
    """
    held = [part for part in on_one_clock(parts) if part.cut(periods)]
    chosen = _with_yearly(usage, held, periods, options)
    bill = _joined([_priced(usage, part, periods, chosen) for part in held], periods)
    for granted, days in _accounts(held):
        bill = with_concessions(bill, granted, days.of(periods))
    return bill


def _priced(usage: Usage, part: Part, periods: Sequence[Period], options: Options) -> Bill:
    wholes, own = zip(*part.cut(periods), strict=True)
    return price(usage, part.rates, own, options=options, parts_of=wholes)


def _with_yearly(usage: Usage, parts: Sequence[Part], periods: Sequence[Period], options: Options) -> Options:
    """A year's energy is that up to the bill's end, in all parts."""
    if options.yearly is not None or not any(part.rates.banded for part in parts):
        return options
    clock = parts[-1].rates.clock
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


def _accounts(parts: Sequence[Part]) -> Iterator[tuple[tuple[Concession, ...], Part]]:
    """The concessions of each run of parts that share them, and the run as one part."""
    for granted, run in groupby(parts, key=lambda part: part.concessions):
        together = list(run)
        days = Period(together[0].period.first, together[-1].period.last)
        yield granted, replace(together[0], period=days)
