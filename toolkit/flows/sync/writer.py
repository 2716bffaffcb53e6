"""Write pages to the store: a page's rows, receipt, quarantine, checkpoint and stale months in one transaction.

Of what a whole list sync no longer found, pending rows are replaced, other rows kept and marked, plans retired.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from msgspec import structs

from toolkit.api.transport import PaginationError
from toolkit.errors import InvalidResponseError, ToolkitError
from toolkit.flows.money.spending import mark_all
from toolkit.flows.money.summary import household_zone
from toolkit.flows.sync.duplicates import Recognition, RepeatedReads, outranked, without_superseded
from toolkit.flows.sync.end_users import NO_LONGER_REFUSED, Arrangements, quarantined
from toolkit.problems import Problem
from toolkit.store import Condition, Record, Store
from toolkit.store.statements import batches
from toolkit.store.sync_state import Tombstones, add_to_quarantine, owner_ids, remove_from_quarantine
from toolkit.sync.list_sync import (
    LONGEST_CURSOR,
    RESOURCES,
    Checkpoint,
    Counts,
    ListSync,
    Person,
    Positions,
    content_of,
    full_sync_due,
    is_recent,
    moved,
    question,
    read_positions,
    written_positions,
)
from toolkit.sync.pages import (
    READS,
    ListState,
    ReadKey,
    UnparsedFields,
    other_word,
    possible_ids,
    repeated_read_problems,
)
from toolkit.tables.rows.records import PageRows, refusal, rows_of
from toolkit.tables.rows.values import Scope
from toolkit.tables.schema import STORED
from toolkit.tables.schema.energy import AccountPlanRow
from toolkit.tables.schema.journal import PositionRow, QuarantineRow, WalkRow
from toolkit.wire.decoding.lenient import HOUSE_WORD, Spelling
from toolkit.wire.decoding.pages import Page, read_alone
from toolkit.wire.endpoints import endpoint


@dataclass(frozen=True, slots=True)
class Run:
    """One sync. full: read everything again. today: the latest day of a position.

    platform: the deployment's word that its records are read with.
    """

    id: str
    started: datetime
    today: date
    full: bool = False
    platform: str = HOUSE_WORD


@dataclass(slots=True)
class ResourceProgress:
    """The list syncs of one resource of one person: how many are open, and whether all so far were whole and unbounded.

    resumed: whether one of them has only read the rest of what an earlier run began.
    """

    open: int = 0
    page: int = 0
    parts: set[str] = field(default_factory=set)
    whole: bool = True
    complete: bool = True
    resumed: bool = False

    def begin(self, list_sync: ListSync) -> None:
        """After a resumed list sync the latest rows of its part are read: that takes nothing from its completeness."""
        self.open += 1
        if list_sync.part not in self.parts:
            self.complete &= list_sync.complete
        self.parts.add(list_sync.part)

    def end(self, list_sync: ListSync, *, first: bool) -> None:
        """Count a list sync as ended. A resumed one has not seen all that may be stored, unless it is the first."""
        self.open -= 1
        if list_sync.checkpoint is not None:
            self.resumed = True
            self.complete &= first

    def break_off(self) -> None:
        """Note a list sync that was interrupted."""
        self.open -= 1
        self.whole = False

    @property
    def all_ended_well(self) -> bool:
        """Whether every list sync begun so far was read to its end."""
        return self.open == 0 and self.whole


def resume_positions(store: Store, person: Person, resource: str, run: Run) -> Positions:
    """Return the positions to resume from; none where everything is to be read again.

    Another platform name gives other ids, so everything is read again to recognise the stored rows.
    """
    row = _row(store, person, resource)
    if run.full or row.platform != run.platform or full_sync_due(row.full_walk_at, run.started):
        return {}
    return read_positions(row.position)


def read_to(store: Store, list_sync: ListSync) -> date | None:
    """Return the day up to which the part of a list sync has been read."""
    return read_positions(_row(store, list_sync.person, list_sync.resource).position).get(list_sync.part)


def move(store: Store, list_sync: ListSync, list_syncs: ResourceProgress, newest: date | None, run: Run) -> None:
    """Move the part's position, and set the resource's freshness once its last list sync has succeeded."""
    row = _row(store, list_sync.person, list_sync.resource)
    if list_sync.part and list_sync.resumable:
        positions = moved(read_positions(row.position), list_sync.part, newest, run.today)
        row = structs.replace(row, position=written_positions(positions))
    if list_syncs.all_ended_well and list_sync.checkpoint is None:
        row = structs.replace(row, fresh_at=run.started)
        if list_syncs.complete:
            row = structs.replace(row, full_walk_at=run.started, platform=run.platform)
    store.upsert("positions", [row])


def _row(store: Store, person: Person, resource: str) -> PositionRow:
    """Return the stored row of a resource, or an empty one."""
    where = {"end_user_id": person.end_user_id, "resource": resource}
    stored = store.first(PositionRow, person.household_id, where=where)
    return stored or PositionRow(person.household_id, person.end_user_id, resource, None, None, None, None)


class Checkpoints:
    """Checkpoints of interrupted list syncs: written with each page, deleted when a list sync is complete.

    Rows of the table `walks`, read and written within the transaction of the page or of the end of a list sync.
    """

    def __init__(self, store: Store, now: datetime, platform: str) -> None:
        self.store, self.now, self.platform = store, now, platform

    def resumed(self, list_sync: ListSync) -> ListSync:
        """Return the list sync with the checkpoint of an interrupted one with the same parameters and consents."""
        if not list_sync.resumable:
            return list_sync
        row = self.store.first(WalkRow, where=self._key(list_sync))
        if row is None or not is_recent(row.reached_at, self.now):
            return list_sync
        return replace(list_sync, checkpoint=Checkpoint(row.cursor, row.content, row.first, row.newest))

    def keep(self, list_sync: ListSync, page: Page, *, first: bool, newest: date | None) -> None:
        """Write the checkpoint of a page that is being stored. A first page needs none."""
        if list_sync.resumable and page.cursor is not None and len(page.cursor) <= LONGEST_CURSOR:
            checkpoint: Record = {"cursor": page.cursor, "content": content_of(page), "first": first, "newest": newest}
            self.store.upsert("walks", [{**self._key(list_sync), **checkpoint, "reached_at": self.now}])

    def drop(self, list_sync: ListSync) -> None:
        """Delete the checkpoint: the list is complete, or cannot be resumed from there."""
        where = {name: value for name, value in self._key(list_sync).items() if name != "asked"}
        if list_sync.resumable and self.store.count("walks", where=where):
            self.store.delete("walks", where)

    def _key(self, list_sync: ListSync) -> dict[str, str]:
        """Return the key columns of a list sync in `walks`; `asked` has the consents that the service itself lists."""
        where = {"end_user_id": list_sync.person.end_user_id, "state": "active"}
        rows = self.store.tuples("consents", ("arrangement_id", "raw"), list_sync.person.household_id, where=where)
        # a consent without `raw` is known from records alone: it may come and go within one run
        listed = [arrangement for arrangement, raw in rows if raw is not None]
        return {
            "household_id": list_sync.person.household_id,
            "end_user_id": list_sync.person.end_user_id,
            "resource": list_sync.resource,
            "part": list_sync.part,
            "asked": question(list_sync.parameters, listed, self.platform),
        }


class Quarantine:
    """Reads and writes the table `quarantine`, within the transaction of the page or of the list sync's end."""

    def __init__(self, store: Store, now: datetime) -> None:
        self.store, self.now = store, now
        self._seen_ids: set[tuple[str, str, str]] = set()
        self._has_quarantine = {(row.household_id, row.resource) for row in self.waiting()}

    def waiting(self) -> list[QuarantineRow]:
        """Return the quarantined records of lists; consents are read again in every sync."""
        return self.store.load(QuarantineRow, where={"resource": RESOURCES})

    def keep(self, list_sync: ListSync, rows: PageRows) -> None:
        """Quarantine the refused records of a page, and release those that were read."""
        household_id, resource = list_sync.person.household_id, list_sync.resource
        if (household_id, resource) in self._has_quarantine:
            readable = [row["id"] for counted in rows.counted.values() for row in counted if row.get("id")]
            self.store.delete("quarantine", {"household_id": household_id, "resource": resource, "id": readable})
        refused = (quarantined(household_id, resource, refusal, self.now) for refusal in rows.refused)
        add_to_quarantine(self.store, refused)
        self._seen_ids.update((household_id, resource, refused.id) for refused in rows.refused)

    def release_unmet(self, list_sync: ListSync, parts: Collection[str], in_force: Collection[str]) -> list[Problem]:
        """Release records that complete list syncs of all `parts` did not give again: readable now, or gone."""
        household_id, resource = list_sync.person.household_id, list_sync.resource
        problems = []
        for row in self.store.load(QuarantineRow, household_id, where={"resource": resource}):
            if (household_id, resource, row.id) not in self._seen_ids and self._is_expected(
                list_sync, row, parts, in_force
            ):
                remove_from_quarantine(self.store, row)
                problems.append(Problem(row.id, f"{resource}: {NO_LONGER_REFUSED}", "warning"))
        return problems

    def _is_expected(
        self, list_sync: ListSync, row: QuarantineRow, parts: Collection[str], in_force: Collection[str]
    ) -> bool:
        """Whether the list syncs of this person, rather than of another, would have given the record."""
        if not list_sync.person.household_id:
            return any(f'"{part}"' in row.raw for part in parts)
        if row.arrangement_id is None:
            return self.store.count("end_users", list_sync.person.household_id) == 1
        return row.arrangement_id in in_force


