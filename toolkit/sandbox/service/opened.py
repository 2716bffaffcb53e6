"""Which records of a customer a consent opens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolkit.sandbox.service.consents import Consent
from toolkit.sandbox.service.rows import Row, pick, rows_of
from toolkit.sandbox.world import World


def opened_rows(world: World, consents: Iterable[Consent], resource: str) -> list[Row]:
    """Rows of all these consents, in order of their anchors."""
    rows = [row for consent in consents for row in _opened(world, consent, resource)]
    return sorted(rows, key=lambda row: row.anchor)


def _opened(world: World, consent: Consent, resource: str) -> list[Row]:
    records: Iterable[Mapping[str, Any]] = world.records(consent.person, resource)
    if consent.account_ids is not None:
        allowed = _allowed(world, consent)
        records = [record for record in records if _mentions(record) <= allowed]
    return rows_of(resource, records, consent.arrangement_id, consent.institution.id)


def _allowed(world: World, consent: Consent) -> frozenset[str]:
    """The chosen accounts and, of energy accounts, their service points."""
    chosen = frozenset(consent.account_ids or ())
    if consent.institution.industry == "banking":
        return chosen
    accounts = [a for a in world.records(consent.person, "energy.accounts") if a["account_id"] in chosen]
    return chosen | {point for a in accounts for plan in a["plans"] for point in plan["service_point_ids"]}


def _mentions(record: Mapping[str, Any]) -> frozenset[str]:
    """The accounts or service points a record belongs to; payees belong to none and come with any account."""
    account = record.get("account_id") or pick(record, "from.account_id") or record.get("service_point_id")
    return frozenset([account] if account else [])
