"""The four error bodies, one table of statuses for both sides, and the typed error each becomes.

| context | body | content type |
|---|---|---|
| token | error, error_description | application/json |
| banking, energy, end-user list | id, message, name | application/json |
| one end user or institution, session | the same and fault, temporary, timeout | application/vnd.goa.error |
| consent | code, message | application/json |
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from toolkit.errors import (
    AuthenticationError,
    ConsentRequiredError,
    InvalidResponseError,
    RateLimitError,
    RequestRejectedError,
    ServerError,
    ServiceError,
)
from toolkit.remedies import Message, Remedy
from toolkit.wire.decoding.lenient import BROKEN
from toolkit.wire.endpoints import ErrorShape

JSON = "application/json"
GOA = "application/vnd.goa.error"
LONGEST_MESSAGE = 300

STATUSES: dict[str, int] = {
    "bad_request": 400,
    "invalid_request": 400,
    "invalid_cursor": 400,
    "invalid_institution_id": 400,
    "invalid_redirect_uri": 400,
    "invalid_scope": 400,
    "end_user_already_exists": 400,
    "unauthorized": 401,
    "invalid_client": 401,
    "invalid_token": 401,
    "insufficient_scope": 403,
    "insufficient_scopes": 403,
    "consent_required": 403,
    "consent_expired": 403,
    "consent_revoked": 403,
    "not_found": 404,
    "end_user_not_found": 404,
    "institution_not_found": 404,
    "consent_not_found": 404,
    "account_not_found": 404,
    "method_not_allowed": 405,
    "unsupported_media_type": 415,
    "rate_limit_exceeded": 429,
    "internal_error": 500,
    "bad_gateway": 502,
    "service_unavailable": 503,
    "gateway_timeout": 504,
}
"""Error name → HTTP status: the names known, and this project's own where none is known."""

_CONSENT_ENDED = frozenset({"consent_required", "consent_expired", "consent_revoked", "consent_not_found"})


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """An error body of any of the four shapes. reference: the service's support reference."""

    name: str = ""
    message: str = ""
    reference: str = ""
    temporary: bool = False


def write_error(
    shape: ErrorShape, name: str, message: str, reference: str, *, temporary: bool = False
) -> tuple[str, dict[str, object]]:
    """Return content type and body of an error. temporary: trying again may help (goa bodies only)."""
    if shape == "token":
        return JSON, {"error": name, "error_description": message}
    if shape == "consent":
        return JSON, {"code": name, "message": message}
    body: dict[str, object] = {"id": reference, "name": name, "message": message}
    if shape == "data":
        return JSON, body
    status = STATUSES.get(name, 500)
    return GOA, {**body, "fault": status >= 500, "temporary": temporary, "timeout": status == 504}


def read_error(body: bytes) -> ErrorBody:
    """Read any of the four bodies; return an empty ErrorBody where the text is none of them."""
    try:
        found: Any = msgspec.json.decode(body)
    except BROKEN:
        return ErrorBody()
    if not isinstance(found, dict):
        return ErrorBody()
    return ErrorBody(
        name=_line(found.get("error") or found.get("code") or found.get("name")),
        message=_line(found.get("error_description") or found.get("message")),
        reference=_line(found.get("id")),
        temporary=found.get("temporary") is True or found.get("timeout") is True,
    )


def _line(value: object) -> str:
    """Return foreign text as one harmless line: no control characters, no terminal escapes, bounded."""
    if not isinstance(value, str):
        return ""
    return "".join(c if c.isprintable() else " " for c in value[:LONGEST_MESSAGE]).strip()


def error_for(
    request: str, status: int, headers: Mapping[str, str], body: bytes, now: datetime, *, bound: bool = False
) -> ServiceError:
    """Return the typed error for a response that is not a success.

    request: method and path, for the message. now: aware; against it a `Retry-After` date is counted. bound: whether
    the endpoint wants a token that is bound to a client certificate.
    """
    error = read_error(body)
    words = ": ".join(part for part in (error.name, error.message.rstrip(".")) if part)
    text = f"{request}: the service answered {status}" + (f" ({words})" if words else "")
    text += f" [{error.reference}]" if error.reference else ""
    about = {"name": error.name, "reference": error.reference}
    if status == 429:
        wait = retry_after(headers.get("retry-after"), now)
        return RateLimitError(f"{text}. Too many requests: wait, then try again.", retry_after=wait, **about)
    kind, advice = _reaction(status, error.name, bound=bound)
    return kind(Message(text, ". ", advice), status=status, **about)


def _reaction(status: int, name: str, *, bound: bool) -> tuple[type[ServiceError], str]:
    if status in (401, 403) and bound:
        return AuthenticationError, _CERTIFICATE
    if name in _CONSENT_ENDED and not bound:
        return ConsentRequiredError, Message(Remedy.CONNECT_AGAIN, ".")
    if status in _REACTIONS:
        return _REACTIONS[status]
    if status >= 500:
        return ServerError, "The service failed. Try again later."
    if status >= 400:
        return RequestRejectedError, "The service rejected the request."
    return (
        InvalidResponseError,
        "The specification does not allow this status; redirects are not followed. Check the base address.",
    )


_CERTIFICATE = Message(
    "The consent API needs the client certificate that the token is bound to. ", Remedy.CHECK_CERTIFICATE, "."
)
_REACTIONS: dict[int, tuple[type[ServiceError], str]] = {
    401: (AuthenticationError, Message(Remedy.CHECK_CREDENTIALS, ".")),
    403: (AuthenticationError, "The credentials lack a required scope. Create new ones in the service's console."),
}


def retry_after(text: str | None, now: datetime) -> float | None:
    """Return the seconds to wait by a `Retry-After` header (seconds or an HTTP date); None if unusable."""
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            timestamp = parsedate_to_datetime(text)
        except ValueError:
            return None
        seconds = (timestamp.replace(tzinfo=timestamp.tzinfo or UTC) - now).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None
