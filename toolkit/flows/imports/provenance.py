"""File provenance: a row belongs to one file, and table `claims` records what other files gave of the same row."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, Literal

from toolkit.store import Store
from toolkit.tables.schema import table

Key = tuple[object, ...]
_FEW = 500
"""Most keys in one query, as SQLite limits its parameters; for more rows the whole table is read."""
Share = Literal["all", "part", "none"]
"""all: the file gave the row as it stands. part: some of its values. none: other values, which no longer count."""


@cache
def key_columns(name: str) -> tuple[str, ...]:
    """Return the key columns of a table without `household_id`."""
    return tuple(column for column in table(name).key if column != "household_id")


def owner(name: str, household_id: str) -> str:
    """Return the household id in the rows of a table; published plans have an empty one."""
    return "" if name == "plans" else household_id


def written_key(key: Iterable[object]) -> str:
    """Return a row's key as a JSON list of texts, as table `claims` stores it."""
    return json.dumps([str(value) for value in key], separators=(",", ":"))


def provenance_of(store: Store, household_id: str, name: str, keys: Collection[Key]) -> list[dict[str, Any]]:
    """Return the provenance entries of these rows, of all files."""
    wanted = {written_key(key) for key in keys}
    if not wanted:
        return []
    few = {"row_key": sorted(wanted)} if len(wanted) <= _FEW else {}
    entries = store.rows("claims", household_id, where={"table_name": name, **few})
    return [entry for entry in entries if entry["row_key"] in wanted]


class FileProvenance:
    """Record the provenance entries of one file."""

    def __init__(self, store: Store, household_id: str, file_id: str) -> None:
        self.store, self.household_id, self.file_id = store, household_id, file_id

    def others(
        self, name: str, stored: Iterable[Mapping[str, Any]], given: Iterable[Mapping[str, Any]]
    ) -> dict[Key, str]:
        """Return key → other file, for rows `given` that are `stored` as rows of another file."""
        columns = key_columns(name)
        stored_file = {tuple(row[column] for column in columns): row["file_id"] for row in stored}
        files = {key: stored_file.get(key) for key in (tuple(row[column] for column in columns) for row in given)}
        return {key: file for key, file in files.items() if file is not None and file != self.file_id}

    def record(self, name: str, others: Mapping[Key, str]) -> None:
        """Record, once the rows are written, which this file shares (unchanged) and which it has replaced."""
        if not others:
            return
        own = self.store.tuples(
            name, key_columns(name), owner(name, self.household_id), where={"file_id": self.file_id}
        )
        changed = {written_key(key) for key in own}
        self.mark_replaced(name, {key: other for key, other in others.items() if written_key(key) in changed})
        self.add(name, [key for key in others if written_key(key) not in changed], "all")

    def mark_replaced(self, name: str, before: Mapping[Key, str]) -> None:
        """Mark rows that this file has changed: no other file gives their values now. before: key → earlier file."""
        earlier = provenance_of(self.store, self.household_id, name, before)
        self._keep({**entry, "share": "none"} for entry in earlier)
        self._keep(self._row(name, key, "none", file) for key, file in before.items() if file != self.file_id)

    def add(self, name: str, keys: Iterable[Key], share: Share) -> None:
        """Record that this file gave these rows too."""
        self._keep(self._row(name, key, share) for key in keys)

    def _row(self, name: str, key: Key, share: Share, file_id: str | None = None) -> dict[str, str]:
        of = {"household_id": self.household_id, "file_id": file_id or self.file_id}
        return {**of, "table_name": name, "row_key": written_key(key), "share": share}

    def _keep(self, rows: Iterable[dict[str, Any]]) -> None:
        self.store.upsert("claims", list(rows))
