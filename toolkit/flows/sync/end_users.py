"""For whom a sync pulls: end users, their consents, and the institutions these are with.

Consents are stored as the service lists them, else inferred from the records of this run.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import asdict, replace

from toolkit.errors import (
    ConsentRequiredError,
    InvalidResponseError,
    RateLimitError,
    RequestRejectedError,
    ServerError,
    ToolkitError,
)
from toolkit.flows.consent.consents import (
    arrangements_of_records,
    consents_of,
    has_records,
    resources_under,
    set_connected,
    unlisted_consent,
    upsert_consents,
    waiting,
)
from toolkit.flows.consent.service import Service
from toolkit.flows.household.context import Progress, create_household, find_household
from toolkit.problems import Problem
from toolkit.remedies import Message
from toolkit.store import Store
from toolkit.store.sync_state import add_to_quarantine, is_forgotten, remove_from_quarantine
from toolkit.sync.list_sync import (
    NO_RECORDS,
    UNLISTED,
    ListSync,
    Person,
    awaits_records,
    ended,
    is_listed,
    is_replaced,
    join,
    lists_with,
    not_renewed,
)
from toolkit.sync.pages import UnparsedFields, problems_of
from toolkit.tables.rows.records import PageRows, Refusal, refusal, rows_of
from toolkit.tables.rows.values import Scope
from toolkit.tables.schema import STORED
from toolkit.tables.schema.columns import Reference
from toolkit.tables.schema.identity import ConsentRow, EndUserRow, HouseholdRow
from toolkit.tables.schema.journal import QuarantineRow, RunRow
from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.decoding.pages import Listing
from toolkit.wire.records import ConsentRecord

CONSENTS = "consents"
NO_LONGER_REFUSED = "no longer given in a form that cannot be read: taken out of quarantine"


@dataclass(frozen=True, slots=True)
class ReadConsents:
    """A person's consents as the service listed them."""

    active: frozenset[str]
    """Arrangements in force."""
    refused: list[Refusal]
    """Records that cannot be read."""
    problems: list[Problem]
    """Refused records, and fields left empty."""


def read_consents(
    store: Store, person: Person, given: Listing[ConsentRecord], now: datetime, spelling: Spelling
) -> ReadConsents:
    """Store the consents of one end user, except forgotten ones, which are not named in a problem either.

    given: the whole list. A stored consent that it no longer contains has ended, unless a record of the list cannot be
    read, as that may be the one. A consent known only from records or from a consent flow stays as it is.
    """
    wanted = given.where(lambda record: not _is_forgotten(store, person, record.arrangement_id))
    scope = Scope(person.household_id, now, end_user_id=person.end_user_id)
    page = rows_of(CONSENTS, wanted.records, wanted.raws, scope, wanted.unparsed)
    unreadable = [refusal(entry.raw, entry.reason, spelling=spelling) for entry in given.rejected]
    page.refused += [found for found in unreadable if not _is_forgotten(store, person, str(found.arrangement_id))]
    with store.transaction():
        rows = page.counted.get(CONSENTS, [])
        store.upsert(CONSENTS, rows)
        # The list names the arrangement of a flow's consent, which stood in for it until now.
        consent_ids = {row["consent_id"] for row in rows}
        for stored in consents_of(store, person).values():
            if awaits_records(stored) and stored.consent_id in consent_ids:
                store.delete("consents", {"household_id": person.household_id, "arrangement_id": stored.arrangement_id})
        if not page.refused:
            _end_unlisted(store, person, {row["arrangement_id"] for row in rows})
        settled = _settle_quarantine(store, person, page, now)
    active = frozenset(row["arrangement_id"] for row in rows if row["state"] == "active")
    return ReadConsents(active, page.refused, [*_problems(page), *settled])


def _is_forgotten(store: Store, person: Person, arrangement_id: str) -> bool:
    return is_forgotten(store, "arrangement", arrangement_id, person.household_id)


def _end_unlisted(store: Store, person: Person, listed: set[str]) -> None:
    for row in consents_of(store, person).values():
        if row.state == "active" and is_listed(row) and row.arrangement_id not in listed:
            seen_at = last_seen(store, person, row)
            upsert_consents(store, replace(row, state="ended", termination_reason=UNLISTED, ended_at=seen_at))


def last_seen(store: Store, person: Person, consent: ConsentRow, before: datetime | None = None) -> datetime | None:
    """Return the start of the latest run (begun before that time) that pulled for the person, or when the consent was
    given.
    """
    own = {"end_user_id": person.end_user_id}
    runs = {run for (run,) in store.tuples("receipts", ("run_id",), person.household_id, where=own)}
    timestamps = [run.started_at for run in store.load(RunRow, where={"run_id": sorted(map(str, runs))})]
    earlier = [timestamp for timestamp in timestamps if before is None or timestamp < before]
    return max((timestamp for timestamp in (*earlier, consent.granted_at) if timestamp), default=None)


