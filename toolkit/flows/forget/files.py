"""A file is forgotten: rows that other files gave too become what those files alone would have made of them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from toolkit.flows.imports.file_versions import are_complete, rewrite
from toolkit.flows.imports.provenance import key_columns, owner, written_key
from toolkit.store import Store

Where = dict[str, Any]


class Shared:
    """Rows that one file shares with others, within one household."""

    def __init__(self, store: Store, household_id: str, file_id: str) -> None:
        self.store, self.household_id, self.file_id = store, household_id, file_id
        self._own: list[Where] = []
        self._others: dict[tuple[str, str], list[Where]] = defaultdict(list)
        for claim in store.rows("claims", household_id):
            if claim["file_id"] == file_id:
                self._own.append(claim)
            else:
                self._others[claim["table_name"], claim["row_key"]].append(claim)
        tables = {claim["table_name"] for claim in self._own} | {name for name, _ in self._others}
        self._brought = {name: self._files_of(name) for name in tables}
        self._versioned = frozenset(self._find_versioned())

    def lost(self) -> Counter[str]:
        """Of which other files so many rows will go with it: those they gave in part or otherwise, by file id.

        Only where their own version is not stored: transactions and plans, and meter days of earlier releases.
        """
        found: Counter[str] = Counter()
        for name, key in self._to_delete():
            files = {str(self._brought[name][key]), *(claim["file_id"] for claim in self._others[name, key])}
            found.update(files - {self.file_id})
        return found

    def hand_on(self) -> None:
        """Leave the others what they gave, and delete rows that it only filled up, within a transaction."""
        for name, key in self._versioned:
            rewrite(self.store, name, self._row(name, key), self._others[name, key])
        for (name, key), claims in list(self._others.items()):
            heirs = [claim for claim in claims if claim["share"] == "all"]
            if heirs and self._is_own(name, key):
                self.store.update(name, {"file_id": heirs[0]["file_id"]}, self._row(name, key))
                self.store.delete("claims", heirs[0])
        for name, key in self._filled_up():
            self.store.delete(name, self._row(name, key))

    def _find_versioned(self) -> Iterator[tuple[str, str]]:
        """Rows to which this file gave something, and of which every file's version is known."""
        own = {(claim["table_name"], claim["row_key"]): claim for claim in self._own}
        for (name, key), claims in self._others.items():
            if (mine := own.get((name, key))) and self._brought[name].get(key) and are_complete([*claims, mine]):
                yield name, key

    def _is_own(self, name: str, key: str) -> bool:
        """Whether the row goes with this file, unless another gave it as it stands."""
        return self._brought[name].get(key) == self.file_id and (name, key) not in self._versioned

    def _to_delete(self) -> list[tuple[str, str]]:
        own = [
            (name, key)
            for (name, key), claims in self._others.items()
            if self._is_own(name, key) and all(claim["share"] != "all" for claim in claims)
        ]
        return own + self._filled_up()

    def _filled_up(self) -> list[tuple[str, str]]:
        """Rows of other files that hold some values of this one: there is no telling them apart."""
        keys = {(claim["table_name"], claim["row_key"]) for claim in self._own if claim["share"] == "part"}
        others = [(name, key) for name, key in keys if self._brought[name].get(key) not in (None, self.file_id)]
        return sorted(set(others) - self._versioned)

    def _files_of(self, name: str) -> dict[str, str | None]:
        rows = self.store.tuples(name, (*key_columns(name), "file_id"), owner(name, self.household_id))
        return {written_key(key): file for *key, file in rows}

    def _row(self, name: str, key: str) -> Where:
        columns = dict(zip(key_columns(name), json.loads(key), strict=True))
        return {"household_id": owner(name, self.household_id), **columns}


def drop_idle_provenance(store: Store, household_id: str) -> None:
    """Claims to rows that are gone: their keys name accounts and meters."""
    claims = store.rows("claims", household_id)
    names = {claim["table_name"] for claim in claims}
    there = {
        (name, written_key(key))
        for name in names
        for key in store.tuples(name, key_columns(name), owner(name, household_id))
    }
    for claim in claims:
        if (claim["table_name"], claim["row_key"]) not in there:
            store.delete("claims", claim)


def by_name(store: Store, household_id: str, files: Counter[str]) -> list[dict[str, Any]]:
    """Files by the name they were imported under, and how many rows of each are meant."""
    names = {row["file_id"]: row["name"] for row in store.rows("files", household_id)}
    return [{"file": names.get(file_id, file_id), "rows": files[file_id]} for file_id in sorted(files)]
