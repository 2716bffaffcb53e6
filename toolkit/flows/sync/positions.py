"""Positions: how far the list syncs of each resource have come, in this run and before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from toolkit.store import Store
from toolkit.sync.list_sync import ListSync, Person, full_sync_due
from toolkit.sync.positions import Positions, moved, read_positions, written_positions
from toolkit.wire.decoding.spelling import HOUSE_WORD


@dataclass(frozen=True, slots=True)
class Run:
    """One sync. full: read everything again. today: the latest day of a position.

    platform: the deployment's word that its records are read with.
    """

    id: str
    started: datetime
    today: date
    full: bool = False
    platform: str = HOUSE_WORD


@dataclass(slots=True)
class ResourceProgress:
    """The list syncs of one resource of one person: how many are open, and whether all so far were whole and unbounded.

    resumed: whether one of them has only read the rest of what an earlier run began.
    """

    open: int = 0
    page: int = 0
    parts: set[str] = field(default_factory=set)
    whole: bool = True
    complete: bool = True
    resumed: bool = False

    def begin(self, list_sync: ListSync) -> None:
        """After a resumed list sync the latest rows of its part are read: that takes nothing from its completeness."""
        self.open += 1
        if list_sync.part not in self.parts:
            self.complete &= list_sync.complete
        self.parts.add(list_sync.part)

    def end(self, list_sync: ListSync, *, first: bool) -> None:
        """A resumed list sync has not seen all that may be stored, unless nothing was before it."""
        self.open -= 1
        if list_sync.checkpoint is not None:
            self.resumed = True
            self.complete &= first

    def break_off(self) -> None:
        self.open -= 1
        self.whole = False

    @property
    def all_ended_well(self) -> bool:
        return self.open == 0 and self.whole


def resume_positions(store: Store, person: Person, resource: str, run: Run) -> Positions:
    """Return the positions to resume from; none where everything is to be read again.

    Another platform name gives other ids, so everything is read again to recognise the stored rows.
    """
    row = _row(store, person, resource)
    if run.full or row.get("platform") != run.platform or full_sync_due(row.get("full_walk_at"), run.started):
        return {}
    return read_positions(row.get("position"))


def read_to(store: Store, list_sync: ListSync) -> date | None:
    """Return the day up to which the part of a list sync has been read."""
    return read_positions(_row(store, list_sync.person, list_sync.resource).get("position")).get(list_sync.part)


def move(store: Store, list_sync: ListSync, list_syncs: ResourceProgress, newest: date | None, run: Run) -> None:
    """Move the part's position, and set the resource's freshness once its last list sync has succeeded."""
    row = _row(store, list_sync.person, list_sync.resource)
    changes: dict[str, Any] = {}
    if list_sync.part and list_sync.resumable:
        positions = moved(read_positions(row.get("position")), list_sync.part, newest, run.today)
        changes["position"] = written_positions(positions)
    if list_syncs.all_ended_well and list_sync.checkpoint is None:
        changes["fresh_at"] = run.started
        if list_syncs.complete:
            changes |= {"full_walk_at": run.started, "platform": run.platform}
    owner = {"household_id": list_sync.person.household_id, "end_user_id": list_sync.person.end_user_id}
    store.upsert("positions", [{**row, **owner, "resource": list_sync.resource, **changes}])


def _row(store: Store, person: Person, resource: str) -> dict[str, Any]:
    where = {"end_user_id": person.end_user_id, "resource": resource}
    rows = store.rows("positions", person.household_id, where=where)
    return rows[0] if rows else {}
