"""End users, institutions, tokens, sessions and consents, with the bodies that ask for them."""

from __future__ import annotations

from toolkit.wire.records.base import Wire


class EndUser(Wire):
    id: str
    name: str | None = None
    email: str | None = None
    phone: str | None = None


class EndUserBody(Wire):
    email: str
    name: str
    phone: str | None = None
    abn: str | None = None


class EndUserCreated(Wire):
    """The live service answers `end_user_id`, not `id`; the specification does not show it."""

    end_user_id: str | None = None
    id: str | None = None


class ConnectionStatus(Wire):
    status: str | None = None


class InstitutionStatus(Wire):
    connections: ConnectionStatus | None = None


class Institution(Wire):
    id: str
    name: str | None = None
    industry: str | None = None
    icon: str | None = None
    logo: str | None = None
    is_accessible: bool | None = None
    priority: int | None = None
    status: InstitutionStatus | None = None


class TokenBody(Wire):
    client_id: str
    client_secret: str


class Token(Wire):
    token: str | None = None
    access_token: str | None = None
    token_type: str | None = None
    expires_in: int | None = None


class SessionBody(Wire):
    end_user_id: str
    institution_id: str | None = None
    redirect_uri: str | None = None
    cancel_uri: str | None = None
    arrangement_id: str | None = None


class Session(Wire):
    """expires_at: Unix seconds; an older guide shows an RFC 3339 text."""

    id: str | None = None
    session_id: str | None = None
    auth_session_id: str | None = None
    auth_url: str | None = None
    expires_at: int | str | None = None


class ConsentRecord(Wire):
    """A consent as the live `GET /v1/consent` lists it: `active` and a reason, no status word."""

    arrangement_id: str
    consent_id: str | None = None
    end_user_id: str | None = None
    institution_id: str | None = None
    active: bool | None = None
    termination_reason: str | None = None
    created_at: str | None = None
    granted_at: str | None = None
    expires_at: str | None = None
    updated_at: str | None = None
    revoked_at: str | None = None
    permissions: list[str] | None = None
    account_ids: list[str] | None = None


class ConsentBody(Wire):
    """sharing_duration in seconds; absent or 0 asks for a single use."""

    scopes: list[str]
    sharing_duration: int | None = None
    redirect_uri: str | None = None
    customer_id: str | None = None


class ConsentRequest(Wire):
    consent_id: str
    status: str | None = None
    request_uri: str | None = None
    authorization_url: str | None = None
    expires_in: int | None = None


class ConsentArrangement(Wire):
    consent_id: str
    arrangement_id: str | None = None
    status: str | None = None
    app_name: str | None = None
    customer_id: str | None = None
    scopes: list[str] | None = None
    account_ids: list[str] | None = None
    granted_at: str | None = None
    expires_at: str | None = None
    updated_at: str | None = None
    revoked_at: str | None = None


class DataFreshness(Wire):
    """How fresh one data set is; the endpoint is known to exist, its shape is this project's own guess."""

    data_set: str
    end_user_id: str | None = None
    institution_id: str | None = None
    account_id: str | None = None
    status: str | None = None
    last_updated: str | None = None
