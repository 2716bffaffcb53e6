"""Ways back to a database that cannot be opened: a copy of it, or the rest without a log that is gone."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from toolkit.flows.data.backup import latest_whole
from toolkit.flows.household.context import Context
from toolkit.store.connection import copies_of, go_on_without_log, is_without_its_log


class Copy(Struct, frozen=True):
    """A whole copy of the database, made by a backup, before a restore, or before an upgrade."""

    path: Path
    made_at: datetime


def latest_copy(ctx: Context) -> Copy | None:
    """Return the copy that is likeliest to be wanted; None where none is whole. Each is read to be sure."""
    found = latest_whole(ctx.db, copies_of(ctx.db))
    return Copy(found, datetime.fromtimestamp(found.stat().st_mtime, UTC)) if found else None


def lacks_its_log(ctx: Context) -> bool:
    """Return whether the log was taken away after a crash, so that what was stored last may be missing."""
    return is_without_its_log(ctx.db)


def use_without_log(ctx: Context) -> None:
    """Have the database opened without its lost log from now on."""
    go_on_without_log(ctx.db)
