"""State that a sync keeps between runs: tombstones and the quarantine.

Tombstones are hashes of deleted ids; their records are not fetched again, and other records lose their names. The
quarantine has the records that could not be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from toolkit.store.database import Store
from toolkit.tables.schema import Record, table
from toolkit.tables.schema.journal import QuarantineRow, TombstoneRow

if TYPE_CHECKING:  # rows of reads load numpy, which `status` does not need
    from toolkit.tables.rows.records import PageRows
    from toolkit.tables.rows.values import RecordRow

ASKED = "asked"
"""Kind of the tombstone of a name by which something was deleted."""
TOMBSTONE_KIND = {"account": "account", "service_point": "service_point", "consent": "arrangement"}
"""Kind of thing that `allow_again` accepts by id → kind of its tombstone."""
REDACTED = "(forgotten)"
_OWN = {"arrangement_id": "arrangement", "account_id": "account", "service_point_id": "service_point"}
"""Column with the owner of a row → kind of its tombstone."""
_MENTIONED = ("account", "service_point")
OF_ONE = {"transactions", "register_days", "meter_reads"}
"""Tables with rows that name only what they belong to."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@lru_cache(maxsize=10_000)
def tombstone(kind: str, identity: str, household_id: str = "") -> str:
    """Hash (SHA-256) a kind (`arrangement`, `end_user`, `account`, `service_point`) and an id.

    household_id: limits the tombstone to one household, where another keeps something with the same id.
    """
    return sha256(f"{kind}:{identity}{household_id and f'@{household_id}'}".encode()).hexdigest()


def tombstones_of(kind: str, identity: str, household_id: str) -> tuple[str, str]:
    """Return the tombstones of one thing: the one for all households, then the one for this household alone."""
    buried = TOMBSTONE_KIND.get(kind, kind)
    return tombstone(buried, identity), tombstone(buried, identity, household_id)


def is_forgotten(store: Store, kind: str, identity: str, household_id: str = "") -> bool:
    """Whether an id has a tombstone for all households, or for this one."""
    hashes = [tombstone(kind, identity), tombstone(kind, identity, household_id)]
    return store.count("tombstones", where={"hash": hashes}) > 0


def add_tombstones(
    store: Store, kind: str, identities: Iterable[str], now: datetime, household_id: str = "", of: str | None = None
) -> None:
    """Store a tombstone for each id. of: the tombstone that removes these as well when it is removed."""
    hashes = [tombstone(kind, identity, household_id) for identity in identities]
    rows: list[Record] = [{"hash": buried, "at": now, "of": of} for buried in hashes]
    store.upsert("tombstones", rows)


def add_name_tombstones(store: Store, names: Iterable[str], of: str, now: datetime) -> None:
    """Store hashes of the names that a deleted thing was called by. of: that thing's tombstone."""
    rows: list[Record] = [{"hash": tombstone(ASKED, name), "at": now, "of": of} for name in sorted(names)]
    store.upsert("tombstones", rows)


def tombstone_of_name(store: Store, kind: str, wanted: str) -> str | None:
    """Return the tombstone of what was deleted under this name; None if nothing was."""
    row = store.first(TombstoneRow, where={"hash": tombstone(ASKED, wanted)})
    return (row.of or tombstones_of(kind, wanted, "")[0]) if row else None


def remove_tombstones(store: Store, kind: str, identity: str) -> None:
    """Remove a tombstone in all households, and those that depend on it (an end user's consents)."""
    remove_tombstone(store, kind, identity)
    store.delete("tombstones", {"of": tombstones_anywhere(store, kind, identity)})


def remove_tombstone(store: Store, kind: str, identity: str) -> None:
    """Remove a tombstone in all households; those that depend on it stay (earlier consents of an end user)."""
    store.delete("tombstones", {"hash": tombstones_anywhere(store, kind, identity)})


def forgotten_alone(store: Store, arrangement: str) -> bool:
    """Whether a consent was deleted by itself rather than with its household."""
    row = store.first(TombstoneRow, where={"hash": tombstone(ASKED, arrangement)})
    return row is not None and row.of in tombstones_anywhere(store, "arrangement", arrangement)


def tombstones_anywhere(store: Store, kind: str, identity: str) -> list[str]:
    """Return the tombstones of an id for all households and for each single one."""
    homes = [row["household_id"] for row in store.rows("households")]
    return [tombstone(kind, identity, household_id) for household_id in ("", *homes)]


