"""File provenance: which file gave a row, and what other files gave of the same row (table `claims`).

A row belongs to one file. Of meter days and reads that several files give, each file's version is kept, so that
deleting one file leaves the others' values; a row from a single file has no version here. Versions are in the order in
which the files were imported: applied one after the other, as `import` does, they give the stored row.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Literal

import numpy as np
from msgspec import Struct, convert
from msgspec import json as wire_json
from msgspec.structs import replace

from toolkit.store.database import Store
from toolkit.tables.registers import MISSING, interval_qualities, is_later, pack_integers, quality_runs, unpack
from toolkit.tables.schema import Row, table
from toolkit.tables.schema.journal import ClaimRow
from toolkit.units import NANO_DECIMALS

Key = tuple[object, ...]
_FEW = 500
"""Most keys in one query, as SQLite limits its parameters; for more rows the whole table is read."""
Share = Literal["all", "part", "none"]
"""all: the file gave the row as it stands. part: some of its values. none: other values, which no longer count."""
COMPARED = {
    "register_days": ("interval_minutes", "exponent", "digest", "qualities", "unit", "direction", "updated_at", "raw"),
    "meter_reads": ("value_nano", "quality", "unit", "direction", "updated_at", "raw"),
}
"""Columns in which two versions of a row may differ; the digest represents the values."""
_NOT_GIVEN = {"household_id", "file_id", "controlled_load"}
"""Columns of a row that do not come from the file: controlled load is a register's, on all its days."""


def key_of(name: str, row: Row) -> Key:
    """Return the key of a row within its household."""
    return tuple(row[column] for column in table(name).own_key)


def owner(name: str, household_id: str) -> str:
    """Return the household id in the rows of a table; published plans have an empty one."""
    return "" if name == "plans" else household_id


def written_key(key: Iterable[object]) -> str:
    """Return a row's key as a JSON list of texts, as table `claims` stores it."""
    return json.dumps([str(value) for value in key], separators=(",", ":"))


def claims_of(store: Store, household_id: str, name: str, keys: Collection[Key]) -> list[ClaimRow]:
    """Return the provenance entries of these rows of a table, of all files."""
    wanted = {written_key(key) for key in keys}
    if not wanted:
        return []
    few = {"row_key": sorted(wanted)} if len(wanted) <= _FEW else {}
    claims = store.load(ClaimRow, household_id, where={"table_name": name, **few})
    return [claim for claim in claims if claim.row_key in wanted]


class FileProvenance:
    """Record which rows one file gave too, or has replaced. Use inside the transaction that writes the rows."""

    def __init__(self, store: Store, household_id: str, file_id: str) -> None:
        self.store, self.household_id, self.file_id = store, household_id, file_id

    def others(self, name: str, stored: Iterable[Row], given: Iterable[Row]) -> dict[Key, str]:
        """Return key → other file, for rows `given` that are `stored` as rows of another file."""
        stored_file = {key_of(name, row): row["file_id"] for row in stored}
        files = {key: stored_file.get(key) for key in (key_of(name, row) for row in given)}
        return {key: str(file) for key, file in files.items() if file is not None and file != self.file_id}

    def record(self, name: str, others: Mapping[Key, str]) -> None:
        """Record, once the rows are written, which this file shares (unchanged) and which it has replaced."""
        if not others:
            return
        where = {"file_id": self.file_id}
        own = self.store.tuples(name, table(name).own_key, owner(name, self.household_id), where=where)
        changed = {written_key(key) for key in own}
        replaced = {key: file for key, file in others.items() if written_key(key) in changed}
        earlier = claims_of(self.store, self.household_id, name, replaced)
        self.store.upsert("claims", [replace(claim, share="none") for claim in earlier])
        self.store.upsert("claims", [self._claim(name, key, "none", file) for key, file in replaced.items()])
        self.store.upsert(
            "claims", [self._claim(name, key, "all", self.file_id) for key in others if key not in replaced]
        )

    def _claim(self, name: str, key: Key, share: Share, file_id: str) -> ClaimRow:
        return ClaimRow(self.household_id, file_id, name, written_key(key), share, None, None, None)


