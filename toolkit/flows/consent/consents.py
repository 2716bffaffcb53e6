"""Consents and invitations of the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from msgspec.structs import replace

from toolkit.analytics.consents import standing
from toolkit.answers.consents import Consent
from toolkit.errors import ChoiceRequiredError, InvalidResponseError
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.store.sync_state import is_forgotten
from toolkit.sync.list_sync import Person
from toolkit.tables.schema import STORED
from toolkit.tables.schema.identity import ConsentRow, EndUserRow, InstitutionRow
from toolkit.tables.words import not_one
from toolkit.wire.decoding.pages import read_alone
from toolkit.wire.endpoints import endpoint

LARGE = ("transactions", "register_days", "meter_reads")
_SMALL = tuple(
    table.name
    for table in STORED
    if {"household_id", "arrangement_id"} <= set(table.names) and table.name not in (*LARGE, "consents", "quarantine")
)
"""Tables of records with few rows: each account, service point or bill has one there."""
_RESOURCE = {table.name: table.resource for table in STORED}
_NAMES = {table.name: frozenset(table.names) for table in STORED}


def consent_on(row: ConsentRow, institution: InstitutionRow | None, today: date) -> Consent:
    """Return a stored consent as it stands on a day, with accounts and permissions from the service's record."""
    try:
        records = read_alone(endpoint("consents.list"), (row.raw or "{}").encode()).records
    except InvalidResponseError:
        records = []
    accounts = [account for record in records for account in record.account_ids or []]
    permissions = [permission for record in records for permission in record.permissions or []]
    return standing(row, institution, today, accounts=accounts, permissions=permissions)


def stored_consent(store: Store, wanted: str) -> ConsentRow:
    """Find the consent with that arrangement or consent id. Raises ChoiceRequiredError unless there is exactly one."""
    consents = known_consents(store)
    matches = [row for row in consents if wanted in (row.arrangement_id, row.consent_id)]
    if len(matches) != 1:
        raise ChoiceRequiredError(not_one("consent", wanted, len(matches)), [row.arrangement_id for row in consents])
    return matches[0]


def consents_of(store: Store, person: Person) -> dict[str, ConsentRow]:
    """Return the stored consents of one end user, by arrangement."""
    rows = store.load(ConsentRow, person.household_id, where={"end_user_id": person.end_user_id})
    return {row.arrangement_id: row for row in rows}


def upsert_consents(store: Store, *consents: ConsentRow) -> None:
    """Store consents, within the caller's transaction if there is one."""
    store.upsert("consents", consents)


# ---- consents that the service did not list


def known_consents(store: Store, household_id: str | None = None, *, quickly: bool = False) -> list[ConsentRow]:
    """Return stored consents, and one for every other arrangement of a stored record, in force as far as is known.

    A service need not list consents, and earlier versions kept only those that were listed. `end_user_id` is empty
    where the household has several end users, as it is not known who gave the consent. quickly: without searching
    transactions and meter reads; their accounts and service points name the arrangement as a rule.
    """
    consents = store.load(ConsentRow, household_id)
    known = {(row.household_id, row.arrangement_id) for row in consents}
    institutions = _institutions(store, household_id, _SMALL if quickly else (*_SMALL, *LARGE))
    unknown = sorted(institutions.keys() - known)
    people = {home: store.tuples("end_users", ("end_user_id",), home) for home in {home for home, _ in unknown}}
    owners = {home: str(found[0][0]) if len(found) == 1 else "" for home, found in people.items()}
    return [*consents, *(unlisted_consent(*key, owners[key[0]], institutions[key]) for key in unknown)]


def unlisted_consent(
    household_id: str, arrangement_id: str, end_user_id: str, institution_id: str | None
) -> ConsentRow:
    """Return an active consent that the service did not list, as a row."""
    return ConsentRow(
        household_id=household_id,
        arrangement_id=arrangement_id,
        consent_id=None,
        end_user_id=end_user_id,
        institution_id=institution_id,
        state="active",
        termination_reason=None,
        granted_at=None,
        ends_at=None,
        ended_at=None,
        renews=None,
        raw=None,
    )


