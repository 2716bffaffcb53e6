"""Write pages to the store: a page's rows, receipt, quarantine, checkpoint and stale months in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace

from toolkit.api.transport import PaginationError
from toolkit.errors import InvalidResponseError, Problem, ToolkitError
from toolkit.flows.forget.redaction import Tombstones
from toolkit.flows.money.classified import household_zone
from toolkit.flows.money.spending import mark_all
from toolkit.flows.sync.consents import Arrangements
from toolkit.flows.sync.duplicates import Recognition, RepeatedReads, outranked, without_superseded
from toolkit.flows.sync.progress import (
    Checkpoints,
    Gone,
    Quarantine,
    ResourceProgress,
    Run,
    drop_corrected,
    has_rows,
    move,
    remove_vanished,
    resume_positions,
    retire_plans,
    still_in_use,
    still_shared,
)
from toolkit.store import Record, Store
from toolkit.store.sync_state import remove_from_quarantine
from toolkit.sync.list_sync import Counts, ListSync, Person, Positions
from toolkit.sync.pages import ListState, UnparsedFields, other_word, possible_ids, repeated_read_problems
from toolkit.tables.rows.records import AS_STORED, PageRows, refusal, rows_of
from toolkit.tables.rows.values import Scope
from toolkit.wire.decoding.pages import Page, read_alone
from toolkit.wire.decoding.spelling import Spelling
from toolkit.wire.endpoints import endpoint

_SPENDING = ("transactions", "accounts")
"""Tables whose changes may change spending."""
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
        known = still_shared(self.store, list_sync, self._in_force(list_sync), column)
        return sorted(known | self._states[list_sync].columns[column])

    # ---- what was read

    def page(self, list_sync: ListSync, page: Page) -> None:
        """Store a page, whole or not at all: drop forgotten and superseded records, make rows, redact, write."""
        state = self._states[list_sync]
        state.pages += 1
        if page.cursor is None and page.next is not None:
            state.first = not has_rows(self.store, list_sync)
        wanted = self._tombstones.filter_page(page, list_sync.person.household_id)
        self.arrangements.add(list_sync.person, wanted.records, ())
        # What another consent of the institution gives too would replace its rows: it counts as unchanged.
        current = without_superseded(list_sync.resource, wanted, self._outranked)
        superseded = len(wanted.records) - len(current.records)
        parsed = rows_of(list_sync.resource, current.records, current.raws, self._scope(list_sync), page.unparsed)
        parsed.refused += [refusal(entry.raw, entry.reason, spelling=self.spelling) for entry in page.rejected]
        state.refuse(parsed.refused)
        rows = self._tombstones.filter_rows(parsed, list_sync.person.household_id)
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

    def _zone(self, household_id: str) -> str:
        """Return the household's time zone; cached."""
        if household_id not in self._zones:
            self._zones[household_id] = household_zone(self.store, household_id)
        return self._zones[household_id]

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
            whole = name in AS_STORED
            written = self.store.upsert(name, [tuple(row.values()) for row in counted] if whole else counted)
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
        state.add(rows, self._zone(list_sync.person.household_id))
        self.arrangements.add(list_sync.person, (), rows.refused)
        self.institutions |= state.columns["institution_id"]
        self._problems.update(dict.fromkeys([*self._refusals(list_sync, rows), *rows.problems]))
        self._unparsed.add(list_sync.resource, rows.unparsed)

    def _refusals(self, list_sync: ListSync, rows: PageRows) -> list[Problem]:
        ids = [possible_ids(refused) for refused in rows.refused]
        earlier = still_in_use(self.store, list_sync, sorted(set().union(*ids)))
        return [
            Problem(found.id, f"{list_sync.resource}: {found.reason}{_STAYS if own & earlier else ''}")
            for found, own in zip(rows.refused, ids, strict=True)
        ]

    def _next_page(self, list_sync: ListSync) -> int:
        progress = self._progress[list_sync.person, list_sync.resource]
        progress.page += 1
        return progress.page

    def _receipt(self, list_sync: ListSync, page: int, counts: Counts) -> None:
        owner_ids = {"household_id": list_sync.person.household_id, "end_user_id": list_sync.person.end_user_id}
        row: Record = {
            "run_id": self.run.id,
            **owner_ids,
            "resource": list_sync.resource,
            "page": page,
            **counts.as_json(),
        }
        self.store.upsert("receipts", [row])
        self.counts[list_sync.resource] = self.counts.get(list_sync.resource, Counts()) + counts
