"""Requests and single responses: query parameters, sessions, created end users, and how a consent flow ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from toolkit.errors import InvalidResponseError
from toolkit.wire.endpoints import Endpoint
from toolkit.wire.parameters import Parameter
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
    """Unix seconds, as a number or its digits, or an RFC 3339 text."""
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


def python_name(parameter: Parameter) -> str:
    """`from` is `from_`, `read_start_date.oldest` is `read_start_date_oldest`, `page[size]` is `page_size`."""
    name = parameter.name.replace(".", "_").replace("[", "_").replace("]", "").replace("-", "_").lower()
    return name + "_" if name == "from" else name


def query(row: Endpoint, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Build a request's query from values by Python name; None is left out.

    Raises TypeError for an unknown name or a missing required one.
    """
    known = {python_name(parameter): parameter for parameter in row.query()}
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise TypeError(f"{row.name} has no parameter {', '.join(unknown)}; it has {', '.join(known)}")
    missing = sorted(name for name, p in known.items() if p.required and values.get(name) is None)
    if missing:
        raise TypeError(f"{row.name} needs {', '.join(missing)}")
    return [pair for name, value in values.items() for pair in _pairs(known[name], value)]


def _pairs(parameter: Parameter, value: Any) -> list[tuple[str, str]]:
    values = value if parameter.repeatable and not isinstance(value, str) else [value]
    names = [parameter.name, parameter.also] if parameter.also else [parameter.name]
    return [(name, text(each)) for each in _given(values) for name in names if name]


def _given(values: Any) -> Iterable[Any]:
    return [] if values is None else [value for value in values if value is not None]


def text(value: object) -> str:
    """A parameter's value as the service reads it. Raises ValueError for a date-time without a zone."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a date-time needs its zone")
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else str(value)


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
        """One sentence part, such as `the person cancelled`."""
        return CODES.get(self.error or "", self.description or self.error or "no reason was given")


def read_outcome(query: Mapping[str, str]) -> Outcome | None:
    """Read the outcome from a redirect's query; None if there is none."""
    error = query.get("error") or query.get("error_type")
    session, consent = query.get("session_id"), query.get("consent_id")
    if not (error or session or consent):
        return None
    return Outcome(session, consent, error, query.get("error_description"))
