"""Write one file's rows to the store, and decide what counts where rows are stored already.

Of two meter reads of a day the later counts, and partial days are completed; a posted transaction stays, and pending
ones are a snapshot; of plans every version is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from toolkit.flows.money.classified import household_zone
from toolkit.flows.money.spending import mark_all
from toolkit.importers.imported import Imported
from toolkit.importers.source import Source
from toolkit.store import Counts, Store, Where
from toolkit.store.database import StoredRow
from toolkit.store.provenance import COMPARED, FileProvenance, Key, Versions, is_alike, key_columns, key_of, merged
from toolkit.tables.registers import is_later
from toolkit.tables.schema import Cell, Row, table
from toolkit.tables.schema.journal import FileRow
from toolkit.tables.schema.meters import RegisterRow, ServicePointRow
from toolkit.tables.transaction_days import DATE_TIMES, latest_day

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


_METER_TABLES = ("registers", "register_days", "meter_reads")
_REGISTER = ("service_point_id", "meter_id", "register_suffix")


def file_id_of(source: Source) -> str:
    """Return the SHA-256 of a file's content."""
    return hashlib.sha256(source.data).hexdigest()


@dataclass(slots=True)
class FileRows:
    """Write the rows of one file. Use inside a transaction of the store.

    timezone, controlled_load: as given with this import, or empty.
    """

    store: Store
    household_id: str
    imported: Imported
    timezone: str | None
    controlled_load: Sequence[str]
    provenance: FileProvenance = field(init=False)

    def write(self, source: Source) -> Counts:
        """Write all tables, and return the counts of the table that is counted for this kind of file."""
        file_id = file_id_of(source)
        file = FileRow(self.household_id, file_id, source.name, self.imported.kind, datetime.now(UTC))
        self.store.upsert("files", [file])
        self.provenance = FileProvenance(self.store, self.household_id, file_id)
        writers = {
            "plans": self._plans,
            "accounts": self._plain,
            "transactions": self._transactions,
            "service_points": self._service_points,
            "registers": self._registers,
            "register_days": self._meter_rows,
            "meter_reads": self._meter_rows,
        }
        order = [name for name in writers if name in self.imported.tables]
        counts = {name: writers[name](name, file_id) for name in order}
        return counts.get(self.imported.counts, Counts())

    def _rows(self, name: str) -> list[Row]:
        return self.imported.tables[name]

    def _own(self, row: Row, **more: Cell) -> Row:
        return {**row, "household_id": self.household_id, **more}

    def _plain(self, name: str, _file_id: str) -> Counts:
        return self.store.upsert(name, [self._own(row) for row in self._rows(name)])

    # ---- plans: every version is kept; the one read last is the latest of its id

    def _plans(self, name: str, file_id: str) -> Counts:
        known = self.store.read("plans", "", columns=["plan_id", "version", "sequence", "file_id"])
        known = known.sort("sequence")
        file_of = {(plan_id, version): file for plan_id, version, _, file in known.iter_rows()}
        first = 1 + max(known["sequence"].to_list(), default=0)
        rows = [
            {**row, "file_id": file_of.get((row["plan_id"], row["version"]), file_id), "sequence": first + place}
            for place, row in enumerate(self._rows(name))
        ]
        counts = self.store.upsert(name, rows)
        self.provenance.record(name, self.provenance.others(name, known.to_dicts(), rows))
        self._read_last(rows, dict(known.select("plan_id", "version").iter_rows()))
        return counts

    def _read_last(self, rows: list[Row], latest: dict[str, str]) -> None:
        """Give the version of each plan that this file lists last the highest sequence, if it was stored before."""
        versions: dict[str, dict[str, Row]] = {}
        for row in rows:
            given = versions.setdefault(str(row["plan_id"]), {})
            given.pop(str(row["version"]), None)
            given[str(row["version"])] = row
        for plan_id, given in versions.items():
            version, last = list(given.items())[-1]
            if plan_id in latest and (len(given) > 1 or latest[plan_id] != version):
                key = {"household_id": "", "plan_id": plan_id, "version": version}
                self.store.update("plans", {"sequence": last["sequence"]}, key)

    # ---- money: a posted row stays, pending rows are a snapshot

    def _transactions(self, name: str, file_id: str) -> Counts:
        """Write transactions; an account keeps the pending rows of its latest file only."""
        rows = [self._own(row, file_id=file_id) for row in self._rows(name)]
        gone = 0
        others: dict[Key, str] = {}
        columns = ["id", "status", *DATE_TIMES, "file_id"]
        for account in {str(row["account_id"]) for row in rows}:
            of_files = {"account_id": account, "source": "file"}
            stored = self.store.read("transactions", self.household_id, where=of_files, columns=columns).to_dicts()
            own = [row for row in rows if row["account_id"] == account]
            stale = self._stale_pending(own, stored)
            rows = [row for row in rows if row["id"] not in stale]
            others |= self.provenance.others(name, stored, [row for row in own if row["id"] not in stale])
            gone += self._replace_pending(own, stored) if not stale else 0
        counts = self.store.upsert(name, rows)
        self.provenance.record(name, others)
        skipped = len(self._rows(name)) - len(rows)
        if counts.added or counts.updated or gone:
            mark_all(self.store, self.household_id)
        return counts + Counts(unchanged=skipped)

    def _replace_pending(self, own: list[Row], stored: list[StoredRow]) -> int:
        if not stored or self._latest(own) < self._latest(stored):
            return 0
        given = {row["id"] for row in own}
        gone = [row["id"] for row in stored if row["status"] == "PENDING" and row["id"] not in given]
        return self.store.delete("transactions", {"household_id": self.household_id, "id": gone}) if gone else 0

    def _stale_pending(self, own: list[Row], stored: list[StoredRow]) -> set[str]:
        """Return ids of pending rows that are posted by now, or all if the store has later rows than this file."""
        posted = {row["id"] for row in stored if row["status"] == "POSTED"}
        is_older = bool(stored) and self._latest(own) < self._latest(stored)
        return {str(row["id"]) for row in own if row["status"] == "PENDING" and (is_older or row["id"] in posted)}

    def _latest(self, rows: Sequence[Row]) -> date:
        return latest_day(rows, household_zone(self.store, self.household_id)) or date.min

    # ---- meters

    def _service_points(self, name: str, _file_id: str) -> Counts:
        """Write service points: a time zone once given stays, and those from the service are left unchanged."""
        stored = {point.service_point_id: point for point in self.store.load(ServicePointRow, self.household_id)}
        rows = []
        for row in self._rows(name):
            known = stored.get(str(row["service_point_id"]))
            if known is None or known.source == "file":
                zone = self.timezone or (known.timezone if known else None)
                rows.append(self._own(row, timezone=zone))
        return self.store.upsert(name, rows)

    def _registers(self, name: str, _file_id: str) -> Counts:
        """Write registers. Controlled load, once named for a register, applies to its days in all files.

        If registers are named again, the last import counts: this file's other registers are not controlled load.
        """
        named = {suffix.strip().upper() for suffix in self.controlled_load}
        points = sorted({str(row["service_point_id"]) for row in self._rows(name)})
        where = {"service_point_id": points}
        stored = self.store.load(RegisterRow, self.household_id, where=where) if points else []
        flagged = {_register_key(register) for register in stored if register.controlled_load and not named}
        for row in (row for of_meters in _METER_TABLES for row in self.imported.tables.get(of_meters, [])):
            row["controlled_load"] = row["controlled_load"] or _register(row) in flagged
        given = {_register(row): bool(row["controlled_load"]) for row in self._rows(name)}
        for register in stored:
            known = register.controlled_load
            wanted = register.register_suffix.upper() in named or given.get(_register_key(register), known)
            if wanted != known:
                self._flag_stored(register, wanted)
        return self._plain(name, _file_id)

    def _flag_stored(self, register: RegisterRow, controlled: bool) -> None:
        where = {"household_id": self.household_id, **dict(zip(_REGISTER, _register_key(register), strict=True))}
        for of_meters in _METER_TABLES:
            self.store.update(of_meters, {"controlled_load": controlled}, where)
        words = "is controlled load" if controlled else "is no longer controlled load"
        self.imported.notes.append(f"register {register.register_suffix} {words}, on all its days")

    def _meter_rows(self, name: str, file_id: str) -> Counts:
        rows = [self._own(row, file_id=file_id) for row in self._rows(name)]
        return MeterRows(self.store, self.household_id, self.imported, file_id).write(name, rows)


def _register(row: Row) -> tuple[str, ...]:
    return tuple(str(row[column]) for column in _REGISTER)


def _register_key(register: RegisterRow) -> tuple[str, str, str]:
    return register.service_point_id, register.meter_id, register.register_suffix