class Versions:
    """Record the versions that one file adds to a table. Use inside the transaction that writes the rows."""

    def __init__(self, store: Store, household_id: str, file_id: str, name: str) -> None:
        self._store, self._household_id, self._file_id, self._name = store, household_id, file_id, name
        self._claims: dict[str, dict[str, ClaimRow]] = defaultdict(dict)
        self._changed: list[ClaimRow] = []

    def look_up(self, keys: Collection[Key]) -> None:
        """Read the versions of these rows."""
        for claim in claims_of(self._store, self._household_id, self._name, keys):
            self._claims[claim.row_key][claim.file_id] = claim

    def are_needed(self, key: Key, before: Row) -> bool:
        """Return whether another file gave the stored row too."""
        return written_key(key) in self._claims or before["file_id"] not in (None, self._file_id)

    def add(self, key: Key, before: Row, given: Row, after: Row, *, fills: bool) -> None:
        """Record what the file gave of a stored row, as it stood before and as it stands after.

        fills: the file's values complete the row; else they replace it.
        """
        row_key, owner = written_key(key), before["file_id"]
        claims = self._claims.get(row_key, {})
        if not self.are_needed(key, before):
            return
        given = self._with_earlier_reading(row_key, before, given) if fills else given
        as_it_stands, stays = is_alike(self._name, given, after), is_alike(self._name, before, after)
        agree = stays and as_it_stands and all(claim.share == "all" for claim in claims.values())
        if agree and owner == self._file_id:
            return
        sequence = 1 + max((claim.sequence or 0 for claim in claims.values()), default=0)
        if not agree and owner is not None and owner not in claims:
            self._put(ClaimRow(self._household_id, str(owner), self._name, row_key, "all", 0, fills=False, given=None))
        if not stays:
            self._keep_earlier(row_key, before)
        share = _share(as_it_stands=as_it_stands, fills=fills)
        content = None if as_it_stands else _encoded(self._name, given)
        self._put(ClaimRow(self._household_id, self._file_id, self._name, row_key, share, sequence, fills, content))

    def save(self) -> None:
        """Store what `add` recorded."""
        self._store.upsert("claims", self._changed)

    def _with_earlier_reading(self, row_key: str, before: Row, given: Row) -> Row:
        """Add what the same file gave of the day when it was read with other options, such as another time zone."""
        earlier = self._claims.get(row_key, {}).get(self._file_id)
        if earlier is None or not (earlier.given or earlier.share == "all"):
            return given
        return combined({**before, **_decoded(earlier.given)} if earlier.given else before, given, fills=True)

    def _keep_earlier(self, row_key: str, before: Row) -> None:
        """Give a copy of the row to the files that gave it as it was, unless it was as the service gave it."""
        content = None if before["file_id"] is None else _encoded(self._name, before)
        for claim in list(self._claims[row_key].values()):
            if claim.share == "all":
                fills = bool(claim.fills)
                share = _share(as_it_stands=False, fills=fills)
                self._put(replace(claim, share=share, sequence=claim.sequence or 0, given=content, fills=fills))

    def _put(self, claim: ClaimRow) -> None:
        self._claims[claim.row_key][claim.file_id] = claim
        self._changed.append(claim)


def are_complete(claims: Collection[ClaimRow]) -> bool:
    """Return whether every file's version is known and not all are the same. Earlier releases stored less."""
    return any(claim.given for claim in claims) and all(
        claim.sequence is not None and (claim.given or claim.share == "all") for claim in claims
    )


