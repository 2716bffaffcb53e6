"""Consents and the sessions that lead to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from toolkit.sandbox.world import Person
from toolkit.sandbox.world.institutions import Institution

if TYPE_CHECKING:
    from toolkit.sandbox.service.arrangements import Arrangement


def rfc3339(timestamp: datetime | None) -> str | None:
    return timestamp.strftime("%Y-%m-%dT%H:%M:%SZ") if timestamp else None


@dataclass
class Consent:
    """account_ids: what was chosen; None is everything the person has there."""

    consent_id: str
    arrangement_id: str
    end_user_id: str
    person: Person
    institution: Institution
    granted_at: datetime
    expires_at: datetime
    account_ids: tuple[str, ...] | None = None
    revoked_at: datetime | None = None

    @property
    def version(self) -> str:
        """Changes when what the consent opens does."""
        return f"{self.arrangement_id} {self.account_ids}"

    def active(self, now: datetime) -> bool:
        return self.revoked_at is None and now < self.expires_at

    def ending(self, now: datetime) -> str:
        """`revoked`, `expired`, or nothing while it lasts."""
        if self.revoked_at:
            return "revoked"
        return "" if now < self.expires_at else "expired"

    def as_record(self, now: datetime) -> dict[str, Any]:
        """As the live service lists it: `active` and a reason, no status word."""
        record = {
            "arrangement_id": self.arrangement_id,
            "consent_id": self.consent_id,
            "end_user_id": self.end_user_id,
            "institution_id": self.institution.id,
            "active": self.active(now),
            "termination_reason": self.ending(now).upper() or None,
            "created_at": rfc3339(self.granted_at),
            "granted_at": rfc3339(self.granted_at),
            "expires_at": rfc3339(self.expires_at),
            "updated_at": rfc3339(self.revoked_at or self.granted_at),
            "revoked_at": rfc3339(self.revoked_at),
            "account_ids": list(self.account_ids or ()),
        }
        return {name: value for name, value in record.items() if value is not None}


@dataclass
class Session:
    """One walk through the consent pages. step: the page that comes next. Done sessions serve no more.

    arrangement: what is approved, where the consent API asked for it.
    """

    id: str
    end_user_id: str
    expires_at: datetime
    institution: Institution | None = None
    redirect_uri: str | None = None
    cancel_uri: str | None = None
    arrangement_id: str | None = None
    step: str = "institution"
    person: Person | None = None
    account_ids: tuple[str, ...] = ()
    tries: dict[str, int] = field(default_factory=dict)
    arrangement: Arrangement | None = None
    done: bool = False
