"""What a whole list sync no longer found: pending rows are replaced, other rows kept and marked, plans retired."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from toolkit.errors import Problem
from toolkit.store import Condition, Store
from toolkit.sync.list_sync import ListSync
from toolkit.sync.pages import READS, ReadKey
from toolkit.tables.rows.records import PageRows
from toolkit.tables.schema import STORED

_MARKED = {table.resource: table.name for table in STORED if table.resource and "vanished_at" in table.names}
"""Resources whose rows can vanish → their table."""
_AT_ONCE = 500
_VANISHED = "no longer given by the service: kept, marked and left out of totals"


@dataclass(slots=True)
class Gone:
    """Rows that a list no longer contains: how many, and a warning for each that was kept."""

    count: int = 0
    problems: list[Problem] = field(default_factory=list)


def remove(store: Store, list_sync: ListSync, listed_ids: set[str], in_force: Collection[str], now: datetime) -> Gone:
    """Delete or mark the rows that the finished `list_sync` no longer contains; within the caller's transaction.

    listed_ids: ids in the list, also of records that cannot be read now, whose earlier version stays.
    in_force: arrangements under which a row can be missed: those of an ended consent are not given any more, which
    says nothing about them. Nor does a list sync that was resumed: what it did not bring may have come before it was
    cut short.
    """
    gone = Gone()
    if list_sync.checkpoint is not None:
        return gone
    if list_sync.pending:
        gone.count += _replace_pending(store, list_sync, listed_ids, in_force)
    if list_sync.complete and list_sync.resource in _MARKED:
        _mark_vanished(store, list_sync, listed_ids, in_force, now, gone)
    return gone


def is_stored(store: Store, list_sync: ListSync) -> bool:
    """Whether rows are stored that the list sync may find gone."""
    if not list_sync.complete or list_sync.resource not in _MARKED:
        return False
    where = {"account_id": list_sync.part} if list_sync.part else {}
    return store.count(_MARKED[list_sync.resource], list_sync.person.household_id, where=where) > 0


def stay(store: Store, list_sync: ListSync, ids: list[str]) -> set[str]:
    """Return those of `ids` of which an earlier version is stored, which stays in use."""
    if list_sync.resource not in _MARKED or not ids:
        return set()
    where = {"vanished_at": None, "id": ids}
    return {
        str(id_)
        for (id_,) in store.tuples(_MARKED[list_sync.resource], ("id",), list_sync.person.household_id, where=where)
    }


def still_there(store: Store, list_sync: ListSync, in_force: Collection[str], column: str) -> set[str]:
    """Return the values of `column` in stored rows of the list sync's resource that its person still shares."""
    where = {"arrangement_id": sorted(in_force), "vanished_at": None}
    rows = store.tuples(_MARKED[list_sync.resource], (column,), list_sync.person.household_id, where=where)
    return {str(value) for (value,) in rows}


def _replace_pending(store: Store, list_sync: ListSync, listed_ids: set[str], in_force: Collection[str]) -> int:
    where = {"account_id": list_sync.part, "status": "PENDING", "arrangement_id": sorted(in_force)}
    stored = store.tuples("transactions", ("id",), list_sync.person.household_id, where=where)
    gone = [str(id_) for (id_,) in stored if id_ not in listed_ids]
    return sum(
        store.delete("transactions", {"household_id": list_sync.person.household_id, "id": some})
        for some in _some(gone)
    )


def _mark_vanished(
    store: Store, list_sync: ListSync, listed_ids: set[str], in_force: Collection[str], now: datetime, gone: Gone
) -> None:
    table = _MARKED[list_sync.resource]
    where: dict[str, Condition] = {"vanished_at": None, "arrangement_id": sorted(in_force)}
    if list_sync.part:
        where["account_id"] = list_sync.part
    stored = store.tuples(table, ("id",), list_sync.person.household_id, where=where)
    missing = [str(id_) for (id_,) in stored if id_ not in listed_ids]
    for some in _some(missing):
        store.update(table, {"vanished_at": now}, {"household_id": list_sync.person.household_id, "id": some})
    gone.count += len(missing)
    gone.problems += [Problem(id_, f"{list_sync.resource}: {_VANISHED}", "warning") for id_ in missing]


def drop_corrected(store: Store, list_sync: ListSync, listed_ids: set[str], reads: Collection[ReadKey]) -> int:
    """Delete a usage record's reads from before it was corrected to another register or days; returns the count.

    listed_ids: ids in the list. reads: keys of their reads.
    """
    if list_sync.resource != "energy.usage":
        return 0
    dropped = 0
    where = {"service_point_id": list_sync.part, "source": "service"}
    for table, names in READS.items():
        for id_, *key in store.tuples(table, ("id", *names), list_sync.person.household_id, where=where):
            if id_ in listed_ids and (table, *key) not in reads:
                own = {"household_id": list_sync.person.household_id, "service_point_id": list_sync.part}
                dropped += store.delete(table, {**own, **dict(zip(names, key, strict=True))})
    return dropped


def retire_plans(store: Store, household_id: str, rows: PageRows) -> None:
    """Mark plan versions that an account no longer has as not current; they are kept as history."""
    carried = {(row["plan_id"], row["version"]) for row in rows.further.get("account_plans", [])}
    for account in rows.counted.get("energy_accounts", []):
        where = {"account_id": account["account_id"], "is_current": True}
        for row in store.rows("account_plans", household_id, where=where):
            if (row["plan_id"], row["version"]) not in carried:
                key = {name: row[name] for name in ("household_id", "account_id", "plan_id", "version")}
                store.update("account_plans", {"is_current": False}, key)


def _some(values: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(values), _AT_ONCE):
        yield values[start : start + _AT_ONCE]
