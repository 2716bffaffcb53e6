"""Deletion of the rows of a consent, household, import, account or service point, and of what was derived from them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from msgspec import json as wire_json

from toolkit.analytics.money.overrides import ids_in
from toolkit.answers.forget import LostRows
from toolkit.flows.forget.redaction import redact_stored
from toolkit.flows.forget.target import COLUMN, Target
from toolkit.flows.money.spending import mark_all, refresh
from toolkit.flows.sync.duplicates import deduplicate
from toolkit.store import Condition, Store
from toolkit.store.provenance import are_complete, owner, rewrite, written_key
from toolkit.store.sync_state import add_name_tombstones, add_tombstones, remove_from_quarantine, tombstone
from toolkit.tables.schema import STORED
from toolkit.tables.schema import table as table_called
from toolkit.tables.schema.journal import ClaimRow, FileRow, OverrideRow, QuarantineRow

_MONEY, _METERS = "banking.transactions", "energy.usage"


def delete(store: Store, target: Target, shared: set[str]) -> Counter[str]:
    """Delete the target's rows and what was derived from them, and add tombstones, in one transaction.

    shared: those of its arrangements that other households have too (`shared_arrangements`).
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
        _add_tombstones(store, target, shared)
        if target.kind in ("account", "service_point"):
            redact_stored(store, target.household_id)
        _recompute(store, target)
        return before - _sizes(store)


def _sizes(store: Store) -> Counter[str]:
    return Counter({table.name: store.count(table.name) for table in STORED})


def _add_tombstones(store: Store, target: Target, shared: set[str]) -> None:
    """Add the target's tombstones; for an id that another household also has, limited to this household."""
    now, home = datetime.now(UTC), target.household_id
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
    bills = _values(store, "typed_invoices", "id", target)
    people = _values(store, "consents", "end_user_id", target)
    people = people or {row[0] for row in store.tuples("end_users", ("end_user_id",), home)}
    if target.kind == "file":
        Shared(store, home, target.id).hand_on()
    for table in STORED:
        if {column, "household_id"} <= set(table.names):
            store.delete(table.name, _where(target))
    drop_idle_provenance(store, home)
    ids = transactions | accounts | bills
    about = [row.number for row in store.load(OverrideRow, home) if ids & ids_in(row)]
    if about:
        store.delete("choices", {"household_id": home, "number": about})
    _positions(store, target, people)
    if target.kind == "file":
        if not target.shared:  # no other household has imported it too
            store.delete("plans", {"household_id": "", "file_id": target.id})
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
    rows = store.load(QuarantineRow, target.household_id, where={"arrangement_id": None} if whole else None)
    words = [wire_json.encode(word).decode() for word in (target.names if whole else {target.id})]
    for row in rows:
        if any(word in row.raw for word in words):
            remove_from_quarantine(store, row)


def _recompute(store: Store, target: Target) -> None:
    if target.kind != "household":
        deduplicate(store, datetime.now(UTC), after_deletion=True)
        store.delete("household_figures", {"household_id": target.household_id})
        mark_all(store, target.household_id)
        refresh(store, target.household_id)


class Shared:
    """The rows that one file shares with other files of a household."""

    def __init__(self, store: Store, household_id: str, file_id: str) -> None:
        self.store, self.household_id, self.file_id = store, household_id, file_id
        self._own: list[ClaimRow] = []
        self._others: dict[tuple[str, str], list[ClaimRow]] = defaultdict(list)
        for entry in store.load(ClaimRow, household_id):
            if entry.file_id == file_id:
                self._own.append(entry)
            else:
                self._others[entry.table_name, entry.row_key].append(entry)
        tables = {entry.table_name for entry in self._own} | {name for name, _ in self._others}
        self._file_of = {name: self._files_of(name) for name in tables}
        self._versioned = frozenset(self._find_versioned())

    def lost(self) -> Counter[str]:
        """Return other file id → number of its rows that will be deleted with this file.

        Only where their own version is not stored: transactions and plans, and meter days of earlier releases.
        """
        lost: Counter[str] = Counter()
        own = [
            (name, key)
            for (name, key), entries in self._others.items()
            if self._is_own(name, key) and all(entry.share != "all" for entry in entries)
        ]
        for name, key in own + self._filled_up():
            files = {str(self._file_of[name][key]), *(entry.file_id for entry in self._others[name, key])}
            lost.update(files - {self.file_id})
        return lost

    def hand_on(self) -> None:
        """Give shared rows to the other files, and delete rows that this file only completed, within a transaction."""
        for name, key in self._versioned:
            rewrite(self.store, name, self._row(name, key), self._others[name, key])
        for (name, key), entries in list(self._others.items()):
            unchanged = [entry for entry in entries if entry.share == "all"]
            if unchanged and self._is_own(name, key):
                self.store.update(name, {"file_id": unchanged[0].file_id}, self._row(name, key))
                self.store.delete("claims", _claim_key(unchanged[0]))
        for name, key in self._filled_up():
            self.store.delete(name, self._row(name, key))

    def _find_versioned(self) -> Iterator[tuple[str, str]]:
        """Yield shared rows of which every file's version is known."""
        own = {(entry.table_name, entry.row_key): entry for entry in self._own}
        for (name, key), entries in self._others.items():
            if (mine := own.get((name, key))) and self._file_of[name].get(key) and are_complete([*entries, mine]):
                yield name, key

    def _is_own(self, name: str, key: str) -> bool:
        """Whether the stored row is this file's, so that it is deleted unless another file gave it unchanged."""
        return self._file_of[name].get(key) == self.file_id and (name, key) not in self._versioned

    def _filled_up(self) -> list[tuple[str, str]]:
        """Return rows of other files that contain some values of this one, which cannot be separated."""
        keys = {(entry.table_name, entry.row_key) for entry in self._own if entry.share == "part"}
        others = [(name, key) for name, key in keys if self._file_of[name].get(key) not in (None, self.file_id)]
        return sorted(set(others) - self._versioned)

    def _files_of(self, name: str) -> dict[str, str | None]:
        rows = self.store.tuples(name, (*table_called(name).own_key, "file_id"), owner(name, self.household_id))
        return {written_key(key): file for *key, file in rows}

    def _row(self, name: str, key: str) -> dict[str, str]:
        columns = dict(zip(table_called(name).own_key, json.loads(key), strict=True))
        return {"household_id": owner(name, self.household_id), **columns}


def _claim_key(entry: ClaimRow) -> dict[str, str]:
    return {name: getattr(entry, name) for name in ClaimRow.table.key}


def drop_idle_provenance(store: Store, household_id: str) -> None:
    """Delete provenance entries of rows that no longer exist, as their keys name accounts and meters."""
    entries = store.load(ClaimRow, household_id)
    names = {entry.table_name for entry in entries}
    existing = {
        (name, written_key(key))
        for name in names
        for key in store.tuples(name, table_called(name).own_key, owner(name, household_id))
    }
    for entry in entries:
        if (entry.table_name, entry.row_key) not in existing:
            store.delete("claims", _claim_key(entry))


def by_name(store: Store, household_id: str, files: Counter[str]) -> list[LostRows]:
    """List files by the name they were imported under, with their number of rows."""
    names = {file.file_id: file.name for file in store.load(FileRow, household_id)}
    return [LostRows(names.get(file_id, file_id), files[file_id]) for file_id in sorted(files)]
