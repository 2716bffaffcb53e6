"""Consents: those of an end user as the live service lists and ends them, and the consent API."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlencode

from toolkit.sandbox.routes.calls import Answer, Call, Handler
from toolkit.sandbox.service.arrangements import LONGEST_SHARING, REQUEST_LIFE, Arrangement
from toolkit.sandbox.service.faults import ServiceRefusalError
from toolkit.sandbox.service.rows import plain_row


def list_consents(call: Call) -> Answer:
    service = call.service
    own = service.consents_of(service.end_user(call.required("end_user_id")).id)
    if (wanted := call.query.get("active")) is not None:
        own = [consent for consent in own if consent.active(service.now) == (wanted == "true")]
    rows = [plain_row(consent.as_record(service.now), consent.arrangement_id) for consent in own]
    return call.listed(sorted(rows, key=lambda row: row.anchor))


def withdraw(call: Call) -> Answer:
    """End a consent; repeating that succeeds."""
    consent = call.service.consents.get(call.path["arrangement_id"])
    if consent is None:
        raise ServiceRefusalError("consent_not_found", "No consent has this arrangement id.")
    call.service.revoke(consent)
    return None


def request_consent(call: Call) -> Answer:
    """A request that a customer approves at `authorization_url`, once, within its time."""
    body, service = call.body(), call.service
    redirect_uri = body.redirect_uri or service.redirect_uris[0]
    if redirect_uri not in service.redirect_uris:
        raise ServiceRefusalError("invalid_redirect_uri", "The redirect_uri is not registered.")
    arrangement = Arrangement(
        consent_id=service.identity("consent"),
        arrangement_id=service.identity("arr"),
        request_uri=f"urn:sandbox:request:{service.identity('par')}",
        request_ends_at=service.now + REQUEST_LIFE,
        redirect_uri=redirect_uri,
        scopes=_known_scopes(body.scopes),
        sharing=_sharing(body.sharing_duration or 0),
        created_at=service.now,
        customer_id=body.customer_id,
    )
    service.arrangements[arrangement.consent_id] = arrangement
    query = urlencode({"client_id": call.client.id if call.client else "", "request_uri": arrangement.request_uri})
    return {
        "consent_id": arrangement.consent_id,
        "status": arrangement.status(service.now),
        "request_uri": arrangement.request_uri,
        "authorization_url": f"{call.origin}/authorize?{query}",
        "expires_in": int(REQUEST_LIFE.total_seconds()),
    }


SCOPES = ("openid", "profile", "bank:", "energy:", "common:")


def _known_scopes(scopes: list[str]) -> tuple[str, ...]:
    if not scopes or not all(scope.startswith(SCOPES) for scope in scopes):
        raise ServiceRefusalError("invalid_scope", "scopes names none, or some that do not exist.")
    return tuple(scopes)


def _sharing(seconds: int) -> timedelta:
    if not 0 <= seconds <= LONGEST_SHARING.total_seconds():
        raise ServiceRefusalError("invalid_request", "sharing_duration is neither 0 nor up to a year in seconds.")
    return timedelta(seconds=seconds)


def get_consent(call: Call) -> Answer:
    arrangement = call.service.arrangements.get(call.path["consent_id"])
    if arrangement is None:
        raise ServiceRefusalError("consent_not_found", "No consent has this id.")
    return arrangement.as_record(call.service.now)


CONSENTING: dict[str, Handler] = {
    "consents.list": list_consents,
    "consents.withdraw": withdraw,
    "consents.create": request_consent,
    "consents.get": get_consent,
}
