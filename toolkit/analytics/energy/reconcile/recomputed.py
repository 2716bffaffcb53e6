"""A bill recomputed with the plan in force then, by parts where its prices changed inside the period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from toolkit.analytics.energy.bills.model import Bill, Options, Period
from toolkit.analytics.energy.bills.plan_segments import Part, price_parts
from toolkit.analytics.energy.intervals.prepare import Usage
from toolkit.analytics.energy.rates.model import Rates


@dataclass(frozen=True, slots=True)
class Metered:
    """One service point's share of an invoice. others: versions of its plan that were not in force, newest first."""

    usage: Usage
    parts: tuple[Part, ...]
    options: Options
    others: tuple[Rates, ...] = ()

    def bill(self, parts: Sequence[Part] | None = None, **options: Any) -> Bill:
        """The bill of all parts as one period; `options` replace those of the household."""
        chosen = replace(self.options, **options)
        priced = parts or self.parts
        whole = Period(priced[0].period.first, priced[-1].period.last)
        return price_parts(self.usage, priced, [whole], options=chosen)

    def moved(self, before: int, after: int) -> list[Part]:
        """The parts with the first day moved by `before` days and the last by `after`."""
        parts = list(self.parts)
        first = parts[0].period
        parts[0] = replace(parts[0], period=Period(first.first + timedelta(before), first.last))
        last = parts[-1].period
        parts[-1] = replace(parts[-1], period=Period(last.first, last.last + timedelta(after)))
        return [part for part in parts if part.period.days > 0]

    def wholly(self, rates: Rates) -> list[Part]:
        """All days on one version."""
        days = Period(self.parts[0].period.first, self.parts[-1].period.last)
        return [replace(self.parts[-1], rates=rates, period=days)]