def quarantined(household_id: str, resource: str, refused: Refusal, now: datetime) -> QuarantineRow:
    """Return a record that cannot be read as a row of `quarantine`."""
    return QuarantineRow(
        household_id, resource, refused.id, refused.reason, refused.raw, refused.arrangement_id, seen_at=now
    )


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
    for row in store.load(QuarantineRow, person.household_id, where={"resource": CONSENTS}):
        if row.id in kept or not (alone or row.arrangement_id in listed):
            continue
        remove_from_quarantine(store, row)
        if row.arrangement_id not in listed:
            problems.append(Problem(row.arrangement_id or row.id, f"{CONSENTS}: {NO_LONGER_REFUSED}", "warning"))
    add_to_quarantine(store, (quarantined(person.household_id, CONSENTS, found, now) for found in page.refused))
    return problems


NOT_FOUND = 404


class Arrangements:
    """Arrangements of this run's records. The service's list adds to them, and decides which of its own have ended."""

    def __init__(self, store: Store, now: datetime, listed: Collection[Person] = ()) -> None:
        """listed: end users with a list of consents that was read in this run."""
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
        """Note a list that was read to its end; a resumed one has not shown all."""
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
        """Return the arrangements of all records of this run."""
        return {name for carried in self._carried.values() for name in carried}

    def in_force(self, person: Person) -> set[str]:
        """Return the arrangements under which a record can be missing: active by the list, or with records now."""
        if person not in self._listed:
            return set(self._carried[person])
        of_list = [row for row in consents_of(self.store, person).values() if is_listed(row)]
        ended = {row.arrangement_id for row in of_list if row.state != "active"}
        active = {row.arrangement_id for row in of_list if row.state == "active"}
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
        known = consents_of(self.store, person)
        flows = [row for row in known.values() if awaits_records(row) and row.arrangement_id not in self.carried()]
        arrangements = {name: row for name, row in known.items() if not awaits_records(row)}
        for consent_id, name in join(flows, self._carried[person], arrangements, self.now).items():
            flow = known[consent_id]
            before = arrangements.get(name) or unlisted_consent(person.household_id, name, person.end_user_id, None)
            institution = before.institution_id or self._carried[person][name] or flow.institution_id
            after = replace(before, consent_id=consent_id, granted_at=flow.granted_at, institution_id=institution)
            self.store.delete("consents", {"household_id": person.household_id, "arrangement_id": consent_id})
            upsert_consents(self.store, after if self._is_as_listed(person, before) else _in_force(after))

    def _keep_carried(self, person: Person) -> None:
        """Mark arrangements with records as in force, unless the service's list decides."""
        known = consents_of(self.store, person)
        for name, institution in self._carried[person].items():
            row = known.get(name) or unlisted_consent(person.household_id, name, person.end_user_id, institution)
            if self._is_as_listed(person, row):
                continue
            is_over = row.state != "active" or (row.ends_at is not None and row.ends_at < self.now)
            kept = _in_force(row) if is_over else row
            upsert_consents(self.store, replace(kept, institution_id=row.institution_id or institution))

    def _keep_stored(self, household_id: str, people: list[Person]) -> None:
        """Store consents for arrangements of earlier runs; with several people the owner is unknown."""
        known = {row.arrangement_id for row in self.store.load(ConsentRow, household_id)}
        own = [row.end_user_id for row in self.store.load(EndUserRow, household_id)]
        for name, institution in arrangements_of_records(self.store, household_id).items():
            if name not in known:
                row = unlisted_consent(household_id, name, own[0] if len(own) == 1 else "", institution)
                if len(people) == len(own) and all(self._has_no_records(one, row) for one in people):
                    row = self._ended(people[0], row)
                if row.end_user_id or row.state != "active":
                    upsert_consents(self.store, row)

    def _end(self, person: Person) -> None:
        """End consents under which no records come any more; their rows stay, and count."""
        for row in consents_of(self.store, person).values():
            by_records = not self._is_as_listed(person, row) and not awaits_records(row)
            if row.state == "active" and by_records and self._has_no_records(person, row):
                upsert_consents(self.store, self._ended(person, row))

    def _is_as_listed(self, person: Person, row: ConsentRow) -> bool:
        """Whether the service's own list decides on the consent."""
        return person in self._listed and is_listed(row)

    def _ended(self, person: Person, row: ConsentRow) -> ConsentRow:
        ended_at = last_seen(self.store, person, row, before=self.now)
        return replace(row, state="ended", termination_reason=NO_RECORDS, ended_at=ended_at)

    def _has_no_records(self, person: Person, row: ConsentRow) -> bool:
        """Whether every list that had records of the arrangement was read to its end without any."""
        name, carried = row.arrangement_id, self._carried[person]
        if name in carried:
            return False
        needed = lists_with(resources_under(self.store, person.household_id, name))
        if not needed:
            return is_replaced(row, carried) and not has_records(self.store, person.household_id, name)
        return all(self._read.get((person, resource), False) for resource in needed)


