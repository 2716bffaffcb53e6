"""Webhook events: a consent was given, changed or ended, and data of its institution was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toolkit.sandbox.service.consents import Consent
from toolkit.sandbox.world import World

SYNCED = ".sync.completed"
FIRST = {
    "banking": (
        *("banking.accounts", "banking.balances", "banking.transactions.basic", "banking.transactions.recent"),
        *("banking.transactions", "banking.payees", "banking.directdebits", "banking.scheduledpayments"),
        "banking.products",
    ),
    "energy": (
        *("energy.accounts", "energy.plans", "energy.servicepoints", "energy.usage", "energy.invoices"),
        *("energy.billing", "energy.der", "energy.concessions"),
    ),
}
"""Data sets that are read when a consent comes, by industry, in the order of their reading."""
DAILY = {
    "banking": ("banking.balances", "banking.transactions"),
    "energy": ("energy.usage", "energy.invoices", "energy.billing"),
}
WITH_ACCOUNTS = ("banking.accounts", "banking.balances", "banking.transactions", "energy.accounts", "energy.balances")


@dataclass(frozen=True, slots=True)
class Happening:
    """event: as webhooks name it."""

    event: str
    consent: Consent

    def data(self, client_id: str, world: World) -> dict[str, Any]:
        """The `data` of a webhook's envelope."""
        data: dict[str, Any] = {
            "event": self.event,
            "end_user_id": self.consent.end_user_id,
            "client_id": client_id,
            "consent_id": self.consent.consent_id,
            "institution_id": self.consent.institution.id,
        }
        if self.event.startswith(WITH_ACCOUNTS):
            data["account_ids"] = _account_ids(self.consent, world)
        if self.event.startswith("banking.payees"):
            data["payee_ids"] = [row["payee_id"] for row in world.records(self.consent.person, "banking.payees")]
        return data


def _account_ids(consent: Consent, world: World) -> list[str]:
    resource = f"{consent.institution.industry}.accounts"
    return list(consent.account_ids or (row["account_id"] for row in world.records(consent.person, resource)))


def came(consent: Consent, *, renewed: bool) -> list[Happening]:
    """A consent was given, or given anew, and everything it opens was read."""
    return [
        Happening("consent.updated" if renewed else "consent.received", consent),
        *_read(consent, FIRST[consent.institution.industry]),
    ]


def ended(consents: Sequence[Consent]) -> list[Happening]:
    """By whomever, or by time."""
    return [Happening("consent.revoked", consent) for consent in consents]


def passed(consents: Sequence[Consent]) -> list[Happening]:
    """Another day: what changes by itself was read again."""
    return [found for consent in consents for found in _read(consent, DAILY[consent.institution.industry])]


def _read(consent: Consent, data_sets: Sequence[str]) -> list[Happening]:
    return [Happening(name + SYNCED, consent) for name in data_sets]
