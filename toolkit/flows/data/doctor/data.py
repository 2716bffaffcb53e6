"""Check the data for unfinished runs, quarantined records, ended consents and old data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime

from toolkit.analytics.consents import state_on
from toolkit.answers.data import Check
from toolkit.flows.household.status import ended_consents
from toolkit.store import Store
from toolkit.tables.schema.identity import ConsentRow, HouseholdRow

STALE_DAYS = 14
"""Data older than this many days is reported."""
_REASONS = 3


def data(store: Store, today: date) -> Iterator[Check]:
    """Check runs, quarantine, consents and freshness."""
    yield from _runs(store)
    yield from _quarantine(store)
    yield from _consents(store, today)
    yield from _freshness(store, today)


def _runs(store: Store) -> Iterator[Check]:
    """Check the latest run only, as later runs have completed earlier ones."""
    runs = sorted(store.rows("runs"), key=lambda row: str(row["started_at"]))
    if runs and runs[-1]["state"] == "running":
        begun = f"{runs[-1]['started_at']:%Y-%m-%d %H:%M} UTC"
        text = f"The sync begun at {begun} has not finished: it is still running, or was stopped. "
        yield Check("sync", "warning", f"{text}Run `toolkit sync` again: it continues from its checkpoint.")


def _quarantine(store: Store) -> Iterator[Check]:
    rows = store.rows("quarantine")
    if not rows:
        return
    reasons = Counter(f"{row['resource']}: {row['reason']}" for row in rows).most_common()
    summary = "; ".join(f"{count} of {reason}" for reason, count in reasons[:_REASONS])
    more = " …" if len(reasons) > _REASONS else ""
    yield Check(
        "quarantine",
        "warning",
        f"{len(rows)} records could not be read ({summary}{more}). They are kept unchanged and tried again at every "
        "sync: a later version of the toolkit may read them. `toolkit status` lists them.",
    )


def _consents(store: Store, today: date) -> Iterator[Check]:
    for home in store.load(HouseholdRow):
        for problem in ended_consents(store, home.household_id, today):
            yield Check("consent", "warning", f"{home.name}: {problem.reason}.")


def _freshness(store: Store, today: date) -> Iterator[Check]:
    """Check how old the data is; data of ended consents is not updated, so it is left out."""
    for home in store.load(HouseholdRow):
        person_ids = _synced_people(store, home.household_id, today)
        rows = [row for row in store.rows("positions", home.household_id) if row["end_user_id"] in person_ids]
        old = sorted((_age(row["fresh_at"], today), row["resource"]) for row in rows if row["fresh_at"])[::-1]
        if old and old[0][0] > STALE_DAYS:
            days, resource = old[0]
            text = f"{home.name}: {resource} was last read to its end {days} days ago. Run `toolkit sync`."
            yield Check("freshness", "warning", text)


def _synced_people(store: Store, household_id: str, today: date) -> set[str]:
    consents = store.load(ConsentRow, household_id)
    lasting = {row.end_user_id for row in consents if state_on(row, today) == "active"}
    known = {row.end_user_id for row in consents}
    people = {row["end_user_id"] for row in store.rows("end_users", household_id)}
    return lasting | (people - known)


def _age(timestamp: datetime, today: date) -> int:
    return (datetime(today.year, today.month, today.day, tzinfo=UTC) - timestamp).days
