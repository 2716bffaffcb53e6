"""Recompute invoices: what their reads come to on the plan in force then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

import polars as pl

from toolkit.analytics.energy.bills import Period, PlanSegment, Usage, prepare
from toolkit.analytics.energy.bills.concessions import typed_concession
from toolkit.analytics.energy.plans.in_force import ChosenPlan, InForce, Versions, own_feed_in
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.reconcile import BilledInvoice, Metered, Recomputed, recompute
from toolkit.analytics.energy.reconcile.open_reads import NO_OPEN_READS, OpenReads, open_reads
from toolkit.errors import ChoiceRequiredError, PricingError, StoreError
from toolkit.flows.energy.bill import concessions_of
from toolkit.flows.household.billing_periods import BillingQuestion, options_of, reads_for
from toolkit.flows.household.service_points import ServicePoint, accumulation_reads, fuel_of
from toolkit.flows.plans.choice import plans_in_force, versions_for
from toolkit.problems import Problem
from toolkit.remedies import Message
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

_DAY = timedelta(1)


@dataclass(slots=True)
class Recomputer:
    """Recomputes invoices; reads of each service point are loaded once, over all of them; plans are compiled once.

    spans: each invoice's service points, first and last day.
    """

    store: Store
    household: HouseholdRow
    spans: Sequence[tuple[tuple[ServicePoint, ...], date, date]]
    problems: list[Problem] = field(default_factory=list)
    _reads: dict[str, pl.DataFrame] = field(default_factory=dict)
    _dial: dict[str, pl.DataFrame] = field(default_factory=dict)
    _usage: dict[str, Usage] = field(default_factory=dict)
    _rates: dict[tuple[str, str], Rates] = field(default_factory=dict)
    _versions: dict[tuple[str, str | None], Versions] = field(default_factory=dict)

    def recomputed(self, points: Sequence[ServicePoint], invoice: BilledInvoice) -> Recomputed:
        """Return what an invoice's reads come to, or the reason why that is not known."""
        try:
            by_point = [self._in_force(point, invoice) for point in points]
            metered = tuple(
                self._metered(point, invoice, segments) for point, segments in zip(points, by_point, strict=True)
            )
        except (PricingError, ChoiceRequiredError, StoreError) as error:
            return Recomputed(invoice, reason=Message(error))
        return recompute(invoice, metered, [segment for segments in by_point for segment in segments])

    def _in_force(self, point: ServicePoint, invoice: BilledInvoice) -> list[InForce]:
        period, versions = invoice.period, self._versions_for(point, invoice.account_id)
        return plans_in_force(self.store, self.household, point, (period.first, period.last), versions)

    def _metered(self, point: ServicePoint, invoice: BilledInvoice, segments: Sequence[InForce]) -> Metered:
        compiled = [self._part(segment, point, invoice) for segment in segments]
        versions = self._versions_for(point, invoice.account_id)
        others = [self.rates(plan_of, point) for plan_of in self._others(versions, segments)]
        options = options_of(BillingQuestion(), [segment.rates for segment in compiled], point, [invoice.period])
        usage = self._usage_of(point)
        return Metered(usage, tuple(compiled), options, tuple(others), self._open_reads(point, invoice.period))

    def _open_reads(self, point: ServicePoint, period: Period) -> OpenReads:
        dial = self._dial[point.id]
        return NO_OPEN_READS if dial.is_empty() else open_reads(dial, self._reads[point.id], period)

    def _others(self, versions: Versions, segments: Sequence[InForce]) -> list[ChosenPlan]:
        account = segments[-1].chosen.account_id
        return [ChosenPlan(plan, own=True, account_id=account) for plan in versions.others(segments)]

    def _part(self, segment: InForce, point: ServicePoint, invoice: BilledInvoice) -> PlanSegment:
        chosen = segment.chosen
        rates = self.rates(chosen, point)
        if not rates.priceable:
            raise PricingError(rates.plan_id, "; ".join(problem.reason for problem in rates.problems))
        concessions = concessions_of(self.store, self.household.household_id, chosen, fuel_of(point))
        if invoice.concession_minor and not concessions:
            concessions = (typed_concession(invoice.concession_minor),)
        return PlanSegment(rates, Period(segment.first, segment.last), concessions)

    def rates(self, chosen: ChosenPlan, point: ServicePoint) -> Rates:
        """Return a plan as rates for the service point, with its account's own feed-in; compiled once."""
        key = (chosen.plan.version, fuel_of(point))
        if key not in self._rates:
            self._rates[key] = compile_plan(chosen.plan, fuel_of(point), feed_in=own_feed_in(chosen))
        return self._rates[key]

    def _versions_for(self, point: ServicePoint, account: str | None) -> Versions:
        key = (point.id, account)
        if key not in self._versions:
            self._versions[key] = versions_for(self.store, self.household.household_id, point, account)
        return self._versions[key]

    def _usage_of(self, point: ServicePoint) -> Usage:
        if point.id not in self._usage:
            mine = [(first, last) for points, first, last in self.spans if point in points]
            whole = Period(min(first for first, _ in mine) - _DAY, max(last for _, last in mine) + _DAY)
            home = self.household.household_id
            reads, problems = reads_for(self.store, home, point, [whole], year=True)
            self.problems += problems
            self._reads[point.id] = reads
            self._dial[point.id] = accumulation_reads(self.store, home, point, from_=whole.first, to=whole.last)
            self._usage[point.id] = prepare(reads, zone=point.zone, unit="MJ" if fuel_of(point) == "GAS" else "kWh")
        return self._usage[point.id]
