"""Published plans as they are stored: what is known, what is new, what the register no longer lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from toolkit.store import Store
from toolkit.tables.plans import Plan, plan_row

SOURCE = "register"
_PUBLISHED = ""  # plans of the public belong to no household
_COLUMNS = ("plan_id", "version", "last_updated", "sequence", "source", "vanished_at")


@dataclass(frozen=True, slots=True)
class Held:
    """The version of a plan that counts."""

    version: str
    last_updated: str | None
    source: str
    vanished: bool


class Shelf:
    """The published plans of a store. Use inside its thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        rows = store.tuples("plans", _COLUMNS, where={"household_id": _PUBLISHED})
        rows.sort(key=lambda row: (row[2] or "", row[3]))
        self._versions = {(row[0], row[1]) for row in rows}
        self._sequence = max((row[3] for row in rows), default=0)
        self.held = {row[0]: Held(row[1], row[2], row[4], row[5] is not None) for row in rows}

    def is_current(self, plan_id: str, last_updated: str | None, listed_before: str | None) -> bool:
        """Whether the register's plan, listed with this time of change, needs not be asked for again.

        listed_before: the time of change its list gave last; some registers write it otherwise in list and plan.
        """
        held = self.held.get(plan_id)
        if held is None or held.source != SOURCE or last_updated is None:
            return False
        return last_updated in (held.last_updated, listed_before)

    def keep(self, plans: Sequence[Plan]) -> tuple[int, int, int]:
        """Store versions read from the register; how many plans were added, updated, unchanged."""
        added = updated = 0
        for plan in plans:
            held = self.held.get(plan.plan_id)
            added += held is None
            updated += held is not None and held.version != plan.version
            self._write(plan)
        return added, updated, len(plans) - added - updated

    def _write(self, plan: Plan) -> None:
        self._sequence += 1
        row = plan_row(plan, source=SOURCE, sequence=self._sequence)
        self._store.upsert("plans", [row])
        key = {name: row[name] for name in ("household_id", "plan_id", "version")}
        if (plan.plan_id, plan.version) in self._versions:  # an earlier version that counts again
            self._store.update("plans", {"sequence": self._sequence}, key)
        self._versions.add((plan.plan_id, plan.version))
        self.held[plan.plan_id] = Held(plan.version, plan.last_updated, SOURCE, vanished=False)

    def list_again(self, plan_ids: Iterable[str]) -> None:
        """These are listed: whatever was taken to be gone is back."""
        back = [plan_id for plan_id in plan_ids if plan_id in self.held and self.held[plan_id].vanished]
        self._mark(back, None)

    def take_off(self, plan_ids: Iterable[str], at: datetime) -> int:
        """These are no longer listed; how many of them were there until now."""
        gone = [plan_id for plan_id in plan_ids if self._is_there(plan_id)]
        self._mark(gone, at)
        return len(gone)

    def _is_there(self, plan_id: str) -> bool:
        held = self.held.get(plan_id)
        return held is not None and held.source == SOURCE and not held.vanished

    def _mark(self, plan_ids: Sequence[str], at: datetime | None) -> None:
        for plan_id in plan_ids:
            self._store.update("plans", {"vanished_at": at}, {"household_id": _PUBLISHED, "plan_id": plan_id})
            held = self.held[plan_id]
            self.held[plan_id] = Held(held.version, held.last_updated, held.source, at is not None)
