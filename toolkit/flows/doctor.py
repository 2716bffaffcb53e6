"""What is wrong, in words: settings, files, database, connection, data."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.errors import ToolkitError
from toolkit.flows.doctor_service import Check, connection

if TYPE_CHECKING:
    from toolkit.flows.context import Context
    from toolkit.settings import Settings
    from toolkit.store import Store

STALE_DAYS = 14
"""Data older than this is worth a word."""


def doctor(ctx: Context, settings: Settings) -> dict[str, Any]:
    """Examine everything; `failed` names the checks that are in error. Secrets stay hidden."""
    checks = [*_files(ctx.db), *_database(ctx), *connection(settings)]
    return {
        "settings": [
            {"name": name, "value": found.value, "origin": found.origin} for name, found in settings.origins.items()
        ],
        "checks": [asdict(check) for check in checks],
        "failed": [check.name for check in checks if check.state == "error"],
    }


def _files(db: Path) -> Iterator[Check]:
    """Modes of the database and its folder; loose ones are mended, for nobody else needs to read them."""
    if os.name != "posix" or not db.exists():
        return
    for path, mode in ((db.parent, 0o700), (db, 0o600)):
        found = stat.S_IMODE(path.stat().st_mode)
        if found & ~mode & 0o077 and path.owner() == Path.home().owner():
            path.chmod(mode)
            yield Check("permissions", "warning", f"{path} was open to others ({found:o}); it is {mode:o} now.")
    yield Check("permissions", "ok", f"{db} can be read by you alone.")


def _database(ctx: Context) -> Iterator[Check]:
    from toolkit.store import open_store

    if not ctx.db.exists():
        yield Check("database", "ok", f"{ctx.db}: not made yet; importing or syncing makes it.")
        return
    try:
        with open_store(ctx.db, create=False) as store:
            yield _integrity(store)
            yield from _runs(store)
            yield from _quarantine(store)
            yield from _consents(store, ctx.today)
            yield from _freshness(store, ctx.today)
    except ToolkitError as error:
        yield Check("database", "error", str(error))


def _integrity(store: Store) -> Check:
    """A search index that went wrong is made anew; for anything else there are backups."""
    from toolkit.store.copies import backups_of

    if not (damage := store.damage()):
        return Check("database", "ok", f"{store.path} is whole.")
    if damage == store.remade_indexes():
        return Check("database", "warning", f"{' '.join(damage)} It was made anew.")
    latest = backups_of(store.path)[-1:]
    advice = f"Restore a backup: toolkit restore {latest[0]}" if latest else "Keep it; there is no backup in its folder"
    return Check("database", "error", f"{store.path} is not whole: {' '.join(damage)} {advice}.")


def _runs(store: Store) -> Iterator[Check]:
    """Only the latest run: one that was cut short earlier has been made up for since."""
    runs = sorted(store.rows("runs"), key=lambda row: str(row["started_at"]))
    if runs and runs[-1]["state"] == "running":
        yield Check("sync", "warning", "A sync did not finish. Run `toolkit sync` again: it goes on where it stopped.")


def _quarantine(store: Store) -> Iterator[Check]:
    count = len(store.rows("quarantine"))
    if count:
        yield Check("quarantine", "warning", f"{count} records could not be read; they are kept and tried again.")


def _consents(store: Store, today: date) -> Iterator[Check]:
    from toolkit.flows.status import ended_consents

    for row in store.rows("households"):
        for problem in ended_consents(store, row["household_id"], today):
            yield Check("consent", "warning", f"{problem.where}: {problem.reason}.")


def _freshness(store: Store, today: date) -> Iterator[Check]:
    moments = [row["fresh_at"] for row in store.rows("positions") if row["fresh_at"]]
    if not moments:
        return
    age = (datetime(today.year, today.month, today.day, tzinfo=UTC) - min(moments)).days
    if age > STALE_DAYS:
        yield Check("freshness", "warning", f"Some data was last read {age} days ago. Run `toolkit sync`.")
