"""The consents of a person: stored as the service lists them, else inferred from the records of this run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from toolkit.errors import ConsentRequiredError, Problem, RequestRejectedError, ToolkitError
from toolkit.flows.consent.consents import arrangements_of_records, consent_row, has_records, resources_under
from toolkit.store import Store
from toolkit.store.sync_state import is_forgotten
from toolkit.sync.consents import NO_RECORDS, UNLISTED, awaits_records, is_listed, is_replaced, join, lists_with
from toolkit.sync.list_sync import ListSync, Person
from toolkit.sync.pages import UnparsedFields
from toolkit.tables.rows.records import PageRows, Refusal, refusal, rows_of
from toolkit.tables.rows.values import Scope
from toolkit.wire.decoding.pages import Listing
from toolkit.wire.decoding.spelling import Spelling
from toolkit.wire.records import ConsentRecord

CONSENTS = "consents"
NO_LONGER_REFUSED = "no longer given in a form that cannot be read: taken out of quarantine"


@dataclass(frozen=True, slots=True)
class ReadConsents:
    """rows: of the table. refused: those that cannot be read. problems: these, and fields left empty."""

    rows: list[dict[str, Any]]
    refused: list[Refusal]
    problems: list[Problem]

    @property
    def active(self) -> set[str]:
        """Arrangements in force."""
        return {row["arrangement_id"] for row in self.rows if row["state"] == "active"}


def read_consents(
    store: Store, person: Person, given: Listing[ConsentRecord], now: datetime, spelling: Spelling
) -> ReadConsents:
    """Store the consents of one end user; forgotten ones are left out, and not named either.

    given: the whole list. A stored one that it holds no more has ended, unless a record of it cannot be read: that
    may be the one. One that it never held, known from records or from a consent flow, stays as it is.
    """
    wanted = given.where(lambda record: not _is_forgotten(store, person, record.arrangement_id))
    scope = Scope(person.household_id, now, end_user_id=person.end_user_id)
    page = rows_of(CONSENTS, wanted.records, wanted.raws, scope, wanted.unparsed)
    unreadable = [refusal(entry.raw, entry.reason, spelling=spelling) for entry in given.rejected]
    page.refused += [found for found in unreadable if not _is_forgotten(store, person, str(found.arrangement_id))]
    with store.transaction():
        rows = page.counted.get(CONSENTS, [])
        store.upsert(CONSENTS, rows)
        _drop_listed_flows(store, person, {row["consent_id"] for row in rows})
        if not page.refused:
            _end_unlisted(store, person, {row["arrangement_id"] for row in rows})
        settled = _settle_quarantine(store, person, page, now)
    return ReadConsents(rows, page.refused, [*_problems(page), *settled])


def _is_forgotten(store: Store, person: Person, arrangement_id: str) -> bool:
    return is_forgotten(store, "arrangement", arrangement_id, person.household_id)


def _drop_listed_flows(store: Store, person: Person, consent_ids: Collection[str | None]) -> None:
    """The list names the arrangement of a flow's consent, which stood in for it until now."""
    for row in store.rows("consents", person.household_id, where={"end_user_id": person.end_user_id}):
        if awaits_records(row) and row["consent_id"] in consent_ids:
            store.delete("consents", {"household_id": person.household_id, "arrangement_id": row["arrangement_id"]})


def _end_unlisted(store: Store, person: Person, listed: set[str]) -> None:
    where = {"end_user_id": person.end_user_id, "state": "active"}
    for row in store.rows("consents", person.household_id, where=where):
        if is_listed(row) and row["arrangement_id"] not in listed:
            key = {name: row[name] for name in ("household_id", "arrangement_id")}
            over = {"state": "ended", "termination_reason": UNLISTED, "ended_at": last_seen(store, person, row)}
            store.update("consents", over, key)


def last_seen(
    store: Store, person: Person, consent: Mapping[str, Any], before: datetime | None = None
) -> datetime | None:
    """The latest run (begun before that time) that pulled for the person, or when the consent was given."""
    own = {"end_user_id": person.end_user_id}
    runs = {run for (run,) in store.tuples("receipts", ("run_id",), person.household_id, where=own)}
    timestamps = [row["started_at"] for row in store.rows("runs", where={"run_id": sorted(map(str, runs))})]
    earlier = [timestamp for timestamp in timestamps if before is None or timestamp < before]
    return max((timestamp for timestamp in (*earlier, consent["granted_at"]) if timestamp), default=None)


