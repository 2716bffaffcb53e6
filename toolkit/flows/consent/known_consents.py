"""Consents of the store: those in its table, and arrangements that only stored records name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolkit.store import Store
from toolkit.tables.schema import STORED

LARGE = ("transactions", "register_days", "meter_reads")
_SMALL = tuple(
    table.name
    for table in STORED
    if {"household_id", "arrangement_id"} <= set(table.names) and table.name not in (*LARGE, "consents", "quarantine")
)
"""Tables of records with few rows: each account, service point or bill has one there."""
_RESOURCE = {table.name: table.resource for table in STORED}
_NAMES = {table.name: frozenset(table.names) for table in STORED}


def known_consents(store: Store, household_id: str | None = None, *, quickly: bool = False) -> list[dict[str, Any]]:
    """Rows of `consents`, and one for every other arrangement of a stored record, in force as far as is known.

    A service need not list consents, and earlier versions kept only those that were listed. `end_user_id` is empty
    where the household has several end users and nothing says whose the arrangement is. quickly: without looking
    through transactions and meter reads, whose accounts and service points name their arrangement as a rule.
    """
    consents = store.rows("consents", household_id)
    known = {(row["household_id"], row["arrangement_id"]) for row in consents}
    found = _institutions(store, household_id, _SMALL if quickly else (*_SMALL, *LARGE))
    unknown = sorted(found.keys() - known)
    owners = {home: _only_person(store, home) for home in {home for home, _ in unknown}}
    return [*consents, *(consent_row(*key, owners[key[0]], found[key]) for key in unknown)]


def consent_row(
    household_id: str, arrangement_id: str, end_user_id: str, institution_id: str | None, **known: Any
) -> dict[str, Any]:
    """A row of `consents` that the service did not list; known: more of its columns."""
    return {
        "household_id": household_id,
        "arrangement_id": arrangement_id,
        "consent_id": None,
        "end_user_id": end_user_id,
        "institution_id": institution_id,
        "state": "active",
        "termination_reason": None,
        "granted_at": None,
        "ends_at": None,
        "ended_at": None,
        "renews": None,
        "raw": None,
        **known,
    }


def arrangements_of_records(store: Store, household_id: str) -> dict[str, str | None]:
    """Arrangement → institution, of the records that few are of."""
    return {name: institution for (_, name), institution in _institutions(store, household_id, _SMALL).items()}


def resources_under(store: Store, household_id: str, arrangement_id: str) -> set[str]:
    """Resources of which records are stored under an arrangement, transactions and meter reads left aside."""
    where = {"arrangement_id": arrangement_id}
    named = [name for name in _SMALL if _RESOURCE[name] and store.count(name, household_id, where=where)]
    return {str(_RESOURCE[name]) for name in named}


def has_records(store: Store, household_id: str, arrangement_id: str) -> bool:
    """Whether any record is stored under an arrangement."""
    where = {"arrangement_id": arrangement_id}
    return any(store.count(name, household_id, where=where) for name in (*_SMALL, *LARGE))


def _institutions(store: Store, household_id: str | None, tables: Iterable[str]) -> dict[tuple[str, str], str | None]:
    """(household, arrangement) → institution."""
    found: dict[tuple[str, str], str | None] = {}
    for name in tables:
        named = ("institution_id",) if "institution_id" in _NAMES[name] else ()
        for home, arrangement, *institution in store.distinct(
            name, ("household_id", "arrangement_id", *named), household_id
        ):
            if arrangement is not None:
                found[home, arrangement] = found.get((home, arrangement)) or next(iter(institution), None)
    return found


def _only_person(store: Store, household_id: str) -> str:
    people = store.tuples("end_users", ("end_user_id",), household_id)
    return str(people[0][0]) if len(people) == 1 else ""
