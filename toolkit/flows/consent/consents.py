"""Consents and invitations of the store."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from toolkit.errors import ChoiceRequiredError, InvalidResponseError
from toolkit.store import Condition, Store
from toolkit.store.sync_state import is_forgotten
from toolkit.sync.list_sync import Person
from toolkit.tables.schema import STORED
from toolkit.tables.words import counted
from toolkit.wire.decoding.pages import read_alone
from toolkit.wire.endpoints import endpoint

Row = Mapping[str, Any]

REMIND_EVERY = timedelta(90)
"""Consumer Data Right Rules 4.20: people are reminded every 90 days that they share data."""
REMIND_FOR = timedelta(14)
LAST_WARNING = timedelta(30)
LIMIT_MONTHS = 12
HEALTHY = "HEALTHY"
NO_SUCH_PATH = frozenset({404, 405})


def standing(consent: Row, institution: Row | None, today: date) -> dict[str, Any]:
    """One consent of the store as `status` shows it.

    ends_in_days: null once it has ended. limit_at: no consent lasts longer than 12 months. next_reminder: the next
    ninetieth day since it was given. reminder: what is to be said today, else null. connection: HEALTHY, DEGRADED,
    OUTAGE or another word of the service; is_accessible: whether the institution can be connected now.
    """
    state = state_on(consent, today)
    granted, ends = _day(consent["granted_at"]), _day(consent["ends_at"])
    lasts = state == "active"
    known = institution or {}
    return {
        "id": consent["consent_id"] or consent["arrangement_id"],
        "arrangement_id": consent["arrangement_id"],
        "end_user_id": consent["end_user_id"],
        "institution_id": consent["institution_id"],
        "institution": known.get("name") or consent["institution_id"],
        "granted_at": consent["granted_at"],
        "ends_at": consent["ends_at"],
        "state": state,
        "accounts": len(_told(consent, "account_ids")) or None,
        "shares": _told(consent, "permissions"),
        "ends_in_days": (ends - today).days if lasts and ends else None,
        "limit_at": _months_later(granted, LIMIT_MONTHS) if granted else None,
        "next_reminder": _next_reminder(granted, today) if lasts and granted else None,
        "reminder": _reminder(granted, ends, today) if lasts else None,
        "connection": known.get("connection_status"),
        "is_accessible": known.get("is_accessible"),
    }


def state_on(consent: Row, today: date) -> str:
    """A consent whose last day has passed is over, also when no sync has noticed yet."""
    ends_at = consent["ends_at"]
    over = consent["state"] == "active" and ends_at is not None and ends_at.date() < today
    return "expired" if over else str(consent["state"])


def _day(timestamp: datetime | None) -> date | None:
    return timestamp.date() if timestamp else None


def _told(consent: Row, name: str) -> list[str]:
    """A list of the consent as the service gave it, whatever its spelling there."""
    try:
        given = read_alone(endpoint("consents.list"), (consent["raw"] or "{}").encode()).records
    except InvalidResponseError:
        return []
    return [value for record in given for value in getattr(record, name) or []]


def _months_later(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _next_reminder(granted: date, today: date) -> date:
    passed = max(0, (today - granted) // REMIND_EVERY)
    return granted + (passed + 1) * REMIND_EVERY


def _reminder(granted: date | None, ends: date | None, today: date) -> str | None:
    if ends is not None and ends - today <= LAST_WARNING:
        return f"sharing ends in {_days(ends - today)}: renew it, or let it end"
    if granted is None or today - granted < REMIND_EVERY or (today - granted) % REMIND_EVERY >= REMIND_FOR:
        return None
    return f"shared since {granted} ({_days(today - granted)}): keep it only while it is of use"


def _days(span: timedelta) -> str:
    return counted(span.days, "day")


def stored_consent(store: Store, wanted: str) -> dict[str, Any]:
    """The consent with that arrangement or consent id. Raises ChoiceRequiredError where there is no single one."""
    consents = known_consents(store)
    found = [row for row in consents if wanted in (row["arrangement_id"], row["consent_id"])]
    if len(found) != 1:
        raise ChoiceRequiredError(
            f"No single consent is called {wanted!r}.", [row["arrangement_id"] for row in consents]
        )
    return found[0]


LARGE = ("transactions", "register_days", "meter_reads")
_SMALL = tuple(
    table.name
    for table in STORED
    if {"household_id", "arrangement_id"} <= set(table.names) and table.name not in (*LARGE, "consents", "quarantine")
)
"""Tables of records with few rows: each account, service point or bill has one there."""
_RESOURCE = {table.name: table.resource for table in STORED}
_NAMES = {table.name: frozenset(table.names) for table in STORED}


def known_consents(store: Store, household_id: str | None = None, *, quickly: bool = False) -> list[dict[str, Any]]:
    """Rows of `consents`, and one for every other arrangement of a stored record, in force as far as is known.

    A service need not list consents, and earlier versions kept only those that were listed. `end_user_id` is empty
    where the household has several end users and nothing says whose the arrangement is. quickly: without looking
    through transactions and meter reads, whose accounts and service points name their arrangement as a rule.
    """
    consents = store.rows("consents", household_id)
    known = {(row["household_id"], row["arrangement_id"]) for row in consents}
    found = _institutions(store, household_id, _SMALL if quickly else (*_SMALL, *LARGE))
    unknown = sorted(found.keys() - known)
    owners = {home: _only_person(store, home) for home in {home for home, _ in unknown}}
    return [*consents, *(consent_row(*key, owners[key[0]], found[key]) for key in unknown)]


def consent_row(
    household_id: str, arrangement_id: str, end_user_id: str, institution_id: str | None, **known: Any
) -> dict[str, Any]:
    """A row of `consents` that the service did not list; known: more of its columns."""
    return {
        "household_id": household_id,
        "arrangement_id": arrangement_id,
        "consent_id": None,
        "end_user_id": end_user_id,
        "institution_id": institution_id,
        "state": "active",
        "termination_reason": None,
        "granted_at": None,
        "ends_at": None,
        "ended_at": None,
        "renews": None,
        "raw": None,
        **known,
    }


def arrangements_of_records(store: Store, household_id: str) -> dict[str, str | None]:
    """Arrangement → institution, of the records that few are of."""
    return {name: institution for (_, name), institution in _institutions(store, household_id, _SMALL).items()}


def resources_under(store: Store, household_id: str, arrangement_id: str) -> set[str]:
    """Resources of which records are stored under an arrangement, transactions and meter reads left aside."""
    where = {"arrangement_id": arrangement_id}
    named = [name for name in _SMALL if _RESOURCE[name] and store.count(name, household_id, where=where)]
    return {str(_RESOURCE[name]) for name in named}


def has_records(store: Store, household_id: str, arrangement_id: str) -> bool:
    """Whether any record is stored under an arrangement."""
    where = {"arrangement_id": arrangement_id}
    return any(store.count(name, household_id, where=where) for name in (*_SMALL, *LARGE))


def _institutions(store: Store, household_id: str | None, tables: Iterable[str]) -> dict[tuple[str, str], str | None]:
    """(household, arrangement) → institution."""
    found: dict[tuple[str, str], str | None] = {}
    for name in tables:
        named = ("institution_id",) if "institution_id" in _NAMES[name] else ()
        for home, arrangement, *institution in store.distinct(
            name, ("household_id", "arrangement_id", *named), household_id
        ):
            if arrangement is not None:
                found[home, arrangement] = found.get((home, arrangement)) or next(iter(institution), None)
    return found


def _only_person(store: Store, household_id: str) -> str:
    people = store.tuples("end_users", ("end_user_id",), household_id)
    return str(people[0][0]) if len(people) == 1 else ""


@dataclass(frozen=True, slots=True)
class EndedFlow:
    """A consent flow that ended well. institution_id: None where the person chose it on the service's pages.

    renews: the arrangement that it was to renew.
    """

    consent_id: str
    institution_id: str | None = None
    renews: str | None = None


def keep_flow(store: Store, person: Person, flow: EndedFlow, now: datetime) -> None:
    """Store the flow's consent if it is not stored otherwise, with its id as the arrangement id.

    The sync that brings its first records gives it their arrangement.
    """
    for row in store.rows("consents", person.household_id, where={"end_user_id": person.end_user_id}):
        if flow.consent_id in (row["consent_id"], row["arrangement_id"]):
            return
    known = {"consent_id": flow.consent_id, "granted_at": now, "renews": flow.renews}
    row = consent_row(person.household_id, flow.consent_id, person.end_user_id, flow.institution_id, **known)
    store.upsert("consents", [row])


def keep_shown(store: Store, person: Person, shown: Mapping[str, str | None]) -> None:
    """Store arrangements that records show, without those that were forgotten."""
    known = {row["arrangement_id"] for row in store.rows("consents", person.household_id)}
    for arrangement, institution in shown.items():
        if arrangement not in known and not is_forgotten(store, "arrangement", arrangement, person.household_id):
            store.upsert("consents", [consent_row(person.household_id, arrangement, person.end_user_id, institution)])


NO_INVITATION = {"invite_url": None, "invite_expires_at": None}


def keep_invitation(store: Store, person: Person, url: str, expires_at: datetime | None) -> None:
    """Remember an open link. Who shares something already stays connected; the link then adds or renews."""
    shares = store.count("consents", person.household_id, where={**_whose(person), "state": "active"})
    state = "connected" if shares else "invited"
    store.update("end_users", {"state": state, "invite_url": url, "invite_expires_at": expires_at}, _key(person))


def answered(store: Store, person: Person) -> None:
    """A new consent is there: the link, where one was sent, has done its work."""
    store.update("end_users", {"state": "connected", **NO_INVITATION}, _key(person))


def waiting(row: dict[str, Any], now: datetime) -> str:
    """What to say of a person (a row of end_users) who has given no consent."""
    ends_at = row["invite_expires_at"]
    if row["invite_url"] is None:
        return "has given no consent yet"
    if ends_at is not None and ends_at <= now:
        return f"was invited but did not answer by {ends_at:%Y-%m-%d}: invite again (toolkit connect --invite)"
    return "was invited and has not agreed yet" + (f"; the link ends {ends_at:%Y-%m-%d}" if ends_at else "")


def _whose(person: Person) -> dict[str, Condition]:
    return {"end_user_id": person.end_user_id}


def _key(person: Person) -> dict[str, Condition]:
    return {"household_id": person.household_id, **_whose(person)}
