"""The same thing given under two consents counts once: a renewed consent, or two that overlap.

Nothing is merged by likeness: rows are matched as multisets of what the institution itself wrote, so two identical
purchases stay two, and a row that only the earlier consent gave stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

# What tells two records of one institution apart, where their platform ids say nothing. `account` is the account's own
# identity: its number, as its id may differ from consent to consent.
NATURAL: dict[str, tuple[str, ...]] = {
    "accounts": ("account",),
    "transactions": ("account", "status", "day", "amount_minor", "currency", "description"),
    "payees": ("payee_id",),
    "scheduled_payments": ("scheduled_payment_id",),
    "direct_debits": ("account", "abn", "description"),
    "energy_accounts": ("account",),
    "invoices": ("account", "invoice_number"),
    "billing": ("account", "transaction_u_type", "execution_date_time", "start_date", "amount", "description"),
    "concessions": ("account", "display_name", "start_date"),
    "service_points": ("point",),
    "der_records": ("point",),
}


def ranked(consents: Iterable[Row], current: Collection[str] = ()) -> list[str]:
    """Arrangements of one institution: those in force first, the latest given first.

    current: those of the latest records; they go before others that only records show to be in force.
    """
    found = sorted(consents, key=lambda row: str(row["arrangement_id"]))
    found.sort(key=lambda row: str(row["granted_at"] or ""), reverse=True)
    found.sort(key=lambda row: row.get("raw") is None and row["arrangement_id"] not in current)
    found.sort(key=lambda row: row["state"] != "active")
    return [row["arrangement_id"] for row in found]


def account_identity(row: Row) -> str:
    """What an account is known by at its institution: its number, else the masked number, else its id."""
    number = row.get("account_number")
    return f"{row.get('bsb') or ''}/{number}" if number else str(row.get("masked_number") or row["account_id"])


def natural_key(table: str, row: Row, accounts: Mapping[str, str], points: Mapping[str, str]) -> Hashable:
    """A row's own identity; accounts, points: id → what the account or service point is known by.

    Transactions bring their `day` (see `tables.transaction_days`).
    """
    known = {
        "account": accounts.get(str(row.get("account_id")), row.get("account_id")),
        "point": points.get(str(row.get("service_point_id")), row.get("service_point_id")),
    }
    return tuple(known.get(name, row.get(name)) for name in NATURAL[table])


def superseded(groups: Sequence[tuple[str, Sequence[tuple[str, Hashable]]]]) -> dict[str, str]:
    """Row id → arrangement that gives the same again. groups: arrangement → (row id, key), most preferred first."""
    most: Counter[Hashable] = Counter()
    giver: dict[Hashable, str] = {}
    found: dict[str, str] = {}
    for arrangement, rows in groups:
        here: Counter[Hashable] = Counter()
        for row_id, key in sorted(rows, key=lambda pair: pair[0]):
            here[key] += 1
            if here[key] <= most[key]:
                found[row_id] = giver[key]
        for key, count in here.items():
            most[key] = max(most[key], count)
            giver.setdefault(key, arrangement)
    return found
