"""What a person is told of a consent that has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

UNLISTED = "no longer listed"
"""Termination reason of a consent that the service lists no more, without having said that it ended."""
NO_RECORDS = "no more records"
"""Termination reason of a consent under which nothing comes any more, where the service lists none."""


def ended(consent: Mapping[str, Any]) -> str:
    """That it has ended, and what can be done: renew it, or delete what came under it."""
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
