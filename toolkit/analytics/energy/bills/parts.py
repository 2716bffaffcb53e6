"""A bill over days on which different plans, or versions of one, were in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from operator import add

from toolkit.analytics.energy.bills.model import Bill, Options, Period
from toolkit.analytics.energy.bills.pricing import price
from toolkit.analytics.energy.bills.usage import Usage
from toolkit.analytics.energy.rates.model import Rates


@dataclass(frozen=True, slots=True)
class Part:
    """Days on which one version of a plan was in force."""

    rates: Rates
    period: Period

    def of(self, periods: Sequence[Period]) -> list[Period]:
        """What of the periods lies in these days."""
        cut = [Period(max(p.first, self.period.first), min(p.last, self.period.last)) for p in periods]
        return [period for period in cut if period.days > 0]


def price_parts(usage: Usage, parts: Sequence[Part], periods: Sequence[Period], *, options: Options) -> Bill:
    """The billing periods on the plans of their days, in order. A part of a period is priced as one of its own."""
    cuts = [(part, part.of(periods)) for part in parts]
    bills = [price(usage, part.rates, cut, options=options) for part, cut in cuts if cut]
    return replace(
        bills[-1],
        periods=tuple(periods),
        lines=tuple(chain.from_iterable(bill.lines for bill in bills)),
        assumed=tuple(dict.fromkeys(chain.from_iterable(bill.assumed for bill in bills))),
        unpriceable=tuple(dict.fromkeys(chain.from_iterable(bill.unpriceable for bill in bills))),
        quality=reduce(add, [bill.quality for bill in bills]),
        unpriced=reduce(add, [bill.unpriced for bill in bills]),
    )