def arrangements_of_records(store: Store, household_id: str) -> dict[str, str | None]:
    """Return arrangement → institution of the stored records; transactions and meter reads are not searched."""
    return {name: institution for (_, name), institution in _institutions(store, household_id, _SMALL).items()}


def resources_under(store: Store, household_id: str, arrangement_id: str) -> set[str]:
    """Return the resources with records under an arrangement; transactions and meter reads are not searched."""
    where = {"arrangement_id": arrangement_id}
    named = [name for name in _SMALL if _RESOURCE[name] and store.count(name, household_id, where=where)]
    return {str(_RESOURCE[name]) for name in named}


def has_records(store: Store, household_id: str, arrangement_id: str) -> bool:
    """Whether any record is stored under an arrangement."""
    where = {"arrangement_id": arrangement_id}
    return any(store.count(name, household_id, where=where) for name in (*_SMALL, *LARGE))


def _institutions(store: Store, household_id: str | None, tables: Iterable[str]) -> dict[tuple[str, str], str | None]:
    """Return (household, arrangement) → institution."""
    institutions: dict[tuple[str, str], str | None] = {}
    for name in tables:
        named = ("institution_id",) if "institution_id" in _NAMES[name] else ()
        for home, arrangement, *institution in store.distinct(
            name, ("household_id", "arrangement_id", *named), household_id
        ):
            if arrangement is not None:
                institutions[home, arrangement] = institutions.get((home, arrangement)) or next(iter(institution), None)
    return institutions


# ---- consents of a consent flow


@dataclass(frozen=True, slots=True)
class EndedFlow:
    """A consent flow that ended with a consent."""

    consent_id: str
    institution_id: str | None = None
    """None where the person chose it on the service's pages."""
    renews: str | None = None
    """Arrangement that the flow was to renew."""


def keep_flow(store: Store, person: Person, flow: EndedFlow, now: datetime) -> None:
    """Store the flow's consent if it is not stored otherwise, with its id as the arrangement id.

    The sync that brings its first records gives it their arrangement.
    """
    known = consents_of(store, person).values()
    if any(flow.consent_id in (row.consent_id, row.arrangement_id) for row in known):
        return
    consent = unlisted_consent(person.household_id, flow.consent_id, person.end_user_id, flow.institution_id)
    upsert_consents(store, replace(consent, consent_id=flow.consent_id, granted_at=now, renews=flow.renews))


def keep_shown(store: Store, person: Person, shown: Mapping[str, str | None]) -> None:
    """Store arrangements that records show (→ institution), except forgotten ones."""
    known = {row.arrangement_id for row in store.load(ConsentRow, person.household_id)}
    for arrangement, institution in shown.items():
        if arrangement not in known and not is_forgotten(store, "arrangement", arrangement, person.household_id):
            upsert_consents(store, unlisted_consent(person.household_id, arrangement, person.end_user_id, institution))


# ---- invitations


def keep_invitation(store: Store, person: Person, url: str, expires_at: datetime | None, now: datetime) -> None:
    """Store a link made at `now`. A person who already shares data stays connected; the link then adds or renews."""
    own = {"end_user_id": person.end_user_id}
    shares = store.count("consents", person.household_id, where={**own, "state": "active"})
    state = "connected" if shares else "invited"
    invitation = {"state": state, "invite_url": url, "invite_expires_at": expires_at, "invited_at": now}
    store.update("end_users", invitation, {"household_id": person.household_id, **own})


def set_connected(store: Store, person: Person) -> None:
    """Set a person's state to connected and delete the consent link, as a new consent has come."""
    connected = {"state": "connected", "invite_url": None, "invite_expires_at": None}
    store.update("end_users", connected, {"household_id": person.household_id, "end_user_id": person.end_user_id})


INVITED = "was invited and has not agreed yet"
"""Of a person with a link that still works."""


def waiting(row: EndUserRow, now: datetime) -> str:
    """Describe a person who has given no consent yet."""
    ends_at = row.invite_expires_at
    if row.invite_url is None:
        return "has given no consent yet"
    if ends_at is not None and ends_at <= now:
        return Message(f"was invited but did not answer by {ends_at:%Y-%m-%d}: ", Remedy.INVITE_AGAIN)
    return INVITED + (f"; the link ends {ends_at:%Y-%m-%d}" if ends_at else "")
