"""Webhooks: verify signatures and read events."""

from __future__ import annotations

import binascii
import hmac
import re
from base64 import b64decode, b64encode
from datetime import UTC, datetime

import msgspec

from toolkit.wire.decoding.lenient import BROKEN
from toolkit.wire.records import Wire

SIGNATURE_HEADER = "X-Platform-Signature"
_MILLISECONDS_FROM = 1e11
"""In seconds that is the year 5138, in milliseconds 1973."""

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
"""Event name without `.sync.completed` → lists to pull; other names are possible."""


class EventData(Wire):
    """event: such as `banking.transactions.sync.completed` or `consent.revoked` (on expiry as on revocation)."""

    event: str | None = None
    end_user_id: str | None = None


class Event(Wire):
    """message_id: the same for every delivery of one event. publish_time: RFC 3339, as written."""

    message_id: str
    data: EventData
    publish_time: str | None = None

    def resources(self) -> tuple[str, ...]:
        """Return the lists that have changed; none for consent events and unknown names."""
        return RESOURCES.get((self.data.event or "").removesuffix(".sync.completed"), ())


def signature(secret: str, body: bytes) -> str:
    """Return base64(HMAC-SHA256(key = base64decode(secret), raw body)).

    Raises ValueError for a secret that is not base64.
    """
    try:
        key = b64decode(secret, validate=True)
    except binascii.Error as problem:
        raise ValueError("a webhook secret is base64") from problem
    return b64encode(hmac.digest(key, body, "sha256")).decode()


def is_signed(secret: str, stated: str | None, body: bytes) -> bool:
    """Whether the stated signature is the secret's for this body."""
    return stated is not None and hmac.compare_digest(signature(secret, body).encode(), stated.strip().encode())


def read_event(body: bytes) -> Event | None:
    """Read the event in a webhook's body; None where the body is not a JSON object with a `message_id`.

    The types of its fields do not matter: an id that is not text counts as its JSON text, a time that is a number as
    seconds (or milliseconds) since 1970; another field of an unknown type is left empty.
    """
    try:
        found = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        values = {name: _text(found.get(name)) for name in ("message_id", "publish_time")}
    except BROKEN:
        return None
    if not values["message_id"]:
        return None
    return Event(
        message_id=values["message_id"],
        data=_event_data(found.get("data")),
        publish_time=_instant(values["publish_time"]),
    )


def _text(raw: msgspec.Raw | None) -> str | None:
    """Return the text of a JSON text, else the JSON itself; None for null and where there is none."""
    if raw is None or bytes(raw) == b"null":
        return None
    text = bytes(raw)
    return msgspec.json.decode(text, type=str) if text.startswith(b'"') else text.decode()


def _event_data(raw: msgspec.Raw | None) -> EventData:
    try:
        found = msgspec.json.decode(raw or b"{}", type=dict[str, msgspec.Raw])
        return EventData(event=_text(found.get("event")), end_user_id=_text(found.get("end_user_id")))
    except BROKEN:
        return EventData()


def _instant(text: str | None) -> str | None:
    """Return the time as written; a number of seconds or milliseconds since 1970 as RFC 3339."""
    if text is None or not re.fullmatch(r"[0-9]{9,13}(\.[0-9]+)?", text):
        return text
    seconds = float(text)
    return datetime.fromtimestamp(seconds / 1000 if seconds >= _MILLISECONDS_FROM else seconds, UTC).isoformat()
