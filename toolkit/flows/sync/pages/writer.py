"""Pages into the store: rows, receipt, quarantine, place and stale months of a page are one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace

from toolkit.api.paging import PaginationError
from toolkit.errors import InvalidResponseError, Problem, ToolkitError
from toolkit.flows.forget.redaction import redact_stored
from toolkit.flows.money.classified import household_zone
from toolkit.flows.money.rollups import mark_all
from toolkit.flows.sync import removal as sync_removal
from toolkit.flows.sync.arrangements import Arrangements
from toolkit.flows.sync.checkpoints import Places
from toolkit.flows.sync.pages.forgotten_filter import Sieve
from toolkit.flows.sync.pages.known_rows import Recognition
from toolkit.flows.sync.pages.quarantine import Quarantine
from toolkit.flows.sync.pages.repeated_reads import Contested
from toolkit.flows.sync.positions import ResourceWalks, Run, move, to_go_on_from
from toolkit.store import Store
from toolkit.sync.counts import Tally
from toolkit.sync.list_state import Seen, given_twice, possible_ids
from toolkit.sync.list_sync import Person, Walk
from toolkit.sync.platform_word import other_word
from toolkit.sync.positions import Positions
from toolkit.sync.unparsed_fields import UnreadFields
from toolkit.tables.rows.records import AS_STORED, PageRows, Refusal, Scope, refusal, rows_of
from toolkit.wire.decoding.pages import Page, read_alone
from toolkit.wire.decoding.spelling import Spelling
from toolkit.wire.endpoints import endpoint

_SPENDING = ("transactions", "accounts")
"""Tables whose changes may change spending."""
_STAYS = "; what was stored of it before stays"
_HOUSE = Spelling()


class Keeper:
    """The one writer of a run. All of it runs in the thread that opened the store."""

    def __init__(self, store: Store, run: Run, spelling: Spelling = _HOUSE, listed: Collection[Person] = ()) -> None:
        self.store, self.run, self.now, self.spelling = store, run, run.started, spelling
        self.tallies: dict[str, Tally] = {}
        self.institutions: set[str] = set()
        self.pages_kept = 0
        self._problems: dict[Problem, None] = {}
        self._zones: dict[str, str] = {}
        self._unread = UnreadFields()
        self._seen: dict[Walk, Seen] = defaultdict(Seen)
        self._progress: dict[tuple[Person, str], ResourceWalks] = defaultdict(ResourceWalks)
        self._places = Places(store, self.now, run.platform)
        self._quarantine = Quarantine(store, self.now)
        self._sieve = Sieve(store)
        self._contested = Contested(store)
        self._recognition = Recognition(store)
        self.arrangements = Arrangements(store, self.now, listed)
        self._finished: list[tuple[Walk, set[str]]] = []

    @property
    def problems(self) -> list[Problem]:
        twice = [read for walk, seen in self._seen.items() for read in given_twice(walk.part, seen.twice)]
        return [*self._problems, *dict.fromkeys(twice), *self._unread.problems]

    # ---- what to read

    def begin(self, walks: Iterable[Walk]) -> list[Walk]:
        """The walks to read: a resource is fresh when all of its walks have ended well.

        One that was cut short earlier goes on where it came to, unless everything is to be read anew.
        """
        begun = [walk if self.run.full else self._places.resumed(walk) for walk in walks]
        for walk in begun:
            self._progress[walk.person, walk.resource].begin(walk)
            self.tallies.setdefault(walk.resource, Tally())
            if walk.place is not None:
                self._seen[walk] = Seen(first=walk.place.first, newest=walk.place.newest)
        return begun

    def start_over(self, walk: Walk) -> Walk:
        """The same walk from its first page; its place stays until the walk has come as far as a page of its own."""
        return replace(walk, place=None)

    def came_on(self, walk: Walk) -> bool:
        """Whether a resumed walk got beyond the page that it had brought before."""
        return self._seen[walk].pages > 1

    def positions(self, person: Person, resource: str) -> Positions:
        """How far each part has been read; nothing where everything is to be read again."""
        return to_go_on_from(self.store, person, resource, self.run)

    def parts_of(self, walk: Walk, column: str) -> list[str]:
        """Accounts, service points or institutions of a person: those of this walk, and those known from before."""
        known = sync_removal.still_there(self.store, walk, self._in_force(walk), column)
        return sorted(known | self._seen[walk].columns[column])

    # ---- what was read

    def page(self, walk: Walk, page: Page) -> None:
        """Store a page, whole or not at all."""
        seen = self._seen[walk]
        seen.pages += 1
        if page.cursor is None and page.next is not None:
            seen.first = not sync_removal.is_stored(self.store, walk)
        given = self._sieve.not_forgotten(walk, page)
        self.arrangements.add(walk.person, given.records, ())
        once = self._sieve.given_once(walk, given)
        doubled = len(given.records) - len(once.records)
        brought = rows_of(walk.resource, once.records, once.raws, self._scope(walk), page.unread)
        brought.refused += self._unreadable(page)
        seen.refuse(brought.refused)
        rows = self._sieve.nameless(walk, brought)
        rows.problems += other_word(walk.person.end_user_id, page, self.spelling)
        with self.store.transaction():
            settled = self._contested.without(walk, rows)
            tally = self._store(walk, settled) + Tally(fetched=doubled, unchanged=doubled)
            self._receipt(walk, self._next_page(walk), tally)
            if not self._contested.are_waiting(walk):  # a walk that goes on from here would not bring them again
                self._places.keep(walk, page, first=seen.first, newest=seen.newest)
        self.pages_kept += 1
        self._note(walk, rows)

    def finish(self, walk: Walk) -> None:
        """A walk has reached its end: what is gone leaves the totals, and the position moves."""
        progress = self._progress[walk.person, walk.resource]
        seen = self._seen[walk]
        progress.end(walk, first=seen.first)
        self.arrangements.finished(walk)
        in_force = self._in_force(walk)
        self._finished.append((walk, in_force))
        with self.store.transaction():
            gone = self._remove(walk, in_force)
            gone.count += sync_removal.drop_corrected(self.store, walk, seen.ids, seen.reads)
            tally = self._contested.settle(walk, seen.reads) + Tally(removed=gone.count)
            if tally != Tally():
                self._receipt(walk, self._next_page(walk), tally)
            move(self.store, walk, progress, seen.newest, self.run)
            self._places.drop(walk)
        self._problems.update(dict.fromkeys(gone.problems))

    def finish_run(self) -> None:
        """Look again for what is gone under arrangements that only later lists have shown to be in force."""
        for walk, before in self._finished:
            if (in_force := self._in_force(walk)) != before:
                with self.store.transaction():
                    gone = self._remove(walk, in_force)
                    if gone.count:
                        self._receipt(walk, self._next_page(walk), Tally(removed=gone.count))
                self._problems.update(dict.fromkeys(gone.problems))

    def _remove(self, walk: Walk, in_force: set[str]) -> sync_removal.Gone:
        seen, progress = self._seen[walk], self._progress[walk.person, walk.resource]
        gone = sync_removal.remove(self.store, walk, seen.ids | seen.refused, in_force, self.now)
        if gone.count:
            self._mark(walk)
        if progress.all_ended_well and progress.complete and not progress.resumed:
            gone.problems += self._quarantine.let_go_unmet(walk, progress.parts, in_force)
        return gone

    def _in_force(self, walk: Walk) -> set[str]:
        return self.arrangements.in_force(walk.person) | self._seen[walk].columns["arrangement_id"]

    def broke_off(self, walk: Walk, error: ToolkitError) -> None:
        """A walk ended before its time: the resource is not fresh, its position stays, and so does its place.

        Links that lead astray will do so again: the next walk begins at the first page.
        """
        self._progress[walk.person, walk.resource].break_off()
        self.arrangements.broke_off(walk, error)
        if isinstance(error, PaginationError):
            self._places.drop(walk)

    def redact_stored(self) -> None:
        """What was forgotten and came back all the same, in a record that is of something else, goes."""
        with self.store.transaction():
            redact_stored(self.store)

    def retry_quarantine(self) -> None:
        """Records set aside earlier go in where this version can read them."""
        for row in self._quarantine.waiting():
            walk = Walk(Person(row["household_id"], ""), row["resource"])
            rows = self._read_again(walk, row["raw"])
            if rows.counted and not self._recognition.is_taken(walk.person.household_id, rows):
                self._unread.add(walk.resource, rows.unread)
                with self.store.transaction():
                    self._store(walk, rows)
                    self._quarantine.let_go(row)

    # ---- inside

    def _read_again(self, walk: Walk, raw: str) -> PageRows:
        try:
            page = read_alone(endpoint(walk.resource), raw.encode(), self.spelling)
        except InvalidResponseError:
            return PageRows()
        return rows_of(walk.resource, page.records, page.raws, self._scope(walk), page.unread)

    def _zone(self, household_id: str) -> str:
        """The household's time zone; read once."""
        if household_id not in self._zones:
            self._zones[household_id] = household_zone(self.store, household_id)
        return self._zones[household_id]

    def _scope(self, walk: Walk) -> Scope:
        """Whose records a walk brings; reads are told which registers measure controlled load."""
        person = walk.person
        loads = self._controlled(person.household_id) if walk.resource == "energy.usage" else frozenset()
        return Scope(person.household_id, self.now, person.end_user_id, walk.part, loads)

    def _controlled(self, household_id: str) -> frozenset[tuple[str, str]]:
        columns = ("service_point_id", "register_suffix")
        found = self.store.tuples("registers", columns, household_id, where={"controlled_load": True})
        return frozenset((str(point), str(suffix)) for point, suffix in found)

    def _unreadable(self, page: Page) -> list[Refusal]:
        return [refusal(entry.raw, entry.reason, spelling=self.spelling) for entry in page.rejected]

    def _store(self, walk: Walk, rows: PageRows) -> Tally:
        """Write a page's rows within the caller's transaction."""
        joined = self._recognition.recognise(walk.person.household_id, rows)
        tally = Tally(fetched=len(rows.refused), rejected=len(rows.refused), removed=joined)
        for name, counted in rows.counted.items():
            whole = name in AS_STORED
            counts = self.store.upsert(name, [tuple(row.values()) for row in counted] if whole else counted)
            tally += Tally(counts.total, counts.added, counts.updated, counts.unchanged)
            self._make_stale(walk, name, tally)
        for name, further in rows.further.items():
            self.store.upsert(name, further)
        sync_removal.retire_plans(self.store, walk.person.household_id, rows)
        self._quarantine.keep(walk, rows)
        return tally

    def _make_stale(self, walk: Walk, name: str, tally: Tally) -> None:
        if name in _SPENDING and tally.changed:
            self._mark(walk)

    def _mark(self, walk: Walk) -> None:
        household_id = walk.person.household_id
        if household_id and walk.resource in ("banking.transactions", "banking.accounts"):
            mark_all(self.store, household_id)

    def _note(self, walk: Walk, rows: PageRows) -> None:
        """Remember what the walk has brought, for what follows from it."""
        seen = self._seen[walk]
        seen.add(rows, self._zone(walk.person.household_id))
        self.arrangements.add(walk.person, (), rows.refused)
        self.institutions |= seen.columns["institution_id"]
        self._problems.update(dict.fromkeys([*self._refusals(walk, rows), *rows.problems]))
        self._unread.add(walk.resource, rows.unread)

    def _refusals(self, walk: Walk, rows: PageRows) -> list[Problem]:
        ids = [possible_ids(refused) for refused in rows.refused]
        earlier = sync_removal.stay(self.store, walk, sorted(set().union(*ids)))
        return [
            Problem(found.id, f"{walk.resource}: {found.reason}{_STAYS if own & earlier else ''}")
            for found, own in zip(rows.refused, ids, strict=True)
        ]

    def _next_page(self, walk: Walk) -> int:
        progress = self._progress[walk.person, walk.resource]
        progress.page += 1
        return progress.page

    def _receipt(self, walk: Walk, page: int, tally: Tally) -> None:
        owner_ids = {"household_id": walk.person.household_id, "end_user_id": walk.person.end_user_id}
        row = {"run_id": self.run.id, **owner_ids, "resource": walk.resource, "page": page, **tally.as_json()}
        self.store.upsert("receipts", [row])
        self.tallies[walk.resource] = self.tallies.get(walk.resource, Tally()) + tally
