"""How the rows of a consent, a household, an import, an account or a service point go, and what came of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from msgspec import json as wire_json

from toolkit.flows.forget.files import Shared, drop_idle_claims
from toolkit.flows.forget.redaction import weed
from toolkit.flows.forget.target import COLUMN, Target, arrangements_of_others
from toolkit.flows.forget.tombstones import bury, keep_asked, tombstone
from toolkit.flows.money.decisions import mentioned
from toolkit.flows.money.rollups import mark_all, refresh
from toolkit.flows.sync.renewals import settle
from toolkit.store import Store
from toolkit.tables.schema import STORED

_MONEY, _METERS = "banking.transactions", "energy.usage"


def delete(store: Store, target: Target) -> Counter[str]:
    """All rows of the target and what was derived from them, with tombstones, in one transaction.

    Returns how many rows fewer each table has. A file leaves no tombstone: whoever imports it again wants it back.
    """
    if not target.id:
        return Counter()
    with store.transaction():
        before = _sizes(store)
        if target.kind == "household":
            _household_rows(store, target)
        else:
            _rows(store, target)
        store.update("runs", {"error": None}, {})  # what a failed run said may name an account
        store.delete("moves", {})  # what is kept to undo a merge may hold what is forgotten
        _bury(store, target)
        if target.kind in ("account", "service_point"):
            weed(store)
        _recompute(store, target)
        return before - _sizes(store)


def _sizes(store: Store) -> Counter[str]:
    return Counter({table.name: store.count(table.name) for table in STORED})


def _bury(store: Store, target: Target) -> None:
    """What another household has, too, is forgotten in this one alone."""
    now, home = datetime.now(UTC), target.household_id
    shared = arrangements_of_others(store, home)
    for arrangement in target.arrangements:
        owner = target.owners.get(arrangement)
        with_owner = tombstone("end_user", owner) if owner else None
        bury(store, "arrangement", [arrangement], now, home if arrangement in shared else "", with_owner)
    bury(store, "end_user", target.end_users, now)
    if target.kind in ("account", "service_point"):
        bury(store, target.kind, [target.id], now, home if target.shared else "")
    keep_asked(store, target.names, target.buried, now)


def _household_rows(store: Store, target: Target) -> None:
    where = {"household_id": target.household_id}
    runs = {row[0] for row in store.tuples("receipts", ("run_id",), target.household_id)}
    for table in STORED:
        if "household_id" in table.names:
            store.delete(table.name, where)
    others = {row[0] for row in store.tuples("receipts", ("run_id",))}
    store.delete("runs", {"run_id": sorted(runs - others)})


def _rows(store: Store, target: Target) -> None:
    """Rows of one part of a household, and what points at them."""
    home, column = target.household_id, COLUMN[target.kind]
    accounts = _values(store, "accounts", "account_id", target)
    transactions = _values(store, "transactions", "id", target)
    people = _values(store, "consents", "end_user_id", target) or _people(store, home)
    if target.kind == "file":
        Shared(store, home, target.id).hand_on()
    for table in STORED:
        if {column, "household_id"} <= set(table.names):
            store.delete(table.name, _where(target))
    drop_idle_claims(store, home)
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
    """Values of a table's column in the target's rows; none where its rows cannot be of such a target."""
    known = next(found for found in STORED if found.name == table)
    if COLUMN[target.kind] not in known.names:
        return set()
    return {row[0] for row in store.tuples(table, (column,), where=_where(target))}


def _where(target: Target) -> dict[str, object]:
    return {"household_id": target.household_id, COLUMN[target.kind]: target.id}


def _people(store: Store, household_id: str) -> set[str]:
    return {row[0] for row in store.tuples("end_users", ("end_user_id",), household_id)}


def _decisions(store: Store, household_id: str, ids: set[str]) -> None:
    """Decisions about any of these transactions and accounts."""
    decided = store.rows("choices", household_id)
    about = [row["number"] for row in decided if ids & mentioned(row)]
    if about:
        store.delete("choices", {"household_id": household_id, "number": about})


def _positions(store: Store, target: Target, people: Iterable[str]) -> None:
    """Positions name accounts and service points, cursors any record; without them the next sync reads what is left."""
    home = {"household_id": target.household_id}
    if target.kind == "file":
        return
    store.delete("walks", home)
    if target.kind == "consent":
        store.delete("positions", {**home, "end_user_id": sorted(people)})
    else:
        store.delete("positions", {**home, "resource": _MONEY if target.kind == "account" else _METERS})


def _published_plans(store: Store, target: Target) -> None:
    """Plans of a file belong to no household: they stay while another has the file."""
    if not target.shared:
        store.delete("plans", {"household_id": "", "file_id": target.id})


_HELD_BY = {
    "accounts": ("account_id", ("transactions",)),
    "service_points": ("service_point_id", ("register_days", "meter_reads")),
    "registers": ("service_point_id", ("register_days", "meter_reads")),
}


def _left_empty(store: Store, household_id: str) -> None:
    """Accounts and meters that only files told about, and of which no row is left."""
    for table, (column, holders) in _HELD_BY.items():
        held = {row[0] for holder in holders for row in store.tuples(holder, (column,), household_id)}
        known = {row[0] for row in store.tuples(table, (column,), household_id, where={"source": "file"})}
        for empty in sorted(known - held):
            store.delete(table, {"household_id": household_id, column: empty, "source": "file"})


def _set_aside(store: Store, target: Target) -> None:
    """Records in quarantine that name the account or service point, or the consent, where of none that is known."""
    whole = target.kind == "consent"
    rows = store.rows("quarantine", target.household_id, where={"arrangement_id": None} if whole else None)
    words = [wire_json.encode(word).decode() for word in (target.names if whole else {target.id})]
    for row in rows:
        if any(word in row["raw"] for word in words):
            store.delete("quarantine", {name: row[name] for name in ("household_id", "resource", "id")})


def _recompute(store: Store, target: Target) -> None:
    if target.kind != "household":
        settle(store, datetime.now(UTC), after_deletion=True)
        mark_all(store, target.household_id)
        refresh(store, target.household_id)
