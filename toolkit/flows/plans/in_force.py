"""Which plan was in force on a day: one rule for bills, forecasts, invoices, solar and what-if.

An account's plans and their versions are kept, so that last year's invoice meets last year's prices. On a day counts,
of all versions that supply the service point:

1. one that holds on it (from its first to its last day) before one that does not; where none holds, the nearest: the
   latest that had begun, else the first to begin;
2. of those the one that began last. One that the retailer gives without a first day began when it was first seen,
   unless nothing was seen before it;
3. of versions with one first day (prices changed in place) the one seen last by that day, else the one seen first.

A version that the service gives no longer was a mistake, and is left out, where another, seen later, had begun before
it and holds on its first day, too.
Without an account it is the plan that the person named, else the only one stored, whatever the day; of its versions the
one whose own first day (`effective_from`) came last by then. With an account the named plan is not used, which is said;
any plan is priced by its id.

Prices are known of the days on which a version of the account holds, or, of a plan that the person named, from the day
since when the home is on it and from that version's own first day, whichever is later.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import Any

from toolkit.answers.notes import Note
from toolkit.errors import ChoiceRequiredError, StoreError
from toolkit.flows.household.service_points import ServicePoint
from toolkit.flows.plans.stored import MOST_CHOICES, ChosenPlan, fuel_of, latest, stored_plans
from toolkit.store import Store
from toolkit.tables.plans import Plan
from toolkit.tables.schema.identity import HouseholdRow

_DAY = timedelta(1)


@dataclass(frozen=True, slots=True)
class InForce:
    """A plan from `first` to `last`, both inclusive.

    unknown: why its prices are not known for all of these days, as a sentence; None where they are. known_from: the
    first later day from which they are.
    """

    chosen: ChosenPlan
    first: date
    last: date
    unknown: str | None = None
    known_from: date | None = None


def of_today_throughout(part: InForce) -> Note:
    """Return what to note where no account shows which plan was in force when."""
    return Note("plan_assumed", first=part.first, last=part.last, plan=part.chosen.plan.plan_id)


@dataclass(frozen=True, slots=True)
class _Version:
    """One row of `account_plans`, with the day on which its content was first seen. start: date.min where unknown."""

    plan: Plan
    account_id: str
    start: date
    end: date | None
    current: bool
    seen: date

    @property
    def known_from(self) -> date:
        """The first day of which its prices are known: that of the account, not before the plan's own."""
        began = self.seen if self.start == date.min else self.start
        return max(began, self.plan.first_day or began)

    def knows(self, day: date) -> bool:
        return self.holds(day) and self.known_from <= day

    def holds(self, day: date) -> bool:
        return self.start <= day and (self.end is None or day <= self.end)

    @property
    def prices(self) -> tuple[object, ...]:
        """What a bill goes by: versions that differ in a nickname, a contact or a last day only share it."""
        return self.account_id, *_prices(self.plan)

    def rank(self, day: date) -> tuple[bool, int, int, bool]:
        """By the rule at the top; the greatest counts."""
        start, seen = self.start.toordinal(), self.seen.toordinal()
        begun, known = self.start <= day, self.seen <= day
        return self.holds(day), start if begun else -start, seen if known else -seen, self.current


