"""Find records that two consents give, after a renewal or an overlap, so that each counts once.

Rows match only on what the institution itself wrote, as multisets: two identical purchases stay two, and a row that
only the earlier consent gave stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

# Columns that distinguish the records of one institution across consents, where platform ids may differ. `account` is
# the account's number, as its id may differ by consent.
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
    """Rank the arrangements of one institution: those in force first, then the latest granted.

    current: those of the latest records; they go before others that only records show to be in force.
    """
    found = sorted(consents, key=lambda row: str(row["arrangement_id"]))
    found.sort(key=lambda row: str(row["granted_at"] or ""), reverse=True)
    found.sort(key=lambda row: row.get("raw") is None and row["arrangement_id"] not in current)
    found.sort(key=lambda row: row["state"] != "active")
    return [row["arrangement_id"] for row in found]


def account_identity(row: Row) -> str:
    """Return the account's identity at its institution: its number, else the masked number, else its id."""
    number = row.get("account_number")
    return f"{row.get('bsb') or ''}/{number}" if number else str(row.get("masked_number") or row["account_id"])


def natural_key(table: str, row: Row, accounts: Mapping[str, str], points: Mapping[str, str]) -> Hashable:
    """Return a row's identity across consents. accounts, points: id → identity of the account or service point.

    Transactions need their `day` (see `tables.transaction_days`).
    """
    known = {
        "account": accounts.get(str(row.get("account_id")), row.get("account_id")),
        "point": points.get(str(row.get("service_point_id")), row.get("service_point_id")),
    }
    return tuple(known.get(name, row.get(name)) for name in NATURAL[table])


def superseded(groups: Sequence[tuple[str, Sequence[tuple[str, Hashable]]]]) -> dict[str, str]:
    """Return row id → preferred arrangement with the record. groups: (arrangement, [(row id, key)]), best first."""
    most: Counter[Hashable] = Counter()
    source: dict[Hashable, str] = {}
    found: dict[str, str] = {}
    for arrangement, rows in groups:
        here: Counter[Hashable] = Counter()
        for row_id, key in sorted(rows, key=lambda pair: pair[0]):
            here[key] += 1
            if here[key] <= most[key]:
                found[row_id] = source[key]
        for key, count in here.items():
            most[key] = max(most[key], count)
            source.setdefault(key, arrangement)
    return found