# ---- rows that are no longer given

_MARKED = {table.resource: table.name for table in STORED if table.resource and "vanished_at" in table.names}
"""Resources with rows that can vanish → their table."""
VANISHED = "no longer given by the service: kept, marked and left out of totals"


@dataclass(slots=True)
class Gone:
    """Rows that a list no longer contains: how many, and a warning for each that was kept."""

    count: int = 0
    problems: list[Problem] = field(default_factory=list)


def remove_vanished(
    store: Store, list_sync: ListSync, listed_ids: set[str], in_force: Collection[str], now: datetime
) -> Gone:
    """Delete or mark the rows that the finished `list_sync` no longer contains; within the caller's transaction.

    listed_ids: ids in the list, also of records that cannot be read now: their earlier version stays.
    in_force: arrangements under which a row can be missed: those of an ended consent are not given any more, which
    is silent about them. Nor does a list sync that was resumed: what it did not bring may have come before it was
    cut short.
    """
    gone = Gone()
    if list_sync.checkpoint is not None:
        return gone
    if list_sync.pending:
        gone.count += _replace_pending(store, list_sync, listed_ids, in_force)
    if list_sync.complete and list_sync.resource in _MARKED:
        _mark_vanished(store, list_sync, listed_ids, in_force, now, gone)
    return gone


