"""How a consent stands on a day: its state, its last day, and when to remind the person who gave it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from toolkit.answers.consents import Consent
from toolkit.tables.cadences import in_month
from toolkit.tables.schema.identity import ConsentRow, InstitutionRow
from toolkit.tables.words import counted

REMIND_EVERY = timedelta(90)
"""Consumer Data Right Rules 4.20: people are reminded every 90 days that they share data."""
REMIND_FOR = timedelta(14)
"""How long a reminder is shown."""
LAST_WARNING = timedelta(30)
"""A consent that ends within this time is to be renewed, or left to end."""
LIMIT_MONTHS = 12
"""No consent lasts longer."""


def standing(
    consent: ConsentRow,
    institution: InstitutionRow | None,
    today: date,
    *,
    accounts: Sequence[str] = (),
    permissions: Sequence[str] = (),
) -> Consent:
    """Return a stored consent as it stands on a day.

    institution: its entry in the directory. accounts, permissions: account ids and permissions of the service's record.
    """
    state = state_on(consent, today)
    granted, ends = _day(consent.granted_at), _day(consent.ends_at)
    lasts = state == "active"
    return Consent(
        id=consent.consent_id or consent.arrangement_id,
        arrangement_id=consent.arrangement_id,
        end_user_id=consent.end_user_id,
        institution_id=consent.institution_id,
        institution=(institution and institution.name) or consent.institution_id,
        granted_at=consent.granted_at,
        ends_at=consent.ends_at,
        state=state,
        accounts=len(accounts) or None,
        shares=tuple(permissions),
        ends_in_days=(ends - today).days if lasts and ends else None,
        limit_at=in_month(granted, LIMIT_MONTHS) if granted else None,
        next_reminder=_next_reminder(granted, today) if lasts and granted else None,
        reminder=_reminder(granted, ends, today) if lasts else None,
        connection=institution.connection_status if institution else None,
        is_accessible=institution.is_accessible if institution else None,
    )


def state_on(consent: ConsentRow, today: date) -> str:
    """Return the state on a day: `expired` after the consent's last day, also before a sync notices."""
    over = consent.state == "active" and consent.ends_at is not None and consent.ends_at.date() < today
    return "expired" if over else consent.state


def _day(timestamp: datetime | None) -> date | None:
    return timestamp.date() if timestamp else None


def _next_reminder(granted: date, today: date) -> date:
    passed = max(0, (today - granted) // REMIND_EVERY)
    return granted + (passed + 1) * REMIND_EVERY


def _reminder(granted: date | None, ends: date | None, today: date) -> str | None:
    if ends is not None and ends - today <= LAST_WARNING:
        return f"sharing ends in {counted((ends - today).days, 'day')}: renew it, or let it end"
    if granted is None or today - granted < REMIND_EVERY or (today - granted) % REMIND_EVERY >= REMIND_FOR:
        return None
    return f"shared since {granted} ({counted((today - granted).days, 'day')}): end it if it is no longer needed"
