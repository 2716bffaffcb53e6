"""Tokens, end users, sessions and institutions."""

from __future__ import annotations

from toolkit.sandbox.routes.call import Call, Handler
from toolkit.sandbox.service.consents import Session
from toolkit.sandbox.service.refusals import ServiceRefusalError
from toolkit.sandbox.service.rows import plain_row
from toolkit.sandbox.service.state import SESSION_LIFE, TOKEN_SECONDS
from toolkit.sandbox.world.people import INSTITUTIONS, INSTITUTIONS_BY_ID, Institution
from toolkit.wire import JsonObject


def token(call: Call) -> JsonObject:
    """Issue an access token."""
    body = call.body()
    issued = call.service.sign_in(body.client_id, body.client_secret, call.thumbprint)
    return {"token": issued, "token_type": "Bearer", "expires_in": TOKEN_SECONDS}


def create_end_user(call: Call) -> JsonObject:
    """Add an end user; the live service returns the id alone, under this name."""
    body = call.body()
    if "@" not in body.email or not body.name.strip():
        raise ServiceRefusalError("bad_request", "email and name are required.")
    return {"end_user_id": call.service.create_end_user(body.email, body.name, body.phone or "").id}


def list_end_users(call: Call) -> JsonObject:
    """List end users, or the one with an email address."""
    wanted = call.query.get("email")
    users = [user for user in call.service.end_users.values() if wanted in (None, user.email)]
    return call.listed(sorted((plain_row(user.as_record(), user.id) for user in users), key=lambda row: row.anchor))


def get_end_user(call: Call) -> JsonObject:
    """Return an end user."""
    return call.service.end_user(call.path["id"]).as_record()


def start_session(call: Call) -> JsonObject:
    """Create a session for one visit to the consent pages, valid for five days."""
    body, service = call.body(), call.service
    user = service.end_user(body.end_user_id)
    if body.institution_id and body.institution_id not in INSTITUTIONS_BY_ID:
        raise ServiceRefusalError("invalid_institution_id", "No institution has this id.")
    institution = INSTITUTIONS_BY_ID[body.institution_id] if body.institution_id else None
    for uri in (body.redirect_uri, body.cancel_uri):
        if uri is not None and not uri.startswith(("http://", "https://")):
            raise ServiceRefusalError("bad_request", "redirect_uri and cancel_uri are http or https addresses.")
    session = Session(
        id=service.identity("sess"),
        end_user_id=user.id,
        expires_at=service.now + SESSION_LIFE,
        institution=institution,
        redirect_uri=body.redirect_uri,
        cancel_uri=body.cancel_uri,
        arrangement_id=body.arrangement_id,
        step="login" if institution else "institution",
    )
    service.sessions[session.id] = session
    return {
        "id": call.client.id if call.client else "",
        "session_id": session.id,
        "auth_url": f"{call.origin}/link?sess_id={session.id}",
        "expires_at": int(session.expires_at.timestamp()),
    }


def get_institution(call: Call) -> JsonObject:
    """Return an institution with its health."""
    institution = institution_of(call.path["id"])
    return institution.as_record(call.service.health_of(institution))


def institution_of(institution_id: str) -> Institution:
    """Return an institution by its id. Refuses with institution_not_found."""
    if institution_id not in INSTITUTIONS_BY_ID:
        raise ServiceRefusalError("institution_not_found", "No institution has this id.")
    return INSTITUTIONS_BY_ID[institution_id]


def list_institutions(call: Call) -> list[JsonObject]:
    """List institutions as a bare array; the caller names itself by `client_id` instead of a token."""
    call.required("client_id")
    industry = call.query.get("industry")
    wanted = [institution for institution in INSTITUTIONS if industry in (None, institution.industry)]
    return [institution.as_record(call.service.health_of(institution)) for institution in wanted]


IDENTITY: dict[str, Handler] = {
    "token": token,
    "end_users.create": create_end_user,
    "end_users.list": list_end_users,
    "end_users.get": get_end_user,
    "auth.session": start_session,
    "institutions.get": get_institution,
    "institutions.list": list_institutions,
}
