"""What several files give: a row belongs to one of them, and what the others have to do with it is kept as a claim."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, Literal

from toolkit.store import Store
from toolkit.tables.schema import table

Key = tuple[object, ...]
_FEW = 500
"""Of more rows than this all claims are looked through: a question has room for so many keys."""
Share = Literal["all", "part", "none"]
"""all: the file gave the row as it stands. part: some of its values. none: other values, which no longer count."""


@cache
def key_columns(name: str) -> tuple[str, ...]:
    """What a row is known by within its household."""
    return tuple(column for column in table(name).key if column != "household_id")


def owner(name: str, household_id: str) -> str:
    """The household whose rows are meant: published plans belong to none."""
    return "" if name == "plans" else household_id


def written_key(key: Iterable[object]) -> str:
    return json.dumps([str(value) for value in key], separators=(",", ":"))


def claims_of(store: Store, household_id: str, name: str, keys: Collection[Key]) -> list[dict[str, Any]]:
    """What any file claims of these rows."""
    wanted = {written_key(key) for key in keys}
    if not wanted:
        return []
    few = {"row_key": sorted(wanted)} if len(wanted) <= _FEW else {}
    found = store.rows("claims", household_id, where={"table_name": name, **few})
    return [claim for claim in found if claim["row_key"] in wanted]


class Claims:
    """Those that come of one file."""

    def __init__(self, store: Store, household_id: str, file_id: str) -> None:
        self.store, self.household_id, self.file_id = store, household_id, file_id

    def others(
        self, name: str, stored: Iterable[Mapping[str, Any]], given: Iterable[Mapping[str, Any]]
    ) -> dict[Key, str]:
        """Keys of rows `given` that are `stored` from another file → that file."""
        columns = key_columns(name)
        brought = {tuple(row[column] for column in columns): row["file_id"] for row in stored}
        found = {key: brought.get(key) for key in (tuple(row[column] for column in columns) for row in given)}
        return {key: file for key, file in found.items() if file is not None and file != self.file_id}

    def settle(self, name: str, others: Mapping[Key, str]) -> None:
        """After the rows went in: the file claims those that stayed another's; those it has changed are its alone."""
        if not others:
            return
        own = self.store.tuples(
            name, key_columns(name), owner(name, self.household_id), where={"file_id": self.file_id}
        )
        changed = {written_key(key) for key in own}
        self.replaced(name, {key: other for key, other in others.items() if written_key(key) in changed})
        self.claim(name, [key for key in others if written_key(key) not in changed], "all")

    def replaced(self, name: str, before: Mapping[Key, str]) -> None:
        """Rows that this file has changed, and whose they were: nobody else gives any of their values now."""
        standing = claims_of(self.store, self.household_id, name, before)
        self._keep({**claim, "share": "none"} for claim in standing)
        self._keep(self._row(name, key, "none", file) for key, file in before.items() if file != self.file_id)

    def claim(self, name: str, keys: Iterable[Key], share: Share) -> None:
        self._keep(self._row(name, key, share) for key in keys)

    def _row(self, name: str, key: Key, share: Share, file_id: str | None = None) -> dict[str, str]:
        of = {"household_id": self.household_id, "file_id": file_id or self.file_id}
        return {**of, "table_name": name, "row_key": written_key(key), "share": share}

    def _keep(self, rows: Iterable[dict[str, Any]]) -> None:
        self.store.upsert("claims", list(rows))
