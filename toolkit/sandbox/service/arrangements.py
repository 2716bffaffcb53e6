"""Consents asked for through the consent API: created by the caller, active once a customer approves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from toolkit.sandbox.service.consents import rfc3339

REQUEST_LIFE = timedelta(minutes=10)
SINGLE_USE = timedelta(days=1)
LONGEST_SHARING = timedelta(days=366)
APP_NAME = "Toolkit"


@dataclass
class Arrangement:
    """request_uri serves once (RFC 9126) and until `request_ends_at`. sharing: zero is a single use."""

    consent_id: str
    arrangement_id: str
    request_uri: str
    request_ends_at: datetime
    redirect_uri: str
    scopes: tuple[str, ...]
    sharing: timedelta
    created_at: datetime
    customer_id: str | None = None
    opened: bool = False
    account_ids: tuple[str, ...] = ()
    granted_at: datetime | None = None

    def approve(self, account_ids: tuple[str, ...], now: datetime) -> None:
        self.account_ids, self.granted_at = account_ids, now

    @property
    def expires_at(self) -> datetime | None:
        return self.granted_at + (self.sharing or SINGLE_USE) if self.granted_at else None

    def status(self, now: datetime) -> str:
        """`created` until approved, `active` while shared, `expired` afterwards or when the request ran out."""
        ends = self.expires_at or self.request_ends_at
        if now >= ends:
            return "expired"
        return "active" if self.granted_at else "created"

    def as_record(self, now: datetime) -> dict[str, Any]:
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
