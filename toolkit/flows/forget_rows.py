"""What belongs to a consent, a household, an import, an account or a service point, and how its rows are deleted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from msgspec import DecodeError
from msgspec import json as wire_json

from toolkit.errors import ChoiceNeeded
from toolkit.flows.context import named_household
from toolkit.flows.forget_files import Shared, drop_idle_claims
from toolkit.flows.sync_consents import CONSENTS
from toolkit.flows.tombstones import BURIED_AS, bury, tombstone
from toolkit.tables.schema import STORED

if TYPE_CHECKING:
    from toolkit.store import Store

Kind = Literal["consent", "household", "file", "account", "service_point"]
_COLUMN: dict[Kind, str] = {
    "consent": "arrangement_id",
    "file": "file_id",
    "account": "account_id",
    "service_point": "service_point_id",
}
"""The column that says what a row belongs to."""
_MONEY, _METERS = "banking.transactions", "energy.usage"


@dataclass(slots=True)
class Target:
    """What is to go. id: the value of the kind's column. names: words by which it may still be named in other files."""

    kind: Kind
    household_id: str
    id: str = ""
    arrangements: list[str] = field(default_factory=list)
    end_users: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    @property
    def where(self) -> dict[str, object]:
        return {"household_id": self.household_id, _COLUMN[self.kind]: self.id}


def find(store: Store, kind: Kind, wanted: str) -> Target:
    """What is called so. Raises ChoiceNeeded where nothing is, or more than one thing."""
    if kind == "household":
        return _household(store, wanted)
    return _consent(store, wanted) if kind == "consent" else _part(store, kind, wanted)


def _household(store: Store, wanted: str) -> Target:
    household_id = named_household(store, store.rows("households"), wanted)["household_id"]
    arrangements = [row["arrangement_id"] for row in _consents(store, household_id)]
    people = _people(store, household_id)
    names = {household_id, *arrangements, *people, wanted}
    return Target("household", household_id, household_id, arrangements, people, names)


def _people(store: Store, household_id: str) -> list[str]:
    return [row["end_user_id"] for row in store.rows("end_users", household_id)]


def _consent(store: Store, wanted: str) -> Target:
    consents = _consents(store)
    found = [row for row in consents if wanted in (row["consent_id"], row["arrangement_id"])]
    if len(found) != 1:
        raise ChoiceNeeded(f"No single consent is called {wanted!r}.", [row["arrangement_id"] for row in consents])
    row = found[0]
    arrangement = row["arrangement_id"]
    names = {arrangement, row["consent_id"] or arrangement}
    return Target("consent", row["household_id"], arrangement, [arrangement], names=names)


def _consents(store: Store, household_id: str | None = None) -> list[dict[str, Any]]:
    """Those of the store, and those that could not be read, as far as their arrangement is known."""
    stored = store.rows("consents", household_id)
    known = {(row["household_id"], row["arrangement_id"]) for row in stored}
    aside = store.rows("quarantine", household_id, where={"resource": CONSENTS})
    waiting = [row for row in aside if row["arrangement_id"] is not None]
    return stored + [
        {**row, "consent_id": _consent_id(row["raw"])}
        for row in waiting
        if (row["household_id"], row["arrangement_id"]) not in known
    ]


def _consent_id(raw: str) -> str | None:
    """What a record calls itself that could not be read, in either spelling."""
    with suppress(DecodeError, RecursionError):
        given = wire_json.decode(raw)
        return next((given[name] for name in ("consent_id", "consentId") if isinstance(given.get(name), str)), None)
    return None


_CALLED: dict[Kind, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "file": (("files", ("file_id", "name")),),
    "account": (
        ("accounts", ("account_id", "display_name", "nickname")),
        ("energy_accounts", ("account_id", "display_name")),
    ),
    "service_point": (("service_points", ("service_point_id", "national_metering_id")),),
}
"""Where a part of a household is told about, and the columns whose value may name it; the first identifies it."""


def _part(store: Store, kind: Kind, wanted: str) -> Target:
    known = [(row, columns) for table, columns in _CALLED[kind] for row in store.rows(table)]
    found = {(row["household_id"], row[names[0]]) for row, names in known if wanted in [row[name] for name in names]}
    if len(found) != 1:
        ids = sorted({str(row[names[-1]] or row[names[0]]) for row, names in known})
        raise ChoiceNeeded(f"No single {kind.replace('_', ' ')} is called {wanted!r}.", ids)
    household_id, id_ = found.pop()
    return Target(kind, household_id, id_, names={str(id_)})


def delete(store: Store, target: Target) -> Counter[str]:
    """All rows of the target and what was derived from them, with tombstones, in one transaction; how many, by table.

    A file leaves no tombstone: whoever imports it again wants it back.
    """
    if not target.household_id:
        return Counter()  # an empty household id stands for what belongs to nobody, such as published plans
    with store.transaction():
        deleted = _household_rows(store, target) if target.kind == "household" else _rows(store, target)
        store.update("runs", {"error": None}, {})  # what a failed run said may name an account
        _bury(store, target)
        _recompute(store, target)
    return +deleted


