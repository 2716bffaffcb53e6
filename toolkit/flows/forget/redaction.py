"""What was forgotten is named nowhere: rows that are of it go, and rows that only mention it lose the name.

| rows | what is left of them |
|---|---|
| with a consent, account or service point of their own | nothing, where that was forgotten |
| invoices | nothing where they bill forgotten service points alone; one that bills others, too, stays: it is one sum |
| scheduled payments | those from a forgotten account go; those to it stay: an account that is kept pays |
| accounts, energy accounts, consents | stay, also where the record names a forgotten account or service point |
| account plans | stay: the contract is the account's, even where it supplies forgotten service points alone |
| plans | those that no account of the household carries any more go: they are called after their account |
| what cannot be read | nothing, wherever in the record the name stands |

In rows that stay `(forgotten)` stands for the name, in lists and in the record as given: a list without it would say
that there was nothing else. Payees and products name no account. A transaction or a read names none but its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from toolkit.flows.forget.tombstones import tombstone
from toolkit.store import Store
from toolkit.tables.schema import STORED, Table, table

Row = dict[str, Any]
HIDDEN = "(forgotten)"
_OWN = {"arrangement_id": "arrangement", "account_id": "account", "service_point_id": "service_point"}
"""Columns that say whose a row is → the kind of its tombstone."""
_MENTIONED = ("account", "service_point")
_OF_ONE = {"transactions", "register_days", "meter_reads"}
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Forgotten:
    """As things are when it is made. False where nothing was forgotten."""

    def __init__(self, store: Store) -> None:
        self._hashes = frozenset(row["hash"] for row in store.rows("tombstones"))

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def has(self, whose: Mapping[str, Any], household_id: str) -> bool:
        """Whether the consent, account or service point in these columns was forgotten."""
        named = [(kind, whose.get(column)) for column, kind in _OWN.items()]
        return any(identity and self._is(kind, identity, household_id) for kind, identity in named)

    def left_of(self, name: str, row: Row) -> Row | None:
        """A row of the table `name` as it may be kept; None where it is of what was forgotten."""
        home = row.get("household_id") or ""
        if self.has(row, home):
            return None
        if name in _OF_ONE:
            return row
        if name == "invoices" and self._are_all(json.loads(row["service_points"] or "[]"), home):
            return None
        return {**row, **{column: self._hidden(row[column], home) for column in _texts(name) if row.get(column)}}

    def is_named_in(self, text: str, household_id: str) -> bool:
        """Whether a text of JSON names an account or service point that was forgotten."""
        return bool(self._names_in(text, household_id))

    def _is(self, kind: str, identity: str, household_id: str) -> bool:
        return any(tombstone(kind, identity, place) in self._hashes for place in ("", household_id))

    def _are_all(self, points: list[str], household_id: str) -> bool:
        return bool(points) and all(self._is("service_point", point, household_id) for point in points)

    def _names_in(self, text: str, household_id: str) -> set[str]:
        """As they are spelled there, in their quotes."""
        spelled = {found: _read(found) for found in set(_STRING.findall(text))}
        return {
            found for found, word in spelled.items() if any(self._is(kind, word, household_id) for kind in _MENTIONED)
        }

    def _hidden(self, text: str, household_id: str) -> str:
        names = self._names_in(text, household_id)
        return _STRING.sub(lambda found: f'"{HIDDEN}"' if found[0] in names else found[0], text) if names else text


def _read(quoted: str) -> str:
    """The text of a JSON string; half a character is none that a name could have."""
    if "\\" not in quoted:
        return quoted[1:-1]
    try:
        found: str = json.loads(quoted, strict=False)
    except ValueError:
        return quoted[1:-1]
    return found.encode("utf-8", "replace").decode()


@cache
def _texts(name: str) -> tuple[str, ...]:
    """Columns that hold JSON: lists, and the record as given."""
    return tuple(column.name for column in table(name).columns if column.kind == "json" or column.name == "raw")


def weed(store: Store) -> None:
    """Take what was forgotten out of what is stored, within the caller's transaction.

    Only what came from the service: whoever imports a file again wants its rows back. Rows of money and of meters are
    not looked through, for `forget` deletes them and no sync brings them.
    """
    forgotten = Forgotten(store)
    if forgotten:
        for entry in STORED:
            if {"household_id", "arrangement_id"} <= set(entry.names) and entry.name not in _OF_ONE:
                _weed(store, forgotten, entry)
        _weed_quarantine(store, forgotten)
        _weed_plans(store)


def _weed(store: Store, forgotten: Forgotten, entry: Table) -> None:
    for row in store.rows(entry.name):
        if row["arrangement_id"] is None:
            continue
        left, key = forgotten.left_of(entry.name, row), _key(entry, row)
        if left is None:
            store.delete(entry.name, key)
        elif left != row:
            store.update(entry.name, {column: left[column] for column in _texts(entry.name)}, key)


def _weed_quarantine(store: Store, forgotten: Forgotten) -> None:
    for row in store.rows("quarantine"):
        if forgotten.is_named_in(row["raw"], row["household_id"]):
            store.delete("quarantine", _key(table("quarantine"), row))


def _weed_plans(store: Store) -> None:
    """Plans that no account carries any more; a home that was said to be on one is on none."""
    names = ("household_id", "plan_id", "version")
    carried = set(store.tuples("account_plans", names))
    gone = set(store.tuples("plans", names, where={"source": "service"})) - carried
    for key in gone:
        store.delete("plans", dict(zip(names, key, strict=True)))
    for home, plan, _ in gone:
        if not store.count("plans", where={"household_id": ["", home], "plan_id": plan}):
            store.update("households", {"plan_id": None, "plan_since": None}, {"household_id": home, "plan_id": plan})


def _key(entry: Table, row: Row) -> dict[str, Any]:
    return {column: row[column] for column in entry.key}


def whose(thing: object) -> dict[str, Any]:
    """Consent, account and service point of a record or a refusal, as far as it names its own."""
    return {column: getattr(thing, column, None) for column in _OWN}
