"""Records as one consent shares them: with its own identifiers, in order, encoded as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from toolkit.sandbox.service.consents import Consent
from toolkit.sandbox.world import World
from toolkit.sandbox.world.chance import digest
from toolkit.wire import JsonObject


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a list."""

    anchor: str
    """Sort key and content of a cursor; no two rows of a list share one."""
    record: JsonObject
    body: msgspec.Raw
    """The record as JSON."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How the records of a resource are identified and sorted; dots in field names separate levels."""

    prefix: str
    """Start of the platform id."""
    natural: tuple[str, ...]
    """Fields that identify a record; none: its whole content does."""
    order: tuple[str, ...] = ()
    """Fields to sort by, of which the first with a value counts."""


KINDS = {
    "banking.accounts": Kind("bank_account", ("account_id",)),
    "banking.balances": Kind("bank_balance", ("account_id",)),
    "banking.transactions": Kind("bank_tx", ("transaction_id",), ("posting_date_time", "execution_date_time")),
    "banking.payees": Kind("bank_payee", ("payee_id",)),
    "banking.scheduled_payments": Kind("bank_scheduled", ("scheduled_payment_id",)),
    "banking.direct_debits": Kind("bank_debit", ("account_id", "authorised_entity.description")),
    "energy.accounts": Kind("energy_account", ("account_id",)),
    "energy.invoices": Kind("energy_invoice", ("account_id", "invoice_number"), ("period.start_date",)),
    "energy.billing": Kind("energy_billing", (), ("execution_date_time",)),
    "energy.service_points": Kind("energy_point", ("service_point_id",)),
    "energy.usage": Kind(
        "energy_usage", ("service_point_id", "meter_id", "register_suffix", "read_start_date"), ("read_start_date",)
    ),
    "energy.der_records": Kind("energy_der", ("service_point_id",)),
    "energy.concessions": Kind("energy_concession", ("account_id", "display_name")),
}


def shared_rows(world: World, consents: Iterable[Consent], resource: str) -> list[Row]:
    """Return the rows that these consents share, in order of their anchors."""
    rows: list[Row] = []
    for consent in consents:
        records = world.records(consent.person, resource)
        if consent.account_ids is not None:
            allowed = {None, *_allowed_ids(world, consent)}
            records = [record for record in records if _owner_id(record) in allowed]
        rows += [_row(KINDS[resource], record, consent) for record in records]
    return sorted(rows, key=lambda row: row.anchor)


def _allowed_ids(world: World, consent: Consent) -> set[str]:
    """Return the ids of the chosen accounts and, of energy accounts, their service points."""
    chosen = set(consent.account_ids or ())
    if consent.institution.industry == "banking":
        return chosen
    accounts = [a for a in world.records(consent.person, "energy.accounts") if a["account_id"] in chosen]
    return chosen | {point for a in accounts for plan in a["plans"] for point in plan["service_point_ids"]}


def _owner_id(record: JsonObject) -> str | None:
    """Return the account or service point of a record; None for payees, which come with any account."""
    return record.get("account_id") or pick(record, "from.account_id") or record.get("service_point_id") or None


def _row(kind: Kind, record: JsonObject, consent: Consent) -> Row:
    """Add the fields that a consent adds; `platform_id` differs from one arrangement to the next."""
    natural = [pick(record, name) for name in kind.natural] or [msgspec.json.encode(record)]
    platform_id = f"{kind.prefix}_{digest(consent.arrangement_id, *natural)}"
    full_record = {
        "platform_id": platform_id,
        "arrangement_id": consent.arrangement_id,
        "institution_id": consent.institution.id,
        **record,
    }
    order = next((text for name in kind.order if (text := pick(record, name))), "")
    return Row(f"{order} {platform_id}", full_record, msgspec.Raw(msgspec.json.encode(full_record)))


def plain_row(record: JsonObject, identity: str) -> Row:
    """Make a row of a record that belongs to no consent, such as an end user, sorted by `identity`."""
    return Row(identity, record, msgspec.Raw(msgspec.json.encode(record)))


def pick(record: JsonObject, name: str) -> Any:
    """Return `record["a"]["b"]` for `a.b`; an empty text if any level is missing."""
    value: Any = record
    for part in name.split("."):
        value = value.get(part, "")
        if not isinstance(value, dict):
            break
    return value