def quarantined(household_id: str, resource: str, refused: Refusal, now: datetime) -> dict[str, Any]:
    """A record set aside, as a row of `quarantine`."""
    return {
        "household_id": household_id,
        "resource": resource,
        "id": refused.id,
        "reason": refused.reason,
        "raw": refused.raw,
        "arrangement_id": refused.arrangement_id,
        "seen_at": now,
    }


def _problems(page: PageRows) -> list[Problem]:
    unparsed = UnparsedFields()
    unparsed.add(CONSENTS, page.unparsed)
    refused = [Problem(found.arrangement_id or found.id, f"{CONSENTS}: {found.reason}") for found in page.refused]
    return [*refused, *unparsed.problems]


def _settle_quarantine(store: Store, person: Person, page: PageRows, now: datetime) -> list[Problem]:
    """Every sync reads all of a person's consents, so those set aside before were met again, or are gone."""
    listed = {row["arrangement_id"] for row in page.counted.get(CONSENTS, [])}
    listed |= {found.arrangement_id for found in page.refused if found.arrangement_id}
    kept = {found.id for found in page.refused}
    alone = store.count("end_users", person.household_id) == 1
    problems = []
    for row in store.rows("quarantine", person.household_id, where={"resource": CONSENTS}):
        if row["id"] in kept or not (alone or row["arrangement_id"] in listed):
            continue
        store.delete("quarantine", {name: row[name] for name in ("household_id", "resource", "id")})
        if row["arrangement_id"] not in listed:
            problems.append(_gone(row))
    store.upsert("quarantine", [quarantined(person.household_id, CONSENTS, found, now) for found in page.refused])
    return problems


def _gone(row: Mapping[str, Any]) -> Problem:
    return Problem(row["arrangement_id"] or row["id"], f"{row['resource']}: {NO_LONGER_REFUSED}", "warning")


Row = dict[str, Any]
NOT_FOUND = 404


