"""What the plan before a switch would have charged, and what the switch saved on the same days a year before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from toolkit.analytics.energy.bills.pricing import PlanSegment
from toolkit.analytics.energy.rates.model import DAYS_PER_YEAR, Rates
from toolkit.analytics.energy.reconcile.recomputed import Metered
from toolkit.answers.base import Period

_YEAR = timedelta(DAYS_PER_YEAR)


@dataclass(frozen=True, slots=True)
class OnOldPlan:
    """One bill on the plan before the switch. minor: cents. year_before: cents saved on the same days a year before.

    year_before is None where reads of those days are missing.
    """

    minor: int
    year_before: int | None


def on_old_plan(metered: Metered, old: Rates, holidays: frozenset[date]) -> OnOldPlan:
    """Price a bill's reads on the plan before the switch, with the bill's own concessions.

    holidays: public holidays of its days and of those a year before, where the old plan names them.
    """
    segments = metered.wholly(old)
    total = metered.bill(segments, holidays=holidays).total_minor
    then = metered.bill(_year_before(segments), holidays=holidays)
    if then.quality.missing_share != 0:
        return OnOldPlan(total, None)
    return OnOldPlan(total, then.total_minor - metered.bill(_year_before(metered.segments)).total_minor)


def _year_before(segments: Sequence[PlanSegment]) -> list[PlanSegment]:
    return [
        replace(segment, period=Period(segment.period.first - _YEAR, segment.period.last - _YEAR))
        for segment in segments
    ]
