"""Plans in the store: which version is the latest, new versions, and plans that the plan register no longer lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from toolkit.store.database import Store
from toolkit.store.statements import Where
from toolkit.tables.rows.plans import REGISTER, Arrival, Plan, PlanIds, plan_row, versions_in_order
from toolkit.tables.schema.energy import PUBLISHED

SOURCE = REGISTER


def latest_rows(store: Store, columns: Sequence[str], where: Where) -> list[tuple[Any, ...]]:
    """Read columns of the latest version of each plan among the rows of `plans` that meet `where`, in order of id."""
    rows = store.tuples("plans", (*Arrival._fields, *columns), where=where)
    latest = {row[0]: row for row in versions_in_order(rows, lambda row: Arrival(*row[:4]))}
    return [latest[plan_id][4:] for plan_id in sorted(latest)]


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """The latest stored version of a plan. vanished: the plan register no longer lists the plan."""

    version: str
    last_updated: str | None
    source: str
    vanished: bool


class PlanRepository:
    """Read and write the published plans of a store. Use it in the thread that opened the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        published: Where = {"household_id": PUBLISHED}
        rows = store.tuples("plans", ("plan_id", "version", "sequence", "retailer"), where=published)
        rows.sort(key=lambda row: row[2])
        self._versions = {(plan_id, version) for plan_id, version, *_ in rows}
        self._sequence = max((sequence for _, _, sequence, _ in rows), default=0)
        self._ids = PlanIds((plan_id, retailer) for plan_id, _, _, retailer in rows)
        columns = ("plan_id", "version", "last_updated", "source", "vanished_at")
        self.current = {
            plan_id: StoredVersion(version, updated, source, vanished=vanished_at is not None)
            for plan_id, version, updated, source, vanished_at in latest_rows(store, columns, published)
        }

    def stored_id(self, plan_id: str, retailer: str | None) -> str | None:
        """Return under which id the plan is stored that this retailer calls `plan_id`; None where none is known."""
        return self._ids.known_id(plan_id, retailer)

    def is_current(self, stored_id: str, last_updated: str | None, listed_before: str | None) -> bool:
        """Return whether the stored version is up to date, so that the plan need not be requested again.

        last_updated: as the plan register lists it now. listed_before: as it listed it last time; some registers give
        another `lastUpdated` in the list than in the plan itself.
        """
        stored = self.current.get(stored_id)
        if stored is None or stored.source != SOURCE or last_updated is None:
            return False
        return last_updated in (listed_before, stored.last_updated)

    def add(self, plans: Sequence[Plan]) -> tuple[int, int, int]:
        """Store versions read from the plan register. Returns how many plans were added, updated and unchanged."""
        added = updated = 0
        for given in plans:
            plan = replace(given, plan_id=self._ids.id_of(given.plan_id, given.retailer))
            current = self.current.get(plan.plan_id)
            added += current is None
            updated += current is not None and current.version != plan.version
            self._write(plan)
        return added, updated, len(plans) - added - updated

    def warning(self, plan: Plan) -> str | None:
        """Return the warning about a plan with an id that another retailer has already; None where none has."""
        return self._ids.warning(plan.plan_id, plan.retailer)

    def _write(self, plan: Plan) -> None:
        self._sequence += 1
        self._store.upsert("plans", [plan_row(plan, source=SOURCE, sequence=self._sequence)])
        key = {"household_id": PUBLISHED, "plan_id": plan.plan_id, "version": plan.version}
        if (plan.plan_id, plan.version) in self._versions:  # an earlier version is current again
            self._store.update("plans", {"sequence": self._sequence}, key)
        self._versions.add((plan.plan_id, plan.version))
        self.current[plan.plan_id] = StoredVersion(plan.version, plan.last_updated, SOURCE, vanished=False)

    def mark_listed(self, stored_ids: Iterable[str]) -> None:
        """Clear `vanished_at` of listed plans that were marked as no longer listed."""
        self._mark(
            [plan_id for plan_id in stored_ids if plan_id in self.current and self.current[plan_id].vanished], None
        )

    def mark_unlisted(self, stored_ids: Iterable[str], at: datetime) -> int:
        """Mark plans as no longer listed since `at`. Returns how many of them were listed until now."""
        known = {plan_id: self.current[plan_id] for plan_id in stored_ids if plan_id in self.current}
        unlisted = [plan_id for plan_id, plan in known.items() if plan.source == SOURCE and not plan.vanished]
        self._mark(unlisted, at)
        return len(unlisted)

    def _mark(self, plan_ids: Sequence[str], at: datetime | None) -> None:
        for plan_id in plan_ids:
            self._store.update("plans", {"vanished_at": at}, {"household_id": PUBLISHED, "plan_id": plan_id})
            current = self.current[plan_id]
            self.current[plan_id] = StoredVersion(current.version, current.last_updated, current.source, at is not None)