class Tombstones:
    """The tombstones stored when this is created. False if there are none."""

    def __init__(self, store: Store) -> None:
        self._hashes = frozenset(row["hash"] for row in store.rows("tombstones"))

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def cover(self, owner_ids: Mapping[str, str | None], household_id: str) -> bool:
        """Whether the consent, account or service point in these columns has a tombstone."""
        ids = [(kind, owner_ids.get(column)) for column, kind in _OWN.items()]
        return any(identity and self._is(kind, identity, household_id) for kind, identity in ids)

    def redacted(self, name: str, row: RecordRow) -> RecordRow | None:
        """Return a row of table `name` as it may be stored; None if it belongs to a deleted id."""
        home = row.get("household_id") or ""
        if self.cover(row, home):
            return None
        if name in OF_ONE:
            return row
        if name == "invoices":
            points = json.loads(row["service_points"] or "[]")
            if points and all(self._is("service_point", point, home) for point in points):
                return None
        return {
            **row,
            **{column: self._with_redactions(row[column], home) for column in json_columns(name) if row.get(column)},
        }

    def filter_rows(self, rows: PageRows, household_id: str) -> PageRows:
        """Drop rows of deleted accounts and service points, and redact their names in other rows.

        Unreadable records that name them are dropped too.
        """
        if not self:
            return rows
        counted, further = self._remaining(rows.counted), self._remaining(rows.further)
        kept = {row.get("id") for table_rows in counted.values() for row in table_rows}
        gone = {row.get("id") for table_rows in rows.counted.values() for row in table_rows} - kept
        return replace(
            rows,
            counted={**counted},
            further=further,
            refused=[
                refused
                for refused in rows.refused
                if not self.cover(owner_ids(refused), household_id)
                and not self.is_mentioned_in(refused.raw, household_id)
            ],
            unparsed=[unparsed for unparsed in rows.unparsed if unparsed.id not in gone],
        )

    def _remaining(self, rows_by_table: Mapping[str, Sequence[RecordRow]]) -> dict[str, list[RecordRow]]:
        remaining = {
            name: [kept for row in rows if (kept := self.redacted(name, row)) is not None]
            for name, rows in rows_by_table.items()
        }
        return {name: rows for name, rows in remaining.items() if rows}

    def is_mentioned_in(self, text: str, household_id: str) -> bool:
        """Whether a JSON text names a deleted account or service point."""
        return bool(self._names_in(text, household_id))

    def _is(self, kind: str, identity: str, household_id: str) -> bool:
        return any(tombstone(kind, identity, home) in self._hashes for home in ("", household_id))

    def _names_in(self, text: str, household_id: str) -> set[str]:
        """Return the JSON strings in `text` that name a deleted id, as spelled there, with their quotes."""
        strings = {quoted: _unquoted(quoted) for quoted in set(_STRING.findall(text))}
        return {
            quoted for quoted, name in strings.items() if any(self._is(kind, name, household_id) for kind in _MENTIONED)
        }

    def _with_redactions(self, text: str, household_id: str) -> str:
        names = self._names_in(text, household_id)
        return _STRING.sub(lambda match: f'"{REDACTED}"' if match[0] in names else match[0], text) if names else text


def _unquoted(quoted: str) -> str:
    """Decode a JSON string; a lone surrogate becomes `?`, as no stored name has one."""
    if "\\" not in quoted:
        return quoted[1:-1]
    try:
        text: str = json.loads(quoted, strict=False)
    except ValueError:
        return quoted[1:-1]
    return text.encode("utf-8", "replace").decode()


@cache
def json_columns(name: str) -> tuple[str, ...]:
    """Return the columns of a table that contain JSON: lists and the raw record."""
    return tuple(column.name for column in table(name).columns if column.kind == "json" or column.name == "raw")


def owner_ids(record: object) -> dict[str, str | None]:
    """Return consent, account and service point ids of a record or refusal; None for each that it does not name."""
    return {column: getattr(record, column, None) for column in _OWN}


def add_to_quarantine(store: Store, rows: Iterable[QuarantineRow]) -> None:
    """Store records that cannot be read, each in place of its earlier version."""
    store.upsert("quarantine", list(rows))


def remove_from_quarantine(store: Store, row: QuarantineRow) -> None:
    """Delete a record from quarantine: it was read, or is not given any more."""
    store.delete("quarantine", {"household_id": row.household_id, "resource": row.resource, "id": row.id})
