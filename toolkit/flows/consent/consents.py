"""Consents as they stand: until when, when to remind of them, how their institution's connection is; ending one."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from toolkit.errors import ChoiceRequiredError, InvalidResponseError
from toolkit.flows.consent.known_consents import known_consents
from toolkit.store import Store
from toolkit.tables.words import counted
from toolkit.wire.decoding.pages import read_alone
from toolkit.wire.endpoints import endpoint

if TYPE_CHECKING:
    pass

Row = Mapping[str, Any]

REMIND_EVERY = timedelta(90)
"""Consumer Data Right Rules 4.20: people are reminded every 90 days that they share data."""
REMIND_FOR = timedelta(14)
LAST_WARNING = timedelta(30)
LIMIT_MONTHS = 12
HEALTHY = "HEALTHY"
NO_SUCH_PATH = frozenset({404, 405})


def standing(consent: Row, institution: Row | None, today: date) -> dict[str, Any]:
    """One consent of the store as `status` shows it.

    ends_in_days: null once it has ended. limit_at: no consent lasts longer than 12 months. next_reminder: the next
    ninetieth day since it was given. reminder: what is to be said today, else null. connection: HEALTHY, DEGRADED,
    OUTAGE or another word of the service; is_accessible: whether the institution can be connected now.
    """
    state = state_on(consent, today)
    granted, ends = _day(consent["granted_at"]), _day(consent["ends_at"])
    lasts = state == "active"
    known = institution or {}
    return {
        "id": consent["consent_id"] or consent["arrangement_id"],
        "arrangement_id": consent["arrangement_id"],
        "end_user_id": consent["end_user_id"],
        "institution_id": consent["institution_id"],
        "institution": known.get("name") or consent["institution_id"],
        "granted_at": consent["granted_at"],
        "ends_at": consent["ends_at"],
        "state": state,
        "accounts": len(_told(consent, "account_ids")) or None,
        "shares": _told(consent, "permissions"),
        "ends_in_days": (ends - today).days if lasts and ends else None,
        "limit_at": _months_later(granted, LIMIT_MONTHS) if granted else None,
        "next_reminder": _next_reminder(granted, today) if lasts and granted else None,
        "reminder": _reminder(granted, ends, today) if lasts else None,
        "connection": known.get("connection_status"),
        "is_accessible": known.get("is_accessible"),
    }


def state_on(consent: Row, today: date) -> str:
    """A consent whose last day has passed is over, also when no sync has noticed yet."""
    ends_at = consent["ends_at"]
    over = consent["state"] == "active" and ends_at is not None and ends_at.date() < today
    return "expired" if over else str(consent["state"])


def _day(timestamp: datetime | None) -> date | None:
    return timestamp.date() if timestamp else None


def _told(consent: Row, name: str) -> list[str]:
    """A list of the consent as the service gave it, whatever its spelling there."""
    try:
        given = read_alone(endpoint("consents.list"), (consent["raw"] or "{}").encode()).records
    except InvalidResponseError:
        return []
    return [value for record in given for value in getattr(record, name) or []]


def _months_later(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _next_reminder(granted: date, today: date) -> date:
    passed = max(0, (today - granted) // REMIND_EVERY)
    return granted + (passed + 1) * REMIND_EVERY


def _reminder(granted: date | None, ends: date | None, today: date) -> str | None:
    if ends is not None and ends - today <= LAST_WARNING:
        return f"sharing ends in {_days(ends - today)}: renew it, or let it end"
    if granted is None or today - granted < REMIND_EVERY or (today - granted) % REMIND_EVERY >= REMIND_FOR:
        return None
    return f"shared since {granted} ({_days(today - granted)}): keep it only while it is of use"


def _days(span: timedelta) -> str:
    return counted(span.days, "day")


def stored_consent(store: Store, wanted: str) -> dict[str, Any]:
    """The consent with that arrangement or consent id. Raises ChoiceRequiredError where there is no single one."""
    consents = known_consents(store)
    found = [row for row in consents if wanted in (row["arrangement_id"], row["consent_id"])]
    if len(found) != 1:
        raise ChoiceRequiredError(
            f"No single consent is called {wanted!r}.", [row["arrangement_id"] for row in consents]
        )
    return found[0]
