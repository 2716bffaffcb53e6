"""Save the service's state as JSON, so that a restarted sandbox resumes."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from toolkit.errors import UsageError
from toolkit.sandbox.service.consents import Consent
from toolkit.sandbox.service.state import EndUser, Service, Token
from toolkit.sandbox.world.people import INSTITUTIONS_BY_ID


class SavedConsent(Struct):
    """A consent."""

    consent_id: str
    arrangement_id: str
    end_user_id: str
    person: int
    """Index in the world's people."""
    institution_id: str
    granted_at: datetime
    expires_at: datetime
    account_ids: tuple[str, ...] | None
    revoked_at: datetime | None


class SavedToken(Struct):
    """An access token."""

    token: str
    client_id: str
    expires_at: datetime
    thumbprint: str | None


class SavedState(Struct):
    """Content of the file. Sessions are not saved: customers in the middle of one start again."""

    seed: int
    """The seed of the world that the state belongs to."""
    now: datetime
    counters: dict[str, int]
    end_users: list[EndUser]
    consents: list[SavedConsent]
    tokens: list[SavedToken]


def save(service: Service, path: Path) -> None:
    """Write the state to a temporary file and rename it; only its owner can read it."""
    saved = SavedState(
        service.world.seed,
        service.now,
        service.counters,
        list(service.end_users.values()),
        [
            SavedConsent(
                consent_id=consent.consent_id,
                arrangement_id=consent.arrangement_id,
                end_user_id=consent.end_user_id,
                person=consent.person.index,
                institution_id=consent.institution.id,
                granted_at=consent.granted_at,
                expires_at=consent.expires_at,
                account_ids=consent.account_ids,
                revoked_at=consent.revoked_at,
            )
            for consent in service.consents.values()
        ],
        [
            SavedToken(token, grant.client.id, grant.expires_at, grant.thumbprint)
            for token, grant in service.tokens.items()
        ],
    )
    draft = path.with_name(f"{path.name}.new")
    draft.touch(mode=0o600)
    draft.write_bytes(msgspec.json.encode(saved))
    draft.replace(path)


def restore(service: Service, path: Path) -> None:
    """Replace the service's state by the saved one; does nothing if the file does not exist yet.

    Raises UsageError if the file cannot be read or belongs to another seed.
    """
    if not path.exists():
        return
    try:
        saved = msgspec.json.decode(path.read_bytes(), type=SavedState)
    except (OSError, msgspec.MsgspecError):
        raise UsageError(f"{path}: is not the state of a sandbox. Name another file, or delete it.") from None
    if saved.seed != service.world.seed:
        raise UsageError(f"{path}: the state of seed {saved.seed}, not of {service.world.seed}.")
    service.advance(max(saved.now - service.now, timedelta(0)))
    service.counters = saved.counters
    service.end_users = {user.id: user for user in saved.end_users}
    people = service.world.people
    service.consents = {
        consent.arrangement_id: Consent(
            consent_id=consent.consent_id,
            arrangement_id=consent.arrangement_id,
            end_user_id=consent.end_user_id,
            person=people[consent.person % len(people)],
            institution=INSTITUTIONS_BY_ID[consent.institution_id],
            granted_at=consent.granted_at,
            expires_at=consent.expires_at,
            account_ids=consent.account_ids,
            revoked_at=consent.revoked_at,
        )
        for consent in saved.consents
    }
    service.tokens = {t.token: Token(service.clients[t.client_id], t.expires_at, t.thumbprint) for t in saved.tokens}