def _in_force(row: ConsentRow) -> ConsentRow:
    """Return the consent as active, with no end known: its records show no more than that."""
    return replace(row, state="active", termination_reason=None, ends_at=None, ended_at=None, renews=None)


_OF_A_HOUSEHOLD = [each.name for each in STORED if Reference(("household_id",), "households") in each.references]


class People:
    """End users of the store (of one household, where one is named), with consents that are read from the service.

    problems: of this run. listed: end users with a list of consents that was read.
    """

    def __init__(self, store: Store, client: Service, now: datetime, household: str | None) -> None:
        self.store, self.client, self.now, self.household = store, client, now, household
        self.problems: list[Problem] = []
        self.listed: set[Person] = set()
        self._adopted: list[EndUserRow] = []
        self._homes = {row["household_id"] for row in store.rows("households")}

    def to_pull(self, end_user: str | None, progress: Progress) -> list[Person]:
        """Return who has a consent in force; reports ended consents that were not renewed with the same institution."""
        return [person for person in self._people(end_user) if self._may_be_pulled(person, progress)]

    def _people(self, end_user: str | None) -> list[Person]:
        if end_user is not None:
            if is_forgotten(self.store, "end_user", end_user):
                raise ConsentRequiredError(f"{end_user} was forgotten and is not pulled: connect them again first.")
            self._adopt(end_user)
        rows = self.store.load(EndUserRow, where={"end_user_id": end_user} if end_user else None)
        if self.household is not None and rows:
            wanted = find_household(self.store, self.household).household_id
            rows = [row for row in rows if row.household_id == wanted]
        archived = {row.household_id for row in self.store.load(HouseholdRow) if row.archived_on is not None}
        rows = [row for row in rows if row.household_id not in archived]
        return [Person(row.household_id, row.end_user_id) for row in rows]

    def _adopt(self, end_user: str) -> None:
        known = self.store.count("end_users", where={"end_user_id": end_user})
        _, problems = adopt(self.store, self.client, end_user, self.household)
        self.problems += problems
        self._adopted = [] if known else self.store.load(EndUserRow, where={"end_user_id": end_user})

    def take_back_adoption(self) -> None:
        """Delete the end user that this run adopted without result, and the household created for them."""
        with self.store.transaction():
            for row in self._adopted:
                key = {"household_id": row.household_id, "end_user_id": row.end_user_id}
                self.store.delete("consents", key)
                self.store.delete("end_users", key)
                if row.household_id not in self._homes:
                    for table in ("quarantine", *_OF_A_HOUSEHOLD, "households"):
                        self.store.delete(table, {"household_id": row.household_id})

    def _may_be_pulled(self, person: Person, progress: Progress) -> bool:
        progress(f"consents of {person.end_user_id}")
        read = self.read_consents(person)
        if read is None:
            return True  # the data endpoints decide
        consents = consents_of(self.store, person).values()
        self._report_ended(consents)
        return bool(_active(consents) or read.refused)  # of an unreadable one the data endpoints decide

    def read_consents(self, person: Person) -> ReadConsents | None:
        """Read a person's consents and update their state; None where the service gives no such list now."""
        try:
            given = self.client.consents(person.end_user_id)
        except RequestRejectedError:
            return None  # a deployment without the list of consents
        except (ServerError, InvalidResponseError, RateLimitError) as error:
            self.problems.append(Problem(person.end_user_id, Message("consents could not be read: ", error), "warning"))
            return None
        known = set(consents_of(self.store, person))
        read = read_consents(self.store, person, given, self.now, self.client.spelling)
        self.listed.add(person)
        self.problems += read.problems
        if read.active or not read.refused:
            self._update_state(person, known)
        return read

    def conclude(self, arrangements: Arrangements, pulled: Collection[Person]) -> None:
        """Store the consents that this run's records show, and report those that ended."""
        known = {person: set(consents_of(self.store, person)) for person in pulled}
        arrangements.conclude(pulled)
        for person in pulled:
            if person not in self.listed:
                self._update_state(person, known[person])
            self._report_ended(consents_of(self.store, person).values())

    def _report_ended(self, consents: Iterable[ConsentRow]) -> bool:
        """Report ended consents without a renewal at the institution, once per run; True if there are any."""
        ended_problems = [Problem(consent.arrangement_id, ended(consent)) for consent in not_renewed(consents)]
        self.problems += [problem for problem in ended_problems if problem not in self.problems]
        return bool(ended_problems)

    def has_ended(self, person: Person) -> bool:
        """Whether a consent of the person has ended; reads the list again, as one may end while it is used."""
        try:
            given = self.client.consents(person.end_user_id)
        except ToolkitError:
            return False
        read_consents(self.store, person, given, self.now, self.client.spelling)
        return self._report_ended(consents_of(self.store, person).values())

    def _update_state(self, person: Person, known: set[str]) -> None:
        """Update a person's state: connected, ended, or invited until a consent comes. known: arrangements before."""
        where = {"household_id": person.household_id, "end_user_id": person.end_user_id}
        (row,) = self.store.load(EndUserRow, where=where)
        consents = consents_of(self.store, person).values()
        active = _active(consents)
        if active - known:
            set_connected(self.store, person)
            return
        if not consents:
            self.problems.append(Problem(person.end_user_id, waiting(row, self.now), "warning"))
        state = "connected" if active else "ended" if consents and row.state != "invited" else row.state
        if state != row.state:
            self.store.update("end_users", {"state": state}, where)

    def read_institutions(self, ids: Iterable[str]) -> None:
        """Store the directory's entry of these institutions and those of consents; a missing entry is a warning."""
        seen = {row.institution_id for row in self.store.load(ConsentRow)} | set(ids)
        unparsed = UnparsedFields()
        for institution_id in sorted(found for found in seen if found):
            try:
                given = self.client.institution(institution_id)
            except ToolkitError as error:
                self.problems.append(
                    Problem(institution_id, Message("its directory entry was not read: ", error), "warning")
                )
                continue
            page = rows_of("institutions", given.records, given.raws, Scope("", self.now), given.unparsed)
            self.store.upsert("institutions", page.counted.get("institutions", []))
            unparsed.add("institutions", page.unparsed)
            reasons = [*(entry.reason for entry in given.rejected), *(entry.reason for entry in page.refused)]
            self.problems += [Problem(institution_id, f"institutions: {reason}") for reason in reasons]
        self.problems += unparsed.problems


