"""Store published plans: current versions, new versions, and plans that the plan register no longer lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from toolkit.store.database import Store
from toolkit.tables.plans import Plan, plan_row

SOURCE = "register"
_PUBLISHED = ""  # plans of the public belong to no household
_COLUMNS = ("plan_id", "version", "last_updated", "sequence", "source", "vanished_at")


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
        rows = store.tuples("plans", _COLUMNS, where={"household_id": _PUBLISHED})
        rows.sort(key=lambda row: (row[2] or "", row[3]))
        self._versions = {(row[0], row[1]) for row in rows}
        self._sequence = max((row[3] for row in rows), default=0)
        self.current = {row[0]: StoredVersion(row[1], row[2], row[4], row[5] is not None) for row in rows}

    def is_current(self, plan_id: str, last_updated: str | None, listed_before: str | None) -> bool:
        """Return whether the stored version is up to date, so that the plan need not be requested again.

        last_updated: as the plan register lists it now. listed_before: as it listed it last time; some registers give
        another `lastUpdated` in the list than in the plan itself.
        """
        current = self.current.get(plan_id)
        if current is None or current.source != SOURCE or last_updated is None:
            return False
        return last_updated in (current.last_updated, listed_before)

    def add(self, plans: Sequence[Plan]) -> tuple[int, int, int]:
        """Store versions read from the plan register. Returns how many plans were added, updated and unchanged."""
        added = updated = 0
        for plan in plans:
            current = self.current.get(plan.plan_id)
            added += current is None
            updated += current is not None and current.version != plan.version
            self._write(plan)
        return added, updated, len(plans) - added - updated

    def _write(self, plan: Plan) -> None:
        self._sequence += 1
        self._store.upsert("plans", [plan_row(plan, source=SOURCE, sequence=self._sequence)])
        key = {"household_id": "", "plan_id": plan.plan_id, "version": plan.version}
        if (plan.plan_id, plan.version) in self._versions:  # an earlier version is current again
            self._store.update("plans", {"sequence": self._sequence}, key)
        self._versions.add((plan.plan_id, plan.version))
        self.current[plan.plan_id] = StoredVersion(plan.version, plan.last_updated, SOURCE, vanished=False)

    def mark_listed(self, plan_ids: Iterable[str]) -> None:
        """Clear `vanished_at` of listed plans that were marked as no longer listed."""
        relisted = [plan_id for plan_id in plan_ids if plan_id in self.current and self.current[plan_id].vanished]
        self._mark(relisted, None)

    def mark_unlisted(self, plan_ids: Iterable[str], at: datetime) -> int:
        """Mark plans as no longer listed since `at`. Returns how many of them were listed until now."""
        unlisted = [
            plan_id
            for plan_id in plan_ids
            if (current := self.current.get(plan_id)) and current.source == SOURCE and not current.vanished
        ]
        self._mark(unlisted, at)
        return len(unlisted)

    def _mark(self, plan_ids: Sequence[str], at: datetime | None) -> None:
        for plan_id in plan_ids:
            self._store.update("plans", {"vanished_at": at}, {"household_id": _PUBLISHED, "plan_id": plan_id})
            current = self.current[plan_id]
            self.current[plan_id] = StoredVersion(current.version, current.last_updated, current.source, at is not None)
