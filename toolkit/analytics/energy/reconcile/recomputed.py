"""A bill recomputed with the plan in force then, by segments where its prices changed inside the period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from toolkit.analytics.energy.bills.pricing import PlanSegment, price_segments
from toolkit.analytics.energy.intervals.prepare import Usage
from toolkit.analytics.energy.plans.in_force import InForce, assumed_plans
from toolkit.analytics.energy.pricing.model import Bill, Options
from toolkit.analytics.energy.rates.model import Rates
from toolkit.analytics.energy.reconcile.billed_invoice import BilledInvoice
from toolkit.analytics.energy.reconcile.open_reads import NO_OPEN_READS, OpenReads
from toolkit.answers.base import Note, Period


@dataclass(frozen=True, slots=True)
class Metered:
    """One service point's share of an invoice.

    others: versions of its plan that were not in force, newest first. open_reads: what a dial leaves open.
    """

    usage: Usage
    segments: tuple[PlanSegment, ...]
    options: Options
    others: tuple[Rates, ...] = ()
    open_reads: OpenReads = NO_OPEN_READS

    def bill(self, segments: Sequence[PlanSegment] | None = None, **options: Any) -> Bill:
        """Return the bill of all segments as one period; `options` replace those of the household."""
        chosen = replace(self.options, **options)
        priced = segments or self.segments
        whole = Period(priced[0].period.first, priced[-1].period.last)
        return price_segments(self.usage, priced, [whole], options=chosen)

    def moved(self, before: int, after: int) -> list[PlanSegment]:
        """Return the segments with the first day moved by `before` days and the last by `after`."""
        segments = list(self.segments)
        first = segments[0].period
        segments[0] = replace(segments[0], period=Period(first.first + timedelta(before), first.last))
        last = segments[-1].period
        segments[-1] = replace(segments[-1], period=Period(last.first, last.last + timedelta(after)))
        return [segment for segment in segments if segment.period.days > 0]

    def on_meter_days(self) -> list[PlanSegment]:
        """Return the segments with the days that meters have, from midnight AEST; windows stay where they are."""
        return [replace(segment, rates=replace(segment.rates, time_zone="AEST")) for segment in self.segments]

    def wholly(self, rates: Rates) -> list[PlanSegment]:
        """Return all days on one version."""
        days = Period(self.segments[0].period.first, self.segments[-1].period.last)
        return [replace(self.segments[-1], rates=rates, period=days)]


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What one invoice's reads come to on the plan in force then."""

    invoice: BilledInvoice
    metered: tuple[Metered, ...] = ()
    """The share of each service point."""
    bills: tuple[Bill, ...] = ()
    """Of `metered`, in the same order."""
    reason: str | None = None
    """Why it cannot be recomputed; None where it can."""
    notes: tuple[Note, ...] = ()
    unknown: Note | None = None
    """Why plan and prices are not known for all of its days; None where they are."""
    prices_from: date | None = None
    """The first later day from which they are known."""

    @property
    def total(self) -> int | None:
        """Cents; None where it cannot be recomputed."""
        return None if self.reason else sum(bill.total_minor for bill in self.bills)


def recompute(invoice: BilledInvoice, metered: Sequence[Metered], in_force: Sequence[InForce]) -> Recomputed:
    """Return what an invoice's reads come to on the plans in force, or why that is not known.

    metered: the share of each service point. in_force: the plans of all of them, by their days.
    """
    bills = tuple(one.bill() for one in metered)
    notes = [*assumed_plans(in_force), *(note for segment in in_force for note in segment.chosen.notes)]
    unknown = next((segment for segment in reversed(in_force) if segment.unknown), None)
    unread = any(bill.quality.missing_share is None or bill.quality.missing_share >= 1 for bill in bills)
    reason = f"No reads between {invoice.period.first} and {invoice.period.last} are stored." if unread else None
    if unknown is None:
        return Recomputed(invoice, tuple(metered), bills, reason, tuple(notes))
    return Recomputed(invoice, tuple(metered), bills, reason, tuple(notes), unknown.unknown, unknown.known_from)
