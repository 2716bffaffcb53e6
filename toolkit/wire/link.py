"""Result codes of a consent flow, and how its redirect reports them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
