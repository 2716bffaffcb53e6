"""Consents of an end user, as the live service lists and ends them."""

from __future__ import annotations

from toolkit.sandbox.routes.calls import Answer, Call, Handler
from toolkit.sandbox.service.faults import Refusal
from toolkit.sandbox.service.rows import plain_row


def list_consents(call: Call) -> Answer:
    service = call.service
    own = service.consents_of(service.end_user(call.required("end_user_id")).id)
    if (wanted := call.query.get("active")) is not None:
        own = [consent for consent in own if consent.active(service.now) == (wanted == "true")]
    rows = [plain_row(consent.as_record(service.now), consent.arrangement_id) for consent in own]
    return call.listed(sorted(rows, key=lambda row: row.anchor))


def withdraw(call: Call) -> Answer:
    """Ends a consent; ending one twice is no error."""
    consent = call.service.consents.get(call.path["arrangement_id"])
    if consent is None:
        raise Refusal("consent_not_found", "No consent has this arrangement id.")
    consent.revoked_at = consent.revoked_at or call.service.now
    return None


CONSENTING: dict[str, Handler] = {"consents.list": list_consents, "consents.withdraw": withdraw}
