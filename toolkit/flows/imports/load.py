"""`import`: read files into the store, and decide what counts where rows are stored already.

Of two meter reads of a day the later counts, and partial days are completed; a posted transaction stays, and pending
ones are a snapshot; of plans every version is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from shlex import quote

import msgspec

from toolkit.analytics.energy.usage.clock import FEWEST_DAYS, clock_note
from toolkit.analytics.energy.usage.reads import half_hours
from toolkit.answers.base import Note
from toolkit.answers.data import ImportedFile, ImportReport
from toolkit.errors import ImportFailedError, UsageError
from toolkit.flows.household.context import Context, Progress, household_for_files, quiet, refuse_slip
from toolkit.flows.household.service_points import all_reads, only_others_have_meter, service_points
from toolkit.flows.imports import inverters
from toolkit.flows.imports.accounts import (
    account_of_unnamed,
    as_stored,
    name_to_show,
    refuse_as_another_account,
    refuse_as_read_otherwise,
)
from toolkit.flows.imports.columns import keep_columns, kept_columns
from toolkit.flows.money.spending import mark_all, refresh
from toolkit.flows.money.summary import account_suggestions, household_zone
from toolkit.flows.plans.catalogue import keep_compiled
from toolkit.flows.wording import counted
from toolkit.importers.banks.columns import Columns, checked
from toolkit.importers.imported import Imported, Options
from toolkit.importers.meters.inverter import INVERTER
from toolkit.importers.meters.registers import set_aside_days_to_come
from toolkit.importers.read import kinds, read_source
from toolkit.importers.source import Source, files_under, open_sources
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.store import Counts, Store, open_store
from toolkit.store.provenance import (
    COMPARED,
    FileProvenance,
    Key,
    Versions,
    is_alike,
    is_updated_later,
    key_of,
    merged,
)
from toolkit.store.statements import key_where
from toolkit.tables.rows.plans import PlanIds
from toolkit.tables.schema import Cell, Row, table
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import FileRow
from toolkit.tables.schema.meters import RegisterRow, ServicePointRow
from toolkit.tables.transaction_days import DATE_TIMES, latest_day
from toolkit.units import DEFAULT_ZONE, zone_key

Stored = dict[Key, Row]
_MOST_CLOCKS = 3
"""Most meters of a file to check the clocks of: more are of a network or a study, and each takes about 0.1 s."""
_CLOCK_DAYS = 400
_CONTENT = {"register_days": ("digest", "exponent", "qualities"), "meter_reads": ("value_nano", "quality")}


def _span(keys: Sequence[Key], noun: str) -> str:
    """Word days or reads of a register, given by their keys: how many, the first and the last."""
    days = sorted(str(key[3]) for key in keys)
    if len(keys) == 1:
        return f"{days[0]} of {keys[0][2]}"
    return f"{counted(len(keys), noun)} of {keys[0][2]} from {days[0]} to {days[-1]}"


@dataclass(slots=True)
class MeterRows:
    """Write meter rows. Use inside a transaction of the store. file_id: the file that the rows come from."""

    store: Store
    household_id: str
    imported: Imported
    file_id: str
    _differing: dict[tuple[object, str], list[Key]] = field(default_factory=dict)
    """Days or reads of a register that are stored with other values, by what comes of it."""
    _replaced: dict[object, dict[Key, int]] = field(default_factory=dict)
    """How many stored values of each day are replaced, by register."""

    def write(self, name: str, rows: list[Row]) -> Counts:
        """Write rows of a table and return the counts of days, or of reads for kinds of file counted in reads."""
        versions = Versions(self.store, self.household_id, self.file_id, name)
        versions.look_up([key_of(name, row) for row in rows])
        if self.imported.partial_days and name == "register_days":
            counts = self._partial_days(rows, versions)
        else:
            counts = self._whole_rows(name, rows, versions)
        versions.save()
        self._warn_of_differing("day" if name == "register_days" else "read")
        return counts

    def _warn_of_differing(self, noun: str) -> None:
        """Warn once for each register, at the first row, of what is stored with other values."""
        for (_suffix, outcome), keys in self._differing.items():
            what = f"{_span(keys, noun)} {'is' if len(keys) == 1 else 'are'}"
            self.imported.warn(self.imported.places[keys[0]], f"{what} stored with other values: {outcome}")
        for values in self._replaced.values():
            keys, count = list(values), sum(values.values())
            reason = f"{_span(keys, noun)}: {count:,} stored values are replaced"
            self.imported.warn(self.imported.places[keys[0]], reason)
        self._differing.clear()
        self._replaced.clear()

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
            whole = known if is_alike(name, known, row) else self.store.rows(name, where=key_where(table(name), row))[0]
            versions.add(key, whole, row, row if counts_now else whole, fills=False)

    def _partial_days(self, rows: list[Row], versions: Versions) -> Counts:
        """Complete days from the stored ones; if both have a value, the later read counts, with a warning."""
        name = "register_days"
        counts = Counts()
        for row in rows:
            key = key_of(name, row)
            stored = self.store.rows(name, where=key_where(table(name), row))
            whole, differing = merged(stored[0], row) if stored else (row, 0)
            if differing:
                self._replaced.setdefault(key[2], {})[key] = differing
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
        columns = dict.fromkeys([*table(name).own_key, "file_id", *COMPARED[name], *_CONTENT[name]])
        where = {"service_point_id": sorted({str(row["service_point_id"]) for row in rows})}
        frame = self.store.read(name, self.household_id, where=where, columns=list(columns))
        return {key_of(name, row): row for row in frame.iter_rows(named=True)}

    def _counts_now(self, name: str, row: Row, stored: Stored) -> bool:
        """Whether to store the row: not if the stored one was updated later. Warn if the two differ."""
        key = key_of(name, row)
        known = stored.get(key)
        if known is None:
            return True
        older = is_updated_later(known, row)
        if all(known[column] == row[column] for column in _CONTENT[name]):
            return not older
        outcome = "an earlier import was updated later and stays" if older else "an earlier import is replaced"
        self._differing.setdefault((key[2], outcome), []).append(key)
        return not older


_METER_TABLES = ("registers", "register_days", "meter_reads")
_REGISTER = ("service_point_id", "meter_id", "register_suffix")


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
        file_id = source.sha256
        file = FileRow(self.household_id, file_id, source.name, self.imported.kind, datetime.now(UTC))
        self.store.upsert("files", [file])
        self.provenance = FileProvenance(self.store, self.household_id, file_id)
        writers = {
            "plans": self._plans,
            "accounts": self._plain,
            "transactions": self._transactions,
            "balances": self._balances,
            "service_points": self._service_points,
            "registers": self._registers,
            "register_days": self._meter_rows,
            "meter_reads": self._meter_rows,
        }
        order = [name for name in writers if name in self.imported.tables]
        counts = {name: writers[name](name, file_id) for name in order}
        return counts.get(self.imported.counts, Counts())

    def warn_of_other_household(self, source: Source) -> None:
        """Warn before anything is written where another household has the file, its meter or account, and this not.

        The other one is not named: its name does not belong on the screen of this one. Plans are of no household.
        """
        if self.imported.kind == "plans":
            return
        tables = self.imported.tables
        points = [str(row["service_point_id"]) for row in tables.get("service_points", ())]
        accounts = [row["account_id"] for row in tables.get("accounts", ()) if row["account_number"]]  # else a name
        if self._only_others_have("files", "file_id", source.sha256):
            what = "this very file"
        elif points and only_others_have_meter(self.store, self.household_id, points):
            what = "this meter"
        elif any(self._only_others_have("accounts", "account_id", account) for account in accounts):
            what = "this account"
        else:
            return
        undo = Remedy.WRONG_HOUSEHOLD.with_(file=quote(source.name))
        reason = Message(f"another household has {what}. If it belongs there, ", undo, ".")
        self.imported.problems.append(Problem(source.name, reason, "warning"))

    def _only_others_have(self, name: str, column: str, value: Cell) -> bool:
        homes = {home for (home,) in self.store.tuples(name, ("household_id",), where={column: str(value)})}
        return bool(homes) and self.household_id not in homes

    def _rows(self, name: str) -> list[Row]:
        return self.imported.tables[name]

    def _own(self, row: Row, **more: Cell) -> Row:
        return {**row, "household_id": self.household_id, **more}

    def _plain(self, name: str, _file_id: str) -> Counts:
        return self.store.upsert(name, [self._own(row) for row in self._rows(name)])

    def _balances(self, name: str, file_id: str) -> Counts:
        """Write each file's own balance of an account, so that deleting one file leaves the others'."""
        rows = [self._own(row, id=f"{row['id']!s}:{file_id[:16]}", file_id=file_id) for row in self._rows(name)]
        counts = self.store.upsert(name, rows)
        if counts.added or counts.updated:
            mark_all(self.store, self.household_id)
        return counts

    # ---- plans: every version is kept; the one read last is the latest of its id

    def _plans(self, name: str, file_id: str) -> Counts:
        known = self.store.read("plans", "", columns=["plan_id", "version", "sequence", "file_id", "retailer"])
        known = known.sort("sequence")
        file_of = {(plan_id, version): file for plan_id, version, _, file, _ in known.iter_rows()}
        first = 1 + max(known["sequence"].to_list(), default=0)
        given = self._with_own_ids(self._rows(name), PlanIds(known.select("plan_id", "retailer").iter_rows()))
        rows = [
            {**row, "file_id": file_of.get((row["plan_id"], row["version"]), file_id), "sequence": first + place}
            for place, row in enumerate(given)
        ]
        counts = self.store.upsert(name, rows)
        self.provenance.record(name, self.provenance.others(name, known.to_dicts(), rows))
        self._read_last(rows, dict(known.select("plan_id", "version").iter_rows()))
        return counts

    def _with_own_ids(self, rows: Sequence[Row], ids: PlanIds) -> Iterator[Row]:
        """Yield plans under ids that no other retailer's plan has, and warn of those that had to change."""
        for row in rows:
            plan_id, retailer = str(row["plan_id"]), None if row["retailer"] is None else str(row["retailer"])
            own_id = ids.id_of(plan_id, retailer)
            if warning := ids.warning(plan_id, retailer):
                problem = Problem(own_id, warning, "warning")
                self.imported.problems += [] if problem in self.imported.problems else [problem]
            yield {**row, "plan_id": own_id}

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
            # Pending rows of this file that are posted by now; all of them where the store has later rows.
            posted = {row["id"] for row in stored if row["status"] == "POSTED"}
            is_older = bool(stored) and self._latest(own) < self._latest(stored)
            stale = {str(row["id"]) for row in own if row["status"] == "PENDING" and (is_older or row["id"] in posted)}
            rows = [row for row in rows if row["id"] not in stale]
            others |= self.provenance.others(name, stored, [row for row in own if row["id"] not in stale])
            gone += self._replace_pending(own, stored) if not stale else 0
        counts = self.store.upsert(name, rows)
        self.provenance.record(name, others)
        skipped = len(self._rows(name)) - len(rows)
        if counts.added or counts.updated or gone:
            mark_all(self.store, self.household_id)
        return counts + Counts(unchanged=skipped)

    def _replace_pending(self, own: list[Row], stored: list[Row]) -> int:
        if not stored or self._latest(own) < self._latest(stored):
            return 0
        given = {row["id"] for row in own}
        gone = [str(row["id"]) for row in stored if row["status"] == "PENDING" and row["id"] not in given]
        return self.store.delete("transactions", {"household_id": self.household_id, "id": gone}) if gone else 0

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
        if all(_register(row) in flagged for row in self._rows(name) if str(row["register_suffix"]).upper() == "E2"):
            self.imported.notes[:] = [note for note in self.imported.notes if note.code != "controlled_load_possible"]
        return self._plain(name, _file_id)

    def _flag_stored(self, register: RegisterRow, controlled: bool) -> None:
        where = {"household_id": self.household_id, **dict(zip(_REGISTER, _register_key(register), strict=True))}
        for of_meters in _METER_TABLES:
            self.store.update(of_meters, {"controlled_load": controlled}, where)
        code = "register_is_controlled" if controlled else "register_is_not_controlled"
        self.imported.notes.append(Note(code, register=register.register_suffix))

    def _meter_rows(self, name: str, file_id: str) -> Counts:
        rows = [self._own(row, file_id=file_id) for row in self._rows(name)]
        return MeterRows(self.store, self.household_id, self.imported, file_id).write(name, rows)


