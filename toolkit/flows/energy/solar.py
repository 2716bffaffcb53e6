"""What the panels make, how much of it is used at home, and what it is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

import polars as pl

from toolkit.analytics.energy.bills import Period, PlanSegment
from toolkit.analytics.energy.solar import Panels, climate, service_point_solar
from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.solar.worth import NOTHING, value_of
from toolkit.errors import PricingError, Problem, StoreError, UsageError
from toolkit.flows.energy.bill import compiled
from toolkit.flows.household.billing_periods import BillingQuestion, options_of, where_reads_lie
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.homes import checked_panels_kw, checked_postcode
from toolkit.flows.household.service_points import ServicePoint, all_reads, service_points
from toolkit.flows.plans.in_force import of_today_throughout, plans_in_force
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

NO_PLACE = (
    "The home's place is not known, so Sydney's sun is assumed: tell it with `--postcode` or `toolkit household set`."
)


def solar(
    ctx: Context,
    *,
    panels_kw: float | None = None,
    postcode: str | None = None,
    from_: date | None = None,
    to: date | None = None,
) -> dict[str, Any]:
    """`solar`: see docs/commands.md, for every electricity service point or the one named.

    The size of the panels is the first known of: `panels_kw`, the household's, the register of solar devices; else it
    is inferred from the export. postcode: where the home is, if not as stored. Days are meter days, inclusive.
    Problems: of the reads, of the plans, and of the bills that solar is valued with.
    """
    size = None if panels_kw is None else checked_panels_kw(panels_kw)
    place = checked_postcode(postcode) if postcode else None
    with open_home(ctx) as (store, household):
        points = service_points(store, household, ctx.service_point, fuel="ELECTRICITY")
        asked = _Asked(store, household, size, place, from_, to, len(points) == 1)
        answers = [asked.about(point) for point in points]
    return {
        "service_points": [answer for answer, _ in answers],
        "problems": [problem for _, problems in answers for problem in problems],
    }


@dataclass(frozen=True, slots=True)
class _Worth:
    """figures: in money, null where `why_not` says why."""

    figures: Mapping[str, Any]
    why_not: str | None = None
    notes: Sequence[str] = ()
    problems: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question, about any of the household's service points. alone: whether it has only one."""

    store: Store
    household: HouseholdRow
    panels_kw: float | None
    postcode: str | None
    from_: date | None
    to: date | None
    alone: bool

    def about(self, point: ServicePoint) -> tuple[dict[str, Any], list[dict[str, str]]]:
        household_id = self.household.household_id
        reads, problems = all_reads(self.store, household_id, point, from_=self.from_, to=self.to)
        city, notes = self._city(point)
        panels = self._panels(point, exporting=bool((reads["direction"] == "export").any()))
        found = service_point_solar(reads, zone=point.zone, city=city, panels=panels)
        worth = self._worth(point, reads, found.slots)
        answer = {
            "service_point_id": point.id,
            **found.figures,
            **_span(reads, self.from_, self.to),
            **worth.figures,
            "reason": " ".join(reason for reason in (found.figures["reason"], worth.why_not) if reason) or None,
            "notes": [*notes, *found.notes, *worth.notes, *self._elsewhere(point, reads)],
        }
        return answer, [problem.as_json() for problem in dict.fromkeys([*problems, *worth.problems])]

    def _worth(self, point: ServicePoint, reads: pl.DataFrame, slots: pl.DataFrame | None) -> _Worth:
        """What export earned and self-use saved on the plans in force then."""
        if not (reads["direction"] == "export").any():
            return _Worth(NOTHING)  # why is in the figures' own reason
        span = cast("date", reads["date"].min()), cast("date", reads["date"].max())
        try:
            found = plans_in_force(self.store, self.household, point, span)
            segments = [
                PlanSegment(compiled(segment.chosen, point, segment.last), Period(segment.first, segment.last))
                for segment in found
            ]
        except (UsageError, StoreError, PricingError) as error:
            return _Worth(NOTHING, f"What it is worth is not known: {error}")
        assumed = [] if found[0].chosen.account_id else [str(of_today_throughout(found[0]))]
        notes = [str(note) for segment in found for note in segment.chosen.notes]
        options = options_of(BillingQuestion(), [segment.rates for segment in segments], point, [Period(*span)])
        figures, unpriced = value_of(reads, slots, segments, zone=point.zone, options=options)
        read_problems = [problem for segment in found for problem in segment.chosen.problems]
        return _Worth(figures, None, [*assumed, *notes], [*read_problems, *unpriced])

    def _elsewhere(self, point: ServicePoint, reads: pl.DataFrame) -> list[str]:
        return where_reads_lie(self.store, self.household.household_id, point) if reads.is_empty() else []

    def _city(self, point: ServicePoint) -> tuple[City, list[str]]:
        given = (None, self.postcode) if self.postcode else (point.state, point.postcode)
        found = climate.city(*given)
        return (found, []) if found else (climate.CITIES[0], [NO_PLACE])

    def _panels(self, point: ServicePoint, *, exporting: bool) -> Panels:
        """The size first as asked, then as the household says (of the point that exports), then as registered."""
        devices = self._devices(point)
        said = self.household.panels_kw if self.alone or exporting else None
        sizes = ((self.panels_kw, "as given"), (said, "household"), (devices["panels_kw"], "device register"))
        kw, source = next(((kw, source) for kw, source in sizes if kw), (None, None))
        return Panels(kw, source, devices["inverter_kw"], devices["storage_kwh"], devices["since"])

    def _devices(self, point: ServicePoint) -> dict[str, Any]:
        """Sums over the register's active devices at the service point; null where none has a figure."""
        rows = self.store.rows("der_records", self.household.household_id)
        here = [row for row in rows if row["service_point_id"] == point.id and row["vanished_at"] is None]
        sums = {name: _sum(here, name) for name in ("panels_kw", "inverter_kw", "storage_kwh")}
        began = [row["commissioning_date"] for row in here if row["commissioning_date"]]
        return {**sums, "since": min(began, default=None)}


def _sum(rows: list[dict[str, Any]], name: str) -> float | None:
    known = [float(row[name]) for row in rows if row[name]]
    return sum(known) if known else None


def _span(reads: pl.DataFrame, from_: date | None, to: date | None) -> dict[str, date | None]:
    if reads.is_empty():
        return {"from": from_, "to": to}
    return {"from": from_ or cast("date", reads["date"].min()), "to": to or cast("date", reads["date"].max())}
