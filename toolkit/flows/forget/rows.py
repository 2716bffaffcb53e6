"""Deletion of the rows of a consent, household, import, account or service point, and of what was derived from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec import json as wire_json

from toolkit.flows.forget.files import Shared, drop_idle_provenance
from toolkit.flows.forget.redaction import redact_stored
from toolkit.flows.forget.target import COLUMN, Target, arrangements_of_others
from toolkit.flows.forget.tombstones import add_name_tombstones, add_tombstones, tombstone
from toolkit.flows.money.decisions import mentioned
from toolkit.flows.money.rollups import mark_all, refresh
from toolkit.flows.sync.renewals import deduplicate
from toolkit.store import Condition, Store
from toolkit.tables.schema import STORED

_MONEY, _METERS = "banking.transactions", "energy.usage"


def delete(store: Store, target: Target) -> Counter[str]:
    """Delete the target's rows and what was derived from them, and add tombstones, in one transaction.

    Returns table → number of rows deleted. A file gets no tombstone: somebody who imports it again wants it back.
    """
    if not target.id:
        return Counter()
    with store.transaction():
        before = _sizes(store)
        if target.kind == "household":
            _household_rows(store, target)
        else:
            _rows(store, target)
        store.update("runs", {"error": None}, {})  # the error of a failed run may name an account
        store.delete("moves", {})  # the undo rows of a merge may contain deleted rows
        _add_tombstones(store, target)
        if target.kind in ("account", "service_point"):
            redact_stored(store)
        _recompute(store, target)
        return before - _sizes(store)


def _sizes(store: Store) -> Counter[str]:
    return Counter({table.name: store.count(table.name) for table in STORED})


def _add_tombstones(store: Store, target: Target) -> None:
    """Add the target's tombstones; for an id that another household also has, limited to this household."""
    now, home = datetime.now(UTC), target.household_id
    shared = arrangements_of_others(store, home)
    for arrangement in target.arrangements:
        owner = target.owners.get(arrangement)
        with_owner = tombstone("end_user", owner) if owner else None
        add_tombstones(store, "arrangement", [arrangement], now, home if arrangement in shared else "", with_owner)
    add_tombstones(store, "end_user", target.end_users, now)
    if target.kind in ("account", "service_point"):
        add_tombstones(store, target.kind, [target.id], now, home if target.shared else "")
    add_name_tombstones(store, target.names, target.tombstone, now)


def _household_rows(store: Store, target: Target) -> None:
    where = {"household_id": target.household_id}
    runs = {row[0] for row in store.tuples("receipts", ("run_id",), target.household_id)}
    for table in STORED:
        if "household_id" in table.names:
            store.delete(table.name, where)
    others = {row[0] for row in store.tuples("receipts", ("run_id",))}
    store.delete("runs", {"run_id": sorted(runs - others)})


def _rows(store: Store, target: Target) -> None:
    """Delete the rows of one part of a household, and what refers to them."""
    home, column = target.household_id, COLUMN[target.kind]
    accounts = _values(store, "accounts", "account_id", target)
    transactions = _values(store, "transactions", "id", target)
    people = _values(store, "consents", "end_user_id", target) or _people(store, home)
    if target.kind == "file":
        Shared(store, home, target.id).hand_on()
    for table in STORED:
        if {column, "household_id"} <= set(table.names):
            store.delete(table.name, _where(target))
    drop_idle_provenance(store, home)
    _decisions(store, home, transactions | accounts)
    _positions(store, target, people)
    if target.kind == "file":
        _published_plans(store, target)
        _left_empty(store, home)
    else:
        _set_aside(store, target)
    for account in accounts:
        store.update("accounts", {"linked_account_id": None}, {"household_id": home, "linked_account_id": account})


def _values(store: Store, table: str, column: str, target: Target) -> set[str]:
    """Return the values of a column in the target's rows; empty if the table lacks the target's column."""
    entry = next(entry for entry in STORED if entry.name == table)
    if COLUMN[target.kind] not in entry.names:
        return set()
    return {row[0] for row in store.tuples(table, (column,), where=_where(target))}


def _where(target: Target) -> dict[str, Condition]:
    return {"household_id": target.household_id, COLUMN[target.kind]: target.id}


def _people(store: Store, household_id: str) -> set[str]:
    return {row[0] for row in store.tuples("end_users", ("end_user_id",), household_id)}


def _decisions(store: Store, household_id: str, ids: set[str]) -> None:
    """Delete the decisions about any of these transactions and accounts."""
    decided = store.rows("choices", household_id)
    about = [row["number"] for row in decided if ids & mentioned(row)]
    if about:
        store.delete("choices", {"household_id": household_id, "number": about})


def _positions(store: Store, target: Target, people: Iterable[str]) -> None:
    """Delete checkpoints, which may name deleted ids; without them the next sync reads all that remains."""
    home = {"household_id": target.household_id}
    if target.kind == "file":
        return
    store.delete("walks", home)
    if target.kind == "consent":
        store.delete("positions", {**home, "end_user_id": sorted(people)})
    else:
        store.delete("positions", {**home, "resource": _MONEY if target.kind == "account" else _METERS})


def _published_plans(store: Store, target: Target) -> None:
    """Delete the published plans of a file unless another household has imported it too."""
    if not target.shared:
        store.delete("plans", {"household_id": "", "file_id": target.id})


_ROWS_OF = {
    "accounts": ("account_id", ("transactions",)),
    "service_points": ("service_point_id", ("register_days", "meter_reads")),
    "registers": ("service_point_id", ("register_days", "meter_reads")),
}


def _left_empty(store: Store, household_id: str) -> None:
    """Delete accounts and meters that came from files alone and have no rows left."""
    for table, (column, children) in _ROWS_OF.items():
        used = {row[0] for child in children for row in store.tuples(child, (column,), household_id)}
        known = {row[0] for row in store.tuples(table, (column,), household_id, where={"source": "file"})}
        for empty in sorted(known - used):
            store.delete(table, {"household_id": household_id, column: empty, "source": "file"})


def _set_aside(store: Store, target: Target) -> None:
    """Delete quarantined records that name the target; for a consent, only records without a known consent."""
    whole = target.kind == "consent"
    rows = store.rows("quarantine", target.household_id, where={"arrangement_id": None} if whole else None)
    words = [wire_json.encode(word).decode() for word in (target.names if whole else {target.id})]
    for row in rows:
        if any(word in row["raw"] for word in words):
            store.delete("quarantine", {name: row[name] for name in ("household_id", "resource", "id")})


def _recompute(store: Store, target: Target) -> None:
    if target.kind != "household":
        deduplicate(store, datetime.now(UTC), after_deletion=True)
        mark_all(store, target.household_id)
        refresh(store, target.household_id)
