"""Deletion of a file: rows that other files also gave become what those files alone would have made of them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from toolkit.store import Store
from toolkit.store.provenance import are_complete, key_columns, owner, rewrite, written_key
from toolkit.tables.schema.journal import ClaimRow, FileRow


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
        for name, key in self._to_delete():
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
                self.store.delete("claims", _key(unchanged[0]))
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

    def _to_delete(self) -> list[tuple[str, str]]:
        own = [
            (name, key)
            for (name, key), entries in self._others.items()
            if self._is_own(name, key) and all(entry.share != "all" for entry in entries)
        ]
        return own + self._filled_up()

    def _filled_up(self) -> list[tuple[str, str]]:
        """Return rows of other files that contain some values of this one, which cannot be separated."""
        keys = {(entry.table_name, entry.row_key) for entry in self._own if entry.share == "part"}
        others = [(name, key) for name, key in keys if self._file_of[name].get(key) not in (None, self.file_id)]
        return sorted(set(others) - self._versioned)

    def _files_of(self, name: str) -> dict[str, str | None]:
        rows = self.store.tuples(name, (*key_columns(name), "file_id"), owner(name, self.household_id))
        return {written_key(key): file for *key, file in rows}

    def _row(self, name: str, key: str) -> dict[str, str]:
        columns = dict(zip(key_columns(name), json.loads(key), strict=True))
        return {"household_id": owner(name, self.household_id), **columns}


def _key(entry: ClaimRow) -> dict[str, str]:
    return {name: getattr(entry, name) for name in ClaimRow.table.key}


def drop_idle_provenance(store: Store, household_id: str) -> None:
    """Delete provenance entries of rows that no longer exist, as their keys name accounts and meters."""
    entries = store.load(ClaimRow, household_id)
    names = {entry.table_name for entry in entries}
    existing = {
        (name, written_key(key))
        for name in names
        for key in store.tuples(name, key_columns(name), owner(name, household_id))
    }
    for entry in entries:
        if (entry.table_name, entry.row_key) not in existing:
            store.delete("claims", _key(entry))


def by_name(store: Store, household_id: str, files: Counter[str]) -> list[dict[str, Any]]:
    """List files by the name they were imported under, with their number of rows."""
    names = {file.file_id: file.name for file in store.load(FileRow, household_id)}
    return [{"file": names.get(file_id, file_id), "rows": files[file_id]} for file_id in sorted(files)]
