"""What was forgotten is not pulled again; only a hash of it is kept."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from shlex import quote
from typing import TYPE_CHECKING, Any

from toolkit.errors import ChoiceNeeded, StoreError
from toolkit.flows.context import Context, nothing_stored

if TYPE_CHECKING:
    from toolkit.store import Store

BURIED_AS = {"account": "account", "service_point": "service_point", "consent": "arrangement"}
"""What may be allowed again by its id → the kind of its tombstone."""


def tombstone(kind: str, identity: str) -> str:
    """SHA-256 of kind (`arrangement`, `end_user`, `account`, `service_point`) and id."""
    return sha256(f"{kind}:{identity}".encode()).hexdigest()


def is_forgotten(store: Store, kind: str, identity: str) -> bool:
    return store.count("tombstones", where={"hash": tombstone(kind, identity)}) > 0


def bury(store: Store, kind: str, identities: list[str], now: datetime, *, of: str | None = None) -> None:
    """of: the tombstone of what these are names of."""
    store.upsert("tombstones", [{"hash": tombstone(kind, identity), "at": now, "of": of} for identity in identities])


def unbury(store: Store, kind: str, identity: str) -> None:
    """A person who consents again is pulled again; so is what somebody allows again, whatever it was called."""
    lifted = tombstone(kind, identity)
    store.delete("tombstones", {"hash": lifted})
    store.delete("tombstones", {"of": lifted})


def allow_again(ctx: Context, wanted: str) -> dict[str, Any]:
    """`forget --allow-again`: let the next sync bring an account, a service point or a consent that was forgotten.

    wanted: the id that `forget` answered; of names nothing was kept. Raises ChoiceNeeded where nothing called so was
    forgotten.
    """
    from toolkit.store import open_store

    if not ctx.db.exists():
        raise StoreError(nothing_stored(ctx.db))
    with open_store(ctx.db) as store, store.transaction():
        found = [kind for kind, buried in BURIED_AS.items() if is_forgotten(store, buried, wanted)]
        for kind in found:
            unbury(store, BURIED_AS[kind], wanted)
        unbury(store, "asked", wanted)
    if not found:
        raise ChoiceNeeded(
            f"No account, service point or consent with the id {wanted!r} was forgotten here: say the id that "
            "`toolkit forget` answered. A household comes back with `toolkit connect`.",
            [],
        )
    return {"allowed_again": dict.fromkeys(found, wanted), "next": "toolkit sync"}


def way_back(kind: str, identity: str) -> str:
    """How it would be had again."""
    if kind == "file":
        return "import the file again"
    if kind in ("consent", "household"):
        return "toolkit connect, or import its files again"
    return f"toolkit forget --allow-again {quote(identity)}, then toolkit sync, or import its files again"
