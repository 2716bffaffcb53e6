"""What was forgotten is not pulled again; only a hash of it is kept."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.store import Store


def tombstone(kind: str, identity: str) -> str:
    """SHA-256 of kind (`arrangement`, `end_user`, `account`, `service_point`) and id."""
    return sha256(f"{kind}:{identity}".encode()).hexdigest()


def is_forgotten(store: Store, kind: str, identity: str) -> bool:
    return store.count("tombstones", where={"hash": tombstone(kind, identity)}) > 0


def bury(store: Store, kind: str, identities: list[str], now: datetime) -> None:
    store.upsert("tombstones", [{"hash": tombstone(kind, identity), "at": now} for identity in identities])


def unbury(store: Store, kind: str, identity: str) -> None:
    """A person who consents again is pulled again; so is what somebody allows again."""
    store.delete("tombstones", {"hash": tombstone(kind, identity)})
