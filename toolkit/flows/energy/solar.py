"""What the panels make, how much of it is used at home, and what it is worth."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import cast

import msgspec
import polars as pl
from msgspec.structs import replace

from toolkit.analytics.energy.bills import Period, PlanSegment
from toolkit.analytics.energy.plans.in_force import assumed_plans
from toolkit.analytics.energy.solar import (
    NOT_A_HOME,
    Array,
    Panels,
    SolarEstimate,
    climate,
    registered_devices,
    service_point_solar,
)
from toolkit.analytics.energy.solar.worth import SolarValue, value_of
from toolkit.answers.base import Note
from toolkit.answers.energy.solar import ServicePointSolar, Solar
from toolkit.errors import PricingError, StoreError, UsageError
from toolkit.flows.energy.bill import compiled
from toolkit.flows.household.billing_periods import BillingQuestion, options_of, where_reads_lie
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.facts import arrays_of, checked_panels_kw, checked_postcode
from toolkit.flows.household.service_points import ServicePoint, all_reads, service_points
from toolkit.flows.plans.choice import plans_in_force
from toolkit.problems import Problem
from toolkit.remedies import Message
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.meters import DerRecordRow


def solar(
    ctx: Context,
    *,
    panels_kw: float | None = None,
    postcode: str | None = None,
    from_: date | None = None,
    to: date | None = None,
) -> Solar:
    """Answer `solar`, for every electricity service point or the one named.

    The size of the panels is the first known of: `panels_kw`, the household's, the register of solar devices; else it
    is inferred from the export. postcode: where the home is, if not as stored. Days are meter days, inclusive.
    """
    size = None if panels_kw is None else checked_panels_kw(panels_kw)
    place = checked_postcode(postcode) if postcode else None
    with open_home(ctx) as (store, household):
        points = service_points(store, household, ctx.service_point, fuel="ELECTRICITY")
        question = _Question(store, household, size, place, from_, to, is_only=len(points) == 1)
        answers = [question.answer(point) for point in points]
    return Solar(
        service_points=tuple(answer for answer, _ in answers),
        problems=tuple(problem for _, problems in answers for problem in problems),
    )


@dataclass(frozen=True, slots=True)
class _Valued:
    value: SolarValue
    why_not: str | None = None
    notes: Sequence[Note] = ()
    plan_problems: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True)
class _Question:
    """One question, for any of the household's service points. is_only: whether it has only one."""

    store: Store
    household: HouseholdRow
    panels_kw: float | None
    postcode: str | None
    from_: date | None
    to: date | None
    is_only: bool

    def answer(self, point: ServicePoint) -> tuple[ServicePointSolar, list[Problem]]:
        home = self.household.household_id
        reads, read_problems = all_reads(self.store, home, point, from_=self.from_, to=self.to, generation=True)
        own_city = climate.city(*((None, self.postcode) if self.postcode else (point.state, point.postcode)))
        panels = self._panels(point, exporting=bool((reads["direction"] == "export").any()))
        estimate = service_point_solar(reads, city=own_city, panels=panels, from_=self.from_, to=self.to)
        valued = self._valued(point, reads, estimate)
        elsewhere = where_reads_lie(self.store, home, point) if reads.is_empty() else []
        estimated = estimate.answer
        reason = (
            Message(estimated.reason, " ", valued.why_not)
            if estimated.reason and valued.why_not
            else estimated.reason or valued.why_not
        )
        answer = replace(
            valued.value.added_to(estimated),
            service_point_id=point.id,
            reason=reason,
            notes=(*(() if own_city else (Note("sunshine_of_sydney"),)), *estimated.notes, *valued.notes, *elsewhere),
        )
        return answer, list(dict.fromkeys([*read_problems, *valued.plan_problems, *valued.value.problems]))

    def _valued(self, point: ServicePoint, reads: pl.DataFrame, estimate: SolarEstimate) -> _Valued:
        """Value what was exported and used at home, on the plans in force then."""
        if not (reads["direction"] == "export").any() or estimate.answer.reason == NOT_A_HOME:
            return _Valued(SolarValue())  # the estimate gives its own reason
        span = cast("date", reads["date"].min()), cast("date", reads["date"].max())
        try:
            in_force = plans_in_force(self.store, self.household, point, span)
            segments = [
                PlanSegment(compiled(segment.chosen, point, segment.last), Period(segment.first, segment.last))
                for segment in in_force
            ]
        except (UsageError, StoreError, PricingError) as error:
            return _Valued(SolarValue(), Message("The value of the solar is not known. ", error))
        options = options_of(BillingQuestion(), [segment.rates for segment in segments], point, [Period(*span)])
        return _Valued(
            value_of(
                reads,
                estimate.slots,
                segments,
                zone=point.zone,
                options=options,
                self_use_shares=estimate.self_use_shares,
            ),
            notes=[
                *assumed_plans(in_force),
                *(segment.unknown for segment in in_force if segment.unknown),
                *(note for segment in in_force for note in segment.chosen.notes),
            ],
            plan_problems=[problem for segment in in_force for problem in segment.chosen.problems],
        )

    def _panels(self, point: ServicePoint, *, exporting: bool) -> Panels:
        """The size first as asked, then as set for the household (at the point that exports), then as registered."""
        devices = registered_devices(self.store.load(DerRecordRow, self.household.household_id), point.id)
        known = self.household
        arrays = tuple(Array(*msgspec.structs.astuple(array)) for array in arrays_of(known))
        if not (self.is_only or exporting):
            known, arrays = replace(known, panels_kw=None, inverter_kw=None, battery_kwh=None), ()
        household_kw = known.panels_kw or sum(array.kw or 0.0 for array in arrays)
        sizes = ((self.panels_kw, "as given"), (household_kw, "household"), (devices.kw, "device register"))
        kw, source = next(((kw, source) for kw, source in sizes if kw), (None, None))
        return dataclasses.replace(
            devices,
            kw=kw,
            source=source,
            arrays=arrays,
            inverter_kw=known.inverter_kw or devices.inverter_kw,
            storage_kwh=devices.storage_kwh if known.battery_kwh is None else known.battery_kwh,
        )
