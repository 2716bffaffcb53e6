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
        self.claims.replaced(name, self._read_otherwise(name, kept, stored))
        self.claims.stand_back(name, self.claims.others(name, stored.values(), older))
        return counts + Counts(unchanged=len(older))

    def _read_otherwise(self, name: str, kept: list[Row], stored: Stored) -> dict[Key, str]:
        """Rows that were this file's before with other values: an earlier version, or other options, read it so."""
        mine = self.claims.file_id
        keyed = {_key(name, row): row for row in kept}
        own = {key: row for key, row in keyed.items() if key in stored and stored[key]["file_id"] == mine}
        return {key: mine for key, row in own.items() if not _is_alike(name, stored[key], row)}

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
        """Of a day that was filled up, files before have a part; all of it is this file's where it knows no less."""
        name, all_of_it = "register_days", row["present"] == whole["present"]
        before = {_key(name, row): known["file_id"] for known in stored[:1] if known["file_id"] is not None}
        if changed:
            (self.claims.replaced if all_of_it else self.claims.filled_up)(name, before)
        elif all_of_it:
            self.claims.claim(name, self.claims.others(name, stored, [row]), "all")
        else:
            self.claims.stand_back(name, self.claims.others(name, stored, [row]))

    def _stored(self, name: str, rows: list[Row]) -> Stored:
        if not rows:
            return {}
        columns = [*key_columns(name), "updated_at", "file_id", *_CONTENT[name]]
        where = {"service_point_id": sorted({row["service_point_id"] for row in rows})}
        frame = self.store.read(name, self.household_id, where=where, columns=columns)
        return {_key(name, row): row for row in frame.iter_rows(named=True)}

    def _counts_now(self, name: str, row: Row, stored: Stored) -> bool:
        """Whether the row goes in: not where what is stored was updated later. A difference is noted either way."""
        key = _key(name, row)
        known = stored.get(key)
        if known is None or _is_alike(name, known, row):
            return known is None or not is_later(known["updated_at"], row["updated_at"])
        older = is_later(known["updated_at"], row["updated_at"])
        said = "an earlier import was updated later and stays" if older else "an earlier import is replaced"
        where = self.imported.places.get(key, str(row["service_point_id"]))
        self.imported.warn(where, f"{key[3]} of {row['register_suffix']} is stored with other values: {said}")
        return not older


def _key(name: str, row: dict[str, Any]) -> Key:
    return tuple(row[column] for column in key_columns(name))


def _is_alike(name: str, known: dict[str, Any], row: Row) -> bool:
    return all(known[column] == row[column] for column in _CONTENT[name])


def _times(counts: Counts, reads: int) -> Counts:
    return Counts(counts.added * reads, counts.updated * reads, counts.unchanged * reads)
