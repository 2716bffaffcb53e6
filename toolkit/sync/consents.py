"""Describe a consent that has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

UNLISTED = "no longer listed"
"""Termination reason of a consent that the service no longer lists, without an end date."""
NO_RECORDS = "no more records"
"""Termination reason of a consent that gives no more records, for services without a list of consents."""


def ended(consent: Mapping[str, Any]) -> str:
    """Say that the consent has ended, and how to renew it or delete its data."""
    return (
        f"the consent with {consent['institution_id'] or 'its institution'} has ended ({_how(consent)}) and is no "
        "longer pulled: "
        f"renew it (toolkit connect), or delete its data (toolkit forget --consent {consent['arrangement_id']})"
    )


def _how(consent: Mapping[str, Any]) -> str:
    day = str(consent["ended_at"] or consent["ends_at"] or "")[:10]
    if consent["termination_reason"] == UNLISTED:
        return f"{UNLISTED} by the service" + (f", last seen {day}" if day else "")
    if consent["termination_reason"] == NO_RECORDS:
        return "the service gives no more records under it" + (f", last seen {day}" if day else "")
    return f"{consent['state']} {day}".rstrip()
