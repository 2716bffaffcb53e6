"""A bill recomputed with the plan in force then, by segments where its prices changed inside the period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from toolkit.analytics.energy.bills.model import Bill, Options, Period
from toolkit.analytics.energy.bills.pricing import PlanSegment, price_segments
from toolkit.analytics.energy.intervals.prepare import Usage
from toolkit.analytics.energy.rates.model import Rates


@dataclass(frozen=True, slots=True)
class Metered:
    """One service point's share of an invoice. others: versions of its plan that were not in force, newest first."""

    usage: Usage
    segments: tuple[PlanSegment, ...]
    options: Options
    others: tuple[Rates, ...] = ()

    def bill(self, segments: Sequence[PlanSegment] | None = None, **options: Any) -> Bill:
        """The bill of all segments as one period; `options` replace those of the household."""
        chosen = replace(self.options, **options)
        priced = segments or self.segments
        whole = Period(priced[0].period.first, priced[-1].period.last)
        return price_segments(self.usage, priced, [whole], options=chosen)

    def moved(self, before: int, after: int) -> list[PlanSegment]:
        """The segments with the first day moved by `before` days and the last by `after`."""
        segments = list(self.segments)
        first = segments[0].period
        segments[0] = replace(segments[0], period=Period(first.first + timedelta(before), first.last))
        last = segments[-1].period
        segments[-1] = replace(segments[-1], period=Period(last.first, last.last + timedelta(after)))
        return [segment for segment in segments if segment.period.days > 0]

    def wholly(self, rates: Rates) -> list[PlanSegment]:
        """All days on one version."""
        days = Period(self.segments[0].period.first, self.segments[-1].period.last)
        return [replace(self.segments[-1], rates=rates, period=days)]