def has_rows(store: Store, list_sync: ListSync) -> bool:
    """Whether rows are stored that the list sync may find gone."""
    if not list_sync.complete or list_sync.resource not in _MARKED:
        return False
    where = {"account_id": list_sync.part} if list_sync.part else {}
    return store.count(_MARKED[list_sync.resource], list_sync.person.household_id, where=where) > 0


def still_in_use(store: Store, list_sync: ListSync, ids: list[str]) -> set[str]:
    """Return those of `ids` of which an earlier version is stored, which stays in use."""
    if list_sync.resource not in _MARKED or not ids:
        return set()
    where = {"vanished_at": None, "id": ids}
    return {
        str(id_)
        for (id_,) in store.tuples(_MARKED[list_sync.resource], ("id",), list_sync.person.household_id, where=where)
    }


def _replace_pending(store: Store, list_sync: ListSync, listed_ids: set[str], in_force: Collection[str]) -> int:
    where = {"account_id": list_sync.part, "status": "PENDING", "arrangement_id": sorted(in_force)}
    stored = store.tuples("transactions", ("id",), list_sync.person.household_id, where=where)
    gone = [str(id_) for (id_,) in stored if id_ not in listed_ids]
    return sum(
        store.delete("transactions", {"household_id": list_sync.person.household_id, "id": some})
        for some in batches(gone)
    )


def _mark_vanished(
    store: Store, list_sync: ListSync, listed_ids: set[str], in_force: Collection[str], now: datetime, gone: Gone
) -> None:
    table = _MARKED[list_sync.resource]
    where: dict[str, Condition] = {"vanished_at": None, "arrangement_id": sorted(in_force)}
    if list_sync.part:
        where["account_id"] = list_sync.part
    stored = store.tuples(table, ("id",), list_sync.person.household_id, where=where)
    missing = [str(id_) for (id_,) in stored if id_ not in listed_ids]
    for some in batches(missing):
        store.update(table, {"vanished_at": now}, {"household_id": list_sync.person.household_id, "id": some})
    gone.count += len(missing)
    gone.problems += [Problem(id_, f"{list_sync.resource}: {VANISHED}", "warning") for id_ in missing]


