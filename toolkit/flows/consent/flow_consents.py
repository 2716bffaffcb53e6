"""The consent that a flow ended with: known before any record came under it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from toolkit.flows.consent.known_consents import consent_row
from toolkit.flows.forget.tombstones import is_forgotten
from toolkit.store import Store
from toolkit.sync.list_sync import Person


@dataclass(frozen=True, slots=True)
class EndedFlow:
    """A consent flow that ended well. institution_id: None where the person chose it on the service's pages.

    renews: the arrangement that it was to renew.
    """

    consent_id: str
    institution_id: str | None = None
    renews: str | None = None


def keep_flow(store: Store, person: Person, flow: EndedFlow, now: datetime) -> None:
    """Store the flow's consent if it is not stored otherwise, with its id as the arrangement id.

    The sync that brings its first records gives it their arrangement.
    """
    for row in store.rows("consents", person.household_id, where={"end_user_id": person.end_user_id}):
        if flow.consent_id in (row["consent_id"], row["arrangement_id"]):
            return
    known = {"consent_id": flow.consent_id, "granted_at": now, "renews": flow.renews}
    row = consent_row(person.household_id, flow.consent_id, person.end_user_id, flow.institution_id, **known)
    store.upsert("consents", [row])


def keep_shown(store: Store, person: Person, shown: Mapping[str, str | None]) -> None:
    """Store arrangements that records show, without those that were forgotten."""
    known = {row["arrangement_id"] for row in store.rows("consents", person.household_id)}
    for arrangement, institution in shown.items():
        if arrangement not in known and not is_forgotten(store, "arrangement", arrangement, person.household_id):
            store.upsert("consents", [consent_row(person.household_id, arrangement, person.end_user_id, institution)])
