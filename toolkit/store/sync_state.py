"""State that a sync keeps between runs: tombstones and the quarantine.

Tombstones are hashes of deleted ids; their records are not fetched again. The quarantine has the records that could not
be read.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from hashlib import sha256

from toolkit.store.database import Store
from toolkit.tables.schema import Record
from toolkit.tables.schema.journal import QuarantineRow, TombstoneRow

ASKED = "asked"
"""Kind of the tombstone of a name by which something was deleted."""
TOMBSTONE_KIND = {"account": "account", "service_point": "service_point", "consent": "arrangement"}
"""Kind of thing that `allow_again` accepts by id → kind of its tombstone."""


@lru_cache(maxsize=10_000)
def tombstone(kind: str, identity: str, household_id: str = "") -> str:
    """Hash (SHA-256) a kind (`arrangement`, `end_user`, `account`, `service_point`) and an id.

    household_id: limits the tombstone to one household, where another keeps something with the same id.
    """
    return sha256(f"{kind}:{identity}{household_id and f'@{household_id}'}".encode()).hexdigest()


def tombstones_of(kind: str, identity: str, household_id: str) -> tuple[str, str]:
    """Return the tombstones of one thing: the one for all households, then the one for this household alone."""
    buried = TOMBSTONE_KIND.get(kind, kind)
    return tombstone(buried, identity), tombstone(buried, identity, household_id)


def is_forgotten(store: Store, kind: str, identity: str, household_id: str = "") -> bool:
    """Whether an id has a tombstone for all households, or for this one."""
    hashes = [tombstone(kind, identity), tombstone(kind, identity, household_id)]
    return store.count("tombstones", where={"hash": hashes}) > 0


def add_tombstones(
    store: Store, kind: str, identities: Iterable[str], now: datetime, household_id: str = "", of: str | None = None
) -> None:
    """Store a tombstone for each id. of: the tombstone that removes these as well when it is removed."""
    hashes = [tombstone(kind, identity, household_id) for identity in identities]
    rows: list[Record] = [{"hash": buried, "at": now, "of": of} for buried in hashes]
    store.upsert("tombstones", rows)


def add_name_tombstones(store: Store, names: Iterable[str], of: str, now: datetime) -> None:
    """Store hashes of the names that a deleted thing was called by. of: that thing's tombstone."""
    rows: list[Record] = [{"hash": tombstone(ASKED, name), "at": now, "of": of} for name in sorted(names)]
    store.upsert("tombstones", rows)


def tombstone_of_name(store: Store, kind: str, wanted: str) -> str | None:
    """Return the tombstone of what was deleted under this name; None if nothing was."""
    row = store.first(TombstoneRow, where={"hash": tombstone(ASKED, wanted)})
    return (row.of or tombstones_of(kind, wanted, "")[0]) if row else None


def remove_tombstones(store: Store, kind: str, identity: str) -> None:
    """Remove a tombstone in all households, and those that depend on it (an end user's consents)."""
    remove_tombstone(store, kind, identity)
    store.delete("tombstones", {"of": tombstones_anywhere(store, kind, identity)})


def remove_tombstone(store: Store, kind: str, identity: str) -> None:
    """Remove a tombstone in all households; those that depend on it stay (earlier consents of an end user)."""
    store.delete("tombstones", {"hash": tombstones_anywhere(store, kind, identity)})


def forgotten_alone(store: Store, arrangement: str) -> bool:
    """Whether a consent was deleted by itself rather than with its household."""
    row = store.first(TombstoneRow, where={"hash": tombstone(ASKED, arrangement)})
    return row is not None and row.of in tombstones_anywhere(store, "arrangement", arrangement)


def tombstones_anywhere(store: Store, kind: str, identity: str) -> list[str]:
    """Return the tombstones of an id for all households and for each single one."""
    homes = [row["household_id"] for row in store.rows("households")]
    return [tombstone(kind, identity, household_id) for household_id in ("", *homes)]


def add_to_quarantine(store: Store, rows: Iterable[QuarantineRow]) -> None:
    """Store records that cannot be read, each in place of its earlier version."""
    store.upsert("quarantine", list(rows))


def remove_from_quarantine(store: Store, row: QuarantineRow) -> None:
    """Delete a record from quarantine: it was read, or is not given any more."""
    store.delete("quarantine", {"household_id": row.household_id, "resource": row.resource, "id": row.id})
