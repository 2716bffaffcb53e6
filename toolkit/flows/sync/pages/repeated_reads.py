"""Defer meter reads that several records of one consent give: the last one counts, once all pages are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from toolkit.store import Store
from toolkit.sync.counts import Counts
from toolkit.sync.list_state import READS, ReadKey, ReadSource, Row, read_key, source_of
from toolkit.sync.list_sync import ListSync
from toolkit.tables.rows.records import PageRows


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
