"""Identify a record by its institution's ids if the deployment's id (`platform_id`) is absent.

An institution's own id (`transaction_id`, `payee_id` …) is in every record whatever the deployment's word for its own
is set to, so a row that was stored under either id is recognised under the other. Kinds of record that are not listed
have no id of their own: without the deployment's they are set aside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OWN_IDS: dict[str, tuple[str, ...]] = {
    "accounts": ("account_id",),
    "balances": ("account_id",),
    "transactions": ("account_id", "transaction_id"),
    "payees": ("payee_id",),
    "scheduled_payments": ("scheduled_payment_id",),
    "energy_accounts": ("account_id",),
    "invoices": ("account_id", "invoice_number"),
    "service_points": ("service_point_id",),
    "der_records": ("service_point_id",),
}
"""Table → the columns that together name a record within its institution."""

_NAMED_BEFORE = {"direct_debits": ("abn", "description"), "concessions": ("display_name",)}
"""Tables with rows that earlier versions identified by account and the first of these columns with a value."""

TABLES = OWN_IDS.keys() | _NAMED_BEFORE.keys()
"""Tables with rows that may be stored under an id other than the deployment's."""


def own_id(*parts: str | None) -> str | None:
    """Join a record's own ids to one text; None if one is missing."""
    return ":".join(map(str, parts)) if all(parts) else None


def own_id_of(table: str, row: Mapping[str, Any]) -> str | None:
    """Return a row's own id; None if its table has none, or the row lacks a part of it."""
    columns = OWN_IDS.get(table)
    return own_id(*(row[name] for name in columns)) if columns else None


def earlier_ids(table: str, row: Mapping[str, Any]) -> frozenset[str]:
    """Return ids other than the deployment's under which a row may be stored, also those of earlier versions."""
    ids = {own_id_of(table, row)}
    if table == "transactions":
        ids.add(row["transaction_id"])
    elif table in _NAMED_BEFORE:
        name = next((row[name] for name in _NAMED_BEFORE[table] if row[name]), None)
        ids.add(own_id(row["account_id"], name))
    return frozenset(text for text in ids if text)
