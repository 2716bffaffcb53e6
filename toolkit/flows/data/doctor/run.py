"""`doctor`: check settings, files, database, connection and data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime

from toolkit.analytics.consents import state_on
from toolkit.answers.data import Check, Checkup, Setting
from toolkit.errors import StoreDamagedError, ToolkitError
from toolkit.flows.data.doctor.disk import is_encrypted, sentence
from toolkit.flows.data.doctor.files import advice, integrity, lost_log, permissions
from toolkit.flows.data.doctor.service import connection
from toolkit.flows.household.context import Context
from toolkit.flows.household.status import ended_consents
from toolkit.settings import Settings
from toolkit.store import Store, open_store
from toolkit.store.connection import is_stored
from toolkit.tables.reference.packaged import out_of_date
from toolkit.tables.schema.identity import ConsentRow, EndUserRow, HouseholdRow
from toolkit.tables.schema.journal import PositionRow, QuarantineRow, RunRow

STALE_DAYS = 14
"""Data older than this many days is reported."""
_REASONS = 3


def doctor(ctx: Context, settings: Settings) -> Checkup:
    """Run all checks; `failed` names those in error. Secrets are redacted."""
    encrypted = is_encrypted(ctx.db)
    disk = Check("disk", "ok" if encrypted else "warning", sentence(encrypted))
    checks = (*_stored(ctx, settings), *_packaged(ctx.today), *connection(settings), disk)
    return Checkup(
        settings=tuple(
            Setting(name=name, value=None if entry.value is None else str(entry.value), origin=entry.origin)
            for name, entry in settings.origins.items()
        ),
        checks=checks,
        failed=tuple(check.name for check in checks if check.state == "error"),
    )


def _stored(ctx: Context, settings: Settings) -> Iterator[Check]:
    """Check what is on this machine; a file that cannot be read is reported."""
    try:
        yield from permissions(ctx.db, settings.data_dir)
        yield from lost_log(ctx.db)
        yield from _database(ctx)
    except OSError as error:
        yield Check("permissions", "error", f"{error.filename}: {error.strerror}. Check its owner and permissions.")


def _database(ctx: Context) -> Iterator[Check]:
    try:
        if not is_stored(ctx.db):
            yield Check("database", "ok", f"{ctx.db}: not created yet; `toolkit import` or `toolkit sync` creates it.")
            return
        with open_store(ctx.db, create=False) as store:
            yield (whole := integrity(store))
            if whole.state != "error":
                yield from _data(store, ctx.today)
    except StoreDamagedError as error:
        yield Check("database", "error", f"{ctx.db} is not a whole database ({error.__cause__}). {advice(ctx.db)}")
    except ToolkitError as error:
        yield Check("database", "error", str(error))


def _packaged(today: date) -> Iterator[Check]:
    """Check that the facts which the toolkit brings with it are still valid."""
    for table in out_of_date(today):
        text = f"{table.title}: read on {table.read}, valid until {table.valid_until}. Install the latest version."
        yield Check("reference", "warning", text)


def _data(store: Store, today: date) -> Iterator[Check]:
    """Check runs, quarantine, consents and freshness."""
    yield from _runs(store)
    yield from _quarantine(store)
    yield from _consents(store, today)
    yield from _freshness(store, today)


def _runs(store: Store) -> Iterator[Check]:
    """Check the latest run only, as later runs have completed earlier ones."""
    runs = sorted(store.load(RunRow), key=lambda row: row.started_at)
    if runs and runs[-1].state == "running":
        begun = f"{runs[-1].started_at:%Y-%m-%d %H:%M} UTC"
        text = f"The sync begun at {begun} has not finished: it is still running, or was stopped. "
        yield Check("sync", "warning", f"{text}Run `toolkit sync` again: it continues from its checkpoint.")


def _quarantine(store: Store) -> Iterator[Check]:
    rows = store.load(QuarantineRow)
    if not rows:
        return
    reasons = Counter(f"{row.resource}: {row.reason}" for row in rows).most_common()
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
        rows = [row for row in store.load(PositionRow, home.household_id) if row.end_user_id in person_ids]
        midnight = datetime(today.year, today.month, today.day, tzinfo=UTC)
        old = sorted(((midnight - row.fresh_at).days, row.resource) for row in rows if row.fresh_at)[::-1]
        if old and old[0][0] > STALE_DAYS:
            days, resource = old[0]
            text = f"{home.name}: {resource} was last read to its end {days} days ago. Run `toolkit sync`."
            yield Check("freshness", "warning", text)


def _synced_people(store: Store, household_id: str, today: date) -> set[str]:
    consents = store.load(ConsentRow, household_id)
    lasting = {row.end_user_id for row in consents if state_on(row, today) == "active"}
    known = {row.end_user_id for row in consents}
    people = {row.end_user_id for row in store.load(EndUserRow, household_id)}
    return lasting | (people - known)