def _active(consents: Iterable[ConsentRow]) -> set[str]:
    return {row.arrangement_id for row in consents if row.state == "active"}


def adopt(store: Store, client: Service, end_user_id: str, household: str | None) -> tuple[str, list[Problem]]:
    """Store an end user of the service: in `household` (created if new), else in a household of their own.

    Returns the household's id, and a problem for what cannot be read of the end user's record. A known end user stays
    in their household; a missing name or address is requested again.
    """
    known = store.first(EndUserRow, where={"end_user_id": end_user_id})
    if known and known.name and known.email:
        return known.household_id, []
    details, problems = _details(client, end_user_id)
    with store.transaction():
        known = store.first(EndUserRow, where={"end_user_id": end_user_id})  # another process may have been quicker
        if known:
            store.upsert("end_users", [{**asdict(known), **details}])
            return known.household_id, problems
        home = _home_for(store, household, details.get("name") or end_user_id)
        row = {"household_id": home.household_id, "end_user_id": end_user_id, "state": "connected"}
        store.upsert("end_users", [{**row, **details}])
    return home.household_id, problems


def _details(client: Service, end_user_id: str) -> tuple[dict[str, str | None], list[Problem]]:
    """Return name and addresses; none where the deployment has no list of end users, who then go by their ids."""
    try:
        given = client.end_users().where(lambda user: user.id == end_user_id)
    except RequestRejectedError:
        return {}, []
    except (ServerError, InvalidResponseError, RateLimitError) as error:
        return {}, [Problem(end_user_id, Message("name and address could not be read: ", error), "warning")]
    if not given.records:
        return {}, problems_of("end_users", given)
    user = given.records[0]
    details = {"name": user.name, "email": user.email, "phone": user.phone}
    return details, problems_of("end_users", dataclasses.replace(given, rejected=[]))


def _home_for(store: Store, household: str | None, own_name: str) -> HouseholdRow:
    taken = {row.name for row in store.load(HouseholdRow)}
    if household is not None:
        known = {text for row in store.load(HouseholdRow) for text in (row.household_id, row.name)}
        return find_household(store, household) if household in known else create_household(store, household)
    number, name = 1, own_name
    while name in taken:
        number += 1
        name = f"{own_name} {number}"
    return create_household(store, name)
