"""Tokens, end users, sessions and institutions."""

from __future__ import annotations

from toolkit.sandbox.routes.calls import Answer, Call, Handler
from toolkit.sandbox.service.consents import Session
from toolkit.sandbox.service.faults import ServiceRefusalError
from toolkit.sandbox.service.rows import plain_row
from toolkit.sandbox.service.state import SESSION_LIFE, TOKEN_SECONDS
from toolkit.sandbox.world.institutions import BY_ID, INSTITUTIONS, Institution


def token(call: Call) -> Answer:
    body = call.body()
    issued = call.service.sign_in(body.client_id, body.client_secret, call.thumbprint)
    return {"token": issued, "token_type": "Bearer", "expires_in": TOKEN_SECONDS}


def create_end_user(call: Call) -> Answer:
    """The live service answers with the id alone, under this name."""
    body = call.body()
    if "@" not in body.email or not body.name.strip():
        raise ServiceRefusalError("bad_request", "email and name are required.")
    return {"end_user_id": call.service.create_end_user(body.email, body.name, body.phone or "").id}


def list_end_users(call: Call) -> Answer:
    wanted = call.query.get("email")
    users = [user for user in call.service.end_users.values() if wanted in (None, user.email)]
    return call.listed(sorted((plain_row(user.as_record(), user.id) for user in users), key=lambda row: row.anchor))


def get_end_user(call: Call) -> Answer:
    return call.service.end_user(call.path["id"]).as_record()


def start_session(call: Call) -> Answer:
    """A session that is good for one walk through the consent pages, for five days."""
    body, service = call.body(), call.service
    user = service.end_user(body.end_user_id)
    institution = _pre_selected(body.institution_id)
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


def _pre_selected(institution_id: str | None) -> Institution | None:
    if institution_id and institution_id not in BY_ID:
        raise ServiceRefusalError("invalid_institution_id", "No institution has this id.")
    return BY_ID[institution_id] if institution_id else None


def get_institution(call: Call) -> Answer:
    found = institution_of(call.path["id"])
    return found.as_record(call.service.health_of(found))


def institution_of(institution_id: str) -> Institution:
    """Refuses with institution_not_found."""
    if institution_id not in BY_ID:
        raise ServiceRefusalError("institution_not_found", "No institution has this id.")
    return BY_ID[institution_id]


def list_institutions(call: Call) -> Answer:
    """A bare array; the caller names itself."""
    call.required("client_id")
    industry = call.query.get("industry")
    wanted = [found for found in INSTITUTIONS if industry in (None, found.industry)]
    return [found.as_record(call.service.health_of(found)) for found in wanted]


IDENTITY: dict[str, Handler] = {
    "token": token,
    "end_users.create": create_end_user,
    "end_users.list": list_end_users,
    "end_users.get": get_end_user,
    "auth.session": start_session,
    "institutions.get": get_institution,
    "institutions.list": list_institutions,
}
