"""Serving the steps: each page posts to itself; the last one redirects to whoever asked."""

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
from toolkit.sandbox.service.happenings import came
from toolkit.wire.messages import CODES

CANCEL, DENY, INVALID = "LINK_USER_CANCELLED", "CONSENT_ENDUSER_DENIED", "LINK_INVALID_SESSION"
LARGEST_FORM = 100_000


def consent_routes(service: Service) -> list[Route]:
    async def show(request: Request) -> Response:
        session = _open_session(service, request)
        parent = parent_of(request, session)
        return _page(service, session, parent) if session else _over(parent)

    async def take(request: Request) -> Response:
        session = _open_session(service, request)
        parent = parent_of(request, session)
        body = await request.body()
        if session is None or len(body) > LARGEST_FORM:
            return _over(parent)
        return _answered(service, session, parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True), parent)

    async def authorize(request: Request) -> Response:
        session = _requested(service, request)
        return RedirectResponse(f"/link?sess_id={session.id}", 303) if session else _over(None)

    return [
        Route("/link", show, methods=["GET"]),
        Route("/link", take, methods=["POST"]),
        Route("/authorize", authorize, methods=["GET"]),
        *link_routes(),
    ]


def _requested(service: Service, request: Request) -> Session | None:
    """A session for a request of the consent API; a request_uri opens once and not after its time."""
    wanted, client_id = (request.query_params.get(name) for name in ("request_uri", "client_id"))
    found = next((a for a in service.arrangements.values() if a.request_uri == wanted), None)
    if found is None or found.opened or service.now >= found.request_ends_at or client_id not in service.clients:
        return None
    found.opened = True
    session = Session(service.identity("sess"), "", found.request_ends_at, None, found.redirect_uri, arrangement=found)
    service.sessions[session.id] = session
    return session


def _open_session(service: Service, request: Request) -> Session | None:
    """The session in the query, unless it was used or its time is over."""
    session = service.sessions.get(request.query_params.get("sess_id", ""))
    return session if session and not session.done and service.now < session.expires_at else None


def _over(parent: str | None) -> Response:
    title, words = "This link leads nowhere", "It was used already, or its time is over. Start again from the app."
    if parent:
        return message_page(parent, title, words, _failure(INVALID, "err_session"), 410)
    return html.document(title, html.paragraph(words), status=410)


def _page(service: Service, session: Session, parent: str | None, error: str = "") -> Response:
    title, content = STEPS[session.step].show(service, session, error)
    who = session.institution.name if session.institution else "Sandbox"
    return html.document(title, content, who=who, parent=parent)


def _answered(service: Service, session: Session, fields: Fields, parent: str | None) -> Response:
    """The next page, the same with a complaint, or the end of the flow."""
    step = STEPS[session.step]
    if "cancel" in fields or "deny" in fields:
        return _failed(session, CANCEL if "cancel" in fields else DENY, parent)
    if fields.get("step") != [session.step]:
        return _page(service, session, parent)
    try:
        complaint = step.take(service, session, fields)
    except ConsentFlowEndedError as ended:
        return _failed(session, ended.code, parent)
    if complaint:
        return _page(service, session, parent, complaint)
    if step.following is None:
        return _succeeded(service, session, parent)
    session.step = step.following
    return _page(service, session, parent)


def _succeeded(service: Service, session: Session, parent: str | None) -> Response:
    """The redirect; in a frame or without an address to go to a page that says so."""
    session.done = True
    if session.arrangement:
        session.arrangement.approve(session.account_ids, service.now)
    consent = session.arrangement or _granted(service, session)
    answer = {"session_id": session.id, "consent_id": consent.consent_id}
    target = _with_query(session.redirect_uri, answer) if session.redirect_uri else None
    title, words = "You are connected", "You can close this window and return to the app."
    if parent:
        message = {"isCompleted": True, "redirectURL": target, "consentID": consent.consent_id}
        return message_page(parent, title, words, message)
    return _sent_to(target) if target else html.document(title, html.paragraph(words))


def _granted(service: Service, session: Session) -> Consent:
    """The new consent; a renewed one keeps its arrangement."""
    assert session.person is not None
    assert session.institution is not None
    consent = service.grant(session.end_user_id, session.person, session.institution)
    renewed = service.consents.get(session.arrangement_id or "")
    if renewed is not None and renewed.end_user_id != session.end_user_id:
        renewed = None
    if renewed is not None:
        del service.consents[consent.arrangement_id]
        consent.arrangement_id = renewed.arrangement_id
        service.consents[renewed.arrangement_id] = consent
    if len(session.account_ids) < len(offered_accounts(service, session)):
        consent.account_ids = session.account_ids
    service.happened(lambda: came(consent, renewed=renewed is not None))
    return consent


def _failed(session: Session, code: str, parent: str | None) -> Response:
    session.done = True
    title, words = "Not connected", f"Nothing was shared: {CODES.get(code, code)}. You can close this window."
    error_id = f"err_{session.id.removeprefix('sess_')}"
    if parent:
        return message_page(parent, title, words, _failure(code, error_id))
    target = session.cancel_uri or session.redirect_uri
    if target is None:
        return html.document(title, html.paragraph(words))
    answer = {
        "session_id": session.id,
        "error": code,
        "error_type": code,
        "error_id": error_id,
        "error_description": CODES.get(code, code),
    }
    return _sent_to(_with_query(target, answer))


def _failure(code: str, error_id: str) -> dict[str, object]:
    """The message of a flow that failed, as the live service's component reads it."""
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


def _sent_to(target: str) -> Response:
    return RedirectResponse(target, 303, headers={"referrer-policy": "no-referrer"})
