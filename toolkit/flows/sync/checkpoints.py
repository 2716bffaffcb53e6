"""How far walks have come that were cut short; written with each page, taken away when a walk reaches its end."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Any

from toolkit.store import Store
from toolkit.sync.checkpoints import LONGEST_CURSOR, Place, asked, content_of, is_recent
from toolkit.sync.list_sync import Walk
from toolkit.wire.decoding.pages import Page


class Places:
    """The table `walks`. Its writes belong in the transaction of the page, or of the end, that they tell of."""

    def __init__(self, store: Store, now: datetime, platform: str) -> None:
        self.store, self.now, self.platform = store, now, platform

    def resumed(self, walk: Walk) -> Walk:
        """The walk from where an earlier one with the same question under the same consents was cut short."""
        if not walk.resumable:
            return walk
        found = self.store.rows("walks", where=self._key(walk))
        if not found or not is_recent(found[0]["reached_at"], self.now):
            return walk
        row = found[0]
        return replace(walk, place=Place(row["cursor"], row["content"], row["first"], row["newest"]))

    def keep(self, walk: Walk, page: Page, *, first: bool, newest: date | None) -> None:
        """The page is being stored. A first page is where any walk begins: there is nothing to keep."""
        if walk.resumable and page.cursor is not None and len(page.cursor) <= LONGEST_CURSOR:
            place = {"cursor": page.cursor, "content": content_of(page), "first": first, "newest": newest}
            self.store.upsert("walks", [{**self._key(walk), **place, "reached_at": self.now}])

    def drop(self, walk: Walk) -> None:
        """The list was read to its end, or cannot be read on from there."""
        where = {name: value for name, value in self._key(walk).items() if name != "asked"}
        if walk.resumable and self.store.count("walks", where=where):
            self.store.delete("walks", where)

    def _key(self, walk: Walk) -> dict[str, Any]:
        return {
            "household_id": walk.person.household_id,
            "end_user_id": walk.person.end_user_id,
            "resource": walk.resource,
            "part": walk.part,
            "asked": asked(walk.parameters, self._listed(walk), self.platform),
        }

    def _listed(self, walk: Walk) -> list[str]:
        """Arrangements in force by the service's own list: what only records show is known when all are read."""
        where = {"end_user_id": walk.person.end_user_id, "state": "active"}
        found = self.store.tuples("consents", ("arrangement_id", "raw"), walk.person.household_id, where=where)
        return [arrangement for arrangement, raw in found if raw is not None]