def _register(row: Row) -> tuple[str, ...]:
    return tuple(str(row[column]) for column in _REGISTER)


def _register_key(register: RegisterRow) -> tuple[str, str, str]:
    return register.service_point_id, register.meter_id, register.register_suffix


def file_kinds() -> list[str]:
    """Return the kinds of files that can be imported: built in, then those that installed packages add."""
    return kinds()


def load(  # noqa: PLR0913  # one argument for each option
    ctx: Context,
    paths: Sequence[Path],
    *,
    kind: str | None = None,
    account: str | None = None,
    timezone: str | None = None,
    controlled_load: Sequence[str] = (),
    columns: Columns | None = None,
    progress: Progress = quiet,
) -> ImportReport:
    """Read files and folders (`import`) into the household in question (one called "Home" where there is none).

    columns: of a bank's CSV in an unknown layout; they are kept for files of the same header. A bad file is listed and
    does not stop the others. Each file is stored completely or not at all. Spending roll-ups are updated. Raises
    ImportFailedError if no file could be read.
    """
    if timezone is not None and zone_key(timezone) is None:
        raise UsageError(f"{timezone!r} is not a valid time zone (for example {DEFAULT_ZONE}).")
    if columns is not None:
        checked(columns)
    with open_store(ctx.db) as store:
        refuse_slip(store, ctx)
        if ctx.household is None and store.count("households") > 1:
            household_for_files(store, None)  # raises ChoiceRequiredError before anything is read
        suffixes = [suffix for text in controlled_load for suffix in text.replace(",", " ").split()]
        loading = _Loading(
            store, ctx.household, ctx.today, kind, account, timezone, suffixes, ctx.service_point, columns
        )
        for path in paths:
            loading.read(path, progress)
        loading.finish()
        files = tuple(loading.files)
        if any(file.kind == "plans" and file.added + file.updated for file in files):
            keep_compiled(store, progress)
    if not any(file.kind for file in files):
        raise _nothing_read(paths, files)
    return ImportReport(files=files)