def rewrite(store: Store, name: str, where: Mapping[str, str], claims: Collection[ClaimRow]) -> None:
    """Rebuild a stored row from these versions, within a transaction. where: the row's key."""
    [standing] = store.rows(name, where=where)
    versions = [
        (claim, {**standing, **_decoded(claim.given)} if claim.given else standing)
        for claim in sorted(claims, key=lambda claim: claim.sequence or 0)
    ]
    first, row = versions[0]
    row = {**row, "file_id": first.file_id}
    for claim, version in versions[1:]:
        result = combined(row, version, fills=bool(claim.fills))
        if not is_alike(name, row, result):
            row = {**result, "file_id": claim.file_id}
    store.delete(name, where)
    store.upsert(name, [row])
    if len(versions) == 1:  # a row from a single file has no version
        key = {"file_id": first.file_id, "table_name": first.table_name, "row_key": first.row_key}
        store.delete("claims", {"household_id": first.household_id, **key})
        return
    store.upsert("claims", [_as_of(name, claim, version, row) for claim, version in versions])


def _as_of(name: str, claim: ClaimRow, version: Row, row: Row) -> ClaimRow:
    """The entry of a version, now that `row` is stored."""
    as_it_stands = is_alike(name, version, row)
    share = _share(as_it_stands=as_it_stands, fills=bool(claim.fills))
    return replace(claim, share=share, given=None if as_it_stands else _encoded(name, version))


def _share(*, as_it_stands: bool, fills: bool) -> Share:
    if as_it_stands:
        return "all"
    return "part" if fills else "none"


def _encoded(name: str, row: Row) -> str:
    """Encode a version of a row as JSON, without the columns that do not come from the file."""
    columns = [column for column in table(name).names if column not in _NOT_GIVEN]
    return wire_json.encode({column: row.get(column) for column in columns}).decode()


def _decoded(text: str) -> Row:
    row: Row = wire_json.decode(text)
    reads = row.get("reads")
    return {**row, "reads": b64decode(reads)} if isinstance(reads, str) else row


# ---- two versions of a row


class _Day(Struct, frozen=True):
    """The columns of `register_days` that hold the values of a day."""

    intervals: int
    exponent: int
    width: int
    reads: bytes
    qualities: str | None


def is_alike(name: str, one: Row, other: Row) -> bool:
    """Return whether two versions of a row have equal values in the compared columns."""
    return all(one.get(column) == other.get(column) for column in COMPARED[name])


def is_updated_later(one: Row, other: Row) -> bool:
    """Return whether a version was updated after another one; an unknown time is never later."""
    first, second = one["updated_at"], other["updated_at"]
    return isinstance(first, str) and isinstance(second, str) and is_later(first, second)


def combined(stored: Row, new: Row, *, fills: bool) -> Row:
    """Return what is stored after a file gave another version of a row. fills: it completes the row, else replaces it.

    A version that was updated later is not replaced; unknown update times are never later.
    """
    if fills:
        return merged(stored, new)[0]
    return stored if is_updated_later(stored, new) else new


def merged(stored: Row, new: Row) -> tuple[Row, int]:
    """Merge a register-day that two files each know a part of (files in local time cut the meter day in two).

    Returns the day with what either has, the new file first, and in how many intervals they contradict each other. The
    new file's alone where they are not of one kind, or together show more than any meter.
    """
    days = [convert(row, _Day) for row in (stored, new)]
    if any(stored[name] != new[name] for name in ("interval_minutes", "intervals", "unit")):
        return new, days[1].intervals
    was, now = (unpack(day.reads, exponent=day.exponent, width=day.width) for day in days)
    before, after = (interval_qualities(day.qualities, day.intervals) for day in days)
    had, has = (np.array([quality != MISSING for quality in q], dtype=np.bool_) for q in (before, after))
    qualities = [a if a != MISSING else b for b, a in zip(before, after, strict=True)]
    try:
        packed = pack_integers(np.where(has, now, was), NANO_DECIMALS, ~(has | had))
    except ValueError:
        return new, int(had.sum())
    columns: Row = packed.columns(quality_runs(qualities))
    return {**new, **columns}, int((has & had & (was != now)).sum())
