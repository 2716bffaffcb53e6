"""A bill recomputed with the plan in force then, by parts where its prices changed inside the period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain
from typing import Any

from toolkit.analytics.energy.bills.concessions import Concession, with_concessions
from toolkit.analytics.energy.bills.model import Bill, Options, Period
from toolkit.analytics.energy.bills.pricing import price
from toolkit.analytics.energy.bills.quality import quality_of
from toolkit.analytics.energy.bills.usage import Usage
from toolkit.analytics.energy.rates.model import Rates


@dataclass(frozen=True, slots=True)
class Part:
    """Days on which one version of a plan was in force."""

    rates: Rates
    period: Period


@dataclass(frozen=True, slots=True)
class Metered:
    """One service point's share of an invoice. others: versions of its plan that were not in force, newest first."""

    usage: Usage
    parts: tuple[Part, ...]
    options: Options
    concessions: tuple[Concession, ...] = ()
    others: tuple[Rates, ...] = ()

    def bill(self, parts: Sequence[Part] | None = None, **options: Any) -> Bill:
        """The bill of all parts as one period; `options` replace those of the household."""
        chosen = replace(self.options, **options)
        bills = [price(self.usage, part.rates, [part.period], options=chosen) for part in parts or self.parts]
        return with_concessions(_joined(bills, self.usage, chosen), self.concessions)

    def moved(self, before: int, after: int) -> list[Part]:
        """The parts with the first day moved by `before` days and the last by `after`."""
        parts = list(self.parts)
        first, last = parts[0].period, parts[-1].period
        parts[0] = replace(parts[0], period=Period(first.first + timedelta(before), first.last))
        last = parts[-1].period
        parts[-1] = replace(parts[-1], period=Period(last.first, last.last + timedelta(after)))
        return [part for part in parts if part.period.days > 0]

    def wholly(self, rates: Rates) -> list[Part]:
        """All days on one version."""
        return [Part(rates, Period(self.parts[0].period.first, self.parts[-1].period.last))]


def _joined(bills: Sequence[Bill], usage: Usage, options: Options) -> Bill:
    if len(bills) == 1:
        return bills[0]
    whole = Period(bills[0].periods[0].first, bills[-1].periods[-1].last)
    quality = quality_of([usage.grid("AEST").framed(whole.first, whole.last, options.holidays)])
    return replace(
        bills[-1],
        periods=(whole,),
        lines=tuple(line for bill in bills for line in bill.lines),
        notes=tuple(dict.fromkeys(chain.from_iterable(bill.notes for bill in bills))),
        problems=tuple(dict.fromkeys(chain.from_iterable(bill.problems for bill in bills))),
        measured_share=quality.measured_share,
        substituted_share=quality.substituted_share,
        missing_share=quality.missing_share,
        unpriced=sum((bill.unpriced for bill in bills), bills[0].unpriced * 0),
    )
