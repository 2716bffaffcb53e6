"""Records as one consent opens them: its own identities, its own order, already in JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from toolkit.sandbox.world.chance import digest

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """anchor: where the row stands in its list, and what a cursor holds; no two rows share one."""

    anchor: str
    record: Json
    body: msgspec.Raw


@dataclass(frozen=True, slots=True)
class Kind:
    """Fields that identify (natural) and sort (order) the records of a resource; dots separate levels."""

    prefix: str
    natural: tuple[str, ...]
    order: tuple[str, ...] = ()


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


def rows_of(resource: str, records: Iterable[Json], arrangement_id: str, institution_id: str) -> list[Row]:
    """Rows in no particular order; `platform_id` differs from one arrangement to the next."""
    kind = KINDS[resource]
    return [_row(kind, record, arrangement_id, institution_id) for record in records]


def _row(kind: Kind, record: Json, arrangement_id: str, institution_id: str) -> Row:
    natural = [pick(record, name) for name in kind.natural] or [msgspec.json.encode(record)]
    platform_id = f"{kind.prefix}_{digest(arrangement_id, *natural)}"
    full_record = {
        "platform_id": platform_id,
        "arrangement_id": arrangement_id,
        "institution_id": institution_id,
        **record,
    }
    order = next((text for name in kind.order if (text := pick(record, name))), "")
    return Row(f"{order} {platform_id}", full_record, msgspec.Raw(msgspec.json.encode(full_record)))


def plain_row(record: Json, identity: str) -> Row:
    """A record that belongs to no consent, such as an end user; listed in order of `identity`."""
    return Row(identity, record, msgspec.Raw(msgspec.json.encode(record)))


def pick(record: Json, name: str) -> Any:
    """`record["a"]["b"]` for `a.b`; empty text where there is none."""
    if "." not in name:
        return record.get(name, "")
    found: Any = record
    for part in name.split("."):
        found = found.get(part, "")
        if not isinstance(found, Mapping):
            break
    return found
