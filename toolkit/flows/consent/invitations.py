"""People who were sent a consent link and have not answered yet."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from toolkit.store import Condition, Store
from toolkit.sync.list_sync import Person

NO_INVITATION = {"invite_url": None, "invite_expires_at": None}


def keep_invitation(store: Store, person: Person, url: str, expires_at: datetime | None) -> None:
    """Remember an open link. Who shares something already stays connected; the link then adds or renews."""
    shares = store.count("consents", person.household_id, where={**_whose(person), "state": "active"})
    state = "connected" if shares else "invited"
    store.update("end_users", {"state": state, "invite_url": url, "invite_expires_at": expires_at}, _key(person))


def answered(store: Store, person: Person) -> None:
    """A new consent is there: the link, where one was sent, has done its work."""
    store.update("end_users", {"state": "connected", **NO_INVITATION}, _key(person))


def waiting(row: dict[str, Any], now: datetime) -> str:
    """What to say of a person (a row of end_users) who has given no consent."""
    ends_at = row["invite_expires_at"]
    if row["invite_url"] is None:
        return "has given no consent yet"
    if ends_at is not None and ends_at <= now:
        return f"was invited but did not answer by {ends_at:%Y-%m-%d}: invite again (toolkit connect --invite)"
    return "was invited and has not agreed yet" + (f"; the link ends {ends_at:%Y-%m-%d}" if ends_at else "")


def _whose(person: Person) -> dict[str, Condition]:
    return {"end_user_id": person.end_user_id}


def _key(person: Person) -> dict[str, Condition]:
    return {"household_id": person.household_id, **_whose(person)}
