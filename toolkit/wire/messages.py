"""Single responses: sessions, created end users, and how a consent flow ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from toolkit.errors import InvalidResponseError
from toolkit.wire.records import EndUserCreated, Session


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A consent flow that may be started once. expires_at: aware, None where the service does not say."""

    session_id: str
    auth_url: str | None
    expires_at: datetime | None


def read_session(answer: Session) -> OpenSession:
    """Read a session. Raises InvalidResponseError without a session id; the specification has two names for it."""
    session_id = answer.session_id or answer.auth_session_id
    if not session_id:
        raise InvalidResponseError("The response has no session identifier.")
    return OpenSession(session_id, answer.auth_url, _timestamp(answer.expires_at))


def _timestamp(stated: int | str | None) -> datetime | None:
    """Read Unix seconds, as a number or its digits, or an RFC 3339 text; None for anything else."""
    try:
        if isinstance(stated, int) or (stated and stated.isdigit()):
            return datetime.fromtimestamp(int(stated), UTC)
        timestamp = datetime.fromisoformat(stated) if stated else None
    except (ValueError, OverflowError, OSError):
        return None
    return timestamp.replace(tzinfo=timestamp.tzinfo or UTC) if timestamp else None


def read_created(answer: EndUserCreated) -> str:
    """Return the new end user's id. Raises InvalidResponseError without one."""
    created = answer.end_user_id or answer.id
    if not created:
        raise InvalidResponseError("The response has no end user id.")
    return created


CODES: dict[str, str] = {
    "LINK_NOT_FOUND": "the place for the consent frame is missing",
    "LINK_TIMEOUT": "the consent flow took too long",
    "LINK_USER_CANCELLED": "the person cancelled",
    "LINK_ORIGIN_MISMATCH": "a message came from another origin",
    "LINK_INTERNAL_ERROR": "the consent flow failed",
    "LINK_INVALID_SESSION": "the session is unknown, used or over",
    "CONSENT_UPSTREAM_PROCESSING_ERROR": "the institution failed; trying again may help",
    "CONSENT_ENDUSER_DENIED": "the person denied consent at the institution",
    "CONSENT_OTP_FAILURE": "the one-time code was wrong",
    "CONSENT_ENDUSER_INELIGIBLE": "the person has no eligible account there",
    "CONSENT_TIMEOUT": "the institution did not answer in time",
    "AUTH_SESSION_CANCELLED": "the person cancelled on the service's page",
    "AUTH_SESSION_INVALID": "the session has ended",
    "CONSUMERDATA_PROCESSING_ERROR": "the service failed to read the data",
}
"""Code → what happened. Open: other codes are passed on as they come."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a consent flow ended: with a consent, or with an error code."""

    session_id: str | None
    consent_id: str | None
    error: str | None = None
    description: str | None = None

    @property
    def meaning(self) -> str:
        """Return a part of a sentence, such as `the person cancelled`."""
        return CODES.get(self.error or "", self.description or self.error or "no reason was given")


def read_outcome(query: Mapping[str, str]) -> Outcome | None:
    """Read the outcome from a redirect's query; None if there is none."""
    error = query.get("error") or query.get("error_type")
    session, consent = query.get("session_id"), query.get("consent_id")
    if not (error or session or consent):
        return None
    return Outcome(session, consent, error, query.get("error_description"))
