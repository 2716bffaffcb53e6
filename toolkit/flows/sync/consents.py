"""A person's consents as the service lists them: stored as they came, or named and set aside."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from toolkit.errors import Problem
from toolkit.flows.forget.tombstones import is_forgotten
from toolkit.store import Store
from toolkit.sync.arrangements import awaits_records, is_listed
from toolkit.sync.consents import UNLISTED
from toolkit.sync.list_sync import Person
from toolkit.sync.unparsed_fields import UnparsedFields
from toolkit.tables.rows.records import PageRows, Refusal, refusal, rows_of
from toolkit.tables.rows.values import Scope
from toolkit.wire.decoding.short_lists import Listing
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
