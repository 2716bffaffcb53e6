"""What a person is told of a consent that has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def ended(consent: Mapping[str, Any]) -> str:
    """That it has ended, and what can be done: renew it, or delete what came under it."""
    day = str(consent["ended_at"] or consent["ends_at"] or "")[:10]
    when = f" ({consent['state']} {day})" if day else f" ({consent['state']})"
    return (
        f"the consent with {consent['institution_id'] or 'its institution'} has ended{when} and is no longer pulled: "
        f"renew it (toolkit connect), or delete its data (toolkit forget --consent {consent['arrangement_id']})"
    )
