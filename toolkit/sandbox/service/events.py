"""Webhook events: a consent was given, changed or ended, and data of its institution was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolkit.sandbox.service.consents import Consent
from toolkit.sandbox.world import World
from toolkit.wire import JsonObject

FIRST_SYNC = {
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
"""Data sets read when a consent is given, by industry, in this order."""
DAILY_SYNC = {
    "banking": ("banking.balances", "banking.transactions"),
    "energy": ("energy.usage", "energy.invoices", "energy.billing"),
}
"""Data sets read every day, by industry."""
WITH_ACCOUNTS = ("banking.accounts", "banking.balances", "banking.transactions", "energy.accounts", "energy.balances")


@dataclass(frozen=True, slots=True)
class Event:
    """An event about one consent."""

    name: str
    """As webhooks name it, such as `consent.revoked` or `banking.accounts.sync.completed`."""
    consent: Consent

    def data(self, client_id: str, world: World) -> JsonObject:
        """Return the `data` of a webhook's envelope."""
        consent = self.consent
        data: JsonObject = {
            "event": self.name,
            "end_user_id": consent.end_user_id,
            "client_id": client_id,
            "consent_id": consent.consent_id,
            "institution_id": consent.institution.id,
        }
        if self.name.startswith(WITH_ACCOUNTS):
            accounts = world.records(consent.person, f"{consent.institution.industry}.accounts")
            data["account_ids"] = list(consent.account_ids or (row["account_id"] for row in accounts))
        if self.name.startswith("banking.payees"):
            data["payee_ids"] = [row["payee_id"] for row in world.records(consent.person, "banking.payees")]
        return data


def consent_given(consent: Consent, *, renewed: bool) -> list[Event]:
    """List the events of a new or renewed consent, including the first reading of its data."""
    first = Event("consent.updated" if renewed else "consent.received", consent)
    return [first, *_completed_syncs(consent, FIRST_SYNC[consent.institution.industry])]


def consents_ended(consents: Sequence[Consent]) -> list[Event]:
    """List the events of consents that were revoked or expired."""
    return [Event("consent.revoked", consent) for consent in consents]


def daily_syncs(consents: Sequence[Consent]) -> list[Event]:
    """List the events of the daily reading of data."""
    return [
        event for consent in consents for event in _completed_syncs(consent, DAILY_SYNC[consent.institution.industry])
    ]


def _completed_syncs(consent: Consent, data_sets: Sequence[str]) -> list[Event]:
    return [Event(f"{name}.sync.completed", consent) for name in data_sets]