def drop_corrected(store: Store, list_sync: ListSync, listed_ids: set[str], reads: Collection[ReadKey]) -> int:
    """Delete a usage record's reads from before it was corrected to another register or days; returns the count.

    listed_ids: ids in the list. reads: keys of their reads.
    """
    if list_sync.resource != "energy.usage":
        return 0
    dropped = 0
    where = {"service_point_id": list_sync.part, "source": "service"}
    for table, names in READS.items():
        for id_, *key in store.tuples(table, ("id", *names), list_sync.person.household_id, where=where):
            if id_ in listed_ids and (table, *key) not in reads:
                own = {"household_id": list_sync.person.household_id, "service_point_id": list_sync.part}
                dropped += store.delete(table, {**own, **dict(zip(names, key, strict=True))})
    return dropped


def retire_plans(store: Store, household_id: str, rows: PageRows) -> None:
    """Mark plan versions that an account no longer has as not current; they are kept as history."""
    carried = {(row["plan_id"], row["version"]) for row in rows.further.get("account_plans", [])}
    for account in rows.counted.get("energy_accounts", []):
        where = {"account_id": account["account_id"], "is_current": True}
        for row in store.load(AccountPlanRow, household_id, where=where):
            if (row.plan_id, row.version) not in carried:
                key = {"account_id": row.account_id, "plan_id": row.plan_id, "version": row.version}
                store.update("account_plans", {"is_current": False}, {"household_id": household_id, **key})


_SPENDING = ("transactions", "accounts")
"""Tables with changes that may change spending."""
_STAYS = "; its earlier version stays stored"
_HOUSE = Spelling()


