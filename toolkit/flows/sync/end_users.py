"""For whom a sync pulls: end users, their consents, and the institutions these are with."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable
from datetime import datetime

from msgspec.structs import asdict

from toolkit.errors import (
    ConsentRequiredError,
    InvalidResponseError,
    Problem,
    RateLimitError,
    RequestRejectedError,
    ServerError,
    ToolkitError,
)
from toolkit.flows.consent.consents import consents_of, set_connected, waiting
from toolkit.flows.household.context import Progress, create_household, find_household
from toolkit.flows.sync.consents import Arrangements, ReadConsents, read_consents
from toolkit.flows.sync.pull import Service
from toolkit.remedies import Message
from toolkit.store import Store
from toolkit.store.sync_state import is_forgotten
from toolkit.sync.consents import ended, not_renewed
from toolkit.sync.list_sync import Person
from toolkit.sync.pages import UnparsedFields, problems_of
from toolkit.tables.rows.records import rows_of
from toolkit.tables.rows.values import Scope
from toolkit.tables.schema.identity import ConsentRow, EndUserRow, HouseholdRow


class People:
    """End users of the store (of one household, where one is named), whose consents are read from the service.

    problems: of this run. listed: end users whose list of consents was read.
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
                    for table in ("quarantine", "households"):
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
            self._settle(person, known)
        return read

    def conclude(self, arrangements: Arrangements, pulled: Collection[Person]) -> None:
        """Store the consents that this run's records show, and report those that ended."""
        known = {person: set(consents_of(self.store, person)) for person in pulled}
        arrangements.conclude(pulled)
        for person in pulled:
            if person not in self.listed:
                self._settle(person, known[person])
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

    def _settle(self, person: Person, known: set[str]) -> None:
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
