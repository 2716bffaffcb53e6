"""What is amiss with the data: a run without an end, records set aside, consents that ended, data that is old."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime

from toolkit.flows.consent.consents import state_on
from toolkit.flows.data.doctor.check import Check
from toolkit.flows.household.status import ended_consents
from toolkit.store import Store

STALE_DAYS = 14
"""Data older than this is worth a word."""
_REASONS = 3


def data(store: Store, today: date) -> Iterator[Check]:
    yield from _runs(store)
    yield from _quarantine(store)
    yield from _consents(store, today)
    yield from _freshness(store, today)


def _runs(store: Store) -> Iterator[Check]:
    """Only the latest run: one that was cut short earlier has been made up for since."""
    runs = sorted(store.rows("runs"), key=lambda row: str(row["started_at"]))
    if runs and runs[-1]["state"] == "running":
        begun = f"{runs[-1]['started_at']:%Y-%m-%d %H:%M} UTC"
        text = f"The sync begun at {begun} has not finished: it is still going on, or was ended. "
        yield Check("sync", "warning", f"{text}Run `toolkit sync` again: it goes on where it stopped.")


def _quarantine(store: Store) -> Iterator[Check]:
    rows = store.rows("quarantine")
    if not rows:
        return
    reasons = Counter(f"{row['resource']}: {row['reason']}" for row in rows).most_common()
    told = "; ".join(f"{count} of {reason}" for reason, count in reasons[:_REASONS])
    more = " …" if len(reasons) > _REASONS else ""
    yield Check(
        "quarantine",
        "warning",
        f"{len(rows)} records could not be read ({told}{more}). They are kept as they came and tried again at every "
        "sync: a later version of the toolkit may read them. `toolkit status` lists them.",
    )


def _consents(store: Store, today: date) -> Iterator[Check]:
    for home in store.rows("households"):
        for problem in ended_consents(store, home["household_id"], today):
            yield Check("consent", "warning", f"{home['name']}: {problem.reason}.")


def _freshness(store: Store, today: date) -> Iterator[Check]:
    """What is still pulled: the data of a consent that ended is as old as it should be."""
    for home in store.rows("households"):
        person_ids = _still_pulled(store, home["household_id"], today)
        rows = [row for row in store.rows("positions", home["household_id"]) if row["end_user_id"] in person_ids]
        old = sorted((_age(row["fresh_at"], today), row["resource"]) for row in rows if row["fresh_at"])[::-1]
        if old and old[0][0] > STALE_DAYS:
            days, resource = old[0]
            text = f"{home['name']}: {resource} was last read to its end {days} days ago. Run `toolkit sync`."
            yield Check("freshness", "warning", text)


def _still_pulled(store: Store, household_id: str, today: date) -> set[str]:
    consents = store.rows("consents", household_id)
    lasting = {row["end_user_id"] for row in consents if state_on(row, today) == "active"}
    known = {row["end_user_id"] for row in consents}
    people = {row["end_user_id"] for row in store.rows("end_users", household_id)}
    return lasting | (people - known)


def _age(moment: datetime, today: date) -> int:
    return (datetime(today.year, today.month, today.day, tzinfo=UTC) - moment).days
