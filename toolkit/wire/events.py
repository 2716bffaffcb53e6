"""Webhooks: the signature that proves who sent one, and what it says has changed."""

from __future__ import annotations

import binascii
import hmac
from base64 import b64decode, b64encode

import msgspec

from toolkit.wire.broken import BROKEN
from toolkit.wire.records import Wire

SIGNATURE_HEADER = "X-Platform-Signature"

RESOURCES: dict[str, tuple[str, ...]] = {
    "banking.accounts": ("banking.accounts",),
    "banking.balances": ("banking.balances",),
    "banking.transactions": ("banking.transactions",),
    "banking.transactions.basic": ("banking.transactions",),
    "banking.transactions.recent": ("banking.transactions",),
    "banking.payees": ("banking.payees",),
    "banking.directdebits": ("banking.direct_debits",),
    "banking.scheduledpayments": ("banking.scheduled_payments",),
    "banking.products": ("banking.products",),
    "energy.accounts": ("energy.accounts",),
    "energy.plans": ("energy.accounts",),
    "energy.billing": ("energy.billing",),
    "energy.concessions": ("energy.concessions",),
    "energy.der": ("energy.der_records",),
    "energy.invoices": ("energy.invoices",),
    "energy.servicepoints": ("energy.service_points",),
    "energy.usage": ("energy.usage",),
}
"""What an event's name, without `.sync.completed`, says is worth pulling; other names are open."""


class EventData(Wire):
    """event: such as `banking.transactions.sync.completed` or `consent.revoked` (on expiry as on revocation)."""

    event: str | None = None
    end_user_id: str | None = None
    client_id: str | None = None
    consent_id: str | None = None
    institution_id: str | None = None
    account_ids: list[str] | None = None
    payee_ids: list[str] | None = None


class Event(Wire):
    """message_id: the same for every delivery of one event."""

    message_id: str
    data: EventData
    delivery_attempt: int | None = None
    publish_time: str | None = None

    def resources(self) -> tuple[str, ...]:
        """The lists that it says have changed; none for consents and names unknown."""
        return RESOURCES.get((self.data.event or "").removesuffix(".sync.completed"), ())


def signature(secret: str, body: bytes) -> str:
    """base64(HMAC-SHA256(key = base64decode(secret), raw body)). Raises ValueError for a secret that is not base64."""
    try:
        key = b64decode(secret, validate=True)
    except binascii.Error as problem:
        raise ValueError("a webhook secret is base64") from problem
    return b64encode(hmac.digest(key, body, "sha256")).decode()


def verified(secret: str, stated: str | None, body: bytes) -> Event | None:
    """The event in a webhook's body, or None where its signature is not the secret's or it is no event."""
    if stated is None or not hmac.compare_digest(signature(secret, body).encode(), stated.strip().encode()):
        return None
    try:
        return msgspec.json.decode(body, type=Event)
    except BROKEN:
        return None