def _bury(store: Store, target: Target) -> None:
    now = datetime.now(UTC)
    bury(store, "arrangement", target.arrangements, now)
    bury(store, "end_user", target.end_users, now)
    buried = BURIED_AS.get(target.kind)
    bury(store, "asked", sorted(target.names), now, of=tombstone(buried, target.id) if buried else None)
    if target.kind in ("account", "service_point"):
        bury(store, target.kind, [target.id], now)


def _household_rows(store: Store, target: Target) -> Counter[str]:
    where = {"household_id": target.household_id}
    runs = {row[0] for row in store.tuples("receipts", ("run_id",), target.household_id)}
    tables = [table.name for table in STORED if "household_id" in table.names]
    deleted = Counter({name: store.delete(name, where) for name in tables})
    others = {row[0] for row in store.tuples("receipts", ("run_id",))}
    deleted["runs"] = store.delete("runs", {"run_id": sorted(runs - others)})
    return deleted


def _rows(store: Store, target: Target) -> Counter[str]:
    """Rows of one part of a household, and what points at them."""
    home, column = target.household_id, _COLUMN[target.kind]
    accounts = _values(store, "accounts", "account_id", target)
    transactions = _values(store, "transactions", "id", target)
    people = _values(store, "consents", "end_user_id", target) or set(_people(store, home))
    tables = [table.name for table in STORED if {column, "household_id"} <= set(table.names)]
    if target.kind == "file":
        Shared(store, home, target.id).hand_on()
    deleted = Counter({name: store.delete(name, target.where) for name in tables})
    drop_idle_claims(store, home)
    deleted["choices"] += _choices(store, home, transactions)
    deleted["positions"] += _positions(store, target, people)
    if target.kind == "file":
        deleted += _published_plans(store, target) + _left_empty(store, home)
    if target.kind in ("account", "service_point"):
        deleted["quarantine"] += _set_aside(store, target)
    for account in accounts:
        store.update("accounts", {"linked_account_id": None}, {"household_id": home, "linked_account_id": account})
    return deleted


def _values(store: Store, table: str, column: str, target: Target) -> set[str]:
    """Values of a table's column in the target's rows; none where its rows cannot be of such a target."""
    known = next(found for found in STORED if found.name == table)
    if _COLUMN[target.kind] not in known.names:
        return set()
    return {row[0] for row in store.tuples(table, (column,), where=target.where)}


def _choices(store: Store, household_id: str, transactions: set[str]) -> int:
    chosen = store.rows("choices", household_id)
    about = [row["number"] for row in chosen if transactions & {row["subject"], row["value"]}]
    return store.delete("choices", {"household_id": household_id, "number": about}) if about else 0


def _positions(store: Store, target: Target, people: Iterable[str]) -> int:
    """Positions name accounts and service points, cursors any record; without them the next sync reads what is left."""
    home = {"household_id": target.household_id}
    if target.kind == "file":
        return 0
    store.delete("walks", home)
    if target.kind == "consent":
        return store.delete("positions", {**home, "end_user_id": sorted(people)})
    return store.delete("positions", {**home, "resource": _MONEY if target.kind == "account" else _METERS})


def _published_plans(store: Store, target: Target) -> Counter[str]:
    """Plans of a file belong to no household."""
    return Counter({"plans": store.delete("plans", {"household_id": "", "file_id": target.id})})


_HELD_BY = {
    "accounts": ("account_id", ("transactions",)),
    "service_points": ("service_point_id", ("register_days", "meter_reads")),
    "registers": ("service_point_id", ("register_days", "meter_reads")),
}


def _left_empty(store: Store, household_id: str) -> Counter[str]:
    """Accounts and meters that only files told about, and of which no row is left."""
    deleted: Counter[str] = Counter()
    for table, (column, holders) in _HELD_BY.items():
        held = {row[0] for holder in holders for row in store.tuples(holder, (column,), household_id)}
        known = {row[0] for row in store.tuples(table, (column,), household_id, where={"source": "file"})}
        for empty in sorted(known - held):
            where = {"household_id": household_id, column: empty, "source": "file"}
            deleted[table] += store.delete(table, where)
    return deleted


def _set_aside(store: Store, target: Target) -> int:
    """Records in quarantine that name the account or service point."""
    rows = store.rows("quarantine", target.household_id)
    keys = [{name: row[name] for name in ("household_id", "resource", "id")} for row in rows if _names(row, target)]
    return sum(store.delete("quarantine", key) for key in keys)


def _names(row: dict[str, Any], target: Target) -> bool:
    return wire_json.encode(target.id).decode() in row["raw"]


def _recompute(store: Store, target: Target) -> None:
    if target.kind != "household":
        from toolkit.flows.rollups import mark_all, refresh
        from toolkit.flows.sync_renewals import settle

        settle(store, datetime.now(UTC), after_deletion=True)
        mark_all(store, target.household_id)
        refresh(store, target.household_id)
