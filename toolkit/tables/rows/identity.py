"""Consents and institutions as rows."""

from __future__ import annotations

from toolkit.tables.rows.values import Row, Scope, instant, whole
from toolkit.wire.records.identity import ConsentRecord, Institution


def consent(record: ConsentRecord, scope: Scope, raw: str) -> Row:
    """Return the row of table `consents`, of the end user asked for; `state` is active, expired, revoked or ended."""
    state = consent_state(record)
    return {
        "household_id": scope.household_id,
        "arrangement_id": record.arrangement_id,
        "consent_id": record.consent_id,
        "end_user_id": record.end_user_id or scope.end_user_id,
        "institution_id": record.institution_id,
        "state": state,
        "termination_reason": record.termination_reason,
        "granted_at": instant("granted_at", record.granted_at or record.created_at),
        "ends_at": instant("expires_at", record.expires_at),
        "ended_at": _ended_at(record, scope) if state != "active" else None,
        "renews": None,
        "raw": raw,
    }


def consent_state(record: ConsentRecord) -> str:
    """Return one word for the state of a consent: the service gives `active`, a reason and times, but no status."""
    reason = (record.termination_reason or "").lower()
    if record.active or (record.active is None and not (reason or record.revoked_at)):
        return "active"
    if "expir" in reason:
        return "expired"
    if record.revoked_at or any(word in reason for word in ("revok", "withdr", "delet", "user")):
        return "revoked"
    return "ended"


def _ended_at(record: ConsentRecord, scope: Scope) -> object:
    return instant("revoked_at", record.revoked_at) or instant("updated_at", record.updated_at) or scope.seen_at


def institution(record: Institution, scope: Scope, raw: str) -> Row:  # noqa: ARG001 every reader has this form
    """Return the row of table `institutions`."""
    connections = record.status.connections if record.status else None
    return {
        "institution_id": record.id,
        "name": record.name,
        "industry": record.industry,
        "is_accessible": record.is_accessible,
        "priority": whole("priority", record.priority),
        "connection_status": connections.status if connections else None,
        "raw": raw,
    }
