"""Filters of a page: forgotten records, records of superseded consents, repeated meter reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toolkit.flows.forget.redaction import Tombstones, owner_ids
from toolkit.flows.sync.duplicates import outranked
from toolkit.store import Store
from toolkit.sync.list_sync import Counts, ListSync
from toolkit.sync.pages import READS, ReadKey, ReadSource, read_key, source_of
from toolkit.tables.rows.records import PageRows, Refusal
from toolkit.tables.rows.values import Row
from toolkit.wire.decoding.pages import Page

_OF_THE_LATEST_CONSENT = ("banking.balances", "energy.usage")
"""Lists whose records would replace those of another consent: they have no identity of their own."""


class ForgottenFilter:
    """Filters pages by the tombstones and superseded consents at the start of a sync."""

    def __init__(self, store: Store) -> None:
        self._outranked = outranked(store)
        self._forgotten = Tombstones(store)

    def without_forgotten(self, list_sync: ListSync, page: Page) -> Page:
        """Drop records that name a forgotten consent, account or service point as their own."""
        if not self._forgotten:
            return page
        return _with(page, [self._is_forgotten(list_sync, record) for record in page.records])

    def without_forgotten_rows(self, list_sync: ListSync, rows: PageRows) -> PageRows:
        """Drop rows of forgotten accounts and service points, and redact their names in other rows.

        Unreadable records that name them are dropped too.
        """
        if not self._forgotten:
            return rows
        counted, further = self._left_of(rows.counted), self._left_of(rows.further)
        kept = {row.get("id") for found in counted.values() for row in found}
        gone = {row.get("id") for found in rows.counted.values() for row in found} - kept
        return replace(
            rows,
            counted=counted,
            further=further,
            refused=[found for found in rows.refused if not self._is_refused_forgotten(list_sync, found)],
            unparsed=[unparsed for unparsed in rows.unparsed if unparsed.id not in gone],
        )

    def _left_of(self, rows_by_table: dict[str, list[Row]]) -> dict[str, list[Row]]:
        left = {
            name: [kept for row in rows if (kept := self._forgotten.redacted(name, row)) is not None]
            for name, rows in rows_by_table.items()
        }
        return {name: rows for name, rows in left.items() if rows}

    def _is_refused_forgotten(self, list_sync: ListSync, found: Refusal) -> bool:
        return self._is_forgotten(list_sync, found) or self._forgotten.is_mentioned_in(
            found.raw, list_sync.person.household_id
        )

    def _is_forgotten(self, list_sync: ListSync, record: object) -> bool:
        """Whether the record's consent, account or service point was forgotten, everywhere or in this household."""
        return self._forgotten.cover(owner_ids(record), list_sync.person.household_id)

    def without_superseded(self, list_sync: ListSync, page: Page) -> Page:
        """Drop balances and reads of a consent that a later one supersedes."""
        if list_sync.resource not in _OF_THE_LATEST_CONSENT or not self._outranked:
            return page
        return _with(page, [_belongs_to(record) in self._outranked for record in page.records])


def _with(page: Page, left_out: list[bool]) -> Page:
    kept = [pair for pair, out in zip(zip(page.records, page.raws, strict=True), left_out, strict=True) if not out]
    return replace(page, records=[record for record, _ in kept], raws=[raw for _, raw in kept])


def _belongs_to(record: Any) -> tuple[str, str]:
    own = getattr(record, "account_id", None) or getattr(record, "service_point_id", None)
    return str(own), str(record.arrangement_id)


class RepeatedReads:
    """Holds repeated reads back; written at once, the records would replace each other in every sync."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._sources: dict[ListSync, dict[ReadKey, ReadSource]] = {}
        self._waiting: dict[ListSync, list[tuple[ReadKey, Row]]] = defaultdict(list)

    def storable(self, list_sync: ListSync, rows: PageRows) -> PageRows:
        """Return the rows of a page to store now; repeated reads wait for `store_latest`."""
        if list_sync.resource != "energy.usage":
            return rows
        counted = {table: [row for row in table_rows if self._is_from_one_source(list_sync, table, row)]
                   for table, table_rows in rows.counted.items()}  # fmt: skip
        return replace(rows, counted={table: kept for table, kept in counted.items() if kept})

    def has_deferred(self, list_sync: ListSync) -> bool:
        """Whether reads of the list sync are deferred."""
        return bool(self._waiting[list_sync])

    def store_latest(self, list_sync: ListSync, last: Mapping[ReadKey, ReadSource]) -> Counts:
        """Store the deferred reads from the sources in `last`, within the caller's transaction."""
        waiting = self._waiting.pop(list_sync, [])
        latest = {key: row for key, row in waiting if last[key] == source_of(row)}
        replaced = len(waiting) - len(latest)
        counts = Counts(fetched=replaced, unchanged=replaced)
        for table in READS:
            written = self.store.upsert(table, [row for key, row in latest.items() if key[0] == table])
            counts += Counts(written.total, written.added, written.updated, written.unchanged)
        return counts

    def _is_from_one_source(self, list_sync: ListSync, table: str, row: Row) -> bool:
        """Whether no other record of the consent has given the read so far; else defer it."""
        if list_sync not in self._sources:
            self._sources[list_sync] = self._stored(list_sync)
        key, source = read_key(table, row), source_of(row)
        known = self._sources[list_sync].setdefault(key, source)
        if known != source and known[1] == source[1]:
            self._waiting[list_sync].append((key, row))
            return False
        self._sources[list_sync][key] = source
        return True

    def _stored(self, list_sync: ListSync) -> dict[ReadKey, ReadSource]:
        where = {"service_point_id": list_sync.part, "source": "service"}
        return {
            (table, *map(str, key)): (id_, arrangement)
            for table, names in READS.items()
            for id_, arrangement, *key in self.store.tuples(
                table, ("id", "arrangement_id", *names), list_sync.person.household_id, where=where
            )
        }
