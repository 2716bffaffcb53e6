"""Records that cannot be read wait under their own name, until a later version reads them or they are gone."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from toolkit.errors import Problem
from toolkit.flows.sync.consents import NO_LONGER_REFUSED, quarantined
from toolkit.store import Store
from toolkit.sync.list_sync import RESOURCES, Walk
from toolkit.tables.rows.records import PageRows


class Quarantine:
    """Its writes belong in the transaction of the page, or of the walk's end."""

    def __init__(self, store: Store, now: datetime) -> None:
        self.store, self.now = store, now
        self._met: set[tuple[str, str, str]] = set()
        self._held = {(row["household_id"], row["resource"]) for row in self.waiting()}

    def waiting(self) -> list[dict[str, Any]]:
        """Records of lists; consents are all read anew anyway."""
        return self.store.rows("quarantine", where={"resource": RESOURCES})

    def let_go(self, row: dict[str, Any]) -> None:
        self.store.delete("quarantine", {name: row[name] for name in ("household_id", "resource", "id")})

    def keep(self, walk: Walk, rows: PageRows) -> None:
        """What of a page was refused; what of it was read waits no longer."""
        household_id, resource = walk.person.household_id, walk.resource
        if (household_id, resource) in self._held:
            readable = [row["id"] for counted in rows.counted.values() for row in counted if row.get("id")]
            self.store.delete("quarantine", {"household_id": household_id, "resource": resource, "id": readable})
        set_aside = [quarantined(household_id, resource, refused, self.now) for refused in rows.refused]
        self.store.upsert("quarantine", set_aside)
        self._met.update((household_id, resource, refused.id) for refused in rows.refused)

    def let_go_unmet(self, walk: Walk, parts: Collection[str], in_force: Collection[str]) -> list[Problem]:
        """Records that a whole walk through all `parts` of the resource did not meet again: readable now, or gone."""
        household_id, resource = walk.person.household_id, walk.resource
        problems = []
        for row in self.store.rows("quarantine", household_id, where={"resource": resource}):
            if (household_id, resource, row["id"]) not in self._met and self._would_be_met(walk, row, parts, in_force):
                self.let_go(row)
                problems.append(Problem(row["id"], f"{resource}: {NO_LONGER_REFUSED}", "warning"))
        return problems

    def _would_be_met(self, walk: Walk, row: dict[str, Any], parts: Collection[str], in_force: Collection[str]) -> bool:
        """Whether the walks of this person would have brought the record: others' walks may bring it still."""
        if not walk.person.household_id:
            return any(f'"{part}"' in row["raw"] for part in parts)
        if row["arrangement_id"] is None:
            return self.store.count("end_users", walk.person.household_id) == 1
        return row["arrangement_id"] in in_force
