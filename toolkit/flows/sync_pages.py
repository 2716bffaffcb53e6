"""Pages into the store: rows, receipt, quarantine and stale months of a page are one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from toolkit.api.paging import LedAstray
from toolkit.errors import BadAnswer, Problem, ToolkitError
from toolkit.flows import sync_removal
from toolkit.flows.sync_consents import NO_LONGER_REFUSED, quarantined
from toolkit.flows.sync_places import Places
from toolkit.flows.sync_removal import read_key
from toolkit.flows.sync_renewals import outranked
from toolkit.flows.tombstones import tombstone
from toolkit.sync.months import EVERY, last_booked_day, months_of
from toolkit.sync.positions import Positions, moved, read_positions, written_positions
from toolkit.sync.tallies import Tally
from toolkit.sync.unread import UnreadFields
from toolkit.sync.walks import RESOURCES, Person, Walk, full_walk_due
from toolkit.tables.rows import AS_STORED, PageRows, Refusal, Scope, refusal, rows_of
from toolkit.wire.endpoints import endpoint
from toolkit.wire.pages import Page, read_alone
from toolkit.wire.spelling import Spelling

if TYPE_CHECKING:
    from toolkit.store import Store

_TOLD = ("id", "account_id", "service_point_id", "arrangement_id", "institution_id")
_SPENDING = ("transactions", "accounts")
"""Tables whose changes may move spending."""
_HOUSE = Spelling()
_FORGETTABLE = (
    ("arrangement", "arrangement_id"),
    ("account", "account_id"),
    ("service_point", "service_point_id"),
)


@dataclass(frozen=True, slots=True)
class Run:
    """One sync. full: everything is read anew. today: the day beyond which no position moves."""

    id: str
    started: datetime
    today: date
    full: bool = False


@dataclass(slots=True)
class Seen:
    """What a walk has brought so far. newest: latest day by which the service's windows go. reads: keys.

    first: whether nothing of its list was stored before it.
    """

    pages: int = 0
    first: bool = True
    ids: set[str] = field(default_factory=set)
    reads: set[tuple[str, ...]] = field(default_factory=set)
    columns: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    newest: date | None = None


@dataclass(slots=True)
class _Progress:
    """The walks of one resource of one person: how many are open, and whether all so far were whole and unbounded.

    resumed: whether one of them has only read the rest of what an earlier run began.
    """

    open: int = 0
    page: int = 0
    parts: set[str] = field(default_factory=set)
    whole: bool = True
    complete: bool = True
    resumed: bool = False


class Keeper:
    """The one writer of a run. All of it runs in the thread that opened the store."""

    def __init__(self, store: Store, run: Run, spelling: Spelling = _HOUSE) -> None:
        self.store, self.run, self.now, self.spelling = store, run, run.started, spelling
        self.tallies: dict[str, Tally] = {}
        self.institutions: set[str] = set()
        self.pages_kept = 0
        self._problems: dict[Problem, None] = {}
        self._unread = UnreadFields()
        self._refused: set[tuple[str, str, str]] = set()
        self._seen: dict[Walk, Seen] = defaultdict(Seen)
        self._progress: dict[tuple[Person, str], _Progress] = defaultdict(_Progress)
        self._places = Places(store, self.now)
        self._outranked = outranked(store)
        self._forgotten = {row["hash"] for row in store.rows("tombstones")}
        self._quarantined = {(row["household_id"], row["resource"]) for row in store.rows("quarantine")}

    @property
    def problems(self) -> list[Problem]:
        return [*self._problems, *self._unread.problems]

    # ---- what to read

    def begin(self, walks: Iterable[Walk]) -> list[Walk]:
        """The walks to read: a resource is fresh when all of its walks have ended well.

        One that was cut short earlier goes on where it came to, unless everything is to be read anew.
        """
        begun = [walk if self.run.full else self._places.resumed(walk) for walk in walks]
        for walk in begun:
            progress = self._progress[walk.person, walk.resource]
            progress.open += 1
            if walk.part not in progress.parts:  # else a resumed walk of the part is followed by its latest rows
                progress.complete &= walk.complete
            progress.parts.add(walk.part)
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
        row = self._position_row(person, resource)
        if self.run.full or full_walk_due(row.get("full_walk_at"), self.now):
            return {}
        return read_positions(row.get("position"))

    def read_to(self, walk: Walk) -> date | None:
        """How far the part of a walk has been read."""
        return read_positions(self._position_row(walk.person, walk.resource).get("position")).get(walk.part)

    def parts_of(self, walk: Walk, column: str) -> list[str]:
        """Accounts, service points or institutions of a person: those of this walk, and those known from before."""
        known = sync_removal.still_there(self.store, walk, self._seen[walk].columns["arrangement_id"], column)
        return sorted(known | self._seen[walk].columns[column])

    # ---- what was read

    def page(self, walk: Walk, page: Page) -> None:
        """Store a page, whole or not at all."""
        progress, seen = self._progress[walk.person, walk.resource], self._seen[walk]
        progress.page += 1
        seen.pages += 1
        if page.cursor is None and page.next is not None:
            seen.first = not sync_removal.is_stored(self.store, walk)
        records, raws = self._not_forgotten(page)
        records, raws, given_twice = self._not_given_twice(walk, records, raws)
        rows = rows_of(walk.resource, records, raws, self._scope(walk), page.unread)
        rows.refused += self._set_aside(page)
        with self.store.transaction():
            tally = self._store(walk, rows) + Tally(fetched=given_twice, unchanged=given_twice)
            self._receipt(walk, progress.page, tally)
            self._places.keep(walk, page, first=seen.first, newest=seen.newest)
        self.pages_kept += 1
        self._note(walk, rows)

    def finish(self, walk: Walk) -> None:
        """A walk has reached its end: what is gone leaves the totals, and the position moves."""
        progress = self._progress[walk.person, walk.resource]
        progress.open -= 1
        seen = self._seen[walk]
        if walk.place is not None:
            progress.resumed = True
            progress.complete &= seen.first
        with self.store.transaction():
            gone = sync_removal.remove(self.store, walk, seen.ids, seen.columns["arrangement_id"], self.now)
            gone.count += sync_removal.drop_corrected(self.store, walk, seen.ids, seen.reads)
            if gone.count:
                progress.page += 1
                self._receipt(walk, progress.page, Tally(removed=gone.count))
                self._mark(walk, {EVERY})
            if progress.open == 0 and progress.whole and progress.complete and not progress.resumed:
                gone.problems += self._no_longer_refused(walk)
            self._move(walk, progress)
            self._places.drop(walk)
        self._problems.update(dict.fromkeys(gone.problems))

    def broke_off(self, walk: Walk, error: ToolkitError) -> None:
        """A walk ended before its time: the resource is not fresh, its position stays, and so does its place.

        Links that lead astray will do so again: the next walk begins at the first page.
        """
        progress = self._progress[walk.person, walk.resource]
        progress.open -= 1
        progress.whole = False
        if isinstance(error, LedAstray):
            self._places.drop(walk)

    def retry_quarantine(self) -> None:
        """Records set aside earlier go in where this version can read them; consents are all read anew anyway."""
        for row in self.store.rows("quarantine", where={"resource": RESOURCES}):
            walk = Walk(Person(row["household_id"], ""), row["resource"])
            rows = self._read_again(walk, row["raw"])
            if rows.counted:
                self._unread.add(walk.resource, rows.unread)
                with self.store.transaction():
                    self._store(walk, rows)
                    self.store.delete("quarantine", {name: row[name] for name in ("household_id", "resource", "id")})

    # ---- inside

    def _read_again(self, walk: Walk, raw: str) -> PageRows:
        try:
            page = read_alone(endpoint(walk.resource), raw.encode(), self.spelling)
        except BadAnswer:
            return PageRows()
        return rows_of(walk.resource, page.records, page.raws, self._scope(walk), page.unread)

    def _scope(self, walk: Walk) -> Scope:
        """Whose records a walk brings; reads are told which registers measure controlled load."""
        person = walk.person
        loads = self._controlled(person.household_id) if walk.resource == "energy.usage" else frozenset()
        return Scope(person.household_id, self.now, person.end_user_id, walk.part, loads)

    def _controlled(self, household_id: str) -> frozenset[tuple[str, str]]:
        columns = ("service_point_id", "register_suffix")
        found = self.store.tuples("registers", columns, household_id, where={"controlled_load": True})
        return frozenset((str(point), str(suffix)) for point, suffix in found)

    def _not_forgotten(self, page: Page) -> tuple[list[Any], list[bytes]]:
        if not self._forgotten:
            return page.records, page.raws
        pairs = zip(page.records, page.raws, strict=True)
        kept = [pair for pair in pairs if not self._is_forgotten(pair[0])]
        return [record for record, _ in kept], [raw for _, raw in kept]

    def _set_aside(self, page: Page) -> list[Refusal]:
        """What of a page cannot be read at all; of what was forgotten not even that is kept."""
        found = [refusal(entry.raw, entry.reason, spelling=self.spelling) for entry in page.rejected]
        return [refused for refused in found if not self._is_forgotten(refused)]

    def _not_given_twice(self, walk: Walk, records: list[Any], raws: list[bytes]) -> tuple[list[Any], list[bytes], int]:
        """Balances and reads under a consent that another one outranks would replace those of the other."""
        if walk.resource not in ("banking.balances", "energy.usage") or not self._outranked:
            return records, raws, 0
        pairs = zip(records, raws, strict=True)
        kept = [pair for pair in pairs if _belongs_to(pair[0]) not in self._outranked]
        return [record for record, _ in kept], [raw for _, raw in kept], len(records) - len(kept)

    def _is_forgotten(self, record: Any) -> bool:
        """Whether the record's consent, account or service point was forgotten."""
        if not self._forgotten:
            return False
        named = [(kind, getattr(record, column, None)) for kind, column in _FORGETTABLE]
        return any(identity and tombstone(kind, identity) in self._forgotten for kind, identity in named)

    def _store(self, walk: Walk, rows: PageRows) -> Tally:
        """Write a page's rows within the caller's transaction."""
        tally = Tally(fetched=len(rows.refused), rejected=len(rows.refused))
        for name, counted in rows.counted.items():
            whole = name in AS_STORED
            counts = self.store.upsert(name, [tuple(row.values()) for row in counted] if whole else counted)
            tally += Tally(counts.total, counts.added, counts.updated, counts.unchanged)
            self._make_stale(walk, name, counted, tally)
        for name, further in rows.further.items():
            self.store.upsert(name, further)
        sync_removal.retire_plans(self.store, walk.person.household_id, rows)
        self._quarantine(walk, rows)
        return tally

    def _make_stale(self, walk: Walk, name: str, rows: list[dict[str, Any]], tally: Tally) -> None:
        """A changed row may have left another month, so then every month is stale."""
        if name in _SPENDING and tally.changed:
            only_new = name == "transactions" and not tally.updated
            self._mark(walk, months_of(rows) if only_new else {EVERY})

    def _mark(self, walk: Walk, months: set[str]) -> None:
        household_id = walk.person.household_id
        if household_id and walk.resource in ("banking.transactions", "banking.accounts"):
            self.store.upsert("dirty_months", [{"household_id": household_id, "month": month} for month in months])

    def _quarantine(self, walk: Walk, rows: PageRows) -> None:
        household_id, resource = walk.person.household_id, walk.resource
        if (household_id, resource) in self._quarantined:
            readable = [row["id"] for counted in rows.counted.values() for row in counted if row.get("id")]
            where = {"household_id": household_id, "resource": resource}
            self.store.delete("quarantine", {**where, "id": readable})
        set_aside = [quarantined(household_id, resource, refused, self.now) for refused in rows.refused]
        self.store.upsert("quarantine", set_aside)
        self._refused.update((household_id, resource, refused.id) for refused in rows.refused)

    def _no_longer_refused(self, walk: Walk) -> list[Problem]:
        """Records in quarantine that a whole walk of the resource did not meet again: readable now, or gone."""
        household_id, resource = walk.person.household_id, walk.resource
        problems = []
        for row in self.store.rows("quarantine", household_id, where={"resource": resource}):
            if (household_id, resource, row["id"]) not in self._refused and self._would_be_met(walk, row):
                self.store.delete("quarantine", {name: row[name] for name in ("household_id", "resource", "id")})
                problems.append(Problem(row["id"], f"{resource}: {NO_LONGER_REFUSED}", "warning"))
        return problems

    def _would_be_met(self, walk: Walk, row: dict[str, Any]) -> bool:
        """Whether the walks of this person would have brought the record: others' walks may bring it still."""
        if not walk.person.household_id:
            return any(f'"{part}"' in row["raw"] for part in self._progress[walk.person, walk.resource].parts)
        if row["arrangement_id"] is None:
            return self.store.count("end_users", walk.person.household_id) == 1
        return row["arrangement_id"] in sync_removal.in_force(self.store, walk, set())

    def _note(self, walk: Walk, rows: PageRows) -> None:
        """Remember what the walk has brought, for what follows from it."""
        seen = self._seen[walk]
        for counted in rows.counted.values():
            _remember(seen, counted)
        if walk.resource == "energy.usage":
            for brought in (rows.counted, rows.further):
                seen.reads |= {read_key(name, row) for name, given in brought.items() for row in given}
        self.institutions |= seen.columns["institution_id"]
        refused = [Problem(refused.id, f"{walk.resource}: {refused.reason}") for refused in rows.refused]
        self._problems.update(dict.fromkeys([*refused, *rows.problems]))
        self._unread.add(walk.resource, rows.unread)

    def _receipt(self, walk: Walk, page: int, tally: Tally) -> None:
        whose = {"household_id": walk.person.household_id, "end_user_id": walk.person.end_user_id}
        row = {"run_id": self.run.id, **whose, "resource": walk.resource, "page": page, **tally.as_json()}
        self.store.upsert("receipts", [row])
        self.tallies[walk.resource] = self.tallies.get(walk.resource, Tally()) + tally

    def _position_row(self, person: Person, resource: str) -> dict[str, Any]:
        where = {"end_user_id": person.end_user_id, "resource": resource}
        found = self.store.rows("positions", person.household_id, where=where)
        return found[0] if found else {}

    def _move(self, walk: Walk, progress: _Progress) -> None:
        """The part's position, and when the last walk of the resource has ended well, its freshness."""
        row = self._position_row(walk.person, walk.resource)
        whose = {"household_id": walk.person.household_id, "end_user_id": walk.person.end_user_id}
        changes: dict[str, Any] = {}
        if walk.part and not (walk.pending and not walk.complete):
            positions = moved(read_positions(row.get("position")), walk.part, self._seen[walk].newest, self.run.today)
            changes["position"] = written_positions(positions)
        if progress.open == 0 and progress.whole and walk.place is None:
            changes["fresh_at"] = self.now
            if progress.complete:
                changes["full_walk_at"] = self.now
        self.store.upsert("positions", [{**row, **whose, "resource": walk.resource, **changes}])


def _belongs_to(record: Any) -> tuple[str, str]:
    own = getattr(record, "account_id", None) or getattr(record, "service_point_id", None)
    return str(own), str(record.arrangement_id)


def _remember(seen: Seen, rows: list[dict[str, Any]]) -> None:
    """Column by column, for there may be a thousand rows; those of a table have the same columns."""
    for name in _TOLD:
        if name in rows[0]:
            seen.columns[name].update(row[name] for row in rows if row[name])
    seen.ids = seen.columns["id"]
    newest = _last_meter_day(rows) if "register_suffix" in rows[0] else last_booked_day(rows)
    if newest is not None and (seen.newest is None or newest > seen.newest):
        seen.newest = newest


def _last_meter_day(rows: list[dict[str, Any]]) -> date | None:
    days = [str(day) for row in rows if (day := row.get("date") or row.get("end_date"))]
    return date.fromisoformat(max(days)) if days else None