@dataclass(frozen=True, slots=True)
class Versions:
    """Every version of the plans that one service point has been on by its account; empty without an account."""

    found: tuple[_Version, ...]

    def in_force(self, first: date, last: date) -> list[InForce]:
        """The days from `first` to `last`, cut where another plan or other prices begin to count."""
        days = [first + _DAY * n for n in range((last - first).days + 1)]
        best = [(max(self.found, key=lambda version: version.rank(day)), day) for day in days]
        return [self._part(list(run)) for _, run in groupby(best, key=lambda pair: pair[0].prices)]

    def _part(self, days: Sequence[tuple[_Version, date]]) -> InForce:
        version = days[-1][0]
        gap = next((day for holder, day in days if not holder.holds(day)), None)
        notes = () if gap is None else (Note("plan_gap", day=gap),)
        chosen = ChosenPlan(version.plan, own=True, account_id=version.account_id, notes=notes)
        unknown = [day for holder, day in days if not holder.knows(day)]
        if not unknown:
            return InForce(chosen, days[0][1], days[-1][1])
        later = (each.known_from for each in self.found if each.known_from > unknown[-1])
        known_from = min(later, default=None)
        why = _known_only_from(known_from) if known_from else f"The account names no plan for {unknown[0]}."
        return InForce(chosen, days[0][1], days[-1][1], why, known_from)

    def others(self, parts: Sequence[InForce]) -> list[Plan]:
        """The versions that are in none of the parts, newest first."""
        used = [part.chosen.plan for part in parts]
        rest = [version for version in self.found if not any(_alike(version.plan, plan) for plan in used)]
        return [v.plan for v in sorted(rest, key=lambda v: (v.start, v.seen), reverse=True)]


def _prices(plan: Plan) -> tuple[object, ...]:
    return plan.plan_id, plan.electricity_contract, plan.gas_contract, plan.metering_charges


def _alike(one: Plan, other: Plan) -> bool:
    return _prices(one) == _prices(other)


def _known_only_from(day: date) -> str:
    return f"We know this plan's prices only from {day}."


def plan_in_force(store: Store, household: HouseholdRow, point: ServicePoint, on: date) -> ChosenPlan:
    """The plan in force for the service point on that day.

    Raises StoreError where none is stored, ChoiceRequiredError where several could be meant.
    """
    return plans_in_force(store, household, point, (on, on))[0].chosen


def plans_in_force(
    store: Store,
    household: HouseholdRow,
    point: ServicePoint,
    span: tuple[date, date],
    versions: Versions | None = None,
) -> list[InForce]:
    """The span, cut where another plan comes into force. versions: those of the service point, where they are known.

    Raises StoreError where no plan is known, ChoiceRequiredError where several could be meant.
    """
    found = versions or versions_for(store, household.household_id, point)
    if found.found:
        return _naming_what_is_not_used(found.in_force(*span), household.plan_id)
    return _named_by_person(store, household, point, span) or [_only_stored(store, household, point, span)]


def _naming_what_is_not_used(parts: list[InForce], named: str | None) -> list[InForce]:
    if not named or named in {part.chosen.plan.plan_id for part in parts}:
        return parts
    note = Note("plan_not_used", plan=named)
    last = parts[-1]
    return [*parts[:-1], replace(last, chosen=replace(last.chosen, notes=(*last.chosen.notes, note)))]


def versions_for(store: Store, home: str, point: ServicePoint, account_id: str | None = None) -> Versions:
    """account_id: only that account's, where it supplies the point at all."""
    rows = [row for row in store.rows("account_plans", home) if _supplies(row, point)]
    rows = [row for row in rows if row["account_id"] == account_id] or rows
    found = [version for row in rows for version in _read(store, home, row) if fuel_of(point) in version.plan.fuels]
    dated = [_dated(version, found) for version in found]
    return Versions(tuple(version for version in dated if not _mistaken(version, dated)))


def _supplies(row: Mapping[str, Any], point: ServicePoint) -> bool:
    supplied = json.loads(row["service_point_ids"] or "[]")
    return not supplied or not point.ids.isdisjoint(supplied)


def _read(store: Store, home: str, row: Mapping[str, Any]) -> list[_Version]:
    where = {"household_id": home, "plan_id": row["plan_id"], "version": row["version"]}
    seen = [int(sequence) for (sequence,) in store.tuples("plans", ("sequence",), where=where)]
    first_seen = datetime.fromtimestamp(min(seen, default=0), UTC).date()
    start = row["start_date"] or date.min
    return [
        _Version(plan, row["account_id"], start, row["end_date"], bool(row["is_current"]), first_seen)
        for plan in stored_plans(store, home, where)
    ]


