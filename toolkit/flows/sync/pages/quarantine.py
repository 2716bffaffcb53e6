"""Quarantine of unreadable records, until a later version reads them or the service gives them no more."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from toolkit.errors import Problem
from toolkit.flows.sync.consents import NO_LONGER_REFUSED, quarantined
from toolkit.store import Store
from toolkit.sync.list_sync import RESOURCES, ListSync
from toolkit.tables.rows.records import PageRows


class Quarantine:
    """Reads and writes the table `quarantine`, within the transaction of the page or of the list sync's end."""

    def __init__(self, store: Store, now: datetime) -> None:
        self.store, self.now = store, now
        self._seen_ids: set[tuple[str, str, str]] = set()
        self._has_quarantine = {(row["household_id"], row["resource"]) for row in self.waiting()}

    def waiting(self) -> list[dict[str, Any]]:
        """Return the quarantined records of lists; consents are read again in every sync."""
        return self.store.rows("quarantine", where={"resource": RESOURCES})

    def release(self, row: dict[str, Any]) -> None:
        """Delete a record from quarantine."""
        self.store.delete("quarantine", {name: row[name] for name in ("household_id", "resource", "id")})

    def keep(self, list_sync: ListSync, rows: PageRows) -> None:
        """Quarantine the refused records of a page, and release those that were read."""
        household_id, resource = list_sync.person.household_id, list_sync.resource
        if (household_id, resource) in self._has_quarantine:
            readable = [row["id"] for counted in rows.counted.values() for row in counted if row.get("id")]
            self.store.delete("quarantine", {"household_id": household_id, "resource": resource, "id": readable})
        set_aside = [quarantined(household_id, resource, refused, self.now) for refused in rows.refused]
        self.store.upsert("quarantine", set_aside)
        self._seen_ids.update((household_id, resource, refused.id) for refused in rows.refused)

    def release_unmet(self, list_sync: ListSync, parts: Collection[str], in_force: Collection[str]) -> list[Problem]:
        """Release records that complete list syncs of all `parts` did not give again: readable now, or gone."""
        household_id, resource = list_sync.person.household_id, list_sync.resource
        problems = []
        for row in self.store.rows("quarantine", household_id, where={"resource": resource}):
            if (household_id, resource, row["id"]) not in self._seen_ids and self._is_expected(
                list_sync, row, parts, in_force
            ):
                self.release(row)
                problems.append(Problem(row["id"], f"{resource}: {NO_LONGER_REFUSED}", "warning"))
        return problems

    def _is_expected(
        self, list_sync: ListSync, row: dict[str, Any], parts: Collection[str], in_force: Collection[str]
    ) -> bool:
        """Whether the list syncs of this person, rather than of another, would have given the record."""
        if not list_sync.person.household_id:
            return any(f'"{part}"' in row["raw"] for part in parts)
        if row["arrangement_id"] is None:
            return self.store.count("end_users", list_sync.person.household_id) == 1
        return row["arrangement_id"] in in_force
