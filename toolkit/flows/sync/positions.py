"""How far the walks of each resource have come, in this run and before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from toolkit.store import Store
from toolkit.sync.list_sync import Person, Walk, full_walk_due
from toolkit.sync.positions import Positions, moved, read_positions, written_positions
from toolkit.wire.decoding.spelling import HOUSE_WORD


@dataclass(frozen=True, slots=True)
class Run:
    """One sync. full: everything is read anew. today: the day beyond which no position moves.

    platform: the deployment's word that its records are read with.
    """

    id: str
    started: datetime
    today: date
    full: bool = False
    platform: str = HOUSE_WORD


@dataclass(slots=True)
class ResourceWalks:
    """The walks of one resource of one person: how many are open, and whether all so far were whole and unbounded.

    resumed: whether one of them has only read the rest of what an earlier run began.
    """

    open: int = 0
    page: int = 0
    parts: set[str] = field(default_factory=set)
    whole: bool = True
    complete: bool = True
    resumed: bool = False

    def begin(self, walk: Walk) -> None:
        """After a resumed walk the latest rows of its part are read: that takes nothing from its completeness."""
        self.open += 1
        if walk.part not in self.parts:
            self.complete &= walk.complete
        self.parts.add(walk.part)

    def end(self, walk: Walk, *, first: bool) -> None:
        """A resumed walk has not seen all that may be stored, unless nothing was before it."""
        self.open -= 1
        if walk.place is not None:
            self.resumed = True
            self.complete &= first

    def break_off(self) -> None:
        self.open -= 1
        self.whole = False

    @property
    def all_ended_well(self) -> bool:
        return self.open == 0 and self.whole


def to_go_on_from(store: Store, person: Person, resource: str, run: Run) -> Positions:
    """How far each part has been read; nothing where everything is to be read again.

    Under another word records had other ids: what is stored under these is recognised by reading everything again.
    """
    row = _row(store, person, resource)
    if run.full or row.get("platform") != run.platform or full_walk_due(row.get("full_walk_at"), run.started):
        return {}
    return read_positions(row.get("position"))


def read_to(store: Store, walk: Walk) -> date | None:
    """How far the part of a walk has been read."""
    return read_positions(_row(store, walk.person, walk.resource).get("position")).get(walk.part)


def move(store: Store, walk: Walk, walks: ResourceWalks, newest: date | None, run: Run) -> None:
    """The part's position, and when the last walk of the resource has ended well, its freshness."""
    row = _row(store, walk.person, walk.resource)
    changes: dict[str, Any] = {}
    if walk.part and walk.resumable:
        positions = moved(read_positions(row.get("position")), walk.part, newest, run.today)
        changes["position"] = written_positions(positions)
    if walks.all_ended_well and walk.place is None:
        changes["fresh_at"] = run.started
        if walks.complete:
            changes |= {"full_walk_at": run.started, "platform": run.platform}
    whose = {"household_id": walk.person.household_id, "end_user_id": walk.person.end_user_id}
    store.upsert("positions", [{**row, **whose, "resource": walk.resource, **changes}])


def _row(store: Store, person: Person, resource: str) -> dict[str, Any]:
    where = {"end_user_id": person.end_user_id, "resource": resource}
    found = store.rows("positions", person.household_id, where=where)
    return found[0] if found else {}
