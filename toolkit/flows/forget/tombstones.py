"""What was forgotten is not pulled again; only a hash of it is kept."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from shlex import quote
from typing import Any

from toolkit.errors import ChoiceRequiredError, StoreError
from toolkit.flows.household.context import Context, nothing_stored
from toolkit.store import Store, open_store

ASKED = "asked"
BURIED_AS = {"account": "account", "service_point": "service_point", "consent": "arrangement"}
"""What may be allowed again by its id → the kind of its tombstone."""


@lru_cache(maxsize=10_000)
def tombstone(kind: str, identity: str, household_id: str = "") -> str:
    """SHA-256 of kind (`arrangement`, `end_user`, `account`, `service_point`) and id.

    household_id: only there, as another household has one of that id that nobody forgot.
    """
    return sha256(f"{kind}:{identity}{household_id and f'@{household_id}'}".encode()).hexdigest()


def graves(kind: str, identity: str, household_id: str) -> tuple[str, str]:
    """The tombstone of what `forget` calls so: of all households, and of this one."""
    buried = BURIED_AS.get(kind, kind)
    return tombstone(buried, identity), tombstone(buried, identity, household_id)


def is_forgotten(store: Store, kind: str, identity: str, household_id: str = "") -> bool:
    """Whether it was forgotten everywhere, or in that household."""
    hashes = [tombstone(kind, identity), tombstone(kind, identity, household_id)]
    return store.count("tombstones", where={"hash": hashes}) > 0


def bury(
    store: Store, kind: str, identities: Iterable[str], now: datetime, household_id: str = "", of: str | None = None
) -> None:
    """of: the tombstone with which these are lifted, too."""
    hashes = [tombstone(kind, identity, household_id) for identity in identities]
    store.upsert("tombstones", [{"hash": buried, "at": now, "of": of} for buried in hashes])


def keep_asked(store: Store, names: Iterable[str], of: str, now: datetime) -> None:
    """of: the tombstone of what was asked for by these names."""
    rows = [{"hash": tombstone(ASKED, name), "at": now, "of": of} for name in sorted(names)]
    store.upsert("tombstones", rows)


def asked_for(store: Store, kind: str, wanted: str) -> str | None:
    """The tombstone of what went by that name earlier; None where nothing did."""
    found = store.rows("tombstones", where={"hash": tombstone(ASKED, wanted)})
    return (found[0]["of"] or graves(kind, wanted, "")[0]) if found else None


def unbury(store: Store, kind: str, identity: str) -> None:
    """Allow again what was forgotten, whatever it was called, and what went with it: an end user's consents."""
    unbury_alone(store, kind, identity)
    store.delete("tombstones", {"of": _anywhere(store, kind, identity)})


def unbury_alone(store: Store, kind: str, identity: str) -> None:
    """Allow an end user again who consents anew: earlier consents that went with the household stay forgotten."""
    store.delete("tombstones", {"hash": _anywhere(store, kind, identity)})


def went_alone(store: Store, arrangement: str) -> bool:
    """Whether a consent was forgotten by itself, and not with its household."""
    asked = store.rows("tombstones", where={"hash": tombstone(ASKED, arrangement)})
    return any(row["of"] in _anywhere(store, "arrangement", arrangement) for row in asked)


def _anywhere(store: Store, kind: str, identity: str) -> list[str]:
    homes = [row["household_id"] for row in store.rows("households")]
    return [tombstone(kind, identity, household_id) for household_id in ("", *homes)]


def allow_again(ctx: Context, wanted: str) -> dict[str, Any]:
    """`forget --allow-again`: let the next sync bring an account, a service point or a consent that was forgotten.

    wanted: the id that `forget` answered, no other name. Raises ChoiceRequiredError where nothing called so was
    forgotten.
    """
    if not ctx.db.exists():
        raise StoreError(nothing_stored(ctx.db))
    with open_store(ctx.db) as store, store.transaction():
        hashes = {kind: _anywhere(store, buried, wanted) for kind, buried in BURIED_AS.items()}
        found = [kind for kind, hash_ in hashes.items() if store.count("tombstones", where={"hash": hash_})]
        for kind in found:
            unbury(store, BURIED_AS[kind], wanted)
        unbury(store, ASKED, wanted)
    if not found:
        raise ChoiceRequiredError(
            f"No account, service point or consent with the id {wanted!r} was forgotten here: say the id that "
            "`toolkit forget` answered. A household comes back with `toolkit connect`.",
            [],
        )
    return {"allowed_again": dict.fromkeys(found, wanted), "next": "toolkit sync"}


def way_back(kind: str, identity: str) -> str:
    """How it would be had again."""
    if kind == "file":
        return "import the file again"
    if kind == "household":
        return "toolkit connect, or import its files again"
    again = f"toolkit forget --allow-again {quote(identity)}, then toolkit sync"
    return (
        f"{again}, or toolkit connect for a new consent" if kind == "consent" else f"{again}, or import its files again"
    )
