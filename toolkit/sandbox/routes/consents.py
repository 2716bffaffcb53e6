"""Consents: those of an end user, as the live service lists and ends them, and those of the consent API."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlencode

from toolkit.sandbox.routes.call import Call, Handler
from toolkit.sandbox.service.consents import LONGEST_SHARING, REQUEST_LIFE, ConsentRequest
from toolkit.sandbox.service.refusals import ServiceRefusalError
from toolkit.sandbox.service.rows import plain_row
from toolkit.wire import JsonObject

SCOPES = ("openid", "profile", "bank:", "energy:", "common:")
"""Scopes that a consent may name, or their beginnings."""


def list_consents(call: Call) -> JsonObject:
    """List an end user's consents; `active` selects those that are active, or not."""
    service = call.service
    consents = service.consents_of(service.end_user(call.required("end_user_id")).id)
    if (wanted := call.query.get("active")) is not None:
        consents = [consent for consent in consents if consent.active(service.now) == (wanted == "true")]
    rows = [plain_row(consent.as_record(service.now), consent.arrangement_id) for consent in consents]
    return call.listed(sorted(rows, key=lambda row: row.anchor))


def withdraw(call: Call) -> None:
    """End a consent; repeating that succeeds."""
    consent = call.service.consents.get(call.path["arrangement_id"])
    if consent is None:
        raise ServiceRefusalError("consent_not_found", "No consent has this arrangement id.")
    call.service.revoke(consent)


def request_consent(call: Call) -> JsonObject:
    """Create a request that a customer approves at `authorization_url`, once, before it expires."""
    body, service = call.body(), call.service
    redirect_uri = body.redirect_uri or service.redirect_uris[0]
    if redirect_uri not in service.redirect_uris:
        raise ServiceRefusalError("invalid_redirect_uri", "The redirect_uri is not registered.")
    if not body.scopes or not all(scope.startswith(SCOPES) for scope in body.scopes):
        raise ServiceRefusalError("invalid_scope", "scopes names none, or some that do not exist.")
    sharing_seconds = body.sharing_duration or 0
    if not 0 <= sharing_seconds <= LONGEST_SHARING.total_seconds():
        raise ServiceRefusalError("invalid_request", "sharing_duration is neither 0 nor up to a year in seconds.")
    request = ConsentRequest(
        consent_id=service.identity("consent"),
        arrangement_id=service.identity("arr"),
        request_uri=f"urn:sandbox:request:{service.identity('par')}",
        request_ends_at=service.now + REQUEST_LIFE,
        redirect_uri=redirect_uri,
        scopes=tuple(body.scopes),
        sharing=timedelta(seconds=sharing_seconds),
        created_at=service.now,
        customer_id=body.customer_id,
    )
    service.consent_requests[request.consent_id] = request
    query = urlencode({"client_id": call.client.id if call.client else "", "request_uri": request.request_uri})
    return {
        "consent_id": request.consent_id,
        "status": request.status(service.now),
        "request_uri": request.request_uri,
        "authorization_url": f"{call.origin}/authorize?{query}",
        "expires_in": int(REQUEST_LIFE.total_seconds()),
    }


def get_consent(call: Call) -> JsonObject:
    """Return a consent requested through the consent API."""
    request = call.service.consent_requests.get(call.path["consent_id"])
    if request is None:
        raise ServiceRefusalError("consent_not_found", "No consent has this id.")
    return request.as_record(call.service.now)


CONSENTS: dict[str, Handler] = {
    "consents.list": list_consents,
    "consents.withdraw": withdraw,
    "consents.create": request_consent,
    "consents.get": get_consent,
}
