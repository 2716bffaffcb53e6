"""The service's state as JSON, so that a restarted sandbox resumes."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from toolkit.errors import UsageError
from toolkit.sandbox.service.consents import Consent
from toolkit.sandbox.service.state import EndUser, Service, Token
from toolkit.sandbox.world.institutions import BY_ID


class SavedConsent(Struct):
    consent_id: str
    arrangement_id: str
    end_user_id: str
    person: int
    institution_id: str
    granted_at: datetime
    expires_at: datetime
    account_ids: tuple[str, ...] | None
    revoked_at: datetime | None


class SavedToken(Struct):
    token: str
    client_id: str
    expires_at: datetime
    thumbprint: str | None


class Saved(Struct):
    """seed: the world that the state belongs to. Sessions are not kept: whoever is in one starts again."""

    seed: int
    now: datetime
    counters: dict[str, int]
    end_users: list[EndUser]
    consents: list[SavedConsent]
    tokens: list[SavedToken]


def save(service: Service, path: Path) -> None:
    """Write to a temporary file and rename it; only its owner can read it."""
    saved = Saved(
        service.world.seed,
        service.now,
        service.counters,
        list(service.end_users.values()),
        [_saved(consent) for consent in service.consents.values()],
        [
            SavedToken(token, grant.client.id, grant.expires_at, grant.thumbprint)
            for token, grant in service.tokens.items()
        ],
    )
    draft = path.with_name(f"{path.name}.new")
    draft.touch(mode=0o600)
    draft.write_bytes(msgspec.json.encode(saved))
    draft.replace(path)


def _saved(consent: Consent) -> SavedConsent:
    return SavedConsent(
        consent.consent_id,
        consent.arrangement_id,
        consent.end_user_id,
        consent.person.index,
        consent.institution.id,
        consent.granted_at,
        consent.expires_at,
        consent.account_ids,
        consent.revoked_at,
    )


def restore(service: Service, path: Path) -> None:
    """Put the saved state in place of the service's own; nothing where there is no file yet.

    Raises UsageError where the file cannot be read or belongs to another seed.
    """
    if not path.exists():
        return
    try:
        saved = msgspec.json.decode(path.read_bytes(), type=Saved)
    except (OSError, msgspec.MsgspecError):
        raise UsageError(f"{path}: is not the state of a sandbox. Name another file, or delete it.") from None
    if saved.seed != service.world.seed:
        raise UsageError(f"{path}: the state of seed {saved.seed}, not of {service.world.seed}.")
    service.advance(max(saved.now - service.now, timedelta(0)))
    service.counters = saved.counters
    service.end_users = {user.id: user for user in saved.end_users}
    service.consents = {consent.arrangement_id: _restored(service, consent) for consent in saved.consents}
    service.tokens = {t.token: Token(service.clients[t.client_id], t.expires_at, t.thumbprint) for t in saved.tokens}


def _restored(service: Service, saved: SavedConsent) -> Consent:
    people = service.world.people
    return Consent(
        saved.consent_id,
        saved.arrangement_id,
        saved.end_user_id,
        people[saved.person % len(people)],
        BY_ID[saved.institution_id],
        saved.granted_at,
        saved.expires_at,
        saved.account_ids,
        saved.revoked_at,
    )
