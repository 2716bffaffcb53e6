"""Store a file's meter reads: of two reads of a day the later counts, and partial days are completed."""

from __future__ import annotations

from dataclasses import dataclass

from toolkit.importers.imported import Imported
from toolkit.store import Counts, Store, Where
from toolkit.store.database import StoredRow
from toolkit.store.provenance import COMPARED, Key, Versions, is_alike, key_columns, key_of, merged
from toolkit.tables.register_days import is_later
from toolkit.tables.schema import Row, table

Stored = dict[Key, StoredRow]
_CONTENT = {"register_days": ("digest", "exponent", "qualities"), "meter_reads": ("value_nano", "quality")}


@dataclass(slots=True)
class MeterRows:
    """Write meter rows. Use inside a transaction of the store. file_id: the file that the rows come from."""

    store: Store
    household_id: str
    imported: Imported
    file_id: str

    def write(self, name: str, rows: list[Row]) -> Counts:
        """Write rows of a table and return the counts of days, or of reads for kinds of file counted in reads."""
        versions = Versions(self.store, self.household_id, self.file_id, name)
        versions.look_up([key_of(name, row) for row in rows])
        if self.imported.partial_days and name == "register_days":
            counts = self._partial_days(rows, versions)
        else:
            counts = self._whole_rows(name, rows, versions)
        versions.save()
        return counts

    def _whole_rows(self, name: str, rows: list[Row], versions: Versions) -> Counts:
        stored = self._stored(name, rows)
        kept: list[Row] = []
        for row in rows:
            known, counts_now = stored.get(key_of(name, row)), self._counts_now(name, row, stored)
            if known is not None:
                self._add_version(name, known, row, versions, counts_now=counts_now)
            if counts_now:
                stays = known is not None and is_alike(name, known, row)
                kept.append({**row, "file_id": known["file_id"] or self.file_id} if known and stays else row)
        return self.store.upsert(name, kept) + Counts(unchanged=len(rows) - len(kept))

    def _add_version(self, name: str, known: Row, row: Row, versions: Versions, *, counts_now: bool) -> None:
        key = key_of(name, row)
        if versions.are_needed(key, known):
            whole = known if is_alike(name, known, row) else self.store.rows(name, where=_where(name, row))[0]
            versions.add(key, whole, row, row if counts_now else whole, fills=False)

    def _partial_days(self, rows: list[Row], versions: Versions) -> Counts:
        """Complete days from the stored ones; if both have a value, the later read counts, with a warning."""
        name = "register_days"
        counts = Counts()
        for row in rows:
            key = key_of(name, row)
            stored = self.store.rows(name, where=_where(name, row))
            whole, differing = merged(stored[0], row) if stored else (row, 0)
            if differing:
                reason = f"{key[3]} of {key[2]}: {differing} stored values are replaced"
                self.imported.warn(self.imported.places[key], reason)
            for known in stored:
                versions.add(key, known, row, whole, fills=True)
                if is_alike(name, known, whole):
                    whole = {**whole, "file_id": known["file_id"] or self.file_id}
            written = self.store.upsert(name, [whole])
            reads = row["present"] if self.imported.counts_reads else 1
            assert isinstance(reads, int)
            counts += Counts(written.added * reads, written.updated * reads, written.unchanged * reads)
        return counts

    def _stored(self, name: str, rows: list[Row]) -> Stored:
        if not rows:
            return {}
        columns = dict.fromkeys([*key_columns(name), "file_id", *COMPARED[name], *_CONTENT[name]])
        where = {"service_point_id": sorted({str(row["service_point_id"]) for row in rows})}
        frame = self.store.read(name, self.household_id, where=where, columns=list(columns))
        return {key_of(name, row): row for row in frame.iter_rows(named=True)}

    def _counts_now(self, name: str, row: Row, stored: Stored) -> bool:
        """Whether to store the row: not if the stored one was updated later. Warn if the two differ."""
        key = key_of(name, row)
        known = stored.get(key)
        if known is None:
            return True
        older = is_later(known["updated_at"], None if row["updated_at"] is None else str(row["updated_at"]))
        if all(known[column] == row[column] for column in _CONTENT[name]):
            return not older
        message = "an earlier import was updated later and stays" if older else "an earlier import is replaced"
        reason = f"{key[3]} of {key[2]} is stored with other values: {message}"
        self.imported.warn(self.imported.places[key], reason)
        return not older


def _where(name: str, row: Row) -> Where:
    return {column: str(row[column]) for column in table(name).key}