class PageWriter:
    """The only writer of a run, used in the thread that opened the store.

    counts: receipts of the run by resource. institutions: ids in its records. pages_kept: pages stored.
    arrangements: consents that its records came under.
    """

    def __init__(self, store: Store, run: Run, spelling: Spelling = _HOUSE, listed: Collection[Person] = ()) -> None:
        self.store, self.run, self.now, self.spelling = store, run, run.started, spelling
        self.counts: dict[str, Counts] = {}
        self.institutions: set[str] = set()
        self.pages_kept = 0
        self._problems: dict[Problem, None] = {}
        self._zones: dict[str, str] = {}
        self._unparsed = UnparsedFields()
        self._states: dict[ListSync, ListState] = defaultdict(ListState)
        self._progress: dict[tuple[Person, str], ResourceProgress] = defaultdict(ResourceProgress)
        self._checkpoints = Checkpoints(store, self.now, run.platform)
        self._quarantine = Quarantine(store, self.now)
        self._tombstones = Tombstones(store)
        self._outranked = outranked(store)
        self._repeated_reads = RepeatedReads(store)
        self._recognition = Recognition(store)
        self.arrangements = Arrangements(store, self.now, listed)
        self._finished: list[tuple[ListSync, set[str]]] = []

    @property
    def problems(self) -> list[Problem]:
        """Return what was not stored as given, each problem once."""
        repeated = [
            read
            for list_sync, state in self._states.items()
            for read in repeated_read_problems(list_sync.part, state.repeated)
        ]
        return [*self._problems, *dict.fromkeys(repeated), *self._unparsed.problems]

    # ---- what to read

    def begin(self, list_syncs: Iterable[ListSync]) -> list[ListSync]:
        """Return the list syncs to read, each from its checkpoint unless everything is to be read again.

        A resource is fresh when all of its list syncs have succeeded.
        """
        begun = [list_sync if self.run.full else self._checkpoints.resumed(list_sync) for list_sync in list_syncs]
        for list_sync in begun:
            self._progress[list_sync.person, list_sync.resource].begin(list_sync)
            self.counts.setdefault(list_sync.resource, Counts())
            if list_sync.checkpoint is not None:
                self._states[list_sync] = ListState(
                    first=list_sync.checkpoint.first, newest=list_sync.checkpoint.newest
                )
        return begun

    def restart(self, list_sync: ListSync) -> ListSync:
        """Return the list sync without its checkpoint, which stays stored until a page replaces it."""
        return replace(list_sync, checkpoint=None)

    def has_advanced(self, list_sync: ListSync) -> bool:
        """Whether a resumed list sync got beyond the page of its checkpoint."""
        return self._states[list_sync].pages > 1

    def positions(self, person: Person, resource: str) -> Positions:
        """Return how far each part has been read; empty where everything is to be read again."""
        return resume_positions(self.store, person, resource, self.run)

    def parts_of(self, list_sync: ListSync, column: str) -> list[str]:
        """Return accounts, service points or institutions of a person, from this list sync and from earlier ones."""
        where = {"arrangement_id": sorted(self._in_force(list_sync)), "vanished_at": None}
        rows = self.store.tuples(_MARKED[list_sync.resource], (column,), list_sync.person.household_id, where=where)
        known = {str(value) for (value,) in rows}
        return sorted(known | self._states[list_sync].columns[column])

    # ---- what was read

    def page(self, list_sync: ListSync, page: Page) -> None:
        """Store a page, whole or not at all: drop forgotten and superseded records, make rows, redact, write."""
        state = self._states[list_sync]
        state.pages += 1
        if page.cursor is None:
            state.first = not has_rows(self.store, list_sync)
        wanted, home = page, list_sync.person.household_id
        if self._tombstones:
            wanted = page.where(lambda record: not self._tombstones.cover(owner_ids(record), home))
        self.arrangements.add(list_sync.person, wanted.records, ())
        # What another consent of the institution gives too would replace its rows: it counts as unchanged.
        current = without_superseded(list_sync.resource, wanted, self._outranked)
        superseded = len(wanted.records) - len(current.records)
        parsed = rows_of(list_sync.resource, current.records, current.raws, self._scope(list_sync), page.unparsed)
        parsed.refused += [refusal(entry.raw, entry.reason, spelling=self.spelling) for entry in page.rejected]
        state.refuse(parsed.refused)
        rows = self._tombstones.filter_rows(parsed, home)
        rows.problems += other_word(list_sync.person.end_user_id, page, self.spelling)
        with self.store.transaction():
            storable = self._repeated_reads.storable(list_sync, rows)
            counts = self._store(list_sync, storable) + Counts(fetched=superseded, unchanged=superseded)
            self._receipt(list_sync, self._next_page(list_sync), counts)
            if not self._repeated_reads.has_deferred(list_sync):  # resuming after this page would lose deferred reads
                self._checkpoints.keep(list_sync, page, first=state.first, newest=state.newest)
        self.pages_kept += 1
        self._note(list_sync, rows)

    def finish(self, list_sync: ListSync) -> None:
        """Finish a complete list sync: mark vanished rows and move the position."""
        progress = self._progress[list_sync.person, list_sync.resource]
        state = self._states[list_sync]
        progress.end(list_sync, first=state.first)
        self.arrangements.finished(list_sync)
        in_force = self._in_force(list_sync)
        self._finished.append((list_sync, in_force))
        with self.store.transaction():
            gone = self._remove(list_sync, in_force)
            gone.count += drop_corrected(self.store, list_sync, state.ids, state.reads)
            counts = self._repeated_reads.store_latest(list_sync, state.reads) + Counts(removed=gone.count)
            if counts != Counts():
                self._receipt(list_sync, self._next_page(list_sync), counts)
            move(self.store, list_sync, progress, state.newest, self.run)
            self._checkpoints.drop(list_sync)
        self._problems.update(dict.fromkeys(gone.problems))

    def finish_run(self) -> None:
        """Look again for vanished rows under arrangements that only later lists have shown to be in force."""
        for list_sync, before in self._finished:
            if (in_force := self._in_force(list_sync)) != before:
                with self.store.transaction():
                    gone = self._remove(list_sync, in_force)
                    if gone.count:
                        self._receipt(list_sync, self._next_page(list_sync), Counts(removed=gone.count))
                self._problems.update(dict.fromkeys(gone.problems))

    def _remove(self, list_sync: ListSync, in_force: set[str]) -> Gone:
        state, progress = self._states[list_sync], self._progress[list_sync.person, list_sync.resource]
        if list_sync.complete and state.pages and state.first:  # what was stored of the list came with these pages
            gone = Gone()
        else:
            gone = remove_vanished(self.store, list_sync, state.ids | state.refused, in_force, self.now)
        if gone.count:
            self._mark_spending(list_sync)
        if progress.all_ended_well and progress.complete and not progress.resumed:
            gone.problems += self._quarantine.release_unmet(list_sync, progress.parts, in_force)
        return gone

    def _in_force(self, list_sync: ListSync) -> set[str]:
        return self.arrangements.in_force(list_sync.person) | self._states[list_sync].columns["arrangement_id"]

    def failed(self, list_sync: ListSync, error: ToolkitError) -> None:
        """Note an interrupted list sync: its resource is not fresh, its position and checkpoint stay.

        After a PaginationError the next list sync begins at the first page.
        """
        self._progress[list_sync.person, list_sync.resource].break_off()
        self.arrangements.failed(list_sync, error)
        if isinstance(error, PaginationError):
            self._checkpoints.drop(list_sync)

    def retry_quarantine(self) -> None:
        """Store quarantined records that this version can read."""
        for row in self._quarantine.waiting():
            list_sync = ListSync(Person(row.household_id, ""), row.resource)
            rows = self._read_again(list_sync, row.raw)
            if rows.counted and not self._recognition.is_taken(list_sync.person.household_id, rows):
                self._unparsed.add(list_sync.resource, rows.unparsed)
                with self.store.transaction():
                    self._store(list_sync, rows)
                    remove_from_quarantine(self.store, row)

    # ---- inside

    def _read_again(self, list_sync: ListSync, raw: str) -> PageRows:
        try:
            page = read_alone(endpoint(list_sync.resource), raw.encode(), self.spelling)
        except InvalidResponseError:
            return PageRows()
        return rows_of(list_sync.resource, page.records, page.raws, self._scope(list_sync), page.unparsed)

    def _scope(self, list_sync: ListSync) -> Scope:
        """Return the owner of a list sync's records, and the meter registers with controlled load."""
        person = list_sync.person
        registers: Iterable[tuple[str, str]] = ()
        if list_sync.resource == "energy.usage":
            columns = ("service_point_id", "register_suffix")
            found = self.store.tuples("registers", columns, person.household_id, where={"controlled_load": True})
            registers = ((str(point), str(suffix)) for point, suffix in found)
        return Scope(person.household_id, self.now, person.end_user_id, list_sync.part, frozenset(registers))

    def _store(self, list_sync: ListSync, rows: PageRows) -> Counts:
        """Write a page's rows within the caller's transaction."""
        joined = self._recognition.recognise(list_sync.person.household_id, rows)
        counts = Counts(fetched=len(rows.refused), rejected=len(rows.refused), removed=joined)
        for name, counted in rows.counted.items():
            written = self.store.upsert(name, counted)
            counts += Counts(written.total, written.added, written.updated, written.unchanged)
            if name in _SPENDING and counts.changed:
                self._mark_spending(list_sync)
        for name, further in rows.further.items():
            self.store.upsert(name, further)
        retire_plans(self.store, list_sync.person.household_id, rows)
        self._quarantine.keep(list_sync, rows)
        return counts

    def _mark_spending(self, list_sync: ListSync) -> None:
        """Mark the household's roll-ups of spending as stale."""
        household_id = list_sync.person.household_id
        if household_id and list_sync.resource in ("banking.transactions", "banking.accounts"):
            mark_all(self.store, household_id)

    def _note(self, list_sync: ListSync, rows: PageRows) -> None:
        """Record the page's ids, days, problems and unparsed fields."""
        state = self._states[list_sync]
        home = list_sync.person.household_id
        if home not in self._zones:
            self._zones[home] = household_zone(self.store, home)
        state.add(rows, self._zones[home])
        self.arrangements.add(list_sync.person, (), rows.refused)
        self.institutions |= state.columns["institution_id"]
        ids = [possible_ids(refused) for refused in rows.refused]
        earlier = still_in_use(self.store, list_sync, sorted(set().union(*ids)))
        refusals = [
            Problem(found.id, f"{list_sync.resource}: {found.reason}{_STAYS if own & earlier else ''}")
            for found, own in zip(rows.refused, ids, strict=True)
        ]
        self._problems.update(dict.fromkeys([*refusals, *rows.problems]))
        self._unparsed.add(list_sync.resource, rows.unparsed)

    def _next_page(self, list_sync: ListSync) -> int:
        progress = self._progress[list_sync.person, list_sync.resource]
        progress.page += 1
        return progress.page

    def _receipt(self, list_sync: ListSync, page: int, counts: Counts) -> None:
        row: Record = {
            "run_id": self.run.id,
            "household_id": list_sync.person.household_id,
            "end_user_id": list_sync.person.end_user_id,
            "resource": list_sync.resource,
            "page": page,
            **counts.as_json(),
        }
        self.store.upsert("receipts", [row])
        self.counts[list_sync.resource] = self.counts.get(list_sync.resource, Counts()) + counts
