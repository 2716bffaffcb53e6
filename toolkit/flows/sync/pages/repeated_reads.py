"""Reads that another record of the same consent has given already: the later one counts, known once all are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from toolkit.store import Store
from toolkit.sync.counts import Tally
from toolkit.sync.list_state import READS, Giver, ReadKey, Row, giver_of, read_key
from toolkit.sync.list_sync import Walk
from toolkit.tables.rows.records import PageRows


class Contested:
    """Written at once, each record would replace the other in every sync, and nothing would ever be unchanged."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._givers: dict[Walk, dict[ReadKey, Giver]] = {}
        self._waiting: dict[Walk, list[tuple[ReadKey, Row]]] = defaultdict(list)

    def without(self, walk: Walk, rows: PageRows) -> PageRows:
        """What of a page can be stored now; the rest waits for `settle`."""
        if walk.resource != "energy.usage":
            return rows
        counted = {table: [row for row in brought if self._has_its_giver(walk, table, row)]
                   for table, brought in rows.counted.items()}  # fmt: skip
        return replace(rows, counted={table: kept for table, kept in counted.items() if kept})

    def are_waiting(self, walk: Walk) -> bool:
        return bool(self._waiting[walk])

    def settle(self, walk: Walk, last: Mapping[ReadKey, Giver]) -> Tally:
        """Store those that `last` gave, within the caller's transaction; a read that was outdone changes nothing."""
        waiting = self._waiting.pop(walk, [])
        counting = {key: row for key, row in waiting if last[key] == giver_of(row)}
        outdone = len(waiting) - len(counting)
        tally = Tally(fetched=outdone, unchanged=outdone)
        for table in READS:
            counts = self.store.upsert(table, [row for key, row in counting.items() if key[0] == table])
            tally += Tally(counts.total, counts.added, counts.updated, counts.unchanged)
        return tally

    def _has_its_giver(self, walk: Walk, table: str, row: Row) -> bool:
        """Whether nobody else has given the read, as far as is known; else it waits."""
        if walk not in self._givers:
            self._givers[walk] = self._stored(walk)
        key, giver = read_key(table, row), giver_of(row)
        known = self._givers[walk].setdefault(key, giver)
        if known != giver and known[1] == giver[1]:
            self._waiting[walk].append((key, row))
            return False
        self._givers[walk][key] = giver
        return True

    def _stored(self, walk: Walk) -> dict[ReadKey, Giver]:
        where = {"service_point_id": walk.part, "source": "service"}
        return {
            (table, *map(str, key)): (id_, arrangement)
            for table, names in READS.items()
            for id_, arrangement, *key in self.store.tuples(
                table, ("id", "arrangement_id", *names), walk.person.household_id, where=where
            )
        }