def _dated(version: _Version, found: Sequence[_Version]) -> _Version:
    """Without a first day it began when it was first seen, if others were there before."""
    earlier = any(other.seen < version.seen for other in found)
    return replace(version, start=version.seen) if version.start == date.min and earlier else version


def _mistaken(version: _Version, found: Sequence[_Version]) -> bool:
    """Given no longer, and one that came later had begun before it and holds on its first day, too: put right since."""
    right = (other for other in found if other.current and other.seen > version.seen)
    return not version.current and any(other.start < version.start and other.holds(version.start) for other in right)


def _named_by_person(
    store: Store, household: HouseholdRow, point: ServicePoint, span: tuple[date, date]
) -> list[InForce]:
    """The plan that the person named, cut where another version begins; empty where none is named and stored."""
    if not household.plan_id:
        return []
    home = household.household_id
    named = [plan for plan in stored_plans(store, home, {"plan_id": household.plan_id}) if fuel_of(point) in plan.fuels]
    if not named:
        return []
    return [_of_person(plan, household.plan_since, days) for plan, days in _by_version(named, span)]


def _by_version(versions: Sequence[Plan], span: tuple[date, date]) -> list[tuple[Plan, tuple[date, date]]]:
    """Each version of one plan with its days of the span: on a day counts the one that began last, else the first to
    begin. Where the newest does not say when it began, it counts throughout."""
    (newest,) = latest(versions)
    if newest.first_day is None:
        return [(newest, span)]
    begins = {version.first_day: version for version in versions if version.first_day}
    ordered = sorted(begins)
    cuts = [span[0], *(day for day in ordered[1:] if span[0] < day <= span[1])]
    ends = [*(day - _DAY for day in cuts[1:]), span[1]]
    on = (max((day for day in ordered if day <= cut), default=ordered[0]) for cut in cuts)
    return [(begins[day], (cut, end)) for day, cut, end in zip(on, cuts, ends, strict=True)]


def _of_person(plan: Plan, since: date | None, days: tuple[date, date]) -> InForce:
    first, last = days
    later = since is not None and since > first
    notes = (Note("plan_before_known", day=since),) if later else ()
    chosen = ChosenPlan(plan, own=True, notes=notes)
    begins = plan.first_day
    if since is None:
        prices = f" (its prices hold from {begins})" if begins else ""
        why = f"We do not know since when this home is on {plan.plan_id}{prices}: `toolkit household set --since DATE`."
        return InForce(chosen, first, last, why, begins)
    known_from = max(since, begins or since)
    if known_from <= first:
        return InForce(chosen, first, last)
    return InForce(chosen, first, last, _known_only_from(known_from), known_from)


def _only_stored(store: Store, household: HouseholdRow, point: ServicePoint, span: tuple[date, date]) -> InForce:
    home, fuel = household.household_id, fuel_of(point)
    known = store.tuples("plans", ("plan_id", "fuel_type"), where={"household_id": ["", home]})
    ids = sorted({str(plan_id) for plan_id, kind in known if kind in (fuel, "DUAL", None)})
    if len(ids) == 1:
        note = Note("only_stored_plan", fuel=fuel.lower())
        plan = latest(stored_plans(store, home, {"plan_id": ids[0]}))[0]
        why = f"We do not know which plan this home was on: `toolkit household set --plan {ids[0]} --since DATE`."
        return InForce(ChosenPlan(plan, own=True, notes=(note,)), *span, why, plan.first_day)
    if not ids:
        raise StoreError(
            f"No {fuel.lower()} plan is stored: import one (`toolkit import PLAN.json`), name a file with --plan, "
            "or connect the energy account."
        )
    question = f"Which of {len(ids)} stored plans is this home on? Use --plan, or `toolkit household set --plan ID`."
    raise ChoiceRequiredError(question, ids[:MOST_CHOICES])
