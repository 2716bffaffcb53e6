"""Redaction of deleted ids: rows that belong to one are deleted, rows that only mention one lose the name.

| rows | what remains |
|---|---|
| with a consent, account or service point of their own | nothing, if that was deleted |
| invoices | nothing if every billed service point was deleted; otherwise the invoice stays, as it is one sum |
| scheduled payments | those from a deleted account go; those to it stay, as a kept account pays them |
| accounts, energy accounts, consents | stay, also if the record names a deleted account or service point |
| account plans | stay: the contract is the account's, even if it supplies deleted service points only |
| plans | those that no account of the household has any more go, as their ids contain the account |
| quarantined records | nothing, if any text in the record names a deleted id |

Rows that stay have `(forgotten)` in place of the name, in lists and in the raw record: leaving it out of a list would
suggest that the list was complete. Payees and products name no account. A transaction or a read names only its own.
"""

from __future__ import annotations

from toolkit.flows.household.context import without_plan
from toolkit.store import Store
from toolkit.store.statements import key_where
from toolkit.store.sync_state import OF_ONE, Tombstones, json_columns, remove_from_quarantine
from toolkit.tables.schema import STORED, Table
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import QuarantineRow


def redact_stored(store: Store, household_id: str) -> None:
    """Redact deleted ids in the household's stored rows, which a list of consents may name again.

    Use inside a transaction. Rows of other households stay as they are, also where they name the same account. Only
    rows from the service: somebody who imports a file again wants its rows back. Transactions and meter rows are not
    searched, as `forget` deletes them and no sync fetches them again.
    """
    tombstones = Tombstones(store)
    if not tombstones:
        return
    for entry in STORED:
        if {"household_id", "arrangement_id"} <= set(entry.names) and entry.name not in OF_ONE:
            _redact_table(store, tombstones, entry, household_id)
    for row in store.load(QuarantineRow, household_id):
        if tombstones.is_mentioned_in(row.raw, household_id):
            remove_from_quarantine(store, row)
    _drop_unused_plans(store, household_id)


def _redact_table(store: Store, tombstones: Tombstones, entry: Table, household_id: str) -> None:
    for row in store.rows(entry.name, household_id):
        if row["arrangement_id"] is None:
            continue
        redacted, key = tombstones.redacted(entry.name, row), key_where(entry, row)
        if redacted is None:
            store.delete(entry.name, key)
        elif redacted != row:
            store.update(entry.name, {column: redacted[column] for column in json_columns(entry.name)}, key)


def _drop_unused_plans(store: Store, household_id: str) -> None:
    """Delete the household's plans that no account has any more, and clear them as its chosen plan."""
    names = ("plan_id", "version")
    in_use = set(store.tuples("account_plans", names, household_id))
    for plan, version in set(store.tuples("plans", names, household_id, where={"source": "service"})) - in_use:
        store.delete("plans", {"household_id": household_id, "plan_id": plan, "version": version})
        if not store.count("plans", where={"household_id": ["", household_id], "plan_id": plan}):
            for home in store.load(HouseholdRow, household_id):
                store.update("households", without_plan(home, plan), {"household_id": household_id})
