"""Answers about consents: who shares what, with which institution, until when."""

from __future__ import annotations

from datetime import date, datetime

import msgspec
from msgspec import UNSET, UnsetType

from toolkit.answers.base import Answer
from toolkit.problems import Problem


class Consent(Answer, frozen=True, kw_only=True):
    """One consent on a day."""

    id: str
    """Consent id, or the arrangement id where that is not known."""
    arrangement_id: str
    end_user_id: str
    """Who agreed; empty where several people may have."""
    institution_id: str | None
    institution: str | None
    """Name, or the id where the directory was not read."""
    granted_at: datetime | None
    ends_at: datetime | None
    state: str
    """`active`, `expired`, `revoked` or another word of the service."""
    accounts: int | None
    """Number of accounts shared; null where the service does not list them."""
    shares: tuple[str, ...]
    """Permissions, as the service names them."""
    ends_in_days: int | None
    """Null once it has ended, or where no end is known."""
    limit_at: date | None
    """No consent lasts longer than 12 months."""
    next_reminder: date | None
    """The next ninetieth day since it was given."""
    reminder: str | None
    """What to remind the person of today."""
    connection: str | None
    """HEALTHY, DEGRADED, OUTAGE or another word of the service for the institution's connection."""
    is_accessible: bool | None
    """Whether the institution can be connected now."""


class EndedConsent(Consent, frozen=True, kw_only=True):
    """What `disconnect` answers: the consent after it was ended at the service."""

    problems: tuple[Problem, ...] = ()
    """What could not be read when the person's consents were read again."""


class NamedHousehold(msgspec.Struct, frozen=True):
    """A household by id and name."""

    id: str
    name: str


class ConnectedConsent(msgspec.Struct, frozen=True):
    """A consent of the person who was connected."""

    id: str
    """Arrangement id."""
    consent_id: str | None
    institution: str | None
    state: str
    ends_at: datetime | None


class Connected(Answer, frozen=True, kw_only=True):
    """What `connect` answers: the person's household and consents."""

    household: NamedHousehold
    end_user_id: str
    consents: tuple[ConnectedConsent, ...]
    problems: tuple[Problem, ...] = ()
    open_url: str | UnsetType = UNSET
    """Address of the consent pages that was opened."""
    invite_url: str | UnsetType = UNSET
    """With `--invite`: the link to send."""
    invite_expires_at: datetime | UnsetType | None = UNSET


class LinkSession(Answer, frozen=True, kw_only=True):
    """A consent flow to show in a frame of a page."""

    session_id: str
    end_user_id: str


class DirectoryEntry(msgspec.Struct, frozen=True):
    """A bank or energy retailer that can be connected."""

    id: str
    name: str
    industry: str | None
    is_accessible: bool | None
    priority: int | None
    """Order in lists, lowest first."""
    connection: str | None
    """HEALTHY, DEGRADED, OUTAGE or another word of the service."""


class Institutions(Answer, frozen=True, kw_only=True):
    """The service's directory of institutions."""

    institutions: tuple[DirectoryEntry, ...] = ()
    problems: tuple[Problem, ...] = ()
