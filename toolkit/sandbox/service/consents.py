"""Consents, requests for consents through the consent API, and the sessions in which customers give them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from toolkit.sandbox.world import Person
from toolkit.sandbox.world.people import Institution
from toolkit.wire import JsonObject

REQUEST_LIFE = timedelta(minutes=10)
SINGLE_USE = timedelta(days=1)
"""Life of a consent without a sharing duration."""
LONGEST_SHARING = timedelta(days=366)
APP_NAME = "Toolkit"


def rfc3339(timestamp: datetime | None) -> str | None:
    """Write a timestamp in UTC to the second: `2026-07-15T02:00:00Z`."""
    return timestamp.strftime("%Y-%m-%dT%H:%M:%SZ") if timestamp else None


@dataclass
class Consent:
    """A customer's consent to share the data of one institution with one end user's app."""

    consent_id: str
    arrangement_id: str
    """Survives renewals, unlike the consent id."""
    end_user_id: str
    person: Person
    institution: Institution
    granted_at: datetime
    expires_at: datetime
    account_ids: tuple[str, ...] | None = None
    """Accounts the customer chose; None is everything the person has there."""
    revoked_at: datetime | None = None

    @property
    def version(self) -> str:
        """Return a text that changes whenever the records that this consent shares change."""
        return f"{self.arrangement_id} {self.account_ids}"

    def active(self, now: datetime) -> bool:
        """Return whether the consent is neither revoked nor expired."""
        return self.revoked_at is None and now < self.expires_at

    def ending(self, now: datetime) -> str:
        """Return `revoked` or `expired`; empty while the consent is active."""
        if self.revoked_at:
            return "revoked"
        return "" if now < self.expires_at else "expired"

    def as_record(self, now: datetime) -> JsonObject:
        """Return the record as the live service lists it: `active` and a reason, no status word."""
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
class ConsentRequest:
    """A consent requested through the consent API; active once a customer approves it."""

    consent_id: str
    arrangement_id: str
    request_uri: str
    """Opens the consent pages once (RFC 9126), until `request_ends_at`."""
    request_ends_at: datetime
    redirect_uri: str
    scopes: tuple[str, ...]
    sharing: timedelta
    """Duration of sharing after approval; zero is a single use."""
    created_at: datetime
    customer_id: str | None = None
    opened: bool = False
    """Whether `request_uri` was used."""
    account_ids: tuple[str, ...] = ()
    granted_at: datetime | None = None

    def approve(self, account_ids: tuple[str, ...], now: datetime) -> None:
        """Record the customer's approval for these accounts."""
        self.account_ids, self.granted_at = account_ids, now

    @property
    def expires_at(self) -> datetime | None:
        """Return the end of sharing; None until approved."""
        return self.granted_at + (self.sharing or SINGLE_USE) if self.granted_at else None

    def status(self, now: datetime) -> str:
        """Return `created` until approved, then `active`; `expired` once sharing or the request has ended."""
        if now >= (self.expires_at or self.request_ends_at):
            return "expired"
        return "active" if self.granted_at else "created"

    def as_record(self, now: datetime) -> JsonObject:
        """Return the record as the consent API serves it."""
        return {
            "consent_id": self.consent_id,
            "arrangement_id": self.arrangement_id,
            "status": self.status(now),
            "app_name": APP_NAME,
            "customer_id": self.customer_id,
            "scopes": list(self.scopes),
            "account_ids": list(self.account_ids),
            "granted_at": rfc3339(self.granted_at),
            "expires_at": rfc3339(self.expires_at),
            "updated_at": rfc3339(self.granted_at or self.created_at),
            "revoked_at": None,
        }


@dataclass
class Session:
    """One visit to the consent pages."""

    id: str
    end_user_id: str
    expires_at: datetime
    institution: Institution | None = None
    redirect_uri: str | None = None
    cancel_uri: str | None = None
    arrangement_id: str | None = None
    """Arrangement to renew."""
    step: str = "institution"
    """Key of the next page in `consent.steps.STEPS`."""
    person: Person | None = None
    """The customer who logged in."""
    account_ids: tuple[str, ...] = ()
    tries: dict[str, int] = field(default_factory=dict)
    """Wrong passwords and codes, by step."""
    request: ConsentRequest | None = None
    """The request to approve, if the consent API started the session."""
    done: bool = False
    """Whether the flow has ended; the session cannot be used again."""
