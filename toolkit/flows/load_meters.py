"""A file's meter reads into the store: of two reads of a day the later counts, and days cut in two are filled up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolkit.flows.load_claims import Claims, Key, key_columns
from toolkit.importers.imported import Imported, Row
from toolkit.importers.meters.days import is_later
from toolkit.importers.meters.merge import merged
from toolkit.store.upserts import Counts

if TYPE_CHECKING:
    from toolkit.store import Store

Stored = dict[Key, dict[str, Any]]
_CONTENT = {"register_days": ("digest", "exponent", "qualities"), "meter_reads": ("value_nano", "quality")}


@dataclass(slots=True)
class MeterRows:
    """Use inside a transaction of the store."""

    store: Store
    household_id: str
    imported: Imported
    claims: Claims

    def write(self, name: str, rows: list[Row]) -> Counts:
        """Count days, or the reads in them where the file's kind is counted so."""
        if self.imported.partial_days and name == "register_days":
            return self._partial_days(rows)
        stored = self._stored(name, rows)
        kept: list[Row] = []
        older: list[Row] = []
        for row in rows:
            (kept if self._counts_now(name, row, stored) else older).append(row)
        others = self.claims.others(name, stored.values(), kept)
        counts = self.store.upsert(name, kept)
        self.claims.settle(name, others)
        self.claims.claim(name, self.claims.others(name, stored.values(), older), "none")
        return counts + Counts(unchanged=len(older))

    def _partial_days(self, rows: list[Row]) -> Counts:
        """Days that are filled up from what is stored; where both have a value, the later read counts, noted."""
        counts = Counts()
        for row in rows:
            where = {column: row[column] for column in key_columns("register_days")}
            stored = self.store.rows("register_days", self.household_id, where=where)
            whole, differing = merged(stored[0], row) if stored else (row, 0)
            if differing:
                reason = f"{row['date']} of {row['register_suffix']}: {differing} stored values are replaced"
                self.imported.warn(str(row["service_point_id"]), reason)
            written = self.store.upsert("register_days", [whole])
            self._claim_day(stored, row, whole, changed=bool(written.updated))
            counts += _times(written, row["present"]) if self.imported.counts_reads else written
        return counts

    def _claim_day(self, stored: list[dict[str, Any]], row: Row, whole: Row, *, changed: bool) -> None:
        """Of a day that was filled up, the file before has a part; all of it is this file's where it knows no less."""
        all_of_it = row["present"] == whole["present"]
        for key, other in self.claims.others("register_days", stored, [row]).items():
            if changed:
                self.claims.claim("register_days", [key], "none" if all_of_it else "part", other)
            else:
                self.claims.claim("register_days", [key], "all" if all_of_it else "none")

    def _stored(self, name: str, rows: list[Row]) -> Stored:
        if not rows:
            return {}
        columns = [*key_columns(name), "updated_at", "file_id", *_CONTENT[name]]
        where = {"service_point_id": sorted({row["service_point_id"] for row in rows})}
        frame = self.store.read(name, self.household_id, where=where, columns=columns)
        return {tuple(row[column] for column in key_columns(name)): row for row in frame.iter_rows(named=True)}

    def _counts_now(self, name: str, row: Row, stored: Stored) -> bool:
        """Whether the row goes in: not where what is stored was updated later. A difference is noted either way."""
        key = tuple(row[column] for column in key_columns(name))
        known = stored.get(key)
        if known is None or all(known[column] == row[column] for column in _CONTENT[name]):
            return known is None or not is_later(known["updated_at"], row["updated_at"])
        older = is_later(known["updated_at"], row["updated_at"])
        said = "an earlier import was updated later and stays" if older else "an earlier import is replaced"
        where = self.imported.places.get(key, str(row["service_point_id"]))
        self.imported.warn(where, f"{key[3]} of {row['register_suffix']} is stored with other values: {said}")
        return not older


def _times(counts: Counts, reads: int) -> Counts:
    return Counts(counts.added * reads, counts.updated * reads, counts.unchanged * reads)
