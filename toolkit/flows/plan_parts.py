"""Which plan was in force on each day of a period: account plans and versions are kept, so last year has its prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from toolkit.flows.plans import (
    ChosenPlan,
    fuel_of,
    plan_in_force,
    stored_plans,
    supplies,
)

if TYPE_CHECKING:
    from toolkit.flows.service_points import ServicePoint
    from toolkit.store import Store
    from toolkit.tables.plans import Plan

_DAY = timedelta(1)


@dataclass(frozen=True, slots=True)
class InForce:
    """A plan from `first` to `last`, both inclusive."""

    chosen: ChosenPlan
    first: date
    last: date


@dataclass(frozen=True, slots=True)
class _Version:
    """One row of `account_plans`, with the day on which its content was first seen."""

    plan: Plan
    account_id: str
    start: date | None
    end: date | None
    current: bool
    seen: date

    def holds(self, day: date) -> bool:
        return (self.start is None or self.start <= day) and (self.end is None or day <= self.end)

    def rank(self, day: date) -> tuple[bool, date, bool, int, bool]:
        """Holding, latest begun; of versions with one start the last seen by then, else the first seen."""
        known = self.seen <= day
        order = self.seen.toordinal() if known else -self.seen.toordinal()
        return self.holds(day), self.start or date.min, known, order, self.current


@dataclass(frozen=True, slots=True)
class Versions:
    """Every version of the plans that one service point has been on by its account; empty without an account."""

    found: tuple[_Version, ...]

    def in_force(self, first: date, last: date) -> list[InForce]:
        days = [first + _DAY * n for n in range((last - first).days + 1)]
        best = [max(self.found, key=lambda version: version.rank(day)) for day in days]
        parts = []
        for version, run in groupby(zip(best, days, strict=True), key=lambda pair: pair[0]):
            inside = [day for _, day in run]
            notes = () if version.holds(inside[0]) else (f"No plan of the account holds on {inside[0]}.",)
            chosen = ChosenPlan(version.plan, own=True, account_id=version.account_id, notes=notes)
            parts.append(InForce(chosen, inside[0], inside[-1]))
        return parts

    def others(self, parts: Sequence[InForce]) -> list[Plan]:
        """The versions that are in none of the parts, newest first."""
        used = {part.chosen.plan.version for part in parts}
        rest = [version for version in self.found if version.plan.version not in used]
        return [v.plan for v in sorted(rest, key=lambda v: (v.start or date.min, v.seen), reverse=True)]


def versions_for(store: Store, home: str, point: ServicePoint, account_id: str | None = None) -> Versions:
    """account_id: only that account's, where it supplies the point at all."""
    rows = [row for row in store.rows("account_plans", home) if supplies(row, point)]
    rows = [row for row in rows if row["account_id"] == account_id] or rows
    found = [version for row in rows for version in _read(store, home, row) if fuel_of(point) in version.plan.fuels]
    return Versions(tuple(found))


def _read(store: Store, home: str, row: Mapping[str, Any]) -> list[_Version]:
    where = {"household_id": home, "plan_id": row["plan_id"], "version": row["version"]}
    seen = [int(sequence) for (sequence,) in store.tuples("plans", ("sequence",), where=where)]
    first_seen = datetime.fromtimestamp(min(seen, default=0), UTC).date()
    return [
        _Version(plan, row["account_id"], row["start_date"], row["end_date"], bool(row["is_current"]), first_seen)
        for plan in stored_plans(store, home, where)
    ]


def in_force(
    store: Store, household: Mapping[str, Any], point: ServicePoint, versions: Versions, span: tuple[date, date]
) -> list[InForce]:
    """The parts of the span by the account's plans; without an account, the home's own plan for all of it.

    Raises StoreError where no plan is known, ChoiceNeeded where several could be meant.
    """
    if versions.found:
        return versions.in_force(*span)
    return [InForce(plan_in_force(store, household, point, span[1]), *span)]
