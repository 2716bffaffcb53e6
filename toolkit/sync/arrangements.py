"""Infer consents from the records given under them, for services without a list of consents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from toolkit.sync.list_sync import FOLLOWING

Row = Mapping[str, Any]
Carried = Mapping[str, str | None]
"""Arrangement of records → their institution."""

JOINED_WITHIN = timedelta(days=7)
"""How long a consent flow's first records may take; later, the flow counts as a renewal of what is there."""


def is_listed(consent: Row) -> bool:
    """Whether the consent comes from the service's own list."""
    return consent["raw"] is not None


def awaits_records(consent: Row) -> bool:
    """Whether the consent is known from a consent flow alone; its consent id is then its arrangement id."""
    return not is_listed(consent) and consent["arrangement_id"] == consent["consent_id"]


def join(flows: Sequence[Row], carried: Carried, known: Mapping[str, Row], now: datetime) -> dict[str, str]:
    """Match consent flows to arrangements: consent id → arrangement of its records. Unclear flows are left out.

    flows: consents of one end user that await records. carried: what this run's records carry. known: consents stored
    before it, by arrangement. A new arrangement goes before one that is known: services either renew an arrangement
    or make another.
    """
    joined: dict[str, str] = {}
    for flow in flows:
        fitting = [name for name in carried if _fits(flow, carried[name]) and name not in joined.values()]
        new = [name for name in fitting if name not in known]
        rivals = [other for other in flows if other is not flow and any(_fits(other, carried[name]) for name in new)]
        if len(new) == 1 and not rivals:
            joined[flow["consent_id"]] = new[0]
        elif not new and (renewed := _renewed(flow, [known[name] for name in fitting], now)):
            joined[flow["consent_id"]] = renewed
    return joined


def _fits(flow: Row, institution_id: str | None) -> bool:
    return flow["institution_id"] is None or flow["institution_id"] == institution_id


def _renewed(flow: Row, consents: Sequence[Row], now: datetime) -> str | None:
    """Return the known arrangement that the flow renewed."""
    if any(consent["arrangement_id"] == flow["renews"] for consent in consents):
        return str(flow["renews"])
    if len(consents) != 1:
        return None
    (only,) = consents
    is_old = now - flow["granted_at"] > JOINED_WITHIN
    return str(only["arrangement_id"]) if only["consent_id"] is None or is_old else None


def is_replaced(consent: Row, carried: Carried) -> bool:
    """Whether all records of its institution in this run came under other arrangements."""
    return consent["arrangement_id"] not in carried and consent["institution_id"] in set(carried.values())


def lists_with(resources: Iterable[str]) -> set[str]:
    """Return the lists that show whether these resources still have records; parts follow from their list."""
    return {FOLLOWING.get(resource, resource) for resource in resources}
