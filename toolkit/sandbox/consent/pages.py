"""Serve the consent pages: each posts to itself; the last one redirects to the app."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from toolkit.sandbox.consent import html
from toolkit.sandbox.consent.frames import link_routes, message_page, parent_of
from toolkit.sandbox.consent.steps import STEPS, ConsentFlowEndedError, Fields, offered_accounts
from toolkit.sandbox.service import Service
from toolkit.sandbox.service.consents import Consent, Session
from toolkit.sandbox.service.events import consent_given
from toolkit.wire import JsonObject
from toolkit.wire.messages import CODES

CANCEL, DENY, INVALID = "LINK_USER_CANCELLED", "CONSENT_ENDUSER_DENIED", "LINK_INVALID_SESSION"
LARGEST_FORM = 100_000
EXPIRED = "This link has expired"
CONNECTED = "You are connected"


def consent_routes(service: Service) -> list[Route]:
    """Return the routes of the pages, of requests of the consent API, and of the link component."""

    async def _show(request: Request) -> Response:
        session = _open_session(service, request)
        parent = parent_of(request, session)
        return _page(service, session, parent) if session else _expired_page(parent)

    async def _submit(request: Request) -> Response:
        session = _open_session(service, request)
        parent = parent_of(request, session)
        body = await request.body()
        if session is None or len(body) > LARGEST_FORM:
            return _expired_page(parent)
        fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
        return _next_page(service, session, fields, parent)

    async def _authorize(request: Request) -> Response:
        session = _session_of_request(service, request)
        return RedirectResponse(f"/link?sess_id={session.id}", 303) if session else _expired_page(None)

    return [
        Route("/link", _show, methods=["GET"]),
        Route("/link", _submit, methods=["POST"]),
        Route("/authorize", _authorize, methods=["GET"]),
        *link_routes(),
    ]


def _session_of_request(service: Service, request: Request) -> Session | None:
    """Start a session for a request of the consent API; a request_uri works once and until it expires."""
    wanted, client_id = (request.query_params.get(name) for name in ("request_uri", "client_id"))
    consent = next((c for c in service.consent_requests.values() if c.request_uri == wanted), None)
    if consent is None or consent.opened or service.now >= consent.request_ends_at or client_id not in service.clients:
        return None
    consent.opened = True
    session = Session(
        id=service.identity("sess"),
        end_user_id="",
        expires_at=consent.request_ends_at,
        redirect_uri=consent.redirect_uri,
        request=consent,
    )
    service.sessions[session.id] = session
    return session


def _open_session(service: Service, request: Request) -> Session | None:
    """Return the session in the query, unless it is used or expired."""
    session = service.sessions.get(request.query_params.get("sess_id", ""))
    return session if session and not session.done and service.now < session.expires_at else None


def _expired_page(parent: str | None) -> Response:
    title, text = EXPIRED, "It has already been used, or it is too old. Start again from the app."
    if parent:
        return message_page(parent, title, text, _failure(INVALID, "err_session"), 410)
    return html.document(title, html.paragraph(text), status=410)


def _page(service: Service, session: Session, parent: str | None, error: str = "") -> Response:
    title, content = STEPS[session.step].show(service, session, error)
    who = session.institution.name if session.institution else "Sandbox"
    return html.document(title, content, who=who, parent=parent)


def _next_page(service: Service, session: Session, fields: Fields, parent: str | None) -> Response:
    """Return the next page, the same one with an error message, or the end of the flow."""
    step = STEPS[session.step]
    if "cancel" in fields or "deny" in fields:
        return _failed(session, CANCEL if "cancel" in fields else DENY, parent)
    if fields.get("step") != [session.step]:
        return _page(service, session, parent)
    try:
        error = step.submit(service, session, fields)
    except ConsentFlowEndedError as ended:
        return _failed(session, ended.code, parent)
    if error:
        return _page(service, session, parent, error)
    if step.next_step is None:
        return _succeeded(service, session, parent)
    session.step = step.next_step
    return _page(service, session, parent)


def _succeeded(service: Service, session: Session, parent: str | None) -> Response:
    """Redirect to the app; in a frame or without an address, show a last page."""
    session.done = True
    if session.request:
        session.request.approve(session.account_ids, service.now)
    consent = session.request or _grant(service, session)
    answer = {"session_id": session.id, "consent_id": consent.consent_id}
    target = _with_query(session.redirect_uri, answer) if session.redirect_uri else None
    title, text = CONNECTED, "You can close this window and return to the app."
    if parent:
        message = {"isCompleted": True, "redirectURL": target, "consentID": consent.consent_id}
        return message_page(parent, title, text, message)
    return _redirect(target) if target else html.document(title, html.paragraph(text))


def _grant(service: Service, session: Session) -> Consent:
    """Add the consent; a renewed one keeps its arrangement id."""
    assert session.person is not None
    assert session.institution is not None
    consent = service.grant(session.end_user_id, session.person, session.institution)
    former = service.consents.get(session.arrangement_id or "")
    is_renewal = former is not None and former.end_user_id == session.end_user_id
    if former is not None and is_renewal:
        del service.consents[consent.arrangement_id]
        consent.arrangement_id = former.arrangement_id
        service.consents[former.arrangement_id] = consent
    if len(session.account_ids) < len(offered_accounts(service, session)):
        consent.account_ids = session.account_ids
    service.publish_events(lambda: consent_given(consent, renewed=is_renewal))
    return consent


def _failed(session: Session, code: str, parent: str | None) -> Response:
    session.done = True
    title, text = "Not connected", f"Nothing was shared: {CODES.get(code, code)}. You can close this window."
    error_id = f"err_{session.id.removeprefix('sess_')}"
    if parent:
        return message_page(parent, title, text, _failure(code, error_id))
    target = session.cancel_uri or session.redirect_uri
    if target is None:
        return html.document(title, html.paragraph(text))
    answer = {
        "session_id": session.id,
        "error": code,
        "error_type": code,
        "error_id": error_id,
        "error_description": CODES.get(code, code),
    }
    return _redirect(_with_query(target, answer))


def _failure(code: str, error_id: str) -> JsonObject:
    """Return the message of a flow that failed, as the live service's component reads it."""
    return {
        "isCompleted": False,
        "error": code,
        "errorType": code,
        "errorID": error_id,
        "errorDescription": CODES.get(code, code),
        "errorURI": None,
    }


def _with_query(target: str, answer: Mapping[str, str]) -> str:
    parts = urlsplit(target)
    query = "&".join(part for part in (parts.query, urlencode(answer)) if part)
    return urlunsplit(parts._replace(query=query))


def _redirect(target: str) -> Response:
    return RedirectResponse(target, 303, headers={"referrer-policy": "no-referrer"})
