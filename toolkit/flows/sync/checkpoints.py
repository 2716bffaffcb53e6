"""Checkpoints of interrupted list syncs: written with each page, deleted when a list sync is complete."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Any

from toolkit.store import Record, Store
from toolkit.sync.checkpoints import LONGEST_CURSOR, Checkpoint, content_of, is_recent, question
from toolkit.sync.list_sync import ListSync
from toolkit.wire.decoding.pages import Page


class Checkpoints:
    """Reads and writes the table `walks`, within the transaction of the page or of the end of a list sync."""

    def __init__(self, store: Store, now: datetime, platform: str) -> None:
        self.store, self.now, self.platform = store, now, platform

    def resumed(self, list_sync: ListSync) -> ListSync:
        """Return the list sync with the checkpoint of an interrupted one with the same parameters and consents."""
        if not list_sync.resumable:
            return list_sync
        rows = self.store.rows("walks", where=self._key(list_sync))
        if not rows or not is_recent(rows[0]["reached_at"], self.now):
            return list_sync
        row = rows[0]
        return replace(list_sync, checkpoint=Checkpoint(row["cursor"], row["content"], row["first"], row["newest"]))

    def keep(self, list_sync: ListSync, page: Page, *, first: bool, newest: date | None) -> None:
        """Write the checkpoint of a page that is being stored. A first page needs none."""
        if list_sync.resumable and page.cursor is not None and len(page.cursor) <= LONGEST_CURSOR:
            checkpoint: Record = {"cursor": page.cursor, "content": content_of(page), "first": first, "newest": newest}
            self.store.upsert("walks", [{**self._key(list_sync), **checkpoint, "reached_at": self.now}])

    def drop(self, list_sync: ListSync) -> None:
        """Delete the checkpoint: the list is complete, or cannot be resumed from there."""
        where = {name: value for name, value in self._key(list_sync).items() if name != "asked"}
        if list_sync.resumable and self.store.count("walks", where=where):
            self.store.delete("walks", where)

    def _key(self, list_sync: ListSync) -> dict[str, Any]:
        return {
            "household_id": list_sync.person.household_id,
            "end_user_id": list_sync.person.end_user_id,
            "resource": list_sync.resource,
            "part": list_sync.part,
            "asked": question(list_sync.parameters, self._listed(list_sync), self.platform),
        }

    def _listed(self, list_sync: ListSync) -> list[str]:
        """Return the arrangements in force by the service's own list, leaving out those known from records alone."""
        where = {"end_user_id": list_sync.person.end_user_id, "state": "active"}
        rows = self.store.tuples("consents", ("arrangement_id", "raw"), list_sync.person.household_id, where=where)
        return [arrangement for arrangement, raw in rows if raw is not None]