def _nothing_read(paths: Sequence[Path], files: Sequence[ImportedFile]) -> ImportFailedError:
    problems = [problem for file in files for problem in file.problems]
    if not problems:
        return ImportFailedError(", ".join(map(str, paths)), "there are no files in this folder")
    others = counted(len(problems) - 1, "more file", "more files")
    more = f" (and {others} that could not be read)" if len(problems) > 1 else ""
    return ImportFailedError(problems[0].where, Message(problems[0].reason, more))


@dataclass(slots=True)
class _Loading:
    """One run of `import`: the store, the household and the options."""

    store: Store
    household: str | None
    today: date
    kind: str | None
    account: str | None
    timezone: str | None
    controlled_load: Sequence[str]
    service_point: str | None = None
    columns: Columns | None = None
    household_id: str | None = None
    inverters: list[tuple[Source, Imported, str]] = field(default_factory=list)
    """Files of generation, written when the meters' files are stored: each with the path as shown."""
    files: list[ImportedFile] = field(default_factory=list)
    last_file: dict[str, int] = field(default_factory=dict)
    """Account id → index in `files` of the last file with rows of it."""

    def read(self, path: Path, progress: Progress) -> None:
        """Read each file in `path`; one that cannot be read has a problem and no kind."""
        for file in files_under(path):
            progress(f"reading {file.name}")
            try:
                for source in open_sources(file):
                    self._source(source, f"{file.parent / source.name}")
            except ImportFailedError as failure:
                self.files.append(_unread(str(file), failure))

    def finish(self) -> None:
        """Write files of inverters, update roll-ups that are out of date, and warn of accounts that may be one."""
        for source, imported, shown in self.inverters:
            try:
                self.files.append(self._written(source, imported, shown))
            except ImportFailedError as failure:
                self.files.append(_unread(shown, failure))
        if self.household_id is None or not self.last_file:
            return
        refresh(self.store, self.household_id)
        for accounts, problem in account_suggestions(self.store, self.household_id):
            if named := [self.last_file[account] for account in accounts if account in self.last_file]:
                file = self.files[named[-1]]
                self.files[named[-1]] = msgspec.structs.replace(file, problems=(*file.problems, problem))

    def _source(self, source: Source, shown: str) -> None:
        try:
            imported = read_source(source, self._options(source))
            if imported.kind == INVERTER:
                self.inverters.append((source, imported, shown))
            else:
                self.files.append(self._written(source, imported, shown))
        except ImportFailedError as failure:
            self.files.append(_unread(shown, failure))

    def _written(self, source: Source, imported: Imported, shown: str) -> ImportedFile:
        if "registers" in imported.tables:
            set_aside_days_to_come(imported, source.name, self.today)
        with self.store.transaction():
            home = household_for_files(self.store, self.household)
            self.household_id = home.household_id
            if "transactions" in imported.tables:
                imported = self._with_account(source, imported)
                refuse_as_another_account(self.store, home.household_id, source.name, source.sha256, imported)
                if self.columns is not None:
                    refuse_as_read_otherwise(self.store, home.household_id, source, imported)
            rows = FileRows(self.store, self.household_id, imported, self.timezone, self.controlled_load)
            rows.warn_of_other_household(source)
            if imported.kind == INVERTER:
                meter = inverters.meter_behind(self.store, home, self.service_point, source)
                inverters.attach(imported, meter)
            counts = rows.write(source)
            if self.columns is not None and imported.kind == "bank-csv":
                keep_columns(self.store, home.household_id, source, self.columns)
            if imported.kind == INVERTER:
                inverters.check(self.store, self.household_id, meter, source, imported)
            elif "register_days" in imported.tables:
                imported.notes += _clock_notes(self.store, home, source, imported)
            days = self._meter_days(source)
        self.last_file |= {str(row["account_id"]): len(self.files) for row in imported.tables.get("accounts", ())}
        return ImportedFile(
            path=shown,
            kind=imported.kind,
            added=counts.added,
            updated=counts.updated,
            unchanged=counts.unchanged,
            rejected=imported.rejected,
            days=len(days) if counts.added or counts.updated else 0,
            problems=tuple(imported.problems),
            notes=tuple(imported.notes),
        )

    def _meter_days(self, source: Source) -> set[tuple[str, str]]:
        """Return service point and date of each day that has reads of a file, of whatever register."""
        of_file = {"file_id": source.sha256}
        return set(self.store.tuples("register_days", ("service_point_id", "date"), self.household_id, where=of_file))

    def _with_account(self, source: Source, imported: Imported) -> Imported:
        """Return the file read with the account that its unnamed rows belong to."""
        if self.account is not None or self.household_id is None:
            return imported
        account = account_of_unnamed(self.store, self.household_id, source.sha256, imported)
        if account is None:
            return imported
        named_so = any(row["account_id"] == account for row in imported.tables["accounts"])
        options = replace(self._options(source), account=account, continues=True)
        wanted = next(str(row["display_name"]) for row in imported.tables["accounts"] if row["layout"] is not None)
        read = imported if named_so else read_source(source, options)
        row = next(row for row in read.tables["accounts"] if row["account_id"] == account)
        shown = row["display_name"] = name_to_show(self.store, self.household_id, account, wanted)
        read.notes.append(Note("account_of_earlier_files", account=shown))
        return read

    def _options(self, source: Source) -> Options:
        account = None if self.account is None else as_stored(self.store, self.account)
        kept = partial(kept_columns, self.store, self.household_id or self.household, source)
        return Options(self.kind, account, self._zone(), tuple(self.controlled_load), self.columns, kept)

    def _zone(self) -> str:
        """Return the time zone given, else the household's, else Sydney's."""
        homes = self.store.load(HouseholdRow)
        named = [home for home in homes if self.household in (None, home.household_id, home.name)]
        known = named[0].timezone if len(named) == 1 else None
        return self.timezone or known or DEFAULT_ZONE


def _unread(shown: str, failure: ImportFailedError) -> ImportedFile:
    return ImportedFile(path=shown, problems=(Problem(failure.where, failure.reason),))


def _clock_notes(store: Store, household: HouseholdRow, source: Source, imported: Imported) -> Iterator[Note]:
    """Yield a note for each meter of a stored file with reads that another clock would explain better."""
    days: dict[str, list[date]] = {}
    for row in imported.tables["register_days"]:
        if isinstance(row["date"], date):
            days.setdefault(str(row["service_point_id"]), []).append(row["date"])
    if not 0 < len(days) <= _MOST_CLOCKS:
        return
    for point in service_points(store, household, fuel="ELECTRICITY"):
        if point.id in days:
            last = max(days[point.id])
            first = max(min(days[point.id]), last - timedelta(_CLOCK_DAYS - 1))
            if (last - first).days + 1 < FEWEST_DAYS:
                continue
            reads, _ = all_reads(store, household.household_id, point, from_=first, to=last)
            name, is_table = quote(source.name), imported.kind == "usage-csv"  # other kinds state their time zone
            place = point.zone, point.state, point.postcode
            if note := clock_note(half_hours(reads), *place, file=name, in_any_zone=is_table):
                yield note