class Arrangements:
    """Arrangements of this run's records. The service's list adds to them, and decides which of its own have ended.

    listed: end users whose list was read in this run.
    """

    def __init__(self, store: Store, now: datetime, listed: Collection[Person] = ()) -> None:
        self.store, self.now = store, now
        self._listed = listed
        self._carried: dict[Person, dict[str, str | None]] = defaultdict(dict)
        self._read: dict[tuple[Person, str], bool] = {}

    def add(self, person: Person, records: Iterable[object], refused: Iterable[Refusal]) -> None:
        """Note under which arrangements records came, also those that cannot be read."""
        carried = self._carried[person]
        for record in (*records, *refused):
            arrangement = getattr(record, "arrangement_id", None)
            if arrangement:
                carried[arrangement] = carried.get(arrangement) or getattr(record, "institution_id", None)

    def finished(self, list_sync: ListSync) -> None:
        """A list was read to its end; one that was resumed has not shown all."""
        self._note(list_sync, whole=list_sync.checkpoint is None)

    def failed(self, list_sync: ListSync, error: ToolkitError) -> None:
        """Note an interrupted list. One without consent, or unknown to the service, counts as read to its end without
        records.
        """
        absent = isinstance(error, RequestRejectedError) and error.status == NOT_FOUND
        self._note(list_sync, whole=absent or isinstance(error, ConsentRequiredError))

    def _note(self, list_sync: ListSync, *, whole: bool) -> None:
        key = list_sync.person, list_sync.resource
        self._read[key] = self._read.get(key, True) and whole

    def carried(self) -> set[str]:
        """Arrangements of anything that came in this run."""
        return {name for carried in self._carried.values() for name in carried}

    def in_force(self, person: Person) -> set[str]:
        """Arrangements under which a record can be missed: in force by the list, or something came under them."""
        if person not in self._listed:
            return set(self._carried[person])
        of_list = [row for row in self._stored(person).values() if is_listed(row)]
        ended = {row["arrangement_id"] for row in of_list if row["state"] != "active"}
        active = {row["arrangement_id"] for row in of_list if row["state"] == "active"}
        return active | (self._carried[person].keys() - ended)

    # ---- at the end of the run

    def conclude(self, people: Collection[Person]) -> None:
        """Store what the run has shown: consents known from records, flows joined with them, and those that ended."""
        with self.store.transaction():
            for person in people:
                self._join(person)
                self._keep_carried(person)
            for household_id in sorted({person.household_id for person in people}):
                self._keep_stored(household_id, [one for one in people if one.household_id == household_id])
            for person in people:
                self._end(person)

    def _join(self, person: Person) -> None:
        """Give flows' consents the arrangement that records carry now."""
        known = self._stored(person)
        flows = [row for row in known.values() if awaits_records(row) and row["arrangement_id"] not in self.carried()]
        arrangements = {name: row for name, row in known.items() if not awaits_records(row)}
        for consent_id, name in join(flows, self._carried[person], arrangements, self.now).items():
            flow = known[consent_id]
            flow_values = {"consent_id": consent_id, "granted_at": flow["granted_at"]}
            before = arrangements.get(name) or consent_row(person.household_id, name, person.end_user_id, None)
            institution = before["institution_id"] or self._carried[person][name] or flow["institution_id"]
            self.store.delete("consents", {"household_id": person.household_id, "arrangement_id": consent_id})
            changes = {} if self._is_as_listed(person, before) else IN_FORCE
            self.store.upsert("consents", [{**before, **flow_values, **changes, "institution_id": institution}])

    def _keep_carried(self, person: Person) -> None:
        """Mark arrangements with records as in force, unless the service's list decides."""
        known = self._stored(person)
        for name, institution in self._carried[person].items():
            row = known.get(name) or consent_row(person.household_id, name, person.end_user_id, institution)
            if self._is_as_listed(person, row):
                continue
            changes = {} if row["state"] == "active" and not self._is_over(row) else IN_FORCE
            kept = {**row, **changes, "institution_id": row["institution_id"] or institution}
            self.store.upsert("consents", [kept])

    def _is_over(self, row: Row) -> bool:
        return row["ends_at"] is not None and row["ends_at"] < self.now

    def _keep_stored(self, household_id: str, people: list[Person]) -> None:
        """Store consents for arrangements of earlier runs; with several people the owner is unknown."""
        known = {row["arrangement_id"] for row in self.store.rows("consents", household_id)}
        own = [row["end_user_id"] for row in self.store.rows("end_users", household_id)]
        for name, institution in arrangements_of_records(self.store, household_id).items():
            if name not in known:
                row = consent_row(household_id, name, own[0] if len(own) == 1 else "", institution)
                if len(people) == len(own) and all(self._brought_nothing(one, row) for one in people):
                    row |= self._ended(people[0], row)
                if row["end_user_id"] or row["state"] != "active":
                    self.store.upsert("consents", [row])

    def _end(self, person: Person) -> None:
        """Where nothing comes under one any more it has ended; its rows stay, and count."""
        for row in self._stored(person).values():
            by_records = not self._is_as_listed(person, row) and not awaits_records(row)
            if row["state"] == "active" and by_records and self._brought_nothing(person, row):
                self.store.upsert("consents", [{**row, **self._ended(person, row)}])

    def _is_as_listed(self, person: Person, row: Row) -> bool:
        return person in self._listed and is_listed(row)

    def _ended(self, person: Person, row: Row) -> Row:
        return {
            "state": "ended",
            "termination_reason": NO_RECORDS,
            "ended_at": last_seen(self.store, person, row, before=self.now),
        }

    def _brought_nothing(self, person: Person, row: Row) -> bool:
        """Whether every list that had records of the arrangement was read to its end without any."""
        name, carried = row["arrangement_id"], self._carried[person]
        if name in carried:
            return False
        needed = lists_with(resources_under(self.store, person.household_id, name))
        if not needed:
            return is_replaced(row, carried) and not has_records(self.store, person.household_id, name)
        return all(self._read.get((person, resource), False) for resource in needed)

    def _stored(self, person: Person) -> dict[str, Row]:
        rows = self.store.rows("consents", person.household_id, where={"end_user_id": person.end_user_id})
        return {row["arrangement_id"]: row for row in rows}


IN_FORCE: Row = {"state": "active", "termination_reason": None, "ends_at": None, "ended_at": None, "renews": None}
"""What is known of a consent that only its records show to be in force."""
