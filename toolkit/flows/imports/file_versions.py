"""Versions of a meter day or read that several files give, so that deleting one file leaves the others' values.

A row from a single file has no version here. Versions are in the order in which the files were imported; applied one
after the other, as `import` does, they give the stored row.
"""

from __future__ import annotations

from base64 import b64decode
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from msgspec import json as wire_json

from toolkit.flows.imports.merged_days import combined
from toolkit.flows.imports.provenance import Key, Share, provenance_of, written_key
from toolkit.importers.imported import Row
from toolkit.store import Store
from toolkit.tables.schema import table

ProvenanceEntry = dict[str, Any]
COMPARED = {
    "register_days": ("interval_minutes", "exponent", "digest", "qualities", "unit", "direction", "updated_at", "raw"),
    "meter_reads": ("value_nano", "quality", "unit", "direction", "updated_at", "raw"),
}
"""Columns in which two versions of a row may differ; the digest represents the values."""
_NOT_GIVEN = {"household_id", "file_id", "controlled_load"}
"""Columns of a row that do not come from the file: controlled load is a register's, on all its days."""


def is_alike(name: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two versions of a row have equal values in the compared columns."""
    return all(one.get(column) == other.get(column) for column in COMPARED[name])


class Versions:
    """Record the versions that one file adds to a table. Use inside the transaction that writes the rows."""

    def __init__(self, store: Store, household_id: str, file_id: str, name: str) -> None:
        self._store, self._household_id, self._file_id, self._name = store, household_id, file_id, name
        self._entries: dict[str, dict[str, ProvenanceEntry]] = defaultdict(dict)
        self._changed: list[ProvenanceEntry] = []

    def look_up(self, keys: Collection[Key]) -> None:
        """Read the versions of these rows."""
        for entry in provenance_of(self._store, self._household_id, self._name, keys):
            self._entries[entry["row_key"]][entry["file_id"]] = entry

    def are_needed(self, key: Key, before: Mapping[str, Any]) -> bool:
        """Whether another file gave the stored row too."""
        return written_key(key) in self._entries or before["file_id"] not in (None, self._file_id)

    def add(self, key: Key, before: Row, given: Row, after: Row, *, fills: bool) -> None:
        """Record what the file gave of a stored row, as it stood before and as it stands after.

        fills: the file's values complete the row; else they replace it.
        """
        row_key, owner = written_key(key), before["file_id"]
        entries = self._entries.get(row_key, {})
        if not self.are_needed(key, before):
            return
        given = self._with_earlier_reading(row_key, before, given) if fills else given
        as_it_stands, stays = is_alike(self._name, given, after), is_alike(self._name, before, after)
        agree = stays and as_it_stands and all(entry["share"] == "all" for entry in entries.values())
        if agree and owner == self._file_id:
            return
        place = 1 + max((entry["sequence"] or 0 for entry in entries.values()), default=0)
        if not agree and owner is not None and owner not in entries:
            self._put(row_key, owner, _entry("all", 0, None, fills=False))
        if not stays:
            self._keep_earlier(row_key, before)
        content = None if as_it_stands else written(self._name, given)
        self._put(
            row_key, self._file_id, _entry(_share(as_it_stands=as_it_stands, fills=fills), place, content, fills=fills)
        )

    def save(self) -> None:
        """Store what `add` recorded."""
        self._store.upsert("claims", self._changed)

    def _with_earlier_reading(self, row_key: str, before: Row, given: Row) -> Row:
        """Add what the same file gave of the day when it was read with other options, such as another time zone."""
        earlier = self._entries.get(row_key, {}).get(self._file_id)
        if earlier is None or not (earlier["given"] or earlier["share"] == "all"):
            return given
        return combined({**before, **read(earlier["given"])} if earlier["given"] else before, given, fills=True)

    def _keep_earlier(self, row_key: str, before: Row) -> None:
        """Give the files that gave the row as it stood a copy of it, unless it stood as the service gave it."""
        content = None if before["file_id"] is None else written(self._name, before)
        for entry in list(self._entries[row_key].values()):
            if entry["share"] == "all":
                fills = bool(entry["fills"])
                kept = _entry(_share(as_it_stands=False, fills=fills), entry["sequence"] or 0, content, fills=fills)
                self._put(row_key, entry["file_id"], kept)

    def _put(self, row_key: str, file_id: str, entry: ProvenanceEntry) -> None:
        of = {"household_id": self._household_id, "file_id": file_id, "table_name": self._name, "row_key": row_key}
        self._entries[row_key][file_id] = {**entry, **of}
        self._changed.append(self._entries[row_key][file_id])


def _share(*, as_it_stands: bool, fills: bool) -> Share:
    if as_it_stands:
        return "all"
    return "part" if fills else "none"


def _entry(share: Share, sequence: int, given: str | None, *, fills: bool) -> ProvenanceEntry:
    return {"share": share, "sequence": sequence, "given": given, "fills": fills}


def are_complete(entries: Collection[ProvenanceEntry]) -> bool:
    """Whether every file's version is known and not all are the same. Earlier releases stored less."""
    return any(entry["given"] for entry in entries) and all(
        entry["sequence"] is not None and (entry["given"] or entry["share"] == "all") for entry in entries
    )


def rewrite(store: Store, name: str, where: Row, entries: Collection[ProvenanceEntry]) -> None:
    """Rebuild a stored row from these versions, within a transaction. where: the row's key."""
    [standing] = store.rows(name, where=where)
    versions = [
        (entry, {**standing, **read(entry["given"])} if entry["given"] else standing)
        for entry in sorted(entries, key=lambda entry: int(entry["sequence"]))
    ]
    row: Row | None = None
    for entry, version in versions:
        result = version if row is None else combined(row, version, fills=bool(entry["fills"]))
        if row is None or not is_alike(name, row, result):
            row = {**result, "file_id": entry["file_id"]}
    assert row is not None
    store.delete(name, where)
    store.upsert(name, [row])
    if len(versions) == 1:
        store.delete("claims", _key(versions[0][0]))
        return
    store.upsert("claims", [_as_of(name, entry, version, row) for entry, version in versions])


def _as_of(name: str, entry: ProvenanceEntry, version: Row, row: Row) -> ProvenanceEntry:
    as_it_stands = is_alike(name, version, row)
    share = _share(as_it_stands=as_it_stands, fills=bool(entry["fills"]))
    return {**entry, "share": share, "given": None if as_it_stands else written(name, version)}


def _key(entry: ProvenanceEntry) -> ProvenanceEntry:
    return {column: entry[column] for column in ("household_id", "file_id", "table_name", "row_key")}


def written(name: str, row: Row) -> str:
    """Encode a version of a row as JSON, without the columns that do not come from the file."""
    columns = [column for column in table(name).names if column not in _NOT_GIVEN]
    return wire_json.encode({column: row.get(column) for column in columns}).decode()


def read(text: str) -> Row:
    """Decode what `written` encoded."""
    row: Row = wire_json.decode(text)
    return {**row, "reads": b64decode(row["reads"])} if "reads" in row else row
